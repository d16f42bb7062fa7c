package io.heptad.stress.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SideBySideTest {
    private static Row row(String shape) {
        return new Row(shape, "lincheck", 1, -1, 0, 0, List.of(), 0, "");
    }

    @Test
    void asManyJobsRunAtOnceAsThereAreProcessorsAndTheRowsKeepTheirOrder() throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        CountDownLatch second = new CountDownLatch(1);
        List<Callable<Row>> jobs = List.of(
                () -> {
                    both.countDown();
                    assertThat(second.await(10, TimeUnit.SECONDS)).isTrue();
                    return row("first");
                },
                () -> {
                    both.countDown();
                    assertThat(both.await(10, TimeUnit.SECONDS)).isTrue();
                    second.countDown();
                    return row("second");
                });

        assertThat(SideBySide.run(jobs, 2)).extracting(Row::shape).containsExactly("first", "second");
    }

    @Test
    void noMoreRunAtOnceThanThat() throws Exception {
        Set<Thread> lanes = ConcurrentHashMap.newKeySet();
        Callable<Row> job = () -> {
            lanes.add(Thread.currentThread());
            return row("some");
        };
        SideBySide.run(List.of(job, job, job, job), 1);
        assertThat(lanes).hasSize(1);
    }

    @Test
    void aJobThatBreaksBreaksTheRun() {
        assertThatThrownBy(() -> SideBySide.run(
                        List.of(() -> {
                            throw new IOException("no such JDK");
                        }),
                        1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no such JDK");
    }
}
