package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The alarm that ships: the JDK's timer, and a virtual thread for what goes off. */
@Watched
class AlarmTest {
    private static final long SOON = TimeUnit.MILLISECONDS.toNanos(20);

    private final Alarm alarm = Alarm.system("bell");
    private final CompletableFuture<Thread> rang = new CompletableFuture<>();

    private void waitsForAnother() {
        CompletableFuture<Thread> other = new CompletableFuture<>();
        alarm.in(SOON, () -> other.complete(Thread.currentThread()));
        other.join();
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, 0, 1, 1_000_000})
    void goesOffOnceInAVirtualThreadOfThatName(long nanos) {
        alarm.in(nanos, () -> rang.complete(Thread.currentThread()));
        Thread thread = rang.join();
        assertThat(thread.isVirtual()).isTrue();
        assertThat(thread.getName()).isEqualTo("bell");
        assertThat(thread).isNotSameAs(Thread.currentThread());
    }

    @Test
    void doesNotGoOffOnceItIsTakenBack() {
        Runnable takeBack = alarm.in(TimeUnit.HOURS.toNanos(1), () -> rang.complete(Thread.currentThread()));
        takeBack.run();
        takeBack.run();
        waitsForAnother();
        assertThat(rang).isNotDone();
    }

    @Test
    void theLongestTimeDoesNotWrap() {
        Runnable takeBack = alarm.in(Long.MAX_VALUE, () -> rang.complete(Thread.currentThread()));
        waitsForAnother();
        assertThat(rang).isNotDone();
        takeBack.run();
    }

    @Test
    void whatIsTakenBackIsKeptByNobody() {
        List<WeakReference<Runnable>> then = new ArrayList<>();
        forGood(then).run();
        Call.until(() -> {
            System.gc();
            return then.get(0).refersTo(null);
        });
    }

    private Runnable forGood(List<WeakReference<Runnable>> kept) {
        Object mine = new Object();
        Runnable then = () -> rang.completeExceptionally(new AssertionError(mine));
        kept.add(new WeakReference<>(then));
        return alarm.in(TimeUnit.HOURS.toNanos(1), then);
    }
}
