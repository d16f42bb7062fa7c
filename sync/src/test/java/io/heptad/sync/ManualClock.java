package io.heptad.sync;

import io.heptad.core.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** Time that a test moves: milliseconds since an origin, as a time of day and as a ticker. */
final class ManualClock implements InstantSource, Ticker {
    static final Instant ORIGIN = Instant.parse("2026-11-01T00:00:00Z");

    private final AtomicLong nanos = new AtomicLong();

    @Override
    public Instant instant() {
        return ORIGIN.plusNanos(nanos.get());
    }

    /** A ticker wraps one day; this one soon. */
    @Override
    public long nanos() {
        return Long.MAX_VALUE - 1_000 + nanos.get();
    }

    void advance(Duration by) {
        nanos.addAndGet(by.toNanos());
    }

    long nanosPassed() {
        return nanos.get();
    }

    /** Forward to a time; never back. */
    void reach(long nanosPassed) {
        nanos.accumulateAndGet(nanosPassed, Math::max);
    }

    /** Forward or back. */
    void set(long millis) {
        nanos.set(Duration.ofMillis(millis).toNanos());
    }
}
