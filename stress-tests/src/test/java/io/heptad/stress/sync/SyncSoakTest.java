package io.heptad.stress.sync;

import static io.heptad.stress.OneCarrier.WAITERS;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.stress.OneCarrier;
import io.heptad.sync.Barrier;
import io.heptad.sync.Latch;
import io.heptad.sync.LatchFailedException;
import java.time.Duration;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Every call of the latch and the barrier that may wait, on one carrier. */
class SyncSoakTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final Latch latch = Latch.of(1);
    private final Barrier barrier = Barrier.of(WAITERS + 1);

    private Void open() {
        latch.countDown();
        return null;
    }

    private Boolean await() throws InterruptedException {
        latch.await();
        return true;
    }

    private static Callable<Object> told(Class<? extends Exception> of, Callable<?> call) {
        return () -> {
            try {
                return call.call();
            } catch (Exception thrown) {
                return of.isInstance(thrown) ? "told" : thrown;
            }
        };
    }

    @Test
    void allPassAnOpeningLatch() throws Exception {
        assertThat(OneCarrier.soak(latch::waiting, this::await, this::open)).containsOnly(true);
    }

    @Test
    void allPassAnOpeningLatchInTime() throws Exception {
        assertThat(OneCarrier.soak(latch::waiting, () -> latch.await(LONG), this::open))
                .containsOnly(true);
    }

    @Test
    void allFuturesOfALatchComplete() throws Exception {
        assertThat(OneCarrier.soak(
                        latch::waiting,
                        () -> latch.opened().thenApply(nothing -> "opened").join(),
                        this::open))
                .containsOnly("opened");
    }

    @Test
    void allAreToldThatALatchFails() throws Exception {
        assertThat(OneCarrier.soak(latch::waiting, told(LatchFailedException.class, this::await), () -> {
                    latch.fail(new IllegalStateException("failed"));
                    return null;
                }))
                .containsOnly("told");
    }

    @Test
    void allMeetAtABarrier() throws Exception {
        assertThat(OneCarrier.soak(barrier::arrived, barrier::await, barrier::await))
                .containsOnly(0L);
    }

    @Test
    void allMeetAtABarrierInTime() throws Exception {
        assertThat(OneCarrier.soak(barrier::arrived, () -> barrier.await(LONG), barrier::await))
                .containsOnly(0L);
    }

    @Test
    void allMeetRoundAfterRound() throws Exception {
        AtomicInteger released = new AtomicInteger();
        assertThat(OneCarrier.soak(barrier::arrived, () -> barrier.await() + barrier.await() + barrier.await(), () -> {
                    for (int round = 0; round < 3; round++) {
                        barrier.await();
                        released.incrementAndGet();
                    }
                    return null;
                }))
                .containsOnly(0L + 1 + 2);
        assertThat(released).hasValue(3);
    }

    @Test
    void allAreToldThatABarrierBreaks() throws Exception {
        assertThat(OneCarrier.soak(barrier::arrived, told(BrokenBarrierException.class, barrier::await), () -> {
                    barrier.fail(new IllegalStateException("failed"));
                    return null;
                }))
                .containsOnly("told");
    }
}
