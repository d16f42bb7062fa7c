package io.heptad.recipes.orders;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.gate.Gate;
import io.heptad.gate.PhaseStore;
import io.heptad.recipes.orders.Ledger.Entry;
import io.heptad.recipes.orders.Ledger.Line;
import io.heptad.recipes.orders.Order.Event;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the audit must notice: each kind of wrong, planted into books that agree. */
class AuditTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final PhaseStore<Order, Event> store = PhaseStore.inMemory();
    private final List<Line> ledger = new CopyOnWriteArrayList<>();

    private static Line line(String kind, String order, long cents) {
        return new Line(Instant.EPOCH, "shop", kind, order + kind, order, cents, Entry.BOOKED, "ok");
    }

    /** 1 is delivered, 2 is paid back, 3 is cancelled before it was charged. */
    @BeforeEach
    void threeOrders() throws InterruptedException {
        try (Gate<Order, Event> gate = Gate.<Order, Event>builder("orders", Order::next)
                .store(store)
                .action(
                        Order.CHARGE,
                        attempt -> book("charge", attempt.id(), attempt.input().cents()),
                        (attempt, receipt) ->
                                book("refund", attempt.id(), attempt.input().cents()))
                .irreversible(Order.PACK, attempt -> {
                    if (attempt.id().equals(Order.id(2))) {
                        throw new Partners.DeclinedException("out of stock");
                    }
                    return book("pack", attempt.id(), 0);
                })
                .declines(Partners.DeclinedException.class::isInstance)
                .build()) {
            for (int number = 1; number <= 3; number++) {
                Object ignored = gate.create(Order.id(number), Order.first(number));
            }
            for (Event event : List.of(new Order.Pay(), new Order.Pack(), new Order.Ship("t"), new Order.Deliver())) {
                Object ignored = gate.handle(Order.id(1), event);
            }
            Object ignored = gate.handle(Order.id(2), new Order.Pay());
            ignored = gate.handle(Order.id(2), new Order.Pack());
            ignored = gate.handle(Order.id(3), new Order.Cancel("changed my mind"));
            assertThat(gate.close(PATIENCE)).isTrue();
        }
    }

    private String book(String kind, String order, long cents) {
        ledger.add(line(kind, order, cents));
        return "ok";
    }

    private Audit audit(List<Line> lines) {
        return Audit.of(store, 3, lines);
    }

    private List<Line> with(Line more) {
        List<Line> lines = new ArrayList<>(ledger);
        lines.add(more);
        return lines;
    }

    @Test
    void booksThatAgreeAreNotWrong() {
        assertThat(audit(ledger).wrong()).isEmpty();
    }

    @Test
    void noticesWhatWasDoneTwice() {
        assertThat(audit(with(line("charge", Order.id(1), 8_919))).doubles()).isEqualTo(1);
        assertThat(audit(with(line("refund", Order.id(2), 1))).doubles()).isEqualTo(1);
        assertThat(audit(with(line("pack", Order.id(1), 0))).doubles()).isEqualTo(1);
    }

    @Test
    void noticesMoneyThatMovedAndNobodyKnows() {
        assertThat(audit(with(line("charge", Order.id(3), 100))).lost()).isEqualTo(1);
        assertThat(audit(with(line("refund", Order.id(1), 100))).lost()).isEqualTo(1);
    }

    @Test
    void noticesWhatTheStoreSaysAndNobodyDid() {
        for (Line gone : ledger) {
            List<Line> lines = new ArrayList<>(ledger);
            lines.remove(gone);
            assertThat(audit(lines).lost()).as("without %s", gone).isEqualTo(1);
        }
    }

    @Test
    void noticesAnOrderThatIsNotThere() {
        assertThat(Audit.of(store, 4, ledger).lost()).isEqualTo(1);
    }

    @Test
    void noticesASumThatIsNotThePrice() {
        List<Line> lines = new ArrayList<>(ledger);
        lines.replaceAll(one -> one.kind().equals("charge") && one.order().equals(Order.id(1))
                ? line("charge", one.order(), one.cents() + 1)
                : one);
        assertThat(audit(lines).wrong())
                .singleElement()
                .asString()
                .contains("kept are 89.20, but delivered were goods for 89.19");
    }

    @Test
    void noticesAnOrderThatIsStuckAndAnActionThatIs() throws InterruptedException {
        try (Gate<Order, Event> gate = Gate.<Order, Event>builder("orders", Order::next)
                .store(store)
                .action(
                        Order.CHARGE,
                        attempt -> {
                            throw new IOException("no answer");
                        },
                        (attempt, receipt) -> {})
                .irreversible(Order.PACK, attempt -> "none")
                .build()) {
            Object ignored = gate.create(Order.id(4), Order.first(4));
            assertThat(Audit.of(store, 4, ledger).wrong())
                    .singleElement()
                    .asString()
                    .contains("still Placed");
            ignored = gate.handle(Order.id(4), new Order.Pay(), "pay", Duration.ZERO);
            assertThat(Audit.of(store, 4, ledger).stuck())
                    .as("the phase, and the action")
                    .isEqualTo(2);
            assertThat(gate.close(PATIENCE)).isTrue();
        }
    }
}
