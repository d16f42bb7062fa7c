package io.heptad.recipes;

import java.util.Objects;

/**
 * One thing that can be set on the line that starts a recipe: {@code -Dname=value}.
 *
 * @param name the name, as it is typed
 * @param fallback the value where none is given; empty means that the meaning says what happens then
 * @param meaning one sentence, with the unit
 */
public record Option(String name, String fallback, String meaning) {
    /** Refuses nulls. */
    public Option {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(fallback, "fallback");
        Objects.requireNonNull(meaning, "meaning");
    }
}
