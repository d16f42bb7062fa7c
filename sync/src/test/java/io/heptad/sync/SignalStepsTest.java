package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.core.Metric;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** What a call finds that was stopped between two of its steps. */
@Watched
class SignalStepsTest {
    private final Signal signal = Signal.of(0, 2);

    @Test
    void aReleaseThatIsRefusedWhileSomebodyWaitsKeepsNobodyOut() {
        signal.release();
        CompletableFuture<Void> both = signal.acquireAsync(2);

        assertThatThrownBy(() -> signal.release(2)).isInstanceOf(IllegalStateException.class);

        Called other = Called.platform(() -> {
            signal.release();
            return "released";
        });
        assertThat(other.outcome()).isEqualTo("released");
        assertThat(both).isCompleted();
    }

    @Test
    void whoGivesUpInAThreadIsNoCancelledFuture() {
        Called late = Called.platform(() -> signal.acquire(Duration.ofMillis(1)));
        assertThat(late.outcome()).isEqualTo(false);
        Called interrupted = Called.platform(() -> {
            signal.acquire();
            return "acquired";
        });
        Called.until(() -> signal.waiting() == 1);
        interrupted.interrupt();
        assertThat(interrupted.outcome()).isInstanceOf(InterruptedException.class);

        SignalStats stats = signal.stats();

        assertThat(stats.timedOut()).isEqualTo(1);
        assertThat(stats.interrupted()).isEqualTo(1);
        assertThat(stats.cancelled()).isZero();
    }

    @Test
    void figuresOfASignalWithoutALineNeedNoLock() {
        signal.lockItself().lock();
        try {
            assertThat(Called.platform(() -> signal.stats().waiting()).outcome())
                    .isEqualTo(0);
        } finally {
            signal.lockItself().unlock();
        }
    }

    @Test
    void aLineThatEndsWhileItsAgeIsAskedForHasNone() {
        CompletableFuture<Void> future = signal.acquireAsync();
        Called asks;
        signal.lockItself().lock();
        try {
            asks = Called.platform(() -> signal.stats().oldestWait());
            Called.until(() -> signal.lockItself().hasQueuedThread(asks.thread()));
            assertThat(future.cancel(true)).isTrue();
        } finally {
            signal.lockItself().unlock();
        }
        assertThat(asks.outcome()).isEqualTo(Duration.ZERO);
    }

    @Test
    void aPermitThatComesOnTheWayIntoTheLineIsTakenThereAndCannotBeGivenUp() {
        CompletableFuture<Void> taken = onItsWayIntoTheLine(signal::acquireAsync);

        assertThat(taken).isCompleted();
        assertThat(taken.cancel(true)).isFalse();
        assertThat(signal.available()).isZero();
        assertThat(signal.stats().cancelled()).isZero();
        assertThat(signal.waiting()).isZero();
        CompletableFuture<Void> next = signal.acquireAsync();
        signal.release();
        assertThat(next).isCompleted();
    }

    @Test
    void aThreadThatFindsItsPermitOnTheWayIntoTheLineNeverStoodThere() {
        assertThat(onItsWayIntoTheLine(() -> {
                    signal.acquire();
                    return CompletableFuture.completedFuture(null);
                }))
                .isCompleted();
        assertThat(signal.available()).isZero();
        assertThat(signal.stats().waited()).isZero();
    }

    @Test
    void aPermitForALineThatEndsOnTheWayIsThereOnce() {
        CompletableFuture<Void> future = signal.acquireAsync();
        Called releases;
        signal.lockItself().lock();
        try {
            releases = Called.platform(() -> {
                signal.release();
                return "released";
            });
            Called.until(() -> signal.lockItself().hasQueuedThread(releases.thread()));
            assertThat(future.cancel(true)).isTrue();
        } finally {
            signal.lockItself().unlock();
        }
        assertThat(releases.outcome()).isEqualTo("released");
        assertThat(signal.available()).isEqualTo(1);
        assertThat(signal.waiting()).isZero();
    }

    @SuppressWarnings("unchecked")
    private CompletableFuture<Void> onItsWayIntoTheLine(Callable<CompletableFuture<Void>> acquires) {
        Called call;
        signal.lockItself().lock();
        try {
            call = Called.platform(acquires);
            Called.until(() -> signal.lockItself().hasQueuedThread(call.thread()));
            signal.release(); // takes no lock while nobody stands in line
        } finally {
            signal.lockItself().unlock();
        }
        return (CompletableFuture<Void>) call.outcome();
    }

    @Test
    void whoStoodInLineAndGotItsPermitIsCounted() {
        Called waits = Called.platform(() -> {
            signal.acquire();
            return "acquired";
        });
        Called.until(() -> signal.waiting() == 1);
        CompletableFuture<Void> future = signal.acquireAsync();
        signal.release(2);
        assertThat(waits.outcome()).isEqualTo("acquired");
        assertThat(future).isCompleted();

        signal.release();
        signal.tryAcquire(); // never stood in line

        assertThat(signal.stats().waited()).isEqualTo(2);
    }

    @Test
    void metricsAreTheSameListWhoeverAsksFirst() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        for (int i = 0; i < 2_000; i++) {
            Signal fresh = Signal.create();
            KeyedLock<String> freshLock = KeyedLock.create();
            FutureTask<List<List<Metric>>> other = new FutureTask<>(() -> metricsOf(both, fresh, freshLock));
            Thread.ofVirtual().start(other);
            assertSame(metricsOf(both, fresh, freshLock), other);
        }
    }

    private static List<List<Metric>> metricsOf(CyclicBarrier both, Signal signal, KeyedLock<String> lock)
            throws InterruptedException, BrokenBarrierException {
        both.await();
        return List.of(signal.metrics(), lock.metrics());
    }

    private static void assertSame(List<List<Metric>> mine, Future<List<List<Metric>>> others) throws Exception {
        for (int i = 0; i < mine.size(); i++) {
            assertThat(others.get().get(i)).isSameAs(mine.get(i));
        }
    }
}
