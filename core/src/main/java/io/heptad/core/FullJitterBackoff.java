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
        // The bound is exclusive, and must stay a positive long for a delay of zero and for one of many centuries.
        long mostNanos = Math.clamp(Durations.saturatedNanos(backoff.delay(attempt)), 0, Long.MAX_VALUE - 1);
        return Duration.ofNanos(random.get().nextLong(mostNanos + 1));
    }
}
