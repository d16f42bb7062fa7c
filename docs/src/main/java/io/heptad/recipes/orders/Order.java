package io.heptad.recipes.orders;

import static io.heptad.gate.Move.illegal;
import static io.heptad.gate.Move.perform;
import static io.heptad.gate.Move.to;
import static io.heptad.gate.Move.undo;

import io.heptad.gate.Action;
import io.heptad.gate.Move;
import io.heptad.gate.jdbc.Codec;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/** An order. Each phase holds what an order of that phase has: only what is shipped has a tracking number. */
sealed interface Order {
    // @start region=machine
    record Placed(long cents) implements Order {}

    record Paid(long cents, String receipt) implements Order {}

    record Packed(String receipt, String parcel) implements Order {}

    record Shipped(String parcel, String tracking) implements Order {}

    record Delivered(String tracking) implements Order {}

    record Cancelled(String reason, boolean refunded) implements Order {}

    Action<Money, String> CHARGE = Action.named("charge", Money.class, String.class);
    Action<Slip, String> PACK = Action.named("pack", Slip.class, String.class);

    static Move<Order, Event> next(Order order, Event event) {
        return switch (order) {
            case Placed o
            when event instanceof Pay -> perform(CHARGE, new Money(o.cents()), receipt -> new Paid(o.cents(), receipt));
            case Placed o when event instanceof Cancel c -> to(new Cancelled(c.reason(), false));
            case Paid o
            when event instanceof Pack ->
                perform(
                        PACK,
                        new Slip(o.receipt()),
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

    /** What may happen to an order. */
    sealed interface Event {}

    record Pay() implements Event {}

    record Pack() implements Event {}

    record PackFailed(String reason) implements Event {}

    record Ship(String tracking) implements Event {}

    record Deliver() implements Event {}

    record Cancel(String reason) implements Event {}

    /** What a charge is called with. */
    record Money(long cents) {}

    /** What packing is called with. */
    record Slip(String receipt) {}

    /** How all of it is stored. */
    static Codec codec() {
        ObjectMapper json = new JsonMapper();
        return Codec.builder(json::writeValueAsBytes, json::readValue)
                .type("placed", 1, Placed.class)
                .type("paid", 1, Paid.class)
                .type("packed", 1, Packed.class)
                .type("shipped", 1, Shipped.class)
                .type("delivered", 1, Delivered.class)
                .type("cancelled", 1, Cancelled.class)
                .type("pay", 1, Pay.class)
                .type("pack", 1, Pack.class)
                .type("pack failed", 1, PackFailed.class)
                .type("ship", 1, Ship.class)
                .type("deliver", 1, Deliver.class)
                .type("cancel", 1, Cancel.class)
                .type("money", 1, Money.class)
                .type("slip", 1, Slip.class)
                .type("text", 1, String.class)
                .build();
    }

    /** An order of a run: its name and what it costs follow from its number. */
    static String id(int number) {
        return String.format("order-%06d", number);
    }

    static Placed first(int number) {
        return new Placed(1_000 + number * 7_919L % 9_000);
    }
}
