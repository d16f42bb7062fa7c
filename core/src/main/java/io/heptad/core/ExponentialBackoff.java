package io.heptad.core;

import java.time.Duration;
import java.util.Objects;

/** Doubling delays. */
record ExponentialBackoff(Duration first, Duration max) implements Backoff {
    ExponentialBackoff {
        Objects.requireNonNull(first, "first");
        Objects.requireNonNull(max, "max");
        if (first.isNegative()) {
            throw new IllegalArgumentException("first must not be negative, but is " + first);
        }
        if (max.compareTo(first) < 0) {
            throw new IllegalArgumentException("max must be at least first (" + first + "), but is " + max);
        }
    }

    @Override
    public Duration delay(int attempt) {
        if (attempt < 1) {
            throw new IllegalArgumentException("attempt must be at least 1, but is " + attempt);
        }
        if (attempt == 1 || first.isZero()) {
            return first;
        }
        // Asks whether first * 2^doublings <= max without computing the left side, which may not fit. Past 292 years
        // both sides saturate, and the step that would get there goes to max at once.
        int doublings = attempt - 1;
        long firstNanos = Durations.saturatedNanos(first);
        boolean fits = doublings < Long.SIZE - 1 && firstNanos <= Durations.saturatedNanos(max) >> doublings;
        return fits ? Duration.ofNanos(firstNanos << doublings) : max;
    }
}
