package io.heptad.core;

/**
 * A monotonic clock, so that tests can move time by hand (the idea is Guava's {@code Ticker}). Only differences of its readings mean anything.
 *
 * {@snippet file="io/heptad/core/Snippets.java" region="ticker"}
 *
 * <p>Any thread may read it, so a manual one needs an atomic. A ticker measures; it cannot wake a parked thread. Timeouts of blocked calls therefore follow the system's clock.
 */
@FunctionalInterface
public interface Ticker {
    /**
     * The present reading.
     *
     * @return nanoseconds since an arbitrary origin; never goes backwards, may be negative
     */
    long nanos();

    /**
     * The clock of the system.
     *
     * @return {@link System#nanoTime()} as a ticker
     */
    static Ticker system() {
        return System::nanoTime;
    }
}
