package io.heptad.core;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Draws each delay evenly from zero to the delay of another backoff. */
record FullJitterBackoff(Backoff backoff, Supplier<? extends RandomGenerator> random) implements Backoff {
    FullJitterBackoff {
        Objects.requireNonNull(backoff, "backoff");
        Objects.requireNonNull(random, "random");
    }

    @Override
    public Duration delay(int attempt) {
        Duration most = backoff.delay(attempt);
        long seconds = most.toSeconds();
        if (seconds < Long.MAX_VALUE / 1_000_000_000L - 1) {
            return Duration.ofNanos(random.get().nextLong(most.toNanos() + 1));
        }
        // Past 292 years a nanosecond more or less is no matter, but an overflow would be.
        return Duration.ofSeconds(random.get().nextLong(seconds), 0);
    }
}
