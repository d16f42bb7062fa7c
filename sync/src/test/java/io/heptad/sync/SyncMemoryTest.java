package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.lang.ref.WeakReference;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A latch that is open for the life of a service, and a barrier between two rounds, keep nobody who was there once. */
@Watched
class SyncMemoryTest {
    private static void assertCollected(WeakReference<?> reference) {
        Call.until(() -> {
            System.gc();
            return reference.refersTo(null);
        });
    }

    private static WeakReference<CompletableFuture<Void>> futureOf(Latch latch) {
        return new WeakReference<>(latch.opened());
    }

    private static WeakReference<Thread> partyOf(Barrier barrier) {
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                barrier.await();
            } catch (BrokenBarrierException | InterruptedException ended) {
                // as some of these tests want it
            }
        });
        Call.until(() -> barrier.arrived() == 1);
        return new WeakReference<>(thread);
    }

    @Test
    void anOpenLatchKeepsNobody() {
        Latch latch = Latch.of(1);
        WeakReference<CompletableFuture<Void>> future = futureOf(latch);

        latch.countDown();

        assertCollected(future);
        assertThat(latch.isOpen()).isTrue();
    }

    @Test
    void aFailedLatchKeepsNobody() {
        Latch latch = Latch.of(1);
        WeakReference<CompletableFuture<Void>> future = futureOf(latch);

        latch.fail(new IllegalStateException("failed"));

        assertCollected(future);
        assertThat(latch.isFailed()).isTrue();
    }

    @Test
    void aClosedLatchKeepsNoFutureThatWasCancelled() {
        Latch latch = Latch.of(1);
        CompletableFuture<Void> before = latch.opened();
        CompletableFuture<Void> cancelled = latch.opened();
        CompletableFuture<Void> behind = latch.opened();
        cancelled.cancel(false);
        WeakReference<CompletableFuture<Void>> reference = new WeakReference<>(cancelled);
        cancelled = null;

        assertCollected(reference);
        latch.countDown();
        assertThat(before).isCompleted();
        assertThat(behind).isCompleted();
    }

    @Test
    void aBarrierBetweenTwoRoundsKeepsNobody() throws Exception {
        Barrier barrier = Barrier.of(2);
        WeakReference<Thread> party = partyOf(barrier);

        barrier.await();

        assertCollected(party);
        assertThat(barrier.round()).isEqualTo(1);
    }

    @Test
    void aBrokenBarrierKeepsNobody() {
        Barrier barrier = Barrier.of(2);
        WeakReference<Thread> party = partyOf(barrier);

        barrier.fail(new IllegalStateException("failed"));

        assertCollected(party);
        assertThat(barrier.isBroken()).isTrue();
    }
}
