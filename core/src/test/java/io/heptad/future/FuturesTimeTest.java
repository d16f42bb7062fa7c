package io.heptad.future;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.awaitility.Awaitility.await;

import io.heptad.contract.Watched;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

@Watched
class FuturesTimeTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration NO_LIMIT = Duration.ofSeconds(Long.MAX_VALUE);

    private final StepDelay delay = new StepDelay();
    private final CompletableFuture<String> stage = new CompletableFuture<>();
    private final CompletableFuture<String> other = new CompletableFuture<>();
    private final IOException broken = new IOException("broken");

    @Test
    void aStageThatComesInTimeIsPassedOn() {
        CompletableFuture<String> within = Futures.within(stage, HOUR, Losers.LEAVE, delay);
        assertThat(delay.lastNanos()).isEqualTo(HOUR.toNanos());
        stage.complete("in time");
        assertThat(within).isCompletedWithValue("in time");
        assertThat(delay.pending()).isZero();
    }

    @Test
    void aFailureThatComesInTimeIsPassedOnItself() {
        CompletableFuture<String> within = Futures.within(stage, HOUR, Losers.LEAVE, delay);
        stage.completeExceptionally(broken);
        assertThat(within.exceptionNow()).isSameAs(broken);
        assertThat(delay.pending()).isZero();
    }

    @Test
    void aLateStageTimesOutAndRunsOn() {
        CompletableFuture<String> within = Futures.within(stage, HOUR, Losers.LEAVE, delay);
        delay.elapse();
        assertThat(within.exceptionNow()).isInstanceOf(TimeoutException.class).hasMessage("no result within PT1H");
        assertThat(stage).isNotDone();
        stage.complete("too late");
        assertThat(within).isCompletedExceptionally();
    }

    @Test
    void aLateStageIsCancelledUnderCancel() {
        AtomicInteger cancels = new AtomicInteger();
        stage.exceptionally(cause -> String.valueOf(cancels.incrementAndGet()));
        Futures.within(stage, HOUR, Losers.CANCEL, delay);
        delay.elapse();
        assertThat(stage).isCancelled();
        assertThat(cancels).hasValue(1);
    }

    @Test
    void cancellingTheOuterFutureCancelsTheStageUnderCancelOnly() {
        Futures.within(stage, HOUR, Losers.LEAVE, delay).cancel(true);
        assertThat(stage).isNotDone();
        Futures.within(stage, HOUR, Losers.CANCEL, delay).cancel(true);
        assertThat(stage).isCancelled();
        assertThat(delay.pending()).isZero();
    }

    @Test
    void zeroOrLessTakesWhatIsThereNow() {
        for (Duration none : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofSeconds(Long.MIN_VALUE))) {
            CompletableFuture<String> within = Futures.within(stage, none, Losers.LEAVE, delay);
            assertThat(within.exceptionNow()).isInstanceOf(TimeoutException.class);
            assertThat(Futures.within(CompletableFuture.completedFuture("x"), none))
                    .isCompletedWithValue("x");
            assertThat(Futures.settledWithin(List.of(stage, CompletableFuture.completedFuture("x")), none)
                            .join())
                    .extracting(Outcome::isSuccess)
                    .containsExactly(false, true);
        }
        assertThat(stage.getNumberOfDependents()).isZero();
        Futures.within(stage, Losers.CANCEL, Duration.ZERO);
        assertThat(stage).isCancelled();
    }

    @Test
    void theLongestDurationIsNoLimitAndNoTimer() {
        for (Duration endless : List.of(NO_LIMIT, Duration.ofNanos(Long.MAX_VALUE), Duration.ofDays(365 * 200L))) {
            assertThat(Futures.within(stage, endless, Losers.LEAVE, delay)).isNotDone();
            assertThat(Futures.settledWithin(List.of(stage), endless, Losers.LEAVE, delay))
                    .isNotDone();
        }
        assertThat(delay.pending()).isZero();
        CompletableFuture<String> within = Futures.within(stage, NO_LIMIT);
        stage.complete("at last");
        assertThat(within).isCompletedWithValue("at last");
    }

    @Test
    void lateOnesAreTimeoutsAmongTheOutcomes() {
        CompletableFuture<String> failed = CompletableFuture.failedFuture(broken);
        CompletableFuture<List<Outcome<String>>> settled =
                Futures.settledWithin(List.of(stage, failed, other), HOUR, Losers.LEAVE, delay);
        other.complete("in time");
        assertThat(settled).isNotDone();
        delay.elapse();
        List<Outcome<String>> outcomes = settled.join();
        assertThat(outcomes.get(0))
                .isInstanceOfSatisfying(
                        Outcome.Failure.class,
                        late -> assertThat(late.cause())
                                .isInstanceOf(TimeoutException.class)
                                .hasMessage("not settled within PT1H"));
        assertThat(outcomes.subList(1, 3))
                .isEqualTo(List.of(new Outcome.Failure<>(broken), new Outcome.Success<>("in time")));
        assertThat(stage).isNotDone();
    }

    @Test
    void lateOnesAreCancelledUnderCancelAndStillCountAsLate() {
        CompletableFuture<List<Outcome<String>>> settled =
                Futures.settledWithin(List.of(stage, other), HOUR, Losers.CANCEL, delay);
        other.complete("in time");
        delay.elapse();
        assertThat(stage).isCancelled();
        assertThat(((Outcome.Failure<String>) settled.join().get(0)).cause()).isInstanceOf(TimeoutException.class);
    }

    @Test
    void everyoneInTimeStopsTheTimer() {
        CompletableFuture<List<Outcome<String>>> settled =
                Futures.settledWithin(List.of(stage, other), HOUR, Losers.LEAVE, delay);
        stage.complete("a");
        assertThat(delay.pending()).isEqualTo(1);
        other.completeExceptionally(broken);
        assertThat(settled).isCompleted();
        assertThat(delay.pending()).isZero();
    }

    @Test
    void noTimerStaysBehindAHundredThousandOfThemHoweverTheyEnd() {
        List<CompletableFuture<String>> stages = FuturesTest.pending(100_000);
        List<CompletableFuture<String>> limited = new ArrayList<>();
        stages.forEach(one -> limited.add(Futures.within(one, HOUR, Losers.LEAVE, delay)));
        assertThat(delay.pending()).isEqualTo(100_000);
        for (int i = 0; i < stages.size(); i++) {
            switch (i % 3) {
                case 0 -> stages.get(i).complete("x");
                case 1 -> stages.get(i).completeExceptionally(broken);
                default -> limited.get(i).cancel(true);
            }
        }
        assertThat(delay.pending()).isZero();
    }

    @Test
    void theSystemsTimerLetsGoOfWhatWasStopped() {
        List<WeakReference<Object>> released = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            Object held = new Object();
            Runnable stop = Delay.SYSTEM.start(HOUR.toNanos(), held::hashCode);
            stop.run();
            stop.run();
            released.add(new WeakReference<>(held));
            released.add(new WeakReference<>(stop));
        }
        await().untilAsserted(() -> {
            System.gc();
            assertThat(released).allMatch(reference -> reference.refersTo(null));
        });
    }

    @Test
    void theSystemsTimerEndsOnAVirtualThreadOfItsOwn() throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        Runnable unused = Delay.SYSTEM.start(1, () -> thread.complete(Thread.currentThread()));
        assertThat(thread.get(5, TimeUnit.SECONDS)).matches(Thread::isVirtual);
    }

    @Test
    void aDependentThatBlocksAfterATimeoutHoldsUpNoOtherTimeout() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Thread test = Thread.currentThread();
        CompletableFuture<String> blocked;
        do {
            blocked = Futures.within(stage, Duration.ofMillis(1)).exceptionally(cause -> {
                if (Thread.currentThread() == test) {
                    return "it had timed out before this was added to it, so this ran at once: again";
                }
                try {
                    release.await();
                } catch (InterruptedException interrupted) {
                    throw new AssertionError(interrupted);
                }
                return "released";
            });
        } while (blocked.isDone());
        CompletableFuture<String> next =
                Futures.within(other, Duration.ofMillis(20)).exceptionally(cause -> "timed out");
        assertThat(next.get(5, TimeUnit.SECONDS)).isEqualTo("timed out");
        release.countDown();
        assertThat(blocked.get(5, TimeUnit.SECONDS)).isEqualTo("released");
    }

    @Test
    void refusesNullByName() {
        assertThatNullPointerException().isThrownBy(() -> Futures.within(null, HOUR));
        assertThatNullPointerException().isThrownBy(() -> Futures.within(stage, null));
        assertThatNullPointerException().isThrownBy(() -> Futures.within(stage, null, HOUR));
        assertThatNullPointerException()
                .isThrownBy(() -> Futures.settledWithin(Arrays.asList(stage, null), HOUR))
                .withMessage("stages[1] is null");
    }
}
