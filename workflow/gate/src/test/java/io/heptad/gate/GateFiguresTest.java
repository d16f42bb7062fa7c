package io.heptad.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.contract.gate.Orders;
import io.heptad.contract.gate.Orders.Event;
import io.heptad.contract.gate.Orders.Order;
import io.heptad.contract.gate.Orders.Paid;
import io.heptad.contract.gate.Orders.Pay;
import io.heptad.contract.gate.Orders.Ship;
import io.heptad.contract.gate.Provider.Mood;
import io.heptad.core.FullPolicy;
import io.heptad.core.Metric;
import io.heptad.future.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What can be seen of a gate: figures, metrics, Flight Recorder. */
@Watched
class GateFiguresTest {
    private final Shop shop = new Shop();

    @TempDir
    private Path directory;

    private static Map<String, Double> values(Gate<?, ?> gate) {
        return gate.metrics().stream()
                .collect(Collectors.toMap(Metric::name, metric -> metric.value().getAsDouble()));
    }

    @Test
    void countsWhatHasHappened() throws InterruptedException {
        shop.provider.mood("charge", Mood.IS_AWAY, Mood.DECLINES);
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            gate.handle("A", new Pay("card"));
            gate.handle("A", new Pay("card"));
            assertThatThrownBy(() -> gate.handle("A", new Pay("card"))).isInstanceOf(IllegalTransitionException.class);
            assertThatThrownBy(() -> gate.handle("A", new Ship("track")))
                    .isInstanceOf(IllegalTransitionException.class);
            GateStats stats = gate.stats();
            assertThat(stats.transitions()).isEqualTo(2);
            assertThat(stats.transitionsPerSecond()).isPositive();
            assertThat(stats.illegal()).isEqualTo(2);
            assertThat(stats.declined()).isEqualTo(1);
            assertThat(stats.calls()).isEqualTo(3);
            assertThat(stats.unknown()).isEqualTo(1);
            assertThat(stats.openActions()).isZero();
            assertThat(stats.oldestOpenAction()).isZero();
            assertThat(stats.running()).isZero();
        }
    }

    @Test
    void theMetricsSayWhatTheFiguresSay() throws Exception {
        CountDownLatch charging = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (Gate<Order, Event> gate = shop.bare()
                .action(
                        Orders.CHARGE,
                        attempt -> {
                            charging.countDown();
                            Shop.await(goOn);
                            return "receipt";
                        },
                        (attempt, receipt) -> {})
                .build()) {
            Shop.place(gate, "A");
            var paying = Shop.start(() -> gate.handle("A", new Pay("card")));
            Shop.await(charging);
            shop.clock.advance(Duration.ofSeconds(7));
            assertThat(values(gate))
                    .containsEntry("heptad.gate.open", 1.0)
                    .containsEntry("heptad.gate.oldest.open", 7.0)
                    .containsEntry("heptad.gate.running", 1.0)
                    .containsEntry("heptad.gate.transitions", 1.0)
                    .containsEntry("heptad.gate.calls", 1.0);
            goOn.countDown();
            paying.get();
            assertThat(values(gate))
                    .containsEntry("heptad.gate.open", 0.0)
                    .containsEntry("heptad.gate.transitions", 2.0);
            assertThat(gate.metrics()).hasSize(20).allSatisfy(metric -> {
                assertThat(metric.tags()).containsExactly(Map.entry("name", "orders"));
                assertThat(metric.description()).isNotBlank();
            });
            assertThat(gate.metrics()).extracting(Metric::name).doesNotHaveDuplicates();
            assertThat(gate).hasToString("Gate orders: 0 actions running");
        }
    }

    private List<RecordedEvent> recorded(Callable<?> body) throws Exception {
        Path file = directory.resolve("gate.jfr");
        try (Recording recording = new Recording()) {
            for (String event :
                    List.of("GateTransition", "GateCall", "GateParked", "GateTakeover", "ReactionDropped")) {
                recording.enable("io.heptad." + event).withThreshold(Duration.ZERO);
            }
            recording.start();
            body.call();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file);
    }

    private static List<String> of(List<RecordedEvent> events, String type, String... fields) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("io.heptad." + type))
                .sorted(java.util.Comparator.comparing(RecordedEvent::getStartTime))
                .map(event -> java.util.Arrays.stream(fields)
                        .map(field -> String.valueOf((Object) event.getValue(field)))
                        .collect(Collectors.joining(" ")))
                .toList();
    }

    @Test
    void flightRecorderSeesTransitionsCallsTakeoversAndWhatIsParked() throws Exception {
        shop.provider.mood("charge", Mood.IS_AWAY);
        shop.provider.mood("refund", Mood.DECLINES);
        List<RecordedEvent> events = recorded(() -> {
            Gate<Order, Event> gate = shop.builder()
                    .reactions(1, FullPolicy.REJECT)
                    .afterwards("mail", Paid.class, paid -> {})
                    .build();
            Shop.place(gate, "A");
            gate.handle("A", new Pay("card"), "pay", Duration.ZERO);
            Shop.until(() -> gate.stats().running() == 0);
            gate.recover();
            gate.handle("A", new Orders.Cancel("bored"));
            gate.resolve("orders/A/2/charge/undo/0", new Outcome.Success<>(""));
            gate.close();
            return gate;
        });
        assertThat(of(events, "GateTransition", "gate", "entity", "version", "phase", "event"))
                .containsExactly("orders A 1 Placed ", "orders A 2 Paid Pay", "orders A 3 Cancelled Cancel");
        assertThat(of(events, "GateCall", "key", "attempt", "outcome"))
                .containsExactly(
                        "orders/A/1/charge/do/0 1 unknown",
                        "orders/A/1/charge/do/0 2 done",
                        "orders/A/2/charge/undo/0 1 declined");
        assertThat(of(events, "GateTakeover", "key", "fence")).containsExactly("orders/A/1/charge/do/0 2");
        assertThat(of(events, "GateParked", "key", "change", "reason"))
                .containsExactly(
                        "orders/A/2/charge/undo/0 parked declined: not possible",
                        "orders/A/2/charge/undo/0 resolved done");
    }

    @Test
    void flightRecorderSeesTheNewFenceOfAnActionWhoseLeaseEndedWhileItRuns() throws Exception {
        CountDownLatch charging = new CountDownLatch(1);
        CountDownLatch late = new CountDownLatch(1);
        List<RecordedEvent> events = recorded(() -> {
            try (Gate<Order, Event> gate = shop.bare()
                    .action(
                            Orders.CHARGE,
                            attempt -> {
                                charging.countDown();
                                Shop.await(late);
                                return "receipt";
                            },
                            (attempt, receipt) -> {})
                    .irreversible(Orders.PACK, attempt -> "")
                    .build()) {
                Shop.place(gate, "A");
                FutureTask<Answer<Order, Event>> paying = Shop.start(() -> gate.handle("A", new Pay("card")));
                Shop.await(charging);
                shop.clock.advance(Shop.LEASE);
                assertThat(gate.recover()).as("its own goes on").isZero();
                late.countDown();
                assertThat(paying.get()).isInstanceOf(Committed.class);
                assertThat(gate.stats().takeovers()).isZero();
            }
            return true;
        });
        assertThat(of(events, "GateTakeover", "key", "fence")).containsExactly("orders/A/1/charge/do/0 2");
        assertThat(of(events, "GateCall", "key", "attempt")).containsExactly("orders/A/1/charge/do/0 1");
    }

    @Test
    void flightRecorderSeesAReactionThatIsDropped() throws Exception {
        CountDownLatch hang = new CountDownLatch(1);
        List<RecordedEvent> events = recorded(() -> {
            try (Gate<Order, Event> gate = shop.builder()
                    .reactions(1, FullPolicy.REJECT)
                    .afterwards("mail", Paid.class, paid -> Shop.await(hang))
                    .build()) {
                for (int i = 0; i < Reactions.WORKERS + 2; i++) {
                    Shop.place(gate, "A" + i);
                    gate.handle("A" + i, new Pay("card"));
                }
                hang.countDown();
            }
            return true;
        });
        assertThat(of(events, "ReactionDropped", "reaction", "entity", "version"))
                .containsExactly("mail A" + (Reactions.WORKERS + 1) + " 2");
    }
}
