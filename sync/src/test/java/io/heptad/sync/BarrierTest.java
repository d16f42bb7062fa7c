package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.core.Metric;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a barrier promises, apart from how each waiting call ends. */
@Watched
class BarrierTest {
    private final IllegalStateException cause = new IllegalStateException("out of disk");

    private static Call<Long> parkedAt(Barrier barrier) {
        int before = barrier.arrived();
        Call<Long> call = Call.platform(barrier::await);
        Call.until(() -> barrier.arrived() == before + 1);
        return call;
    }

    private static Call<Long> parkedAt(Barrier barrier, String party) {
        int before = barrier.arrived();
        Call<Long> call = Call.platform(() -> barrier.await(party));
        Call.until(() -> barrier.arrived() == before + 1);
        return call;
    }

    // Rounds

    @Test
    void letsNobodyGoOnBeforeAllHaveArrived() throws Exception {
        int phases = 100;
        for (boolean virtual : new boolean[] {false, true}) {
            Barrier barrier = Barrier.of(4);
            AtomicIntegerArray ended = new AtomicIntegerArray(phases);
            List<Call<String>> workers = new ArrayList<>();
            for (int worker = 0; worker < 4; worker++) {
                workers.add(Call.start(virtual, () -> {
                    for (int phase = 0; phase < phases; phase++) {
                        ended.incrementAndGet(phase);
                        assertThat(barrier.await()).isEqualTo(phase);
                        assertThat(ended.get(phase)).isEqualTo(4);
                    }
                    return "done";
                }));
            }
            assertThat(workers)
                    .allSatisfy(worker -> assertThat(worker.outcome()).isEqualTo("done"));
            assertThat(barrier.round()).isEqualTo(phases);
            assertThat(barrier.arrived()).isZero();
        }
    }

    @Test
    void countsAFastPartyOnceInEachRound() {
        int rounds = 100;
        Barrier barrier = Barrier.of(4);
        AtomicIntegerArray arrivals = new AtomicIntegerArray(rounds);
        List<Call<String>> workers = new ArrayList<>();
        for (int worker = 0; worker < 4; worker++) {
            boolean fast = worker == 0;
            workers.add(Call.start(true, () -> {
                for (int round = 0; round < rounds; round++) {
                    for (int i = 0; !fast && i < 20; i++) {
                        Thread.yield(); // the slow ones are still on their way when the fast one is back
                    }
                    arrivals.incrementAndGet((int) barrier.await());
                }
                return "done";
            }));
        }

        assertThat(workers).allSatisfy(worker -> assertThat(worker.outcome()).isEqualTo("done"));
        for (int round = 0; round < rounds; round++) {
            assertThat(arrivals.get(round)).as("round %d", round).isEqualTo(4);
        }
    }

    @Test
    void returnsTheSameRoundToAllAndCountsOn() throws Exception {
        Barrier barrier = Barrier.of(3);
        for (long round = 0; round < 5; round++) {
            Call<Long> first = parkedAt(barrier);
            Call<Long> second = parkedAt(barrier);
            assertThat(barrier.round()).isEqualTo(round);

            assertThat(barrier.await()).isEqualTo(round);

            assertThat(first.outcome()).isEqualTo(round);
            assertThat(second.outcome()).isEqualTo(round);
        }
    }

    @Test
    void onePartyWaitsForNobody() throws Exception {
        Barrier barrier = Barrier.of(1);

        assertThat(barrier.await()).isEqualTo(0);
        assertThat(barrier.await(Duration.ZERO)).isEqualTo(1);
        assertThat(barrier.arrived()).isZero();
    }

    @Test
    void makesWhatEachDidBeforeVisibleToAllAfter() {
        Barrier barrier = Barrier.of(2);
        int[] plain = new int[2];
        List<Call<String>> workers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int me = i;
            workers.add(Call.platform(() -> {
                for (int round = 1; round <= 20_000; round++) {
                    plain[me] = round;
                    barrier.await();
                    if (plain[1 - me] != round) {
                        return "saw " + plain[1 - me] + " in round " + round;
                    }
                    barrier.await();
                }
                return "saw all";
            }));
        }
        assertThat(workers).allSatisfy(worker -> assertThat(worker.outcome()).isEqualTo("saw all"));
    }

    // Named parties

    @Test
    void saysWhoIsMissing() throws Exception {
        Barrier barrier = Barrier.ofParties("build", "a", "b", "c");
        assertThat(barrier.missing()).containsExactly("a", "b", "c");
        Call<Long> b = parkedAt(barrier, "b");
        assertThat(barrier.missing()).containsExactly("a", "c");
        Call<Long> c = parkedAt(barrier, "c");
        assertThat(barrier.missing()).containsExactly("a");

        assertThat(barrier.await("a")).isZero();

        assertThat(b.outcome()).isEqualTo(0L);
        assertThat(c.outcome()).isEqualTo(0L);
        assertThat(barrier.missing()).containsExactly("a", "b", "c");
    }

    @Test
    void refusesAPartyThatHasArrivedAndChangesNothing() throws Exception {
        Barrier barrier = Barrier.ofParties("build", "a", "b");
        Call<Long> a = parkedAt(barrier, "a");

        assertThatThrownBy(() -> barrier.await("a", Duration.ZERO))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("party a of barrier build has arrived in this round already");

        assertThat(barrier.isBroken()).isFalse();
        assertThat(barrier.arrived()).isEqualTo(1);
        assertThat(a.isDone()).isFalse();
        assertThat(barrier.await("b")).isZero();
        assertThat(a.outcome()).isEqualTo(0L);
    }

    @Test
    void refusesStrangersAndTheNamelessAndChangesNothing() throws Exception {
        Barrier named = Barrier.ofParties("build", "a", "b");
        Call<Long> a = parkedAt(named, "a");
        assertThatThrownBy(() -> named.await("x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("party must be one of [a, b], but is \"x\"");
        assertThatThrownBy(() -> named.await((String) null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("party");
        assertThatThrownBy(named::await)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("barrier build has named parties, which say who arrives: [a, b]");
        assertThatThrownBy(() -> named.await(Duration.ofMinutes(1))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> named.await((Duration) null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("timeout");
        assertThatThrownBy(() -> named.await("b", null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("timeout");
        assertThatThrownBy(() -> named.fail(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("cause");
        assertThat(named.arrived()).isEqualTo(1);
        assertThat(named.await("b")).isZero();
        assertThat(a.outcome()).isEqualTo(0L);

        Barrier counted = Barrier.of(2);
        assertThatThrownBy(() -> counted.await("a"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("barrier barrier has no named parties, it only counts");
        assertThat(counted.missing()).isEmpty();
    }

    @Test
    void refusesWhatMakesNoSense() {
        assertThatThrownBy(() -> Barrier.of(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("parties must be at least 1, but is 0");
        assertThatThrownBy(() -> Barrier.of(-3)).hasMessage("parties must be at least 1, but is -3");
        assertThatThrownBy(() -> Barrier.of("", 1)).hasMessage("name must not be blank, but is \"\"");
        assertThatThrownBy(() -> Barrier.of(2, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("onRound");
        assertThatThrownBy(() -> Barrier.ofParties("build"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("parties must name at least one, but is empty");
        assertThatThrownBy(() -> Barrier.ofParties("build", "a", "a"))
                .hasMessage("parties must differ, but \"a\" is there twice");
        assertThatThrownBy(() -> Barrier.ofParties("build", "a", null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("parties[1]");
        assertThatThrownBy(() -> Barrier.ofParties("build", (String[]) null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("parties");
        assertThatThrownBy(() -> Barrier.ofParties("build", null, () -> {}))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("parties");
        assertThatThrownBy(() -> Barrier.ofParties("build", Set.of("a"), null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("onRound");
    }

    // Breaking

    @Test
    void aPartyThatDiesFreesTheOthersWithItsCause() {
        Barrier barrier = Barrier.ofParties("build", "a", "b", "c", "d");
        List<Call<Long>> three =
                Stream.of("a", "b", "c").map(party -> parkedAt(barrier, party)).toList();

        barrier.fail(cause);

        three.forEach(call -> assertThat((Throwable) call.outcome())
                .isInstanceOf(BrokenBarrierException.class)
                .hasMessageContaining(
                        "it failed with java.lang.IllegalStateException: out of disk; [d] missing; had waited: a ")
                .hasCause(cause));
        assertThat(three.stream().map(Call::outcome)).doesNotHaveDuplicates();
        assertThat(barrier.isBroken()).isTrue();
        assertThat(barrier.arrived()).isZero();
        assertThat(barrier.missing()).containsExactly("d");
    }

    @Test
    void namesWhoWasMissingAndHowLongTheOthersHadWaited() {
        Barrier barrier = Barrier.ofParties("build", "a", "b", "c");
        Call<Long> a = parkedAt(barrier, "a");
        Call<Long> b = Call.platform(() -> barrier.await("b", Duration.ofMillis(30)));

        assertThat((Throwable) b.outcome())
                .isInstanceOf(java.util.concurrent.TimeoutException.class)
                .message()
                .matches("barrier build broke in round 0: b ran out of time; \\[c\\] missing; "
                        + "had waited: a [0-9]{2,} ms, b [0-9]{2,} ms");
        assertThat((Throwable) a.outcome())
                .isInstanceOf(BrokenBarrierException.class)
                .hasMessage(((Throwable) b.outcome()).getMessage());
        assertThatThrownBy(() -> barrier.await("c"))
                .isInstanceOf(BrokenBarrierException.class)
                .hasMessage(((Throwable) b.outcome()).getMessage());
    }

    @Test
    void saysHowManyWereMissingWhereTheyHaveNoNames() {
        Barrier barrier = Barrier.of("phases", 4);
        Call<Long> first = parkedAt(barrier);
        Call<Long> second = parkedAt(barrier);

        barrier.fail(cause);

        assertThat((Throwable) first.outcome())
                .message()
                .matches(
                        "barrier phases broke in round 0: it failed with java.lang.IllegalStateException: out of disk; "
                                + "2 of 4 missing; 2 had waited, up to [0-9]+ ms");
        assertThat((Throwable) second.outcome()).isInstanceOf(BrokenBarrierException.class);
    }

    @Test
    void staysBrokenAsItIsUntilReset() throws Exception {
        Barrier barrier = Barrier.ofParties("build", "a", "b");
        barrier.fail(cause);

        barrier.fail(new IllegalStateException("later"));

        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> barrier.await("a"))
                    .isInstanceOf(BrokenBarrierException.class)
                    .hasMessageContaining("; [a, b] missing; nobody waited")
                    .hasCause(cause);
        }
        assertThat(barrier.stats().breaks()).isEqualTo(1);
        barrier.reset();
        assertThat(barrier.isBroken()).isFalse();
        Call<Long> a = parkedAt(barrier, "a");
        assertThat(barrier.await("b")).isZero();
        assertThat(a.outcome()).isEqualTo(0L);
    }

    @Test
    void aResetFreesWhoWaitsAndBeginsTheRoundAnew() throws Exception {
        Barrier barrier = Barrier.of(2);
        Call<Long> before = parkedAt(barrier);
        barrier.await();
        Call<Long> waiting = parkedAt(barrier);

        barrier.reset();

        assertThat(before.outcome()).isEqualTo(0L);
        assertThat((Throwable) waiting.outcome())
                .isInstanceOf(BrokenBarrierException.class)
                .hasMessageContaining("broke in round 1: it was reset; 1 of 2 missing");
        assertThat(barrier.isBroken()).isFalse();
        assertThat(barrier.round()).isEqualTo(1);
        assertThat(barrier.arrived()).isZero();
        Call<Long> fresh = parkedAt(barrier);
        assertThat(barrier.await()).isEqualTo(1);
        assertThat(fresh.outcome()).isEqualTo(1L);
    }

    @Test
    void aResetOfAnIdleBarrierChangesNothing() {
        Barrier barrier = Barrier.of(2);

        barrier.reset();

        assertThat(barrier.stats()).isEqualTo(new BarrierStats(2, 0, 0, Set.of(), false, Duration.ZERO, 0));
    }

    // The action

    @Test
    void runsTheActionOnceARoundAfterAllHaveArrivedAndBeforeAnyGoesOn() {
        List<String> log = new CopyOnWriteArrayList<>();
        AtomicInteger arrived = new AtomicInteger();
        Barrier barrier = Barrier.of("phases", 3, () -> log.add("all " + arrived.get()));
        List<Call<String>> workers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            workers.add(Call.start(true, () -> {
                for (int round = 1; round <= 50; round++) {
                    arrived.incrementAndGet();
                    barrier.await();
                    if (log.size() < round) {
                        return "went on before the action of round " + round;
                    }
                }
                return "done";
            }));
        }

        assertThat(workers).allSatisfy(worker -> assertThat(worker.outcome()).isEqualTo("done"));
        assertThat(log).hasSize(50);
        for (int round = 1; round <= 50; round++) {
            assertThat(log.get(round - 1)).isEqualTo("all " + 3 * round);
        }
    }

    @Test
    void anActionThatThrowsBreaksTheRoundAndGoesToItsOwnThread() {
        Barrier barrier = Barrier.ofParties("build", List.of("a", "b"), () -> {
            throw cause;
        });
        Call<Long> a = parkedAt(barrier, "a");

        assertThatThrownBy(() -> barrier.await("b")).isSameAs(cause);

        assertThat((Throwable) a.outcome())
                .isInstanceOf(BrokenBarrierException.class)
                .hasMessageContaining(
                        "its action threw java.lang.IllegalStateException: out of disk; nobody missing; had waited: a ")
                .hasCause(cause);
        assertThat(barrier.isBroken()).isTrue();
        assertThat(barrier.round()).isZero();
        assertThat(cause.getSuppressed()).isEmpty();
    }

    @Test
    void anActionMayReadTheBarrierAndIsRefusedWhereItWouldWaitForItself() throws Exception {
        List<Object> seen = new ArrayList<>();
        Barrier[] self = new Barrier[1];
        Barrier barrier = Barrier.of("phases", 2, () -> {
            seen.add(self[0].arrived());
            seen.add(self[0].round());
            seen.add(Call.platform(self[0]::stats).outcome()); // under no lock
            try {
                self[0].await(Duration.ofMinutes(1));
            } catch (Exception refused) {
                seen.add(refused.getMessage());
            }
        });
        self[0] = barrier;
        Call<Long> other = parkedAt(barrier);

        assertThat(barrier.await()).isZero();

        assertThat(other.outcome()).isEqualTo(0L);
        assertThat(seen)
                .hasSize(4)
                .startsWith(2, 0L)
                .endsWith("the action of barrier phases cannot wait for its own barrier");
    }

    @Test
    void anActionThatHangsHoldsNobodyWhoseTimeRunsOut() {
        Latch hold = Latch.of(1);
        Barrier barrier = Barrier.of("phases", 2, () -> {
            try {
                hold.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        });
        Call<Long> timed = Call.platform(() -> barrier.await(Duration.ofMillis(50)));
        Call.until(() -> barrier.arrived() == 1);
        Call<Long> last = Call.platform(barrier::await);

        assertThat((Throwable) timed.outcome())
                .isInstanceOf(java.util.concurrent.TimeoutException.class)
                .hasMessageContaining("nobody missing; 2 had waited");
        assertThat(last.isDone()).isFalse();
        hold.countDown();
        assertThat(last.outcome()).isInstanceOf(BrokenBarrierException.class);
        assertThat(barrier.isBroken()).isTrue();
    }

    @Test
    void whoComesWhileTheActionRunsCountsForTheNextRound() throws Exception {
        Latch hold = Latch.of(1);
        AtomicInteger rounds = new AtomicInteger();
        Barrier barrier = Barrier.of("phases", 2, () -> {
            try {
                if (rounds.getAndIncrement() == 0) {
                    hold.await();
                }
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        });
        Call<Long> first = parkedAt(barrier);
        Call<Long> last = Call.platform(barrier::await);
        Call.until(() -> rounds.get() == 1);
        Call<Long> late = Call.platform(barrier::await);
        Call.until(() -> late.thread().getState() == Thread.State.WAITING);
        assertThat(barrier.arrived()).isEqualTo(2);
        assertThat(barrier.stats().round()).isZero();

        hold.countDown();

        assertThat(first.outcome()).isEqualTo(0L);
        assertThat(last.outcome()).isEqualTo(0L);
        Call.until(() -> barrier.round() == 1 && barrier.arrived() == 1);
        assertThat(late.isDone()).isFalse();
        assertThat(barrier.await()).isEqualTo(1);
        assertThat(late.outcome()).isEqualTo(1L);
    }

    @Test
    void whoComesWhileTheActionRunsIsNoneOfThoseWhoHadWaited() throws Exception {
        Latch hold = Latch.of(1);
        Barrier barrier = Barrier.ofParties("build", List.of("a", "b"), () -> {
            try {
                hold.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        });
        Call<Long> a = parkedAt(barrier, "a");
        Call<Long> b = parkedAt(barrier, "b");
        Call<Long> late = Call.platform(() -> barrier.await("a"));
        Call.until(() -> late.thread().getState() == Thread.State.WAITING);

        barrier.fail(cause);

        assertThat((Throwable) a.outcome())
                .message()
                .matches(".*; nobody missing; had waited: a [0-9]+ ms, b [0-9]+ ms");
        assertThat(late.outcome()).isInstanceOf(BrokenBarrierException.class);
        hold.countDown();
        assertThat(b.outcome()).isInstanceOf(BrokenBarrierException.class);
    }

    // Figures

    @Test
    void tellsItsFigures() throws Exception {
        Barrier barrier = Barrier.ofParties("build", "a", "b", "c");
        Call<Long> b = parkedAt(barrier, "b");
        Call.until(() -> barrier.stats().longestWait().toNanos() > 1_000_000);

        BarrierStats stats = barrier.stats();

        assertThat(stats).isEqualTo(new BarrierStats(3, 0, 1, stats.missing(), false, stats.longestWait(), 0));
        assertThat(stats.missing()).containsExactly("a", "c");
        assertThat(barrier.parties()).isEqualTo(3);
        assertThat(figures(barrier))
                .containsExactly(
                        "heptad.barrier.parties 3",
                        "heptad.barrier.arrived 1",
                        "heptad.barrier.longest.wait 0",
                        "heptad.barrier.broken 0",
                        "heptad.barrier.rounds 0",
                        "heptad.barrier.breaks 0");
        assertThat(barrier.metrics().get(2).value().getAsDouble()).isBetween(0.001, 20.0);
        assertThat(barrier.toString()).matches("Barrier build: round 0, \\[a, c\\] missing; had waited: b [0-9]+ ms");

        barrier.fail(cause);

        assertThat(b.outcome()).isInstanceOf(BrokenBarrierException.class);
        assertThat(barrier.stats()).isEqualTo(new BarrierStats(3, 0, 0, barrier.missing(), true, Duration.ZERO, 1));
        assertThat(figures(barrier))
                .contains("heptad.barrier.broken 1", "heptad.barrier.breaks 1", "heptad.barrier.arrived 0");
        assertThat(barrier.toString()).startsWith("Barrier build: barrier build broke in round 0: it failed with ");
        assertThat(Barrier.of(2)).hasToString("Barrier barrier: round 0, 2 of 2 missing; nobody waited");
    }

    private static List<String> figures(Barrier barrier) {
        assertThat(barrier.metrics())
                .isSameAs(barrier.metrics())
                .allSatisfy(metric -> assertThat(metric.tags()).isEqualTo(Map.of("name", barrier.name())))
                .extracting(Metric::kind)
                .containsExactly(
                        Metric.Kind.GAUGE,
                        Metric.Kind.GAUGE,
                        Metric.Kind.GAUGE,
                        Metric.Kind.GAUGE,
                        Metric.Kind.COUNTER,
                        Metric.Kind.COUNTER);
        return barrier.metrics().stream()
                .map(metric -> metric.name() + " " + (long) metric.value().getAsDouble())
                .toList();
    }
}
