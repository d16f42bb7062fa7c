package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every call that can wait, times every way in which it can end; none leaves a waiter, and the next one is served. */
@Watched
class LatchCallsTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration NO_LIMIT = Duration.ofSeconds(Long.MAX_VALUE);

    private final Latch latch = Latch.ofParts("gate", "a", "b");
    private final IllegalStateException cause = new IllegalStateException("broken");

    private interface Waiting {
        Object on(Latch latch) throws InterruptedException;
    }

    private static Object await(Latch latch) throws InterruptedException {
        latch.await();
        return true;
    }

    private static Stream<Arguments> onBothKinds(Stream<Named<Waiting>> calls) {
        return calls.flatMap(call -> Stream.of(false, true)
                .map(virtual -> Arguments.of(call, Named.of(virtual ? "virtual" : "platform", virtual))));
    }

    static Stream<Arguments> waits() {
        return onBothKinds(Stream.of(
                Named.of("await", LatchCallsTest::await),
                Named.of("await(long)", latch -> latch.await(LONG)),
                Named.of("await(no limit)", latch -> latch.await(NO_LIMIT))));
    }

    static Stream<Arguments> shortWaits() {
        return onBothKinds(
                Stream.of(Duration.ofMillis(5), Duration.ofNanos(1), Duration.ZERO, Duration.ofSeconds(Long.MIN_VALUE))
                        .map(time -> Named.of("await(" + time + ")", latch -> latch.await(time))));
    }

    static Stream<Arguments> allWaits() {
        return Stream.concat(waits(), shortWaits());
    }

    private Call<Object> start(boolean virtual, Waiting call) {
        return Call.start(virtual, () -> call.on(latch));
    }

    private Call<Object> parked(boolean virtual, Waiting wait) {
        Call<Object> call = start(virtual, wait);
        Call.until(() -> latch.waiting() == 1);
        return call;
    }

    private static <T> Callable<T> interruptedOnEntry(Callable<T> call) {
        return () -> {
            Thread.currentThread().interrupt();
            return call.call();
        };
    }

    private void open() {
        latch.arrive("a");
        latch.arrive("b");
    }

    @AfterEach
    void leavesNobodyBehindAndServesTheNext() {
        assertThat(latch.waiting()).isZero();
        if (!latch.isFailed() && !latch.isOpen()) {
            Call<Object> next = parked(true, LatchCallsTest::await);
            open();
            assertThat(next.outcome()).isEqualTo(true);
        }
    }

    @ParameterizedTest
    @MethodSource("allWaits")
    void passesAnOpenLatch(Waiting wait, boolean virtual) {
        open();

        assertThat(start(virtual, wait).outcome()).isEqualTo(true);
    }

    @ParameterizedTest
    @MethodSource("waits")
    void passesOnceItOpens(Waiting wait, boolean virtual) {
        Call<Object> call = parked(virtual, wait);

        open();

        assertThat(call.outcome()).isEqualTo(true);
        assertThat(call.interruptedAfter()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("shortWaits")
    void givesUpInTime(Waiting wait, boolean virtual) {
        assertThat(start(virtual, wait).outcome()).isEqualTo(false);
        assertThat(latch.stats().timedOut()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("allWaits")
    void tellsOfAnEarlierFailure(Waiting wait, boolean virtual) {
        latch.fail(cause);

        assertThat((Throwable) start(virtual, wait).outcome())
                .isInstanceOf(LatchFailedException.class)
                .hasCause(cause);
        assertThat(latch.stats().timedOut()).isZero();
    }

    @ParameterizedTest
    @MethodSource("waits")
    void tellsAWaiterOfTheFailure(Waiting wait, boolean virtual) {
        Call<Object> call = parked(virtual, wait);

        latch.fail(cause);

        assertThat((Throwable) call.outcome())
                .isInstanceOf(LatchFailedException.class)
                .hasCause(cause);
    }

    @ParameterizedTest
    @MethodSource("allWaits")
    void refusesAThreadThatIsInterruptedOnEntry(Waiting wait, boolean virtual) {
        Call<Object> call = Call.start(virtual, interruptedOnEntry(() -> wait.on(latch)));

        assertThat(call.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(call.interruptedAfter()).isFalse();
        assertThat(latch.stats().timedOut()).isZero();
    }

    @ParameterizedTest
    @MethodSource("allWaits")
    void refusesAThreadThatIsInterruptedOnEntryThoughOpen(Waiting wait, boolean virtual) {
        open();

        Call<Object> call = Call.start(virtual, interruptedOnEntry(() -> wait.on(latch)));

        assertThat(call.outcome()).isInstanceOf(InterruptedException.class);
    }

    @ParameterizedTest
    @MethodSource("waits")
    void interruptsAWaiter(Waiting wait, boolean virtual) {
        Call<Object> call = parked(virtual, wait);
        Call<Object> other = start(true, LatchCallsTest::await);
        Call.until(() -> latch.waiting() == 2);

        call.interrupt();

        assertThat(call.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(call.interruptedAfter()).isFalse();
        assertThat(latch.waiting()).isEqualTo(1);
        open();
        assertThat(other.outcome()).isEqualTo(true);
    }

    @Test
    void aFutureCompletesOnceItOpens() {
        CompletableFuture<Void> opened = latch.opened();
        assertThat(latch.waiting()).isEqualTo(1);

        open();

        assertThat(opened).isCompletedWithValue(null);
        assertThat(latch.opened()).isCompletedWithValue(null);
    }

    @Test
    void aFutureFailsWithTheLatch() {
        CompletableFuture<Void> opened = latch.opened();

        latch.fail(cause);

        assertThat(opened.exceptionNow())
                .isInstanceOf(LatchFailedException.class)
                .hasCause(cause);
        assertThat(latch.opened().exceptionNow())
                .isInstanceOf(LatchFailedException.class)
                .hasCause(cause);
    }

    @Test
    void aFutureThatIsCancelledLeavesNothingBehind() {
        CompletableFuture<Void> opened = latch.opened();

        assertThat(opened.cancel(true)).isTrue();

        assertThat(latch.waiting()).isZero();
        assertThat(Call.platform(opened::get).outcome()).isInstanceOf(CancellationException.class);
    }

    @Test
    void aFutureThatTimesOutLeavesNothingBehind() {
        CompletableFuture<Void> opened = latch.opened().orTimeout(1, TimeUnit.MILLISECONDS);

        Call.until(opened::isDone);

        assertThat(opened.exceptionNow()).isInstanceOf(TimeoutException.class);
        Call.until(() -> latch.waiting() == 0);
    }

    @Test
    void aFutureTakesNoNoticeOfInterrupts() {
        Call<CompletableFuture<Void>> call = Call.platform(interruptedOnEntry(latch::opened));

        assertThat(call.outcome()).isInstanceOf(CompletableFuture.class);
        assertThat(call.interruptedAfter()).isTrue();
        ((CompletableFuture<?>) call.outcome()).cancel(true);
    }
}
