package io.heptad.bench.gate;

import static io.heptad.gate.Move.perform;
import static io.heptad.gate.Move.to;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.heptad.gate.Action;
import io.heptad.gate.Move;
import io.heptad.gate.UnreadableException;
import io.heptad.gate.jdbc.Codec;
import io.heptad.gate.jdbc.Encoded;

/** What the benchmarks move: a door that is opened and shut, with or without a push that must happen before. */
sealed interface Door {
    /** How often it was turned. */
    long turns();

    record Open(long turns) implements Door {}

    record Shut(long turns) implements Door {}

    enum Turn {
        /** Without an action. */
        PLAIN,
        /** With one. */
        PUSHED
    }

    Action<Long, String> PUSH = Action.named("push", Long.class, String.class);

    static Move<Door, Turn> next(Door door, Turn turn) {
        return turn == Turn.PLAIN ? to(door.turned()) : perform(PUSH, door.turns(), pushed -> door.turned());
    }

    default Door turned() {
        return this instanceof Open ? new Shut(turns() + 1) : new Open(turns() + 1);
    }

    /** Numbers and names as text: next to nothing, so that what is measured is not a mapper. */
    Codec CODEC = new Codec() {
        @Override
        public Encoded encode(Object value) {
            return switch (value) {
                case Open open -> text("open", Long.toString(open.turns()));
                case Shut shut -> text("shut", Long.toString(shut.turns()));
                case Turn turn -> text("turn", turn.name());
                case Long number -> text("number", Long.toString(number));
                case String text -> text("text", text);
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
                case "open" -> new Open(Long.parseLong(text));
                case "shut" -> new Shut(Long.parseLong(text));
                case "turn" -> Turn.valueOf(text);
                case "number" -> Long.valueOf(text);
                case "text" -> text;
                default ->
                    throw new UnreadableException(encoded.type(), encoded.version(), encoded + " is unknown", null);
            };
        }
    };
}
