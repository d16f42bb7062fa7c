package io.heptad.gate;

import org.jspecify.annotations.Nullable;

/** What one call has told. */
sealed interface Told {
    record Done(@Nullable Object result) implements Told {}

    record No(String reason) implements Told {}

    record Unknown(String error, boolean bug) implements Told {}

    record Park(String reason) implements Told {}
}
