package io.heptad.gate.jdbc;

import java.util.Objects;

/** What a text may be, so that every database gives back what it was given. */
final class Text {
    private static final int NOTE_MAX = 4_000;
    private static final String CUT = " … (cut)";

    private Text() {}

    /** A name that is part of an index: not blank, not too long, and the same text in every encoding. */
    static String name(String parameter, String value, int max) {
        if (Objects.requireNonNull(value, parameter).isBlank()) {
            throw new IllegalArgumentException(parameter + " must not be blank, but is \"" + value + "\"");
        }
        if (value.length() > max) {
            throw new IllegalArgumentException(parameter + " must have at most " + max + " characters, but has "
                    + value.length() + ": \"" + value.substring(0, 40) + "…\"");
        }
        return storable(parameter, value);
    }

    /** Any text that comes back as it was. */
    static String storable(String parameter, String value) {
        for (int i = 0; i < Objects.requireNonNull(value, parameter).length(); i++) {
            if (isUnstorable(value, i)) {
                throw new IllegalArgumentException(
                        parameter + " must have no U+0000 and no half of a character, but has "
                                + String.format("U+%04X", (int) value.charAt(i)) + " at " + i);
            }
        }
        return value;
    }

    /** A text for people, which must never be the reason that something else is not written. */
    static String note(String text) {
        StringBuilder note =
                new StringBuilder(text.length() <= NOTE_MAX ? text : text.substring(0, NOTE_MAX - CUT.length()) + CUT);
        String kept = note.toString();
        for (int i = 0; i < kept.length(); i++) {
            if (isUnstorable(kept, i)) {
                note.setCharAt(i, '\uFFFD');
            }
        }
        return note.toString();
    }

    private static boolean isUnstorable(String text, int at) {
        char c = text.charAt(at);
        return c == 0
                || (Character.isHighSurrogate(c)
                        && (at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1))))
                || (Character.isLowSurrogate(c) && (at == 0 || !Character.isHighSurrogate(text.charAt(at - 1))));
    }
}
