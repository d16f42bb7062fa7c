package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.heptad.contract.Watched;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The future form: acquired, cancelled, timed out, settled by others, and many at once. */
@Watched
class SignalFuturesTest {
    private static final int MANY = 20_000;

    private final Signal signal = Signal.of(0, MANY);

    @Test
    void isDoneAtOnceIfThePermitIsThere() {
        signal.release();
        assertThat(signal.acquireAsync()).isCompleted();
        assertThat(signal.available()).isZero();
    }

    @Test
    void completesWhenItsTurnComes() {
        CompletableFuture<Void> first = signal.acquireAsync();
        CompletableFuture<Void> many = signal.acquireAsync(3);
        signal.release();
        assertThat(first).isCompleted();
        signal.release(2);
        assertThat(many).isNotDone();
        signal.release();
        assertThat(many).isCompleted();
        assertThat(signal.available()).isZero();
    }

    // Giving up: whoever settles it from outside leaves the line

    static Stream<Arguments> settlements() {
        return Stream.of(
                settlement("cancel", future -> future.cancel(false)),
                settlement(
                        "completeExceptionally", future -> future.completeExceptionally(new IllegalStateException())),
                settlement("complete", future -> future.complete(null)),
                settlement("orTimeout", future -> future.orTimeout(1, TimeUnit.MILLISECONDS)),
                settlement("completeOnTimeout", future -> future.completeOnTimeout(null, 1, TimeUnit.MILLISECONDS)),
                settlement("completeAsync", future -> future.completeAsync(() -> null)),
                settlement(
                        "completeAsync that throws",
                        future -> future.completeAsync(() -> {
                            throw new IllegalStateException();
                        })),
                settlement("obtrudeValue", future -> future.obtrudeValue(null)),
                settlement("obtrudeException", future -> future.obtrudeException(new IllegalStateException())));
    }

    private static Arguments settlement(String name, Consumer<CompletableFuture<Void>> settle) {
        return Arguments.of(name, settle);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settlements")
    void aFutureThatIsSettledFromOutsideLeavesTheLineAndTheNextIsServed(
            String name, Consumer<CompletableFuture<Void>> settle) {
        CompletableFuture<Void> settled = signal.acquireAsync();
        CompletableFuture<Void> next = signal.acquireAsync();

        settle.accept(settled);
        Called.until(settled::isDone);
        Called.until(() -> signal.waiting() == 1);
        signal.release();

        assertThat(next).isCompleted();
        assertThat(signal.available()).isZero();
        assertThat(signal.waiting()).isZero();
        assertThat(signal.stats().cancelled()).isEqualTo(1);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settlements")
    void whatComesAfterTheGrantChangesNothingAboutThePermit(String name, Consumer<CompletableFuture<Void>> settle) {
        CompletableFuture<Void> granted = signal.acquireAsync();
        signal.release();

        settle.accept(granted);

        assertThat(signal.available()).isZero(); // it is the caller's, who has to know
        assertThat(signal.stats().cancelled()).isZero();
    }

    @Test
    void nullIsNoCauseAndLeavesItInLine() {
        CompletableFuture<Void> future = signal.acquireAsync();

        assertThatNullPointerException()
                .isThrownBy(() -> future.completeExceptionally(null))
                .withMessage("cause");
        assertThatNullPointerException()
                .isThrownBy(() -> future.obtrudeException(null))
                .withMessage("cause");

        assertThat(signal.waiting()).isEqualTo(1);
        signal.release();
        assertThat(future).isCompleted();
    }

    @Test
    void asksNoSupplierOnceItIsSettled() {
        CompletableFuture<Void> future = signal.acquireAsync();
        signal.release();
        AtomicInteger asked = new AtomicInteger();

        var unused = future.completeAsync(
                () -> {
                    asked.incrementAndGet();
                    return null;
                },
                Runnable::run);

        assertThat(asked).hasValue(0);
        assertThat(future).isCompleted();
    }

    @Test
    void saysHowItWasSettled() {
        CompletableFuture<Void> cancelled = signal.acquireAsync();
        assertThat(cancelled.cancel(true)).isTrue();
        assertThat(cancelled.cancel(true)).isTrue(); // as any future
        assertThat(cancelled).isCancelled();
        assertThat(cancelled.complete(null)).isFalse();

        CompletableFuture<Void> granted = signal.acquireAsync();
        signal.release();
        assertThat(granted.cancel(true)).isFalse();
        assertThat(granted.complete(null)).isFalse();
        assertThat(granted.completeExceptionally(new IllegalStateException())).isFalse();
        assertThat(granted).isCompleted();

        CompletableFuture<Void> timedOut = signal.acquireAsync().orTimeout(1, TimeUnit.MILLISECONDS);
        Called.until(timedOut::isDone);
        assertThat(timedOut.exceptionNow()).isInstanceOf(TimeoutException.class);
        assertThatNullPointerException().isThrownBy(() -> signal.acquireAsync().completeExceptionally(null));
        assertThatNullPointerException().isThrownBy(() -> signal.acquireAsync().completeAsync(null));
    }

    @Test
    void aDependentThatIsCancelledLeavesTheFutureInLine() {
        CompletableFuture<Void> future = signal.acquireAsync();
        CompletableFuture<Void> dependent = future.thenRun(() -> {});
        CompletableFuture<Void> copy = future.copy();

        assertThat(dependent.cancel(true)).isTrue();
        assertThat(copy.cancel(true)).isTrue();

        assertThat(signal.waiting()).isEqualTo(1);
        signal.release();
        assertThat(future).isCompleted();
    }

    /** Row G10: chosen by a release, then cancelled before it was told. */
    @Test
    void aCancelBetweenTheGrantAndItsCompletionComesTooLateAndSaysSo() {
        CompletableFuture<Void> first = signal.acquireAsync();
        CompletableFuture<Void> second = signal.acquireAsync();
        CompletableFuture<Void> third = signal.acquireAsync();
        AtomicInteger seen = new AtomicInteger();
        first.thenRun(() -> {
            // Inside the release of two: the second is granted and not yet told; the third is in line.
            assertThat(second.cancel(true)).isFalse();
            assertThat(second).isCompleted();
            assertThat(third.cancel(true)).isTrue();
            seen.incrementAndGet();
        });

        signal.release(2);

        assertThat(seen).hasValue(1);
        assertThat(second).isCompleted();
        assertThat(signal.available()).isZero();
        assertThat(signal.waiting()).isZero();
    }

    @Test
    void aCancelledFutureLosesNoPermitHoweverItRaces() {
        Signal one = Signal.of(0, 1);
        for (int round = 0; round < 5_000; round++) {
            CompletableFuture<Void> first = one.acquireAsync();
            CompletableFuture<Void> second = one.acquireAsync();
            CompletableFuture<Boolean> cancelled = CompletableFuture.supplyAsync(() -> first.cancel(true));
            one.release();

            boolean gone = cancelled.join();
            assertThat(first.isCancelled()).isEqualTo(gone);
            assertThat(second.isDone()).isEqualTo(gone);
            assertThat(one.available()).isZero();
            if (!gone) {
                one.release();
                assertThat(second).isCompleted();
            }
        }
        assertThat(one.waiting()).isZero();
    }

    // Dependents

    @Test
    void aDependentThatThrowsHarmsNoOtherWaiter() {
        CompletableFuture<Void> first = signal.acquireAsync();
        CompletableFuture<Void> failed = first.thenRun(() -> {
            throw new IllegalStateException("mine");
        });
        CompletableFuture<Void> second = signal.acquireAsync();
        Called thread = Called.platform(() -> signal.acquire(Duration.ofSeconds(30)));
        Called.until(() -> signal.waiting() == 3);

        signal.release(3);

        assertThat(first).isCompleted();
        assertThat(failed).isCompletedExceptionally();
        assertThat(second).isCompleted();
        assertThat(thread.outcome()).isEqualTo(true);
    }

    @Test
    void aDependentThatBlocksHoldsUpNoThreadInLine() throws Exception {
        CompletableFuture<Void> stuck = new CompletableFuture<>();
        signal.acquireAsync().thenRun(stuck::join);
        Called thread = Called.platform(() -> signal.acquire(Duration.ofSeconds(30)));
        Called.until(() -> signal.waiting() == 2);

        Called release = Called.platform(() -> {
            signal.release(2);
            return "released";
        });

        assertThat(thread.outcome()).isEqualTo(true);
        assertThat(release.isDone()).isFalse();
        stuck.complete(null);
        assertThat(release.outcome()).isEqualTo("released");
    }

    @Test
    void dependentsRunUnderNoLock() {
        Signal other = Signal.of(0, 1);
        CompletableFuture<Boolean> locked =
                signal.acquireAsync().thenApply(done -> signal.lockItself().isLocked());
        CompletableFuture<Void> waits = signal.acquireAsync().thenRun(() -> {
            // only another thread can let this one go on, by way of both locks
            Called.platform(() -> {
                signal.acquireAsync().cancel(true);
                other.release();
                return null;
            });
            try {
                other.acquire();
            } catch (InterruptedException hung) {
                throw new CompletionException(hung);
            }
        });

        signal.release(2);

        assertThat(locked).isCompletedWithValue(false);
        assertThat(waits).isCompleted();
    }

    @Test
    void aDependentMayReleaseAndThenWaitForWhatItHasReleased() {
        CompletableFuture<Void> second = signal.acquireAsync(2);
        assertThat(second.cancel(true)).isTrue();
        CompletableFuture<Void> first = signal.acquireAsync();
        CompletableFuture<Void> other = signal.acquireAsync();
        CompletableFuture<Void> waited = first.thenRun(() -> {
            signal.release();
            other.join();
        });

        signal.release();

        assertThat(waited).isCompleted();
    }

    // Many at once, on a stack of 256 KB

    @Test
    void twentyThousandFuturesReleasedAtOnceDoNotGrowTheStack() throws Exception {
        onASmallStack(() -> {
            AtomicInteger ran = new AtomicInteger();
            for (int i = 0; i < MANY; i++) {
                signal.acquireAsync().thenRun(ran::incrementAndGet);
            }
            signal.release(MANY);
            assertThat(ran).hasValue(MANY);
            assertThat(signal.waiting()).isZero();
            return null;
        });
    }

    @Test
    void twentyThousandDependentsThatReleaseEachOtherDoNotGrowTheStack() throws Exception {
        onASmallStack(() -> {
            AtomicInteger ran = new AtomicInteger();
            for (int i = 0; i < MANY; i++) {
                signal.acquireAsync().thenRun(() -> {
                    ran.incrementAndGet();
                    signal.release();
                });
            }
            signal.release();
            assertThat(ran).hasValue(MANY);
            assertThat(signal.available()).isEqualTo(1);
            return null;
        });
    }

    @Test
    void twentyThousandSignalsThatReleaseEachOtherDoNotGrowTheStack() throws Exception {
        onASmallStack(() -> {
            List<Signal> signals = new ArrayList<>();
            for (int i = 0; i <= MANY; i++) {
                signals.add(Signal.of(0, 1));
            }
            for (int i = 0; i < MANY; i++) {
                Signal next = signals.get(i + 1);
                signals.get(i).acquireAsync().thenRun(next::release);
            }
            signals.get(0).release();
            assertThat(signals.get(MANY).available()).isEqualTo(1);
            return null;
        });
    }

    static Stream<Arguments> settlementsThatComeTooLate() {
        return Stream.of(
                late("cancel", future -> future.cancel(true)),
                late("complete", future -> future.complete(null)),
                late("fail", future -> future.completeExceptionally(new IllegalStateException())));
    }

    private static Arguments late(String name, Predicate<CompletableFuture<Void>> settle) {
        return Arguments.of(name, settle);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settlementsThatComeTooLate")
    void twentyThousandDependentsThatSettleEachOtherDoNotGrowTheStack(
            String name, Predicate<CompletableFuture<Void>> settle) throws Exception {
        onASmallStack(() -> {
            List<CompletableFuture<Void>> futures = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                futures.add(signal.acquireAsync());
            }
            AtomicInteger ran = new AtomicInteger();
            AtomicInteger settled = new AtomicInteger();
            for (int i = 0; i + 1 < MANY; i++) {
                CompletableFuture<Void> next = futures.get(i + 1);
                futures.get(i).thenRun(() -> {
                    if (settle.test(next)) { // granted by the same release: too late, so it completes
                        settled.incrementAndGet();
                    }
                    ran.incrementAndGet();
                });
            }
            signal.release(MANY);
            assertThat(futures).allMatch(future -> future.isDone() && !future.isCompletedExceptionally());
            assertThat(ran).as("dependents that did not overflow").hasValue(MANY - 1);
            assertThat(settled).hasValue(0);
            return null;
        });
    }

    private static void onASmallStack(Callable<Void> body) throws Exception {
        FutureTask<Void> task = new FutureTask<>(body);
        new Thread(null, task, "small stack", 256 * 1024).start();
        task.get(15, TimeUnit.SECONDS);
    }

    // Memory

    @Test
    void aServedFutureKeepsNoneOfThoseThatWereServedWithIt() {
        CompletableFuture<Void> kept = signal.acquireAsync();
        WeakReference<CompletableFuture<Void>> other = new WeakReference<>(signal.acquireAsync());
        signal.release(2);
        isCollected(other);
        assertThat(kept).isCompleted();
    }

    @Test
    void aCancelledFutureIsKeptByNobody() {
        CompletableFuture<Void> stays = signal.acquireAsync();
        CompletableFuture<Void> goes = signal.acquireAsync();
        goes.cancel(true);
        WeakReference<CompletableFuture<Void>> gone = new WeakReference<>(goes);
        goes = null;
        isCollected(gone);
        assertThat(stays).isNotDone();
    }

    @Test
    void aSignalKeepsNobodyThatItHasServed() {
        WeakReference<CompletableFuture<Void>> served = new WeakReference<>(signal.acquireAsync());
        signal.release();
        isCollected(served);
        assertThat(signal.waiting()).isZero();
    }

    @Test
    void aCancelledFutureKeepsNobodyWhoStoodBeforeIt() {
        WeakReference<CompletableFuture<Void>> before = new WeakReference<>(signal.acquireAsync());
        CompletableFuture<Void> kept = signal.acquireAsync();
        kept.cancel(true);
        signal.release();
        isCollected(before);
        assertThat(kept).isCancelled();
    }

    private static void isCollected(WeakReference<?> reference) {
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> {
            System.gc();
            return reference.get() == null;
        });
    }

    @Test
    void aCancelledFutureSaysSo() {
        CompletableFuture<Void> future = signal.acquireAsync();
        future.cancel(true);
        assertThat(future.handle((done, thrown) -> thrown).join()).isInstanceOf(CancellationException.class);
    }
}
