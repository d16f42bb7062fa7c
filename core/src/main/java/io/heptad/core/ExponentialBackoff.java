package io.heptad.core;

import java.time.Duration;

/** Doubling delays. Compares exponents before it multiplies, so nothing can overflow. */
record ExponentialBackoff(Duration first, Duration max) implements Backoff {
    ExponentialBackoff {
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
        Duration delay = first;
        if (delay.isZero()) {
            return delay; // doubling nothing for ever would only burn time
        }
        Duration half = max.dividedBy(2);
        for (int doublings = attempt - 1; doublings > 0; doublings--) {
            if (delay.compareTo(half) > 0) {
                return max; // doubling once more would pass it, and may not fit a Duration
            }
            delay = delay.multipliedBy(2);
        }
        return delay;
    }
}
