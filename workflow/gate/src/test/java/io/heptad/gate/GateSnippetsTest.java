package io.heptad.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.contract.gate.Orders;
import io.heptad.contract.gate.Orders.Charge;
import io.heptad.contract.gate.Orders.Event;
import io.heptad.contract.gate.Orders.Order;
import io.heptad.contract.gate.Orders.Paid;
import io.heptad.contract.gate.Orders.Parcel;
import io.heptad.contract.gate.Orders.Pay;
import io.heptad.contract.gate.Orders.Placed;
import io.heptad.core.FullPolicy;
import io.heptad.future.Outcome;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The examples of the javadoc and of the page, compiled and run. */
@Watched
class GateSnippetsTest {
    private final List<String> done = new CopyOnWriteArrayList<>();

    /** The other side, as the examples call it. */
    private static final class Bank {
        String charge(String key, Charge charge, Duration limit) throws DeclinedException {
            if (charge.card().equals("expired")) {
                throw new DeclinedException("the card has expired");
            }
            return "receipt for " + key + " of " + charge.cents() + (limit.isZero() ? "" : " in time");
        }

        void refund(String key, String receipt) {
            assertThat(key).contains("undo");
            assertThat(receipt).startsWith("receipt");
        }

        Optional<Outcome<String>> find(String key) {
            return Optional.of(new Outcome.Success<>("receipt for " + key));
        }
    }

    private static final class DeclinedException extends Exception {
        private static final long serialVersionUID = 1L;

        DeclinedException(String message) {
            super(message);
        }
    }

    private static String pack(String key, Parcel parcel) {
        return "parcel " + key + parcel.items();
    }

    private void mail(String to, String text) {
        done.add(to + ": " + text);
    }

    private Gate<Order, Event> gate(Bank bank) {
        // @start region="gate"
        Gate<Order, Event> orders = Gate.<Order, Event>builder("orders", Orders::next)
                // must happen, before the commit; each with its undo, or with the word that it has none
                .action(
                        Orders.CHARGE,
                        attempt -> bank.charge(attempt.key(), attempt.input(), attempt.remaining()),
                        (attempt, receipt) -> bank.refund(attempt.key(), receipt))
                .irreversible(Orders.PACK, attempt -> pack(attempt.key(), attempt.input()))
                .declines(thrown -> thrown instanceof DeclinedException) // a definite no; all else may have happened
                // may be lost, after the commit
                .reactions(1_000, FullPolicy.DROP_OLDEST)
                .afterwards(
                        "receipt",
                        Paid.class,
                        paid -> mail(paid.id(), paid.phase().receipt()))
                .build();
        // @end
        return orders;
    }

    @Test
    void theGate() throws InterruptedException {
        try (Gate<Order, Event> orders = gate(new Bank())) {
            // @start region="handle"
            orders.create("A-17", new Placed(List.of("tea"), 500));
            Answer<Order, Event> answer = orders.handle("A-17", new Pay("4711"), "web-9f3", Duration.ofSeconds(3));
            // @end
            assertThat(answer).isInstanceOf(Committed.class);
            assertThat(text(answer)).isEqualTo("now Paid");
            orders.create("B", new Placed(List.of("tea"), 500));
            assertThat(text(orders.handle("B", new Pay("expired"), "web-1", Duration.ofSeconds(3))))
                    .isEqualTo("no: the card has expired");
            orders.handle("A-17", new Orders.Cancel("bored"));
            Shop.until(() -> done.size() == 1);
        }
        assertThat(done).containsExactly("A-17: receipt for orders/A-17/1/charge/do/0 of 500 in time");
    }

    private static String text(Answer<Order, Event> answer) {
        // @start region="answer"
        return switch (answer) {
            case Committed<Order, Event> now -> "now " + now.phase().getClass().getSimpleName();
            case Declined<Order, Event> no -> "no: " + no.reason();
            case Pending<Order, Event> later -> "we are at it, ask again with the same event id";
        };
        // @end
    }

    @Test
    void anAttempt() throws InterruptedException {
        Bank bank = new Bank();
        Gate.Builder<Order, Event> builder =
                Gate.<Order, Event>builder("orders", Orders::next).declines(DeclinedException.class::isInstance);
        // @start region="attempt"
        builder.action(
                Orders.CHARGE,
                attempt -> bank.charge(attempt.key(), attempt.input(), attempt.remaining()), // the key goes along
                (attempt, receipt) -> bank.refund(attempt.key(), receipt)); // and here another one
        builder.lookup(Orders.CHARGE, attempt -> bank.find(attempt.key())); // asked before a call is repeated
        // @end
        try (Gate<Order, Event> orders = builder.build()) {
            orders.create("A", new Placed(List.of("tea"), 500));
            assertThat(orders.handle("A", new Pay("4711"))).isInstanceOf(Committed.class);
        }
    }

    @Test
    void aStore() throws InterruptedException {
        // @start region="store"
        PhaseStore<Order, Event> store = PhaseStore.inMemory(100_000, 50, InstantSource.system());
        Gate<Order, Event> orders = Gate.<Order, Event>builder("orders", Orders::next)
                .store(store) // for 100,000 orders, and the newest 50 entries of each
                .irreversible(Orders.CHARGE, attempt -> "receipt")
                .build();
        // @end
        orders.create("A", new Placed(List.of("tea"), 500));
        assertThat(orders.handle("A", new Pay("4711"))).isInstanceOf(Committed.class);
        orders.close();
    }

    @Test
    void aMessage() throws InterruptedException {
        PhaseStore<Order, Event> store = PhaseStore.inMemory();
        Gate.Builder<Order, Event> builder = Gate.<Order, Event>builder("orders", Orders::next)
                .store(store)
                .irreversible(Orders.CHARGE, attempt -> "receipt");
        // @start region="outbox-message"
        builder.durably(
                "receipt",
                Paid.class,
                paid -> new OutboxMessage(
                        paid.id() + "/" + paid.version(),
                        paid.id(),
                        "mail",
                        "receipt",
                        paid.phase().receipt()));
        // @end
        try (Gate<Order, Event> orders = builder.build()) {
            orders.create("A", new Placed(List.of("tea"), 500));
            orders.handle("A", new Pay("4711"));
        }
        assertThat(store.outbox(10)).extracting(OutboxMessage::id).containsExactly("A/2");
    }
}
