package io.heptad.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.contract.gate.Orders;
import io.heptad.contract.gate.Orders.Event;
import io.heptad.contract.gate.Orders.Order;
import io.heptad.contract.gate.Orders.Paid;
import io.heptad.contract.gate.Orders.Pay;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What does not go together is refused where it is built, with the name and the value. */
@Watched
class GateBuilderTest {
    private final Shop shop = new Shop();

    @Test
    void anActionHasAnUndoOrSaysThatItHasNone() {
        assertThatNullPointerException()
                .isThrownBy(() -> shop.bare().action(Orders.CHARGE, attempt -> "receipt", null))
                .withMessageContaining("undoer");
        shop.bare().irreversible(Orders.CHARGE, attempt -> "receipt").build().close();
    }

    @Test
    void anUndoOfWhatCannotBeUndoneIsTold() throws InterruptedException {
        try (Gate<Order, Event> gate = shop.bare()
                .irreversible(Orders.CHARGE, attempt -> "receipt")
                .irreversible(Orders.PACK, attempt -> "parcel")
                .build()) {
            Shop.place(gate, "A");
            gate.handle("A", new Pay("card"));
            assertThatIllegalStateException()
                    .isThrownBy(() -> gate.handle("A", new Orders.Cancel("bored")))
                    .withMessageContaining("cannot undo action charge");
            assertThat(shop.phase("A")).isInstanceOf(Paid.class);
        }
    }

    @Test
    void anActionThatIsNotRegisteredIsTold() {
        try (Gate<Order, Event> gate = shop.bare().build()) {
            Shop.place(gate, "A");
            assertThatIllegalStateException()
                    .isThrownBy(() -> gate.handle("A", new Pay("card")))
                    .withMessageContaining("orders has no action charge")
                    .withMessageContaining("register it");
            assertThat(gate.history("A")).hasSize(1);
        }
    }

    @Test
    void anActionOfOtherTypesIsNotTheRegisteredOne() {
        Action<Orders.Charge, Long> other = Action.named("charge", Orders.Charge.class, Long.class);
        try (Gate<Order, Event> gate =
                shop.bare().irreversible(other, attempt -> 5L).build()) {
            Shop.place(gate, "A");
            assertThatIllegalStateException()
                    .isThrownBy(() -> gate.handle("A", new Pay("card")))
                    .withMessageContaining("java.lang.String");
        }
    }

    @Test
    void refusesNamesThatSayNothing() {
        for (String name : new String[] {"", " ", "a/b"}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Gate.builder(name, Orders::next))
                    .withMessageContaining("name")
                    .withMessageContaining("\"" + name + "\"");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Action.named(name, String.class, String.class))
                    .withMessageContaining("name");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shop.bare().durably(" ", Paid.class, paid -> null))
                .withMessageContaining("reaction");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Action.named("count", int.class, String.class))
                .withMessageContaining("input")
                .withMessageContaining("int");
    }

    @Test
    void refusesTheSameNameTwice() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shop.builder().irreversible(Orders.CHARGE, attempt -> ""))
                .withMessageContaining("action charge");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shop.builder()
                        .afterwards("mail", Paid.class, paid -> {})
                        .durably("mail", Paid.class, paid -> null))
                .withMessageContaining("mail");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shop.builder()
                        .lookup(Orders.CHARGE, attempt -> Optional.empty())
                        .lookup(Orders.CHARGE, attempt -> Optional.empty()))
                .withMessageContaining("lookup of action charge");
    }

    @Test
    void aLookupOfWhatIsNoRemoteActionIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> shop.bare()
                        .lookup(Orders.CHARGE, attempt -> Optional.empty())
                        .build())
                .withMessageContaining("charge");
    }

    @Test
    void refusesBoundsThatHoldNothing() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shop.bare().lease(Duration.ZERO))
                .withMessageContaining("lease must be above zero, but is PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shop.bare().keysLast(Duration.ofSeconds(-1)))
                .withMessageContaining("keysLast");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shop.bare().sweepEvery(Duration.ZERO))
                .withMessageContaining("sweepEvery");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shop.bare().calls(0))
                .withMessageContaining("calls must be at least 1, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shop.bare().reactions(0, FullPolicy.REJECT))
                .withMessageContaining("capacity");
    }

    @Test
    void theLineOfTheReactionsIsBoundedAndNeverBlocks() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shop.bare().reactions(5, FullPolicy.BLOCK))
                .withMessageContaining("BLOCK");
        assertThatIllegalStateException()
                .isThrownBy(() -> shop.builder()
                        .afterwards("mail", Paid.class, paid -> {})
                        .build())
                .withMessageContaining("mail")
                .withMessageContaining("reactions(capacity, whenFull)");
    }

    @Test
    void aLocalActionThatWantsAConnectionNeedsAStoreThatHasOne() {
        assertThatIllegalStateException()
                .isThrownBy(() -> shop.bare()
                        .local(Orders.PACK, (connection, parcel) -> "parcel")
                        .build())
                .withMessageContaining("pack")
                .withMessageContaining("java.sql.Connection")
                .withMessageContaining("in memory");
    }

    @Test
    void anInputOfAnotherTypeIsRefusedWhereTheMoveIsMade() {
        @SuppressWarnings({"unchecked", "rawtypes"})
        Action<Object, Object> raw = (Action) Orders.CHARGE;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Move.perform(raw, "no charge", receipt -> "paid"))
                .withMessageContaining("action charge")
                .withMessageContaining("java.lang.String")
                .withMessageContaining("no charge");
    }

    @Test
    void whatIsIllegalHasNoCommitToWriteWith() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Move.also(Move.illegal("phase", "event"), Duration.ZERO, "timer"))
                .withMessageContaining("event is illegal in phase");
    }

    @Test
    void aMessageIsComplete() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OutboxMessage("", "A", "mail", "receipt", ""))
                .withMessageContaining("id");
        assertThatThrownBy(() -> new OutboxMessage("m", "A", "mail", "receipt", null))
                .isInstanceOf(NullPointerException.class);
    }

    @Test
    void equalActionsAreOne() {
        Action<Orders.Charge, String> same = Action.named("charge", Orders.Charge.class, String.class);
        assertThat(same)
                .isEqualTo(Orders.CHARGE)
                .hasSameHashCodeAs(Orders.CHARGE)
                .hasToString("action charge");
        assertThat(Action.named("charge", Orders.Charge.class, Object.class)).isNotEqualTo(Orders.CHARGE);
    }
}
