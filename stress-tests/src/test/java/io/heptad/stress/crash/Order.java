package io.heptad.stress.crash;

import static io.heptad.gate.Move.illegal;
import static io.heptad.gate.Move.perform;
import static io.heptad.gate.Move.to;
import static io.heptad.gate.Move.undo;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.heptad.gate.Action;
import io.heptad.gate.Move;
import io.heptad.gate.UnreadableException;
import io.heptad.gate.jdbc.Codec;
import io.heptad.gate.jdbc.Encoded;

/** An order that is paid, packed and shipped, or refunded and cancelled when it cannot be packed. */
sealed interface Order {
    record Placed(String card) implements Order {}

    record Paid(String receipt) implements Order {}

    record Packed(String receipt) implements Order {}

    record Shipped(String receipt) implements Order {}

    record Cancelled(String refunded) implements Order {}

    sealed interface Event {}

    record Pay(String card) implements Event {}

    record Pack(String slip) implements Event {}

    record PackFailed(String reason) implements Event {}

    record Ship(String tracking) implements Event {}

    record Cancel(String reason) implements Event {}

    Action<String, String> CHARGE = Action.named("charge", String.class, String.class);
    Action<String, String> PACK = Action.named("pack", String.class, String.class);

    static Move<Order, Event> next(Order order, Event event) {
        return switch (order) {
            case Placed o when event instanceof Pay p -> perform(CHARGE, p.card(), Paid::new);
            case Placed o when event instanceof Cancel -> to(new Cancelled("no"));
            case Paid o
            when event instanceof Pack p ->
                perform(PACK, p.slip(), parcel -> new Packed(o.receipt()), no -> new PackFailed(no.reason()));
            case Paid o when event instanceof PackFailed -> undo(CHARGE, new Cancelled("yes"));
            case Packed o when event instanceof Ship -> to(new Shipped(o.receipt()));
            case Placed o -> illegal(o, event);
            case Paid o -> illegal(o, event);
            case Packed o -> illegal(o, event);
            case Shipped o -> illegal(o, event);
            case Cancelled o -> illegal(o, event);
        };
    }

    /** Every value here is one text. */
    Codec CODEC = new Codec() {
        @Override
        public Encoded encode(Object value) {
            return switch (value) {
                case Placed it -> text("placed", it.card());
                case Paid it -> text("paid", it.receipt());
                case Packed it -> text("packed", it.receipt());
                case Shipped it -> text("shipped", it.receipt());
                case Cancelled it -> text("cancelled", it.refunded());
                case Pay it -> text("pay", it.card());
                case Pack it -> text("pack", it.slip());
                case PackFailed it -> text("pack failed", it.reason());
                case Ship it -> text("ship", it.tracking());
                case Cancel it -> text("cancel", it.reason());
                case String it -> text("text", it);
                default -> throw new IllegalArgumentException("value is of " + value.getClass());
            };
        }

        private static Encoded text(String type, String text) {
            return Encoded.of(type, 1, text.getBytes(UTF_8));
        }

        @Override
        public Object decode(Encoded encoded) {
            String text = new String(encoded.bytes(), UTF_8);
            return switch (encoded.type()) {
                case "placed" -> new Placed(text);
                case "paid" -> new Paid(text);
                case "packed" -> new Packed(text);
                case "shipped" -> new Shipped(text);
                case "cancelled" -> new Cancelled(text);
                case "pay" -> new Pay(text);
                case "pack" -> new Pack(text);
                case "pack failed" -> new PackFailed(text);
                case "ship" -> new Ship(text);
                case "cancel" -> new Cancel(text);
                case "text" -> text;
                default ->
                    throw new UnreadableException(
                            encoded.type(), encoded.version(), "type " + encoded.type() + " is not known", null);
            };
        }
    };
}
