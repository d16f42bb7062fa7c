package io.heptad.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.heptad.contract.Seeded;
import io.heptad.contract.Watched;
import io.heptad.contract.gate.Orders;
import io.heptad.contract.gate.Orders.Cancel;
import io.heptad.contract.gate.Orders.Cancelled;
import io.heptad.contract.gate.Orders.Deliver;
import io.heptad.contract.gate.Orders.Delivered;
import io.heptad.contract.gate.Orders.Event;
import io.heptad.contract.gate.Orders.Order;
import io.heptad.contract.gate.Orders.Pack;
import io.heptad.contract.gate.Orders.PackFailed;
import io.heptad.contract.gate.Orders.Packed;
import io.heptad.contract.gate.Orders.Paid;
import io.heptad.contract.gate.Orders.Pay;
import io.heptad.contract.gate.Orders.Placed;
import io.heptad.contract.gate.Orders.Ship;
import io.heptad.contract.gate.Orders.Shipped;
import io.heptad.contract.gate.Provider;
import io.heptad.contract.gate.Provider.Mood;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** An order from placed to delivered, and what may go wrong on its way. */
@Watched
class GateOrderTest {
    private final Shop shop = new Shop();

    private static Committed<Order, Event> committed(Answer<Order, Event> answer) {
        @SuppressWarnings("unchecked")
        Committed<Order, Event> committed = assertInstanceOf(Committed.class, answer);
        return committed;
    }

    @Test
    void anOrderGoesFromPlacedToDelivered() throws InterruptedException {
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            assertThat(committed(gate.handle("A", new Pay("card"))).phase())
                    .isEqualTo(new Paid(List.of("tea"), "charge-1"));
            assertThat(committed(gate.handle("A", new Pack())).phase()).isEqualTo(new Packed("charge-1", "pack-2"));
            gate.handle("A", new Ship("track"));
            Committed<Order, Event> last = committed(gate.handle("A", new Deliver()));

            assertThat(last.phase()).isEqualTo(new Delivered("track"));
            assertThat(last.version()).isEqualTo(5);
            assertThat(gate.current("A")).contains(last);
            assertThat(gate.history("A"))
                    .extracting(entry -> entry.phase().getClass().getSimpleName())
                    .containsExactly("Placed", "Paid", "Packed", "Shipped", "Delivered");
            assertThat(gate.history("A"))
                    .extracting(Committed::event)
                    .containsExactly(null, new Pay("card"), new Pack(), new Ship("track"), new Deliver());
        }
        assertThat(shop.provider.ledger()).extracting(Provider.Entry::kind).containsExactly("charge", "pack");
    }

    @Test
    void ofTwoHundredPayEventsOneCharges() throws Exception {
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            List<FutureTask<Answer<Order, Event>>> callers = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                callers.add(Shop.start(() -> gate.handle("A", new Pay("card"))));
            }
            int paid = 0;
            List<Throwable> refused = new ArrayList<>();
            for (FutureTask<Answer<Order, Event>> caller : callers) {
                try {
                    paid += committed(caller.get()).phase() instanceof Paid ? 1 : 0;
                } catch (ExecutionException no) {
                    refused.add(no.getCause());
                }
            }
            assertThat(paid).isEqualTo(1);
            assertThat(refused)
                    .hasSize(199)
                    .allSatisfy(no -> assertThat(no)
                            .isInstanceOf(IllegalTransitionException.class)
                            .hasMessageContaining("Paid")
                            .hasMessageContaining("Pay[card=card]"));
            assertThat(gate.stats().calls()).isEqualTo(1);
            assertThat(gate.stats().illegal()).isEqualTo(199);
        }
        assertThat(shop.provider.calls()).hasSize(1);
    }

    @Test
    void ofTwoHundredPayEventsAtTwoGatesOneCharges() throws Exception {
        try (Gate<Order, Event> one = shop.gateWith("A");
                Gate<Order, Event> other = shop.gate()) {
            List<FutureTask<Answer<Order, Event>>> callers = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                Gate<Order, Event> gate = i % 2 == 0 ? one : other;
                callers.add(Shop.start(() -> gate.handle("A", new Pay("card"))));
            }
            int paid = 0;
            for (FutureTask<Answer<Order, Event>> caller : callers) {
                try {
                    paid += committed(caller.get()).phase() instanceof Paid ? 1 : 0;
                } catch (ExecutionException no) {
                    assertThat(no.getCause()).isInstanceOf(IllegalTransitionException.class);
                }
            }
            assertThat(paid).isEqualTo(1);
        }
        assertThat(shop.provider.calls()).hasSize(1);
    }

    @Test
    void whatCannotBePackedIsRefundedAndCancelledThroughTheSameGate() throws InterruptedException {
        shop.provider.mood("pack", Mood.DECLINES);
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            gate.handle("A", new Pay("card"));
            Committed<Order, Event> end = committed(gate.handle("A", new Pack()));

            assertThat(end.phase()).isEqualTo(new Cancelled("not possible", true));
            assertThat(gate.history("A")).last().isEqualTo(end);
            assertThat(end.event())
                    .as("the failure and the move are in the log")
                    .isEqualTo(new PackFailed("not possible"));
            assertThat(gate.history("A")).hasSize(3);
        }
        assertThat(shop.provider.ledger()).extracting(Provider.Entry::kind).containsExactly("charge", "refund");
    }

    @Test
    void itIsCalledRefundedOnlyWhenTheMoneyIsBack() throws InterruptedException {
        shop.provider.mood("pack", Mood.DECLINES);
        shop.provider.mood("refund", Mood.IS_AWAY, Mood.LOSES_THE_REPLY, Mood.IS_AWAY);
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            gate.handle("A", new Pay("card"));
            Answer<Order, Event> answer = gate.handle("A", new Pack(), "pack", Duration.ZERO);
            assertThat(answer).isInstanceOf(Pending.class);
            Shop.until(() -> gate.stats().running() == 0);
            for (int tries = 0; !(shop.phase("A") instanceof Cancelled); tries++) {
                assertThat(shop.phase("A")).isInstanceOf(Paid.class);
                assertThat(tries).isLessThan(10);
                gate.recover();
            }
            assertThat(shop.phase("A")).isEqualTo(new Cancelled("not possible", true));
            assertThat(gate.handle("A", new Pack(), "pack", Duration.ZERO))
                    .isEqualTo(gate.current("A").orElseThrow());
        }
        assertThat(shop.provider.count("refund", "A")).isEqualTo(1);
        assertThat(shop.provider.calls().stream().filter(call -> call.kind().equals("refund")))
                .extracting(Provider.Entry::key)
                .hasSize(4)
                .containsOnly("orders/A/2/charge/undo/0");
    }

    @Test
    void shipBeforePaidIsRefusedWithPhaseAndEvent() {
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            IllegalTransitionException refused =
                    catchThrowableOfType(IllegalTransitionException.class, () -> gate.handle("A", new Ship("track")));
            assertThat(refused)
                    .hasMessageContaining("orders A")
                    .hasMessageContaining("Placed[items=[tea], cents=500]")
                    .hasMessageContaining("Ship[tracking=track]");
            assertThat(refused.id()).isEqualTo("A");
            assertThat(refused.phase()).startsWith("Placed");
            assertThat(refused.event()).startsWith("Ship");
            assertThat(gate.history("A")).hasSize(1);
            assertThat(gate.stats().illegal()).isEqualTo(1);
        }
        assertThat(shop.provider.calls()).isEmpty();
        assertThat(shop.store.actions("A")).isEmpty();
    }

    @Test
    void everyPairOfPhaseAndEventThatIsNotListedIsRefused() {
        List<Order> phases = List.of(
                new Placed(List.of("tea"), 500),
                new Paid(List.of("tea"), "receipt"),
                new Packed("receipt", "parcel"),
                new Shipped("parcel", "track"),
                new Delivered("track"),
                new Cancelled("bored", true));
        List<Event> events = List.of(
                new Pay("card"),
                new Pack(),
                new PackFailed("no"),
                new Ship("track"),
                new Deliver(),
                new Cancel("bored"));
        Map<String, List<String>> legal = Map.of(
                "Placed", List.of("Pay", "Cancel"),
                "Paid", List.of("Pack", "PackFailed", "Cancel"),
                "Packed", List.of("Ship"),
                "Shipped", List.of("Deliver"),
                "Delivered", List.of(),
                "Cancelled", List.of());
        for (Order phase : phases) {
            for (Event event : events) {
                Move<Order, Event> move = Orders.next(phase, event);
                assertThat(move.isLegal())
                        .as("%s in %s", event, phase)
                        .isEqualTo(legal.get(phase.getClass().getSimpleName())
                                .contains(event.getClass().getSimpleName()));
                if (!move.isLegal()) {
                    assertThat(move).isEqualTo(Move.illegal(phase, event));
                }
            }
        }
    }

    @Test
    void aDeliveredOrderIsNotCancelled() throws InterruptedException {
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            gate.handle("A", new Pay("card"));
            gate.handle("A", new Pack());
            gate.handle("A", new Ship("track"));
            gate.handle("A", new Deliver());
            assertThatThrownBy(() -> gate.handle("A", new Cancel("late")))
                    .isInstanceOf(IllegalTransitionException.class)
                    .hasMessageContaining("Delivered");
        }
        assertThat(shop.provider.count("refund", "A")).isZero();
    }

    @Test
    void otherOrdersDoNotWait() throws Exception {
        CountDownLatch hold = new CountDownLatch(1);
        try (Gate<Order, Event> gate = shop.bare()
                .action(
                        Orders.CHARGE,
                        attempt -> {
                            if (attempt.id().equals("A")) {
                                Shop.await(hold);
                            }
                            return shop.provider.call("charge", attempt.key(), attempt.id());
                        },
                        (attempt, receipt) -> {})
                .irreversible(Orders.PACK, attempt -> "parcel")
                .build()) {
            Shop.place(gate, "A");
            FutureTask<Answer<Order, Event>> held = Shop.start(() -> gate.handle("A", new Pay("card")));
            for (int i = 0; i < 100; i++) {
                Shop.place(gate, "B" + i);
                assertThat(committed(gate.handle("B" + i, new Pay("card"))).phase())
                        .isInstanceOf(Paid.class);
            }
            assertThat(held.isDone()).isFalse();
            hold.countDown();
            assertThat(committed(held.get()).phase()).isInstanceOf(Paid.class);
        }
    }

    @Test
    void itParksThreeDaysBetweenPaidAndPackedAndHoldsNothing() throws InterruptedException {
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            gate.handle("A", new Pay("card"));
            assertThat(gate.stats().running()).isZero();
            assertThat(shop.store.nextDue()).as("no lease and no timer").isEmpty();
        }
        shop.clock.advance(Duration.ofDays(3));
        try (Gate<Order, Event> another = shop.gate()) {
            assertThat(another.recover()).isZero();
            assertThat(committed(another.handle("A", new Pack())).phase()).isInstanceOf(Packed.class);
        }
    }

    @Test
    void twoProcessesMakeTheSameKeyAndTwoDemandsDoNot() throws InterruptedException {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Shop each = new Shop();
            try (Gate<Order, Event> gate = each.gateWith("A", "B")) {
                gate.handle("A", new Pay("card"));
                gate.handle("B", new Pay("card"));
                gate.handle("A", new Cancel("bored"));
            }
            keys.addAll(each.provider.calls().stream().map(Provider.Entry::key).toList());
        }
        assertThat(keys)
                .containsExactly(
                        "orders/A/1/charge/do/0",
                        "orders/B/1/charge/do/0",
                        "orders/A/2/charge/undo/0",
                        "orders/A/1/charge/do/0",
                        "orders/B/1/charge/do/0",
                        "orders/A/2/charge/undo/0");
    }

    @Test
    void aDefiniteNoIsANewDemandTheNextTime() throws InterruptedException {
        shop.provider.mood("charge", Mood.DECLINES);
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            Answer<Order, Event> no = gate.handle("A", new Pay("card"), "e1", Shop.PATIENCE);
            assertThat(no)
                    .isEqualTo(new Declined<>(
                            "A",
                            new Placed(List.of("tea"), 500),
                            new Pay("card"),
                            "charge",
                            "not possible",
                            shop.clock.instant()));
            assertThat(gate.handle("A", new Pay("card"), "e1", Shop.PATIENCE)).isEqualTo(no);
            assertThat(committed(gate.handle("A", new Pay("card"), "e2", Shop.PATIENCE))
                            .phase())
                    .isInstanceOf(Paid.class);
            assertThat(gate.stats().declined()).isGreaterThanOrEqualTo(1);
        }
        assertThat(shop.provider.calls())
                .extracting(Provider.Entry::key)
                .containsExactly("orders/A/1/charge/do/0", "orders/A/1/charge/do/1");
    }

    @Test
    void mailIsSentAfterTheCommitAndMayBeLost() throws InterruptedException {
        Queue<String> mails = new ConcurrentLinkedQueue<>();
        try (Gate<Order, Event> gate = shop.builder()
                .reactions(100, FullPolicy.DROP_OLDEST)
                .afterwards("receipt", Paid.class, paid -> {
                    if (paid.id().equals("B")) {
                        throw new IllegalStateException("mail is down");
                    }
                    mails.add(paid.id() + " " + paid.phase().receipt() + " " + (shop.phase(paid.id()) instanceof Paid));
                })
                .build()) {
            Shop.place(gate, "A", "B");
            assertThat(committed(gate.handle("A", new Pay("card"))).phase()).isInstanceOf(Paid.class);
            assertThat(committed(gate.handle("B", new Pay("card"))).phase()).isInstanceOf(Paid.class);
            Shop.until(() -> gate.stats().reactions() + gate.stats().failedReactions() == 2);
            assertThat(gate.stats().failedReactions()).isEqualTo(1);
        }
        assertThat(mails).containsExactly("A charge-1 true");
    }

    @Test
    void mailThatMustComeIsAMessageInTheCommit() throws InterruptedException {
        try (Gate<Order, Event> gate = shop.builder()
                .durably(
                        "receipt",
                        Paid.class,
                        paid -> new OutboxMessage(
                                paid.id() + "/" + paid.version(),
                                paid.id(),
                                "mail",
                                "receipt",
                                paid.phase().receipt()))
                .build()) {
            Shop.place(gate, "A");
            gate.handle("A", new Pay("card"));
        }
        assertThat(shop.store.outbox(10)).containsExactly(new OutboxMessage("A/2", "A", "mail", "receipt", "charge-1"));
    }

    @Test
    void theLogGivesThePhaseOfEveryOrder() {
        Seeded.run(random -> {
            Shop each = new Shop();
            try (Gate<Order, Event> gate = each.gate()) {
                for (int i = 0; i < 200; i++) {
                    randomOrder(gate, "A" + i, each.provider, random);
                    List<Committed<Order, Event>> history = gate.history("A" + i);
                    assertThat(gate.current("A" + i)).contains(history.getLast());
                    for (int n = 1; n < history.size(); n++) {
                        assertThat(history.get(n).version())
                                .isEqualTo(history.get(n - 1).version() + 1);
                        assertThat(Orders.next(
                                                history.get(n - 1).phase(),
                                                history.get(n).event())
                                        .isLegal())
                                .isTrue();
                    }
                }
            }
        });
    }

    private static void randomOrder(Gate<Order, Event> gate, String id, Provider provider, SplittableRandom random)
            throws InterruptedException {
        Shop.place(gate, id);
        for (int n = 0; n < 8; n++) {
            Event event = switch (random.nextInt(6)) {
                case 0 -> new Pack();
                case 1 -> new Ship("track");
                case 2 -> new Deliver();
                case 3 -> random.nextInt(4) == 0 ? new Cancel("bored") : new Pay("card");
                default -> new Pay("card");
            };
            provider.mood("charge", random.nextInt(5) == 0 ? Mood.DECLINES : Mood.FINE);
            provider.mood("pack", random.nextInt(5) == 0 ? Mood.LOSES_THE_REPLY : Mood.FINE);
            try {
                assertThat(gate.handle(id, event)).isNotInstanceOf(Pending.class);
            } catch (IllegalTransitionException refused) {
                assertThat(Orders.next(gate.current(id).orElseThrow().phase(), event)
                                .isLegal())
                        .isFalse();
            }
        }
    }
}
