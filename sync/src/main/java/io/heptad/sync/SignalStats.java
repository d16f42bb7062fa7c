package io.heptad.sync;

import java.time.Duration;

/**
 * The figures of a {@link Signal} at one moment. {@code available} and {@code waiting} come from one read; the counts are
 * read after it, one by one, and only grow.
 *
 * @param available permits that can be taken now, from 0 to {@code maxPermits}
 * @param waiting threads and futures in line
 * @param maxPermits the most permits that are remembered
 * @param waited calls that stood in line and got their permits
 * @param timedOut calls that found too few permits in time, those that would not wait included
 * @param interrupted calls that were interrupted while they stood in line
 * @param cancelled futures that were settled from outside while they stood in line: cancelled, timed out, completed
 * @param refused releases that would have passed the bound
 * @param oldestWait how long the first in line has waited; zero if nobody waits
 */
public record SignalStats(
        int available,
        int waiting,
        int maxPermits,
        long waited,
        long timedOut,
        long interrupted,
        long cancelled,
        long refused,
        Duration oldestWait) {}
