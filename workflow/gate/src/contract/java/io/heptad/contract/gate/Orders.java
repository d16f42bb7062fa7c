package io.heptad.contract.gate;

import static io.heptad.gate.Move.illegal;
import static io.heptad.gate.Move.perform;
import static io.heptad.gate.Move.to;
import static io.heptad.gate.Move.undo;

import io.heptad.gate.Action;
import io.heptad.gate.Move;
import java.util.List;

/** The gate's reference user: an order that is placed, paid, packed, shipped and delivered, or cancelled on its way. */
public final class Orders {
    private Orders() {}

    // @start region="phases"
    /** Each phase holds what an order of that phase has, and nothing else: only what is shipped has a tracking number. */
    public sealed interface Order {}

    public record Placed(List<String> items, long cents) implements Order {}

    public record Paid(List<String> items, String receipt) implements Order {}

    public record Packed(String receipt, String parcel) implements Order {}

    public record Shipped(String parcel, String tracking) implements Order {}

    public record Delivered(String tracking) implements Order {}

    public record Cancelled(String reason, boolean refunded) implements Order {}

    public sealed interface Event {}

    public record Pay(String card) implements Event {}

    public record Pack() implements Event {}

    public record PackFailed(String reason) implements Event {}

    public record Ship(String tracking) implements Event {}

    public record Deliver() implements Event {}

    public record Cancel(String reason) implements Event {}
    // @end

    // @start region="actions"
    public record Charge(String card, long cents) {}

    public record Parcel(List<String> items) {}

    /** From the card and the sum to the receipt. */
    public static final Action<Charge, String> CHARGE = Action.named("charge", Charge.class, String.class);

    /** From the items to the number of the parcel. */
    public static final Action<Parcel, String> PACK = Action.named("pack", Parcel.class, String.class);
    // @end

    // @start region="transition"
    /** The one place where it is decided what may happen to an order. No default: a new phase is an error here. */
    public static Move<Order, Event> next(Order order, Event event) {
        return switch (order) {
            case Placed o
            when event instanceof Pay p ->
                perform(CHARGE, new Charge(p.card(), o.cents()), receipt -> new Paid(o.items(), receipt));
            case Placed o when event instanceof Cancel c -> to(new Cancelled(c.reason(), false));
            case Paid o
            when event instanceof Pack ->
                perform(
                        PACK,
                        new Parcel(o.items()),
                        parcel -> new Packed(o.receipt(), parcel),
                        no -> new PackFailed(no.reason()));
            case Paid o when event instanceof PackFailed f -> undo(CHARGE, new Cancelled(f.reason(), true));
            case Paid o when event instanceof Cancel c -> undo(CHARGE, new Cancelled(c.reason(), true));
            case Packed o when event instanceof Ship s -> to(new Shipped(o.parcel(), s.tracking()));
            case Shipped o when event instanceof Deliver -> to(new Delivered(o.tracking()));
            case Placed o -> illegal(o, event);
            case Paid o -> illegal(o, event);
            case Packed o -> illegal(o, event);
            case Shipped o -> illegal(o, event);
            case Delivered o -> illegal(o, event);
            case Cancelled o -> illegal(o, event);
        };
    }
    // @end
}
