package io.heptad.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Failures of other state machines, each played through for what goes right here. See docs/failure-cases.md. */
@Watched
class GateKnownFailuresTest {

    /** G65. */
    @Test
    void sixteenThousandEventsAtOnceEachHaveAnOutcome() throws Exception {
        try (Gate<Integer, String> gate = Gate.<Integer, String>builder(
                        "counter",
                        (count, event) -> event.equals("refused") ? Move.illegal(count, event) : Move.to(count + 1))
                .build()) {
            gate.create("A", 0);
            AtomicInteger refused = new AtomicInteger();
            List<FutureTask<Integer>> threads = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                threads.add(Shop.start(() -> {
                    int committed = 0;
                    for (int n = 0; n < 1_000; n++) {
                        try {
                            String event = n % 10 == 9 ? "refused" : "up";
                            committed += gate.handle("A", event) instanceof Committed ? 1 : 0;
                        } catch (IllegalTransitionException no) {
                            refused.incrementAndGet();
                        }
                    }
                    return committed;
                }));
            }
            int committed = 0;
            for (FutureTask<Integer> thread : threads) {
                committed += thread.get();
            }
            assertThat(committed).isEqualTo(14_400);
            assertThat(refused).hasValue(1_600);
            assertThat(gate.current("A").orElseThrow().phase()).isEqualTo(14_400);
            assertThat(gate.current("A").orElseThrow().version()).isEqualTo(14_401);
            assertThat(gate.handle("A", "ping")).isInstanceOf(Committed.class);
        }
    }

    /** G66. */
    @Test
    void everyCommitThatEntersAPhaseIsToldOrCounted() throws InterruptedException {
        AtomicInteger told = new AtomicInteger();
        try (Gate<Object, String> gate = Gate.<Object, String>builder(
                        "cycle", (phase, event) -> Move.to(phase instanceof Integer ? "two" : (Object) 1))
                .reactions(100, FullPolicy.DROP_NEWEST)
                .afterwards("entered", Integer.class, entered -> told.incrementAndGet())
                .build()) {
            gate.create("A", "two");
            for (int i = 0; i < 20_000; i++) {
                gate.handle("A", "on");
            }
            Shop.until(() -> told.get() + gate.stats().droppedReactions() == 10_000);
            assertThat(gate.stats().transitions()).isEqualTo(20_001);
        }
    }

    /** G67. */
    @Test
    void afterTheLastPhaseNoActionRuns() throws Exception {
        Action<String, String> call = Action.named("call", String.class, String.class);
        for (int round = 0; round < 200; round++) {
            AtomicInteger calls = new AtomicInteger();
            try (Gate<String, String> gate = Gate.<String, String>builder("ends", (phase, event) -> {
                        if (phase.equals("over")) {
                            return Move.illegal(phase, event);
                        }
                        return event.equals("end") ? Move.to("over") : Move.perform(call, "input", reply -> "on");
                    })
                    .irreversible(call, attempt -> {
                        calls.incrementAndGet();
                        return "reply";
                    })
                    .sweepEvery(Shop.NEVER)
                    .build()) {
                gate.create("A", "on");
                CountDownLatch together = new CountDownLatch(1);
                List<FutureTask<Integer>> events = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    events.add(Shop.start(() -> {
                        Shop.await(together);
                        try {
                            gate.handle("A", "call");
                            return 1;
                        } catch (IllegalTransitionException over) {
                            return 0;
                        }
                    }));
                }
                together.countDown();
                assertThat(gate.handle("A", "end")).isInstanceOf(Committed.class);
                int before = calls.get();
                int answered = 0;
                for (FutureTask<Integer> event : events) {
                    answered += event.get();
                }
                assertThat(calls).as("none has run after the end").hasValue(before);
                assertThat(answered).isEqualTo(before);
                assertThat(gate.history("A")).hasSize(before + 2);
            }
        }
    }

    /** G68. */
    @Test
    void noAutomaticStepFollowsAnActionThatFails() throws InterruptedException {
        Action<String, String> call = Action.named("call", String.class, String.class);
        try (Gate<String, String> gate = Gate.<String, String>builder("steps", (phase, event) -> switch (phase) {
                    case "one" -> Move.also(Move.perform(call, "input", reply -> "two"), Duration.ZERO, "automatic");
                    case "two" -> Move.to("three");
                    default -> Move.illegal(phase, event);
                })
                .irreversible(call, attempt -> {
                    throw new UnsupportedOperationException("broken");
                })
                .backoff(attempt -> Duration.ZERO)
                .sweepEvery(Duration.ofMillis(1))
                .build()) {
            gate.create("A", "one");
            assertThat(gate.handle("A", "on")).as("the sender is told").isInstanceOf(Pending.class);
            assertThat(gate.parked())
                    .singleElement()
                    .satisfies(parked -> assertThat(parked.lastError()).contains("broken"));
            long sweeps = gate.stats().sweeps();
            Shop.until(() -> gate.stats().sweeps() > sweeps + 3);
            assertThat(gate.history("A")).extracting(Committed::phase).containsExactly("one");
        }
    }
}
