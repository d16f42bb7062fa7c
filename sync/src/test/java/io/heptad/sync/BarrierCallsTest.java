package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every call that can wait, times every way in which it can end: with another party in the same round, who is told, and
 * with the next round, which works.
 */
@Watched
class BarrierCallsTest {
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration NO_LIMIT = Duration.ofSeconds(Long.MAX_VALUE);

    private final Barrier named = Barrier.ofParties("build", "a", "b", "c");
    private final Barrier counted = Barrier.of("phases", 3);
    private final IllegalStateException cause = new IllegalStateException("broken");

    private Barrier used = counted;

    /** A call that can wait, by party a of one barrier or the other. */
    private record Waiting(boolean byName, Act act) {
        interface Act {
            Object on(Barrier barrier) throws Exception;
        }
    }

    private static Named<Waiting> unnamed(String name, Waiting.Act act) {
        return Named.of(name, new Waiting(false, act));
    }

    private static Named<Waiting> byName(String name, Waiting.Act act) {
        return Named.of(name, new Waiting(true, act));
    }

    private static Stream<Arguments> onBothKinds(Stream<Named<Waiting>> calls) {
        return calls.flatMap(call -> Stream.of(false, true)
                .map(virtual -> Arguments.of(call, Named.of(virtual ? "virtual" : "platform", virtual))));
    }

    static Stream<Arguments> waits() {
        return onBothKinds(Stream.of(
                unnamed("await", Barrier::await),
                unnamed("await(long)", barrier -> barrier.await(LONG)),
                unnamed("await(no limit)", barrier -> barrier.await(NO_LIMIT)),
                byName("await(a)", barrier -> barrier.await("a")),
                byName("await(a, long)", barrier -> barrier.await("a", LONG)),
                byName("await(a, no limit)", barrier -> barrier.await("a", NO_LIMIT))));
    }

    static Stream<Arguments> shortWaits() {
        return onBothKinds(Stream.of(
                        Duration.ofMillis(5), Duration.ofNanos(1), Duration.ZERO, Duration.ofSeconds(Long.MIN_VALUE))
                .flatMap(time -> Stream.of(
                        unnamed("await(" + time + ")", barrier -> barrier.await(time)),
                        byName("await(a, " + time + ")", barrier -> barrier.await("a", time)))));
    }

    static Stream<Arguments> allWaits() {
        return Stream.concat(waits(), shortWaits());
    }

    private Call<Object> start(boolean virtual, Waiting wait) {
        used = wait.byName ? named : counted;
        return Call.start(virtual, () -> wait.act.on(used));
    }

    private Call<Object> startInterrupted(boolean virtual, Waiting wait) {
        used = wait.byName ? named : counted;
        return Call.start(virtual, () -> {
            Thread.currentThread().interrupt();
            return wait.act.on(used);
        });
    }

    private Call<Object> parked(boolean virtual, Waiting wait) {
        Call<Object> call = start(virtual, wait);
        Call.until(() -> used.arrived() == 1);
        return call;
    }

    /** Another party, parked. */
    private Call<Long> other(Waiting wait, String party) {
        Barrier barrier = wait.byName ? named : counted;
        int before = barrier.arrived();
        Callable<Long> act = wait.byName ? () -> barrier.await(party) : barrier::await;
        Call<Long> call = Call.platform(act);
        Call.until(() -> barrier.arrived() == before + 1);
        return call;
    }

    private static void assertTold(Call<Long> other, String why) {
        assertThat((Throwable) other.outcome())
                .isInstanceOf(BrokenBarrierException.class)
                .hasMessageContaining(why)
                .hasMessageContaining("had waited");
    }

    @AfterEach
    void leavesNobodyBehindAndTheNextRoundWorks() throws Exception {
        assertThat(used.arrived()).isZero();
        used.reset();
        boolean byName = used == named;
        long round = used.round();
        Call<Long> b = Call.platform(byName ? () -> used.await("b") : used::await);
        Call<Long> c = Call.start(true, byName ? () -> used.await("c") : used::await);
        Call.until(() -> used.arrived() == 2);
        assertThat(byName ? used.await("a", Duration.ZERO) : used.await(Duration.ZERO))
                .isEqualTo(round);
        assertThat(b.outcome()).isEqualTo(round);
        assertThat(c.outcome()).isEqualTo(round);
    }

    @ParameterizedTest
    @MethodSource("allWaits")
    void completesTheRoundAsTheLastToArrive(Waiting wait, boolean virtual) {
        Call<Long> b = other(wait, "b");
        Call<Long> c = other(wait, "c");

        assertThat(start(virtual, wait).outcome()).isEqualTo(0L);

        assertThat(b.outcome()).isEqualTo(0L);
        assertThat(c.outcome()).isEqualTo(0L);
    }

    @ParameterizedTest
    @MethodSource("waits")
    void goesOnOnceAllHaveArrived(Waiting wait, boolean virtual) {
        Call<Object> call = parked(virtual, wait);
        Call<Long> b = other(wait, "b");
        assertThat(call.isDone()).isFalse();

        Call<Long> c = Call.platform(wait.byName ? () -> named.await("c") : counted::await);

        assertThat(call.outcome()).isEqualTo(0L);
        assertThat(call.interruptedAfter()).isFalse();
        assertThat(b.outcome()).isEqualTo(0L);
        assertThat(c.outcome()).isEqualTo(0L);
    }

    @ParameterizedTest
    @MethodSource("shortWaits")
    void breaksTheRoundWhenItsTimeRunsOut(Waiting wait, boolean virtual) {
        Call<Long> b = other(wait, "b");

        Call<Object> call = start(virtual, wait);

        assertThat((Throwable) call.outcome())
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining(
                        wait.byName ? "a ran out of time; [c] missing" : "a party ran out of time; 1 of 3 missing");
        assertTold(b, "ran out of time");
        assertThat(used.isBroken()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("waits")
    void breaksTheRoundWhenItIsInterrupted(Waiting wait, boolean virtual) {
        Call<Object> call = parked(virtual, wait);
        Call<Long> b = other(wait, "b");

        call.interrupt();

        assertThat((Throwable) call.outcome())
                .isInstanceOf(InterruptedException.class)
                .hasMessageContaining(
                        wait.byName ? "a was interrupted; [c] missing" : "a party was interrupted; 1 of 3 missing");
        assertThat(call.interruptedAfter()).isFalse();
        assertTold(b, "was interrupted");
    }

    @ParameterizedTest
    @MethodSource("allWaits")
    void breaksTheRoundWhenItComesInterrupted(Waiting wait, boolean virtual) {
        Call<Long> b = other(wait, "b");

        Call<Object> call = startInterrupted(virtual, wait);

        assertThat(call.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(call.interruptedAfter()).isFalse();
        assertTold(b, wait.byName ? "a was interrupted; [a, c] missing" : "was interrupted; 2 of 3 missing");
    }

    @ParameterizedTest
    @MethodSource("allWaits")
    void tellsOfTheInterruptRatherThanOfTheBreak(Waiting wait, boolean virtual) {
        named.fail(cause);
        counted.fail(cause);

        Call<Object> call = startInterrupted(virtual, wait);

        assertThat(call.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(used.stats().breaks()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("allWaits")
    void refusesWhoComesToABrokenBarrier(Waiting wait, boolean virtual) {
        named.fail(cause);
        counted.fail(cause);

        assertThat((Throwable) start(virtual, wait).outcome())
                .isInstanceOf(BrokenBarrierException.class)
                .hasCause(cause);
    }

    @ParameterizedTest
    @MethodSource("waits")
    void isToldOfABreak(Waiting wait, boolean virtual) {
        Call<Object> call = parked(virtual, wait);

        used.fail(cause);

        assertThat((Throwable) call.outcome())
                .isInstanceOf(BrokenBarrierException.class)
                .hasCause(cause);
    }

    @ParameterizedTest
    @MethodSource("waits")
    void isToldOfAReset(Waiting wait, boolean virtual) {
        Call<Object> call = parked(virtual, wait);

        used.reset();

        assertThat((Throwable) call.outcome())
                .isInstanceOf(BrokenBarrierException.class)
                .hasMessageContaining("it was reset");
        assertThat(used.isBroken()).isFalse();
    }
}
