package io.heptad.core;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Turns a {@link Duration} into the nanoseconds of a wait, so that no shape repeats the overflow rules.
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
        return TimeUnit.NANOSECONDS.convert(duration); // unlike Duration.toNanos, it saturates
    }
}
