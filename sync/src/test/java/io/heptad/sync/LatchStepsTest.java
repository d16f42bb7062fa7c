package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Interleavings that a race would need luck for: the test holds the lock and does something while others want it. */
@Watched
class LatchStepsTest {
    private final Latch latch = Latch.of(1);
    private final IllegalStateException cause = new IllegalStateException("failed");

    private Call<Boolean> parked(Duration timeout) {
        Call<Boolean> call = Call.platform(() -> latch.await(timeout));
        Call.until(() -> latch.waiting() == 1 && call.thread().getState() == Thread.State.TIMED_WAITING);
        return call;
    }

    /** Runs the step while that many others stand before the lock. */
    private void whileOthersWantTheLock(int others, Runnable step) {
        Call.until(() -> latch.lockItself().getQueueLength() == others);
        step.run();
        latch.lockItself().unlock();
    }

    @Test
    void whoeverComesAsItOpensDoesNotStandInLine() {
        latch.lockItself().lock();
        Call<Boolean> thread = Call.platform(() -> latch.await(Duration.ofMinutes(1)));
        Call<CompletableFuture<Void>> future = Call.platform(latch::opened);

        whileOthersWantTheLock(2, latch::countDown);

        assertThat(thread.outcome()).isEqualTo(true);
        assertThat((CompletableFuture<?>) future.outcome()).isCompleted();
    }

    @Test
    void whoeverComesAsItFailsIsToldAtOnce() {
        latch.lockItself().lock();
        Call<CompletableFuture<Void>> future = Call.platform(latch::opened);

        whileOthersWantTheLock(1, () -> latch.fail(cause));

        assertThat(((CompletableFuture<?>) future.outcome()).exceptionNow()).hasCause(cause);
    }

    @Test
    void anOpeningThatComesBeforeTheInterruptedOneHasLeftStands() {
        Call<Boolean> call = parked(Duration.ofMinutes(1));
        latch.lockItself().lock();
        call.interrupt();

        whileOthersWantTheLock(1, latch::countDown);

        assertThat(call.outcome()).isEqualTo(true);
        assertThat(call.interruptedAfter()).isTrue();
    }

    @Test
    void anOpeningThatComesBeforeTheTimedOutOneHasLeftStands() {
        Call<Boolean> call = parked(Duration.ofMillis(100));
        latch.lockItself().lock();

        whileOthersWantTheLock(1, latch::countDown);

        assertThat(call.outcome()).isEqualTo(true);
        assertThat(call.interruptedAfter()).isFalse();
        assertThat(latch.stats().timedOut()).isZero();
    }

    @Test
    void aFailureThatComesBeforeTheInterruptedOneHasLeftIsTold() {
        Call<Boolean> call = parked(Duration.ofMinutes(1));
        latch.lockItself().lock();
        call.interrupt();

        whileOthersWantTheLock(1, () -> latch.fail(cause));

        assertThat(call.outcome()).isInstanceOf(LatchFailedException.class);
        assertThat(call.interruptedAfter()).isTrue();
    }

    @Test
    void aLatchThatWasCountedDownAsItFailsIsOpen() {
        latch.lockItself().lock();
        Call<String> failing = Call.platform(() -> {
            latch.fail(cause);
            return "failed";
        });

        whileOthersWantTheLock(1, latch::countDown);

        assertThat(failing.outcome()).isEqualTo("failed");
        assertThat(latch.isOpen()).isTrue();
        assertThat(latch.isFailed()).isFalse();
    }

    @Test
    void aSpuriousWakeUpEndsNoWait() {
        Call<Boolean> call = parked(Duration.ofMinutes(1));
        for (int i = 0; i < 100; i++) {
            LockSupport.unpark(call.thread());
            Thread.yield();
        }

        assertThat(call.isDone()).isFalse();
        assertThat(latch.waiting()).isEqualTo(1);
        latch.countDown();
        assertThat(call.outcome()).isEqualTo(true);
    }
}
