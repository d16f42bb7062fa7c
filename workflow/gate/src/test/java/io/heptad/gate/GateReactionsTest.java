package io.heptad.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.contract.gate.Orders;
import io.heptad.contract.gate.Orders.Cancel;
import io.heptad.contract.gate.Orders.Event;
import io.heptad.contract.gate.Orders.Order;
import io.heptad.contract.gate.Orders.Pack;
import io.heptad.contract.gate.Orders.Paid;
import io.heptad.contract.gate.Orders.Pay;
import io.heptad.contract.gate.Orders.Placed;
import io.heptad.core.FullPolicy;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What follows a commit: best effort, from a bounded line; or durably, in the commit itself. */
@Watched
class GateReactionsTest {
    private final Shop shop = new Shop();
    private final Queue<String> told = new ConcurrentLinkedQueue<>();

    private void tell(Committed<? extends Order, Event> committed) {
        told.add(committed.id() + " " + committed.phase().getClass().getSimpleName());
    }

    @Test
    void tellsOfThePhasesItIsForAndNoOthers() throws InterruptedException {
        try (Gate<Order, Event> gate = shop.builder()
                .reactions(100, FullPolicy.REJECT)
                .afterwards("all", Order.class, this::tell)
                .afterwards(
                        "paid",
                        Paid.class,
                        paid -> told.add("receipt " + paid.phase().receipt()))
                .build()) {
            Shop.place(gate, "A");
            Shop.place(gate, "A");
            gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE);
            gate.handle("A", new Pay("card"), "pay", Shop.PATIENCE);
            Shop.until(() -> gate.stats().reactions() == 3);
        }
        assertThat(told).containsExactlyInAnyOrder("A Placed", "A Paid", "receipt charge-1");
    }

    @ParameterizedTest
    @EnumSource(
            value = FullPolicy.class,
            names = {"REJECT", "DROP_NEWEST", "DROP_OLDEST"})
    void theLineIsBoundedAndWhatIsLostIsCounted(FullPolicy policy) throws InterruptedException {
        CountDownLatch hang = new CountDownLatch(1);
        try (Gate<Order, Event> gate = shop.builder()
                .reactions(2, policy)
                .afterwards("mail", Paid.class, paid -> {
                    Shop.await(hang);
                    told.add(paid.id());
                })
                .build()) {
            for (int i = 0; i < 10; i++) {
                Shop.place(gate, "A" + i);
                assertThat(gate.handle("A" + i, new Pay("card"))).isInstanceOf(Committed.class);
            }
            int lost = 10 - Reactions.WORKERS - 2;
            Shop.until(() -> gate.stats().droppedReactions() == lost);
            assertThat(gate.stats().waitingReactions()).isEqualTo(2);
            hang.countDown();
            Shop.until(() -> gate.stats().reactions() == 10 - lost);
            assertThat(told.contains("A9")).isEqualTo(policy == FullPolicy.DROP_OLDEST);
        }
    }

    @Test
    void aReactionThatThrowsIsCountedAndHarmsNoOther() throws InterruptedException {
        try (Gate<Order, Event> gate = shop.builder()
                .reactions(10, FullPolicy.REJECT)
                .afterwards("bad", Paid.class, paid -> {
                    Thread.currentThread()
                            .setUncaughtExceptionHandler((thread, thrown) -> told.add(thrown.getMessage()));
                    throw new AssertionError("mail is down");
                })
                .afterwards("good", Paid.class, this::tell)
                .build()) {
            Shop.place(gate, "A");
            assertThat(gate.handle("A", new Pay("card"))).isInstanceOf(Committed.class);
            Shop.until(() -> gate.stats().failedReactions() == 1 && gate.stats().reactions() == 1);
        }
        assertThat(told).containsExactlyInAnyOrder("mail is down", "A Paid");
    }

    @Test
    void whatWaitsWhenTheGateIsClosedIsStillRun() throws InterruptedException {
        CountDownLatch hang = new CountDownLatch(1);
        Gate<Order, Event> gate = shop.builder()
                .reactions(10, FullPolicy.REJECT)
                .afterwards("mail", Placed.class, placed -> {
                    Shop.await(hang);
                    tell(placed);
                })
                .build();
        for (int i = 0; i < 8; i++) {
            Shop.place(gate, "A" + i);
        }
        gate.close();
        hang.countDown();
        Shop.until(() -> told.size() == 8);
        assertThat(gate.stats().droppedReactions()).isZero();
    }

    @Test
    void anActionThatEndsAfterTheCloseStillTellsOfItsCommit() throws Exception {
        CountDownLatch charging = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Gate<Order, Event> gate = shop.bare()
                .action(
                        Orders.CHARGE,
                        attempt -> {
                            charging.countDown();
                            Shop.await(goOn);
                            return "receipt";
                        },
                        (attempt, receipt) -> {})
                .reactions(10, FullPolicy.REJECT)
                .afterwards("mail", Paid.class, this::tell)
                .build();
        Shop.place(gate, "A");
        var paying = Shop.start(() -> gate.handle("A", new Pay("card")));
        Shop.await(charging);
        gate.close();
        goOn.countDown();
        assertThat(paying.get()).isInstanceOf(Committed.class);
        Shop.until(() -> told.size() == 1);
    }

    @Test
    void whatATransactionTellsDurablyIsThereWithThePhaseOrNotAtAll() throws InterruptedException {
        try (Gate<Order, Event> gate = shop.builder()
                .durably(
                        "receipt",
                        Paid.class,
                        paid -> message(paid, paid.phase().receipt()))
                .durably("strange", Orders.Cancelled.class, cancelled -> {
                    throw new IllegalStateException("no words");
                })
                .build()) {
            Shop.place(gate, "A", "B");
            gate.handle("A", new Pay("card"));
            gate.handle("A", new Pack());
            assertThatThrownBy(() -> gate.handle("B", new Cancel("bored"))).hasMessage("no words");
            assertThat(shop.phase("B")).isInstanceOf(Placed.class);
        }
        assertThat(shop.store.outbox(10)).extracting(OutboxMessage::id).containsExactly("A/2");
    }

    private static OutboxMessage message(Committed<? extends Order, Event> committed, String payload) {
        return new OutboxMessage(
                committed.id() + "/" + committed.version(), committed.id(), "mail", "receipt", payload);
    }

    /** Rows A92 and A131: what a thing is owed is said in its registration, and moves with it. */
    @Test
    void movingAReactionToAnotherClassChangesItsRegistrationOnly() throws InterruptedException {
        UnaryOperator<Gate.Builder<Order, Event>> bestEffort =
                builder -> builder.reactions(10, FullPolicy.REJECT).afterwards("receipt", Paid.class, this::tell);
        UnaryOperator<Gate.Builder<Order, Event>> durable =
                builder -> builder.durably("receipt", Paid.class, paid -> message(paid, "text"));
        for (UnaryOperator<Gate.Builder<Order, Event>> registration : List.of(bestEffort, durable)) {
            try (Gate<Order, Event> gate = registration.apply(shop.builder()).build()) {
                String id = registration.equals(durable) ? "durable" : "bestEffort";
                Shop.place(gate, id);
                gate.handle(id, new Pay("card"));
            }
        }
        Shop.until(() -> told.size() == 1);
        assertThat(told).containsExactly("bestEffort Paid");
        assertThat(shop.store.outbox(10)).extracting(OutboxMessage::orderKey).containsExactly("durable");
    }

    @Test
    void aMoveMaySendAMessageOfItsOwn() throws InterruptedException {
        OutboxMessage message = new OutboxMessage("m1", "A", "partner", "moved", "");
        PhaseStore<String, String> store = PhaseStore.inMemory();
        try (Gate<String, String> gate = Gate.<String, String>builder(
                        "texts", (phase, event) -> Move.also(Move.to(event), message))
                .store(store)
                .build()) {
            gate.create("A", "first");
            gate.handle("A", "second");
            assertThat(store.outbox(10)).containsExactly(message);
        }
    }
}
