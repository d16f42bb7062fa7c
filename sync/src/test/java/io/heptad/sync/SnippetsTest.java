package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** The examples of the javadoc, compiled and run. */
@Watched
class SnippetsTest {
    private final Executor executor = task -> Thread.ofVirtual().start(task);

    private final ConcurrentLinkedQueue<String> done = new ConcurrentLinkedQueue<>();

    private void load(String part) {
        done.add(part);
    }

    @Test
    void latchOfParts() throws InterruptedException {
        // @start region="latch-parts"
        Latch ready = Latch.ofParts("startup", "cache", "config");

        for (String part : List.of("cache", "config")) {
            executor.execute(() -> {
                try {
                    load(part);
                    ready.arrive(part);
                } catch (RuntimeException failure) {
                    ready.fail(failure); // or all who wait would wait for ever
                }
            });
        }

        if (!ready.await(Duration.ofSeconds(30))) { // every request, before it does anything
            throw new IllegalStateException("still missing: " + ready.missing());
        }
        // @end

        assertThat(done).containsExactlyInAnyOrder("cache", "config");
    }

    @Test
    void latchOfTen() throws InterruptedException {
        // @start region="latch-count"
        Latch finished = Latch.of("workers", 10);
        for (int i = 0; i < 10; i++) {
            executor.execute(() -> {
                try {
                    load("share");
                } finally {
                    finished.countDown();
                }
            });
        }
        finished.await(); // sees all that the ten have done
        // @end

        assertThat(done).hasSize(10);
    }

    @Test
    void barrierOfThree() {
        long[] parts = new long[3];
        List<Long> sums = new ArrayList<>();
        // @start region="barrier-rounds"
        // All have done their part, and none has gone on to the next phase:
        Barrier phases = Barrier.of("phases", 3, () -> sums.add(parts[0] + parts[1] + parts[2]));

        for (int i = 0; i < 3; i++) {
            int me = i;
            executor.execute(() -> {
                try {
                    for (int phase = 1; phase <= 2; phase++) {
                        parts[me] = phase;
                        phases.await();
                    }
                } catch (BrokenBarrierException | InterruptedException stopped) {
                    // another party has given up: this one stops too
                }
            });
        }
        // @end

        Call.until(() -> phases.round() == 2);
        assertThat(sums).containsExactly(3L, 6L);
    }

    @Test
    void barrierOfNamedParties() throws Exception {
        // @start region="barrier-parties"
        Barrier build = Barrier.ofParties("build", "client", "server");
        executor.execute(() -> {
            try {
                build.await("client", Duration.ofSeconds(30)); // the message of a timeout names who was missing
            } catch (BrokenBarrierException | InterruptedException | TimeoutException stopped) {
                done.add(String.valueOf(stopped));
            }
        });
        long round = build.await("server", Duration.ofSeconds(30));
        // @end

        assertThat(round).isZero();
        assertThat(done).isEmpty();
    }

    @Test
    void barrierWhosePartyDies() throws Exception {
        Barrier barrier = Barrier.of(2);
        Call<Long> other = Call.platform(barrier::await);
        Runnable work = () -> {
            throw new IllegalStateException("out of memory");
        };
        // @start region="barrier-fail"
        try {
            work.run();
            barrier.await();
        } catch (RuntimeException failure) {
            barrier.fail(failure); // the others stop now, not when their time runs out
        }
        // @end

        assertThat((Throwable) other.outcome())
                .isInstanceOf(BrokenBarrierException.class)
                .hasRootCauseMessage("out of memory");
    }
}
