package io.heptad.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.heptad.contract.Watched;
import io.heptad.contract.gate.Orders.Cancelled;
import io.heptad.contract.gate.Orders.Event;
import io.heptad.contract.gate.Orders.Order;
import io.heptad.contract.gate.Orders.Pack;
import io.heptad.contract.gate.Orders.PackFailed;
import io.heptad.contract.gate.Orders.Packed;
import io.heptad.contract.gate.Orders.Paid;
import io.heptad.contract.gate.Orders.Pay;
import io.heptad.contract.gate.Orders.Placed;
import io.heptad.contract.gate.Provider;
import io.heptad.contract.gate.Provider.Mood;
import io.heptad.core.VoidBody;
import io.heptad.sync.KeyedLock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The usual five lines, copied straight, beside the gate: what is asked of both, and what only one of them does. */
@Watched
class SampleHandleTest {
    /** What is asked, of whichever handles the orders. */
    private interface Subject {
        void handle(String id, Event event) throws Exception;

        Order phase(String id);

        /** The events that were committed. */
        List<Event> log(String id);
    }

    /** Five lines, each in its right place. */
    private static final class Sample implements Subject {
        private final Store store = new Store();
        private final Actions actions;
        private final List<Consumer<Order>> listeners = new ArrayList<>();

        Sample(Provider provider) {
            this.actions = new Actions(provider);
        }

        // @start region="sample"
        @Override
        public void handle(String id, Event event) throws Exception {
            // 1: one writer
            store.withLock(id, () -> {
                Order current = store.phase(id);
                Order next = transition(id, current, event); // 2: legality, in one pure function
                actions.run(id, current, next); // 3: what must happen, before the save
                store.commit(id, next, event); // 4: phase and event in one write
                listeners.forEach(listener -> listener.accept(next)); // 5: what is nice to have, after it
            });
        }
        // @end

        private static Order transition(String id, Order current, Event event) {
            return switch (current) {
                case Placed o when event instanceof Pay -> new Paid(o.items(), id + "/charge");
                case Paid o when event instanceof Pack -> new Packed(o.receipt(), id + "/pack");
                default -> throw new IllegalTransitionException("orders", id, current, event);
            };
        }

        @Override
        public Order phase(String id) {
            return store.phase(id);
        }

        @Override
        public List<Event> log(String id) {
            return List.copyOf(store.events.getOrDefault(id, List.of()));
        }
    }

    /** What must happen on the way into a phase; each with a key, so that a repeat is harmless. */
    private record Actions(Provider provider) {
        void run(String id, Order current, Order next) throws Exception {
            if (current instanceof Placed && next instanceof Paid paid) {
                Object ignored = provider.call("charge", paid.receipt(), id);
            } else if (current instanceof Paid && next instanceof Packed packed) {
                Object ignored = provider.call("pack", packed.parcel(), id);
            }
        }
    }

    /** The end of a process. */
    private static final class Dead extends Error {
        private static final long serialVersionUID = 1L;
    }

    private static final class Store {
        private final KeyedLock<String> locks = KeyedLock.of("orders");
        private final Map<String, Order> phases = new ConcurrentHashMap<>();
        private final Map<String, List<Event>> events = new ConcurrentHashMap<>();
        private boolean diesNext;

        void withLock(String id, VoidBody<Exception> body) throws Exception {
            locks.withLock(id, body);
        }

        Order phase(String id) {
            return phases.getOrDefault(id, new Placed(List.of("tea"), 500));
        }

        void commit(String id, Order next, Event event) {
            if (diesNext) {
                diesNext = false;
                throw new Dead();
            }
            phases.put(id, next);
            events.computeIfAbsent(id, none -> new ArrayList<>()).add(event);
        }
    }

    private record Gated(Gate<Order, Event> gate) implements Subject {
        @Override
        public void handle(String id, Event event) throws InterruptedException {
            Object ignored = gate.handle(id, event);
        }

        @Override
        public Order phase(String id) {
            return gate.current(id).orElseThrow().phase();
        }

        @Override
        public List<Event> log(String id) {
            return gate.history(id).stream().skip(1).map(Committed::event).toList();
        }
    }

    /** Paid for, and then the packer says no. */
    private static void packFailsAfterPayment(Subject orders, Provider provider) throws Exception {
        orders.handle("A", new Pay("card"));
        provider.mood("pack", Mood.DECLINES);
        try {
            orders.handle("A", new Pack());
        } catch (Provider.NoException passedOn) {
            // What is asked is what became of the order and of its money, not what the caller was told.
        }
        assertThat(provider.count("charge", "A")).as("charges").isEqualTo(1);
        assertThat(provider.count("refund", "A")).as("refunds").isEqualTo(1);
        assertThat(orders.phase("A")).isEqualTo(new Cancelled("not possible", true));
        assertThat(orders.log("A")).containsExactly(new Pay("card"), new PackFailed("not possible"));
    }

    @Test
    void thePaidOrderThatCannotBePackedIsRefundedByTheGateAndStuckInTheSample() throws Exception {
        Shop shop = new Shop();
        try (Gate<Order, Event> gate = shop.gateWith("A")) {
            packFailsAfterPayment(new Gated(gate), shop.provider);
        }

        Provider provider = new Provider();
        Sample sample = new Sample(provider);
        assertThatThrownBy(() -> packFailsAfterPayment(sample, provider))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("refunds");
        assertThat(sample.phase("A")).as("for good: nobody comes back to it").isInstanceOf(Paid.class);
        assertThat(sample.log("A")).as("no word of it").containsExactly(new Pay("card"));
        assertThat(provider.count("refund", "A")).isZero();
    }

    @Test
    void theChargeBeforeACrashIsFoundByTheGateAndForgottenByTheSample() throws Exception {
        Provider provider = new Provider();
        Sample sample = new Sample(provider);
        sample.store.diesNext = true;
        assertThrows(Dead.class, () -> sample.handle("A", new Pay("card")));

        assertThat(provider.count("charge", "A")).isEqualTo(1);
        assertThat(sample.phase("A")).isInstanceOf(Placed.class);
        assertThat(sample.log("A")).as("nothing tells anybody to look").isEmpty();
        // the gate: GateCrashTest#killedAtAnyBoundaryBothOrdersSettle
    }

    @Test
    void aListenerThatThrowsFailsTheSampleWhoseOrderIsPaidAllTheSame() throws Exception {
        Provider provider = new Provider();
        Sample sample = new Sample(provider);
        sample.listeners.add(order -> {
            throw new IllegalStateException("no mail today");
        });

        assertThatThrownBy(() -> sample.handle("A", new Pay("card"))).hasMessage("no mail today");
        assertThat(sample.phase("A")).isInstanceOf(Paid.class);
        // the gate: GateReactionsTest#aReactionThatThrowsIsCountedAndHarmsNoOther
    }
}
