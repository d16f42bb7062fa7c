package io.heptad.gate;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/** What is refused in several places, with the same words. */
final class Checks {
    private Checks() {}

    static String notBlank(String parameter, String value) {
        if (Objects.requireNonNull(value, parameter).isBlank()) {
            throw new IllegalArgumentException(parameter + " must not be blank, but is \"" + value + "\"");
        }
        return value;
    }

    static int atLeastOne(String parameter, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(parameter + " must be at least 1, but is " + value);
        }
        return value;
    }

    static Duration positive(String parameter, Duration value) {
        if (Objects.requireNonNull(value, parameter).isNegative() || value.isZero()) {
            throw new IllegalArgumentException(parameter + " must be above zero, but is " + value);
        }
        return value;
    }

    /** The sum, or the longest duration that there is. */
    static Duration sum(Duration one, Duration other) {
        Duration longest = Duration.ofSeconds(Long.MAX_VALUE);
        return one.compareTo(longest.minus(other)) < 0 ? one.plus(other) : longest;
    }

    /** {@code from + by}, or the last instant that there is. */
    static Instant later(Instant from, Duration by) {
        return by.compareTo(Duration.between(from, Instant.MAX)) < 0 ? from.plus(by) : Instant.MAX;
    }
}
