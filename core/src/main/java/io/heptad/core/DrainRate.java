package io.heptad.core;

import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How fast a shape drains, measured only when somebody asks: the source of {@link FullException#retryAfter()}.
 *
 * {@snippet file="io/heptad/core/Snippets.java" region="drain-rate"}
 *
 * <p>An estimate covers the last one to two windows while somebody asks at least once a window. The first question
 * after a longer pause is answered with the pace over that pause; as soon as something drains after it, the pace since
 * then counts. It costs nothing while nobody is refused.
 *
 * <p>Any thread may call it; it never blocks.
 *
 * <p><b>Memory consistency effects:</b> none are promised.
 */
public final class DrainRate {
    /*
     * Two marks (time, total drained), replaced together by one volatile write whenever the newer is older than the
     * window. Any asking thread may write. Two that do so at once lose one of two marks taken at nearly the same time; a
     * reader whose own reading is older than a mark sees a difference of zero or less and says that it does not know.
     *
     * Rejected: a moving average updated by every take. It would put a shared write into the hot path to answer a
     * question that only a full shape is asked.
     */
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
     * @return the time, at most about 292 years; null where nothing drained lately, so nobody can say
     * @throws IllegalArgumentException if {@code items} is negative
     */
    public @Nullable Duration timeToDrain(long items) {
        if (items < 0) {
            throw new IllegalArgumentException("items must not be negative, but is " + items);
        }
        Mark now = new Mark(ticker.nanos(), drained.getAsLong());
        Marks seen = marks;
        if (now.nanos - seen.newer.nanos > windowNanos) {
            seen = new Marks(seen.newer, now);
            marks = seen;
        }
        // After a pause in the questions the older mark says little about now: let go of it once the newer says
        // anything.
        boolean recent = (now.nanos - seen.older.nanos) / 2 <= windowNanos;
        Mark from = recent || now.drained == seen.newer.drained ? seen.older : seen.newer;
        long elapsed = now.nanos - from.nanos;
        long count = now.drained - from.drained;
        if (elapsed <= 0 || count <= 0) {
            return null;
        }
        double nanos = (double) elapsed / count * items;
        return Duration.ofNanos(nanos >= Long.MAX_VALUE ? Long.MAX_VALUE : (long) nanos);
    }
}
