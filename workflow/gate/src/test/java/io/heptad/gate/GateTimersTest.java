package io.heptad.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.contract.gate.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Events that come by themselves, unless the entity has moved on by then. */
@Watched
class GateTimersTest {
    private static final Duration LIMIT = Duration.ofMillis(100);
    private static final Action<String, String> CALL = Action.named("call", String.class, String.class);

    private final ManualClock clock = new ManualClock();
    private final PhaseStore<String, String> store = PhaseStore.inMemory(1_000, 100, clock);
    private final AtomicInteger calls = new AtomicInteger();
    private Doer<String, String> doer = attempt -> "reply";

    private static Move<String, String> next(String phase, String event) {
        return switch (phase + " " + event) {
            case "idle wait", "waiting again", "done wait" -> Move.also(Move.to("waiting"), LIMIT, "timeout");
            case "waiting timeout" -> Move.to("late");
            case "waiting done" -> Move.to("done");
            case "idle steps" -> Move.also(Move.to("step 1"), Duration.ofSeconds(-5), "on");
            case "step 1 on" -> Move.also(Move.to("step 2"), Duration.ZERO, "on");
            case "step 2 on" -> Move.to("step 3");
            case "idle remind" -> Move.also(Move.to("reminding"), LIMIT, "call");
            case "reminding call", "waiting call" -> Move.perform(CALL, "input", reply -> "called");
            case "idle odd" -> Move.also(Move.to("odd"), LIMIT, "nobody knows");
            case "odd nobody knows" -> throw new IllegalStateException("not today");
            case "idle illegal" -> Move.also(Move.to("elsewhere"), LIMIT, "timeout");
            default -> Move.illegal(phase, event);
        };
    }

    private Gate.Builder<String, String> builder() {
        return Gate.<String, String>builder("timers", GateTimersTest::next)
                .store(store)
                .irreversible(CALL, attempt -> {
                    calls.incrementAndGet();
                    return doer.perform(attempt);
                })
                .declines(UnsupportedOperationException.class::isInstance)
                .lease(Shop.LEASE)
                .backoff(attempt -> Duration.ZERO)
                .sweepEvery(Shop.NEVER);
    }

    private Gate<String, String> gate() {
        Gate<String, String> gate = builder().build();
        gate.create("A", "idle");
        return gate;
    }

    private String phase(String id) {
        return store.current(id).orElseThrow().phase();
    }

    @Test
    void aTimerFiresWhenItIsDueAndNotBefore() throws InterruptedException {
        try (Gate<String, String> gate = gate()) {
            gate.handle("A", "wait");
            clock.advance(LIMIT.minusMillis(1));
            assertThat(gate.recover()).isZero();
            clock.advance(Duration.ofMillis(1));
            assertThat(gate.recover()).isEqualTo(1);
            assertThat(phase("A")).isEqualTo("late");
            assertThat(gate.stats().timers()).isEqualTo(1);
            assertThat(gate.recover()).isZero();
        }
    }

    @Test
    void aTimerOfAPhaseThatWasLeftDoesNothingAlsoIfThePhaseIsBack() throws InterruptedException {
        try (Gate<String, String> gate = gate()) {
            gate.handle("A", "wait");
            clock.advance(Duration.ofMillis(50));
            gate.handle("A", "done");
            clock.advance(Duration.ofMillis(40));
            gate.handle("A", "wait");
            clock.advance(Duration.ofMillis(10)); // the first one would be due now
            assertThat(gate.recover()).isZero();
            assertThat(phase("A")).isEqualTo("waiting");
            clock.advance(Duration.ofMillis(89));
            assertThat(gate.recover()).isZero();
            clock.advance(Duration.ofMillis(1));
            assertThat(gate.recover()).isEqualTo(1);
            assertThat(phase("A")).isEqualTo("late");
        }
    }

    @Test
    void aMoveBackToTheSamePhaseSetsItsTimerAnew() throws InterruptedException {
        try (Gate<String, String> gate = gate()) {
            gate.handle("A", "wait");
            clock.advance(Duration.ofMillis(90));
            gate.handle("A", "again");
            clock.advance(Duration.ofMillis(99));
            assertThat(gate.recover()).isZero();
            clock.advance(Duration.ofMillis(1));
            assertThat(gate.recover()).isEqualTo(1);
            assertThat(phase("A")).isEqualTo("late");
        }
    }

    @Test
    void timersWithoutDelayGoOnStepByStep() throws InterruptedException {
        try (Gate<String, String> gate = gate()) {
            gate.handle("A", "steps");
            assertThat(phase("A")).as("it shows where it stands").isEqualTo("step 1");
            assertThat(gate.recover()).isEqualTo(2);
            assertThat(gate.history("A"))
                    .extracting(Committed::phase)
                    .containsExactly("idle", "step 1", "step 2", "step 3");
        }
    }

    @Test
    void aSweepGoesOnByItselfAtOnce() throws InterruptedException {
        try (Gate<String, String> gate =
                builder().sweepEvery(Duration.ofMinutes(5)).build()) {
            gate.create("A", "idle");
            Shop.until(() -> gate.stats().sweeps() == 1);
            gate.handle("A", "steps");
            Shop.until(() -> phase("A").equals("step 3"));
        }
    }

    @Test
    void aTimerOutlivesItsGate() throws InterruptedException {
        try (Gate<String, String> gate = gate()) {
            gate.handle("A", "wait");
        }
        clock.advance(LIMIT);
        try (Gate<String, String> another = builder().build()) {
            assertThat(another.recover()).isEqualTo(1);
            assertThat(phase("A")).isEqualTo("late");
        }
    }

    @Test
    void ofAnEventAndATimerThatComeTogetherOneWinsAndBothGatesSayWhich() throws Exception {
        int late = 0;
        for (int i = 0; i < 100; i++) {
            String id = "A" + i;
            try (Gate<String, String> one = builder().build();
                    Gate<String, String> other = builder().build()) {
                one.create(id, "idle");
                one.handle(id, "wait");
                clock.advance(LIMIT);
                CountDownLatch together = new CountDownLatch(1);
                FutureTask<Integer> timer = Shop.start(() -> {
                    Shop.await(together);
                    return other.recover();
                });
                FutureTask<Answer<String, String>> signal = Shop.start(() -> {
                    Shop.await(together);
                    return one.handle(id, "done");
                });
                together.countDown();
                boolean signalled;
                try {
                    signalled = signal.get() instanceof Committed;
                } catch (java.util.concurrent.ExecutionException refused) {
                    assertThat(refused.getCause()).isInstanceOf(IllegalTransitionException.class);
                    signalled = false;
                }
                timer.get();
                one.recover();
                String end = signalled ? "done" : "late";
                assertThat(one.current(id).orElseThrow().phase()).isEqualTo(end);
                assertThat(other.current(id)).isEqualTo(one.current(id));
                assertThat(one.history(id)).hasSize(3);
                late += signalled ? 0 : 1;
            }
        }
        assertThat(late).isBetween(0, 100);
    }

    @Test
    void twoThatRecoverAtOnceFireATimerOnce() throws Exception {
        try (Gate<String, String> one = gate();
                Gate<String, String> other = builder().build()) {
            for (int i = 0; i < 50; i++) {
                one.create("B" + i, "idle");
                one.handle("B" + i, "wait");
            }
            clock.advance(LIMIT);
            FutureTask<Integer> first = Shop.start(one::recover);
            FutureTask<Integer> second = Shop.start(other::recover);
            first.get();
            second.get();
            one.recover();
            for (int i = 0; i < 50; i++) {
                assertThat(one.history("B" + i))
                        .extracting(Committed::phase)
                        .containsExactly("idle", "waiting", "late");
            }
            assertThat(one.stats().timers() + other.stats().timers()).isGreaterThanOrEqualTo(50);
        }
    }

    @Test
    void aTimerThatIsDueWaitsForTheActionThatRuns() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch calling = new CountDownLatch(1);
        doer = attempt -> {
            calling.countDown();
            Shop.await(goOn);
            throw new UnsupportedOperationException("no");
        };
        try (Gate<String, String> gate = gate()) {
            gate.handle("A", "wait");
            FutureTask<Answer<String, String>> called = Shop.start(() -> gate.handle("A", "call"));
            Shop.await(calling);
            clock.advance(LIMIT);
            assertThat(gate.recover()).isZero();
            goOn.countDown();
            assertThat(called.get()).isInstanceOf(Declined.class);
            assertThat(gate.recover()).isEqualTo(1);
            assertThat(phase("A")).isEqualTo("late");
        }
    }

    @Test
    void aTimerMayLeadToAnAction() throws InterruptedException {
        try (Gate<String, String> gate = gate()) {
            gate.handle("A", "remind");
            clock.advance(LIMIT);
            assertThat(gate.recover()).isEqualTo(1);
            assertThat(phase("A")).isEqualTo("called");
            assertThat(calls).hasValue(1);
        }
    }

    @Test
    void aTimerWhoseActionWasDeclinedDoesNotComeAgain() throws InterruptedException {
        doer = attempt -> {
            throw new UnsupportedOperationException("no");
        };
        try (Gate<String, String> gate = gate()) {
            gate.handle("A", "remind");
            clock.advance(LIMIT);
            gate.recover();
            clock.advance(Shop.LEASE.multipliedBy(2));
            assertThat(gate.recover()).isZero();
            assertThat(phase("A")).isEqualTo("reminding");
            assertThat(calls).hasValue(1);
        }
    }

    @Test
    void aTimerWhoseEventIsIllegalIsDropped() throws InterruptedException {
        try (Gate<String, String> gate = gate()) {
            gate.handle("A", "illegal");
            clock.advance(LIMIT);
            assertThat(gate.recover()).isEqualTo(1);
            assertThat(phase("A")).isEqualTo("elsewhere");
            clock.advance(Shop.LEASE);
            assertThat(gate.recover()).isZero();
        }
    }

    @Test
    void aTransitionThatThrowsForATimerHarmsNoOtherAndIsAskedAgain() throws InterruptedException {
        List<Throwable> reported = new java.util.concurrent.CopyOnWriteArrayList<>();
        AtomicBoolean done = new AtomicBoolean();
        try (Gate<String, String> gate = gate()) {
            gate.create("B", "idle");
            gate.handle("A", "odd");
            gate.handle("B", "wait");
            clock.advance(LIMIT);
            Thread recovering = Thread.ofPlatform().unstarted(() -> {
                gate.recover();
                done.set(true);
            });
            recovering.setUncaughtExceptionHandler((thread, thrown) -> reported.add(thrown));
            recovering.start();
            recovering.join();
            assertThat(done).isTrue();
            assertThat(phase("B")).isEqualTo("late");
            assertThat(phase("A")).isEqualTo("odd");
            assertThat(reported)
                    .hasSize(1)
                    .allSatisfy(thrown -> assertThat(thrown).hasMessageContaining("not today"));
            assertThat(gate.stats().storeFailures()).isEqualTo(1);
            clock.advance(Shop.LEASE);
            assertThat(store.claimTimers(10, Shop.LEASE)).hasSize(1);
        }
    }
}
