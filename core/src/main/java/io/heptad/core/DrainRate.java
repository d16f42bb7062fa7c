package io.heptad.core;

import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How fast a shape drains, measured only when somebody asks: the source of {@link FullException#retryAfter()}.
 *
 * <p>It keeps two marks (time, total drained) and moves them when they are older than the window, so an estimate covers
 * between one and two windows of the past. It costs nothing while nobody is refused.
 *
 * {@snippet :
 * DrainRate rate = DrainRate.of(taken::sum, Duration.ofSeconds(10), Ticker.system());
 * Duration wait = rate.timeToDrain(depth); // null: nothing drained lately, so nobody can say
 * }
 *
 * <p>Any thread may call it. Marks move by a single volatile write: a race costs one mark, never a wrong sign.
 */
public final class DrainRate {
    private record Mark(long nanos, long drained) {}

    private record Marks(Mark older, Mark newer) {}

    private final LongSupplier drained;
    private final long windowNanos;
    private final Ticker ticker;
    private volatile Marks marks;

    private DrainRate(LongSupplier drained, long windowNanos, Ticker ticker) {
        this.drained = drained;
        this.windowNanos = windowNanos;
        this.ticker = ticker;
        Mark start = new Mark(ticker.nanos(), drained.getAsLong());
        this.marks = new Marks(start, start);
    }

    /**
     * A rate over a sliding window.
     *
     * @param drained the total that has left the shape so far; never falls
     * @param window how much of the past counts, more than zero
     * @param ticker the clock
     * @return a rate whose first mark is now
     * @throws IllegalArgumentException if {@code window} is zero or negative
     */
    public static DrainRate of(LongSupplier drained, Duration window, Ticker ticker) {
        Objects.requireNonNull(drained, "drained");
        Objects.requireNonNull(ticker, "ticker");
        if (window.isNegative() || window.isZero()) {
            throw new IllegalArgumentException("window must be more than zero, but is " + window);
        }
        return new DrainRate(drained, Durations.saturatedNanos(window), ticker);
    }

    /**
     * How long the shape takes to drain so many items at its recent pace.
     *
     * @param items how many items, zero or more
     * @return the time, at most about 292 years; null where nothing drained within the window
     */
    public @Nullable Duration timeToDrain(long items) {
        Mark now = new Mark(ticker.nanos(), drained.getAsLong());
        Marks seen = marks;
        if (now.nanos - seen.newer.nanos > windowNanos) {
            seen = now.nanos - seen.newer.nanos > 2 * windowNanos && seen.newer.drained == now.drained
                    ? new Marks(now, now)
                    : new Marks(seen.newer, now);
            marks = seen;
        }
        long elapsed = now.nanos - seen.older.nanos;
        long count = now.drained - seen.older.drained;
        if (elapsed <= 0 || count <= 0) {
            return null;
        }
        double nanos = (double) elapsed / count * items;
        return Duration.ofNanos(nanos >= Long.MAX_VALUE ? Long.MAX_VALUE : (long) nanos);
    }
}
