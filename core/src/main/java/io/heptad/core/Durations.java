package io.heptad.core;

import java.time.Duration;

/**
 * Turns a {@link Duration} into the nanoseconds of a wait, once, so that no shape repeats the overflow rules.
 */
public final class Durations {
    private Durations() {}

    /**
     * The duration in nanoseconds, as near as a {@code long} allows.
     *
     * @param duration any duration
     * @return its nanoseconds; {@link Long#MAX_VALUE} ("no limit") or {@link Long#MIN_VALUE} where they do not fit
     */
    public static long saturatedNanos(Duration duration) {
        long seconds = duration.toSeconds();
        if (seconds > Long.MAX_VALUE / 1_000_000_000L - 1) {
            return Long.MAX_VALUE;
        }
        if (seconds < Long.MIN_VALUE / 1_000_000_000L + 1) {
            return Long.MIN_VALUE;
        }
        return duration.toNanos();
    }
}
