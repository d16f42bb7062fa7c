package io.heptad.core;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The slope of a depth, in items per second, over a sliding window: the level says where a queue is, the slope where it
 * will be.
 *
 * {@snippet file="io/heptad/core/Snippets.java" region="depth-trend"}
 *
 * <p>It starts no thread and never blocks for longer than another thread's arithmetic: it knows what {@link #sample()} showed it. Any thread may call any method. Whatever has a
 * depth can have a trend, so a keyed shape has one for each key that somebody watches.
 *
 * <p>The slope is the least-squares line through the samples of the window, so one odd sample does not turn it. Memory
 * is fixed: of samples that come closer than a 62nd of the window, only the last is kept.
 *
 * <p><b>Memory consistency effects:</b> what a thread did before {@code sample()} <i>happens-before</i> what a thread
 * does after a {@code slope()} that used the sample.
 */
public final class DepthTrend {
    /*
     * A ring of samples, guarded by `lock`; `end` counts the samples ever kept. Two kept neighbours (but for the last pair)
     * lie at least `spacingNanos` apart, so the ring always spans the window and no rate of sampling can make it forget.
     * The depth and the clock are read before the lock is taken: they are the caller's code. Two samplers may therefore
     * arrive out of order; the older reading is let go, since the newer one says more.
     *
     * Sums are taken when asked, over at most SAMPLES entries relative to the newest: running sums would be cheaper
     * but lose digits for ever, and nobody asks a million times a second.
     */
    private static final int SAMPLES = 64;

    private final LongSupplier depth;
    private final Ticker ticker;
    private final long windowNanos;
    private final long spacingNanos;

    private final ReentrantLock lock = new ReentrantLock();
    private final long[] nanos = new long[SAMPLES];
    private final long[] depths = new long[SAMPLES];
    private long end;

    private DepthTrend(LongSupplier depth, long windowNanos, Ticker ticker) {
        this.depth = depth;
        this.ticker = ticker;
        this.windowNanos = windowNanos;
        this.spacingNanos = windowNanos / (SAMPLES - 2);
    }

    /**
     * A trend without samples.
     *
     * @param depth reads the depth, in items; called by {@link #sample()} and {@link #forecast}, outside any lock
     * @param window how far back samples count, more than zero
     * @param ticker the clock
     * @return a trend with slope 0
     * @throws IllegalArgumentException if {@code window} is zero or negative
     */
    public static DepthTrend of(LongSupplier depth, Duration window, Ticker ticker) {
        Objects.requireNonNull(depth, "depth");
        Objects.requireNonNull(ticker, "ticker");
        if (window.isNegative() || window.isZero()) {
            throw new IllegalArgumentException("window must be more than zero, but is " + window);
        }
        return new DepthTrend(depth, Durations.saturatedNanos(window), ticker);
    }

    /** Reads the depth and the clock, once. Call it at any pace; about once a second suits a window of a minute. */
    public void sample() {
        long items = depth.getAsLong();
        long now = ticker.nanos();
        lock.lock();
        try {
            if (end > 0 && now - nanos[slot(end - 1)] < 0) {
                return;
            }
            if (end < 2 || nanos[slot(end - 1)] - nanos[slot(end - 2)] >= spacingNanos) {
                end++;
            }
            nanos[slot(end - 1)] = now;
            depths[slot(end - 1)] = items;
        } finally {
            lock.unlock();
        }
    }

    /**
     * How fast the depth grows, by the samples of the last window.
     *
     * @return items per second, negative while it shrinks; 0 with fewer than two samples in the window
     */
    public double slope() {
        long now = ticker.nanos();
        lock.lock();
        try {
            int count = 0;
            double sumSeconds = 0;
            double sumItems = 0;
            long from = end;
            while (from > Math.max(0, end - SAMPLES) && now - nanos[slot(from - 1)] <= windowNanos) {
                from--;
                count++;
                sumSeconds += seconds(from);
                sumItems += depths[slot(from)];
            }
            double meanSeconds = sumSeconds / count;
            double meanItems = sumItems / count;
            double covariance = 0;
            double variance = 0;
            for (long at = from; at < end; at++) {
                double offset = seconds(at) - meanSeconds;
                covariance += offset * (depths[slot(at)] - meanItems);
                variance += offset * offset;
            }
            return variance > 0 ? covariance / variance : 0;
        } finally {
            lock.unlock();
        }
    }

    /**
     * How deep it will be if it goes on like this. A forecast above the capacity says that it will be full by then.
     *
     * @param ahead how far ahead, zero or more
     * @return the present depth plus the slope times {@code ahead}, in items, never below zero
     * @throws IllegalArgumentException if {@code ahead} is negative
     */
    public long forecast(Duration ahead) {
        if (ahead.isNegative()) {
            throw new IllegalArgumentException("ahead must not be negative, but is " + ahead);
        }
        double growth = slope() * Durations.saturatedNanos(ahead) / 1e9;
        return Math.max(0, Math.round(depth.getAsLong() + growth));
    }

    /** Called under the lock. Relative to the newest sample, so that large clock readings cost no digits. */
    private double seconds(long at) {
        return (nanos[slot(at)] - nanos[slot(end - 1)]) / 1e9;
    }

    private static int slot(long at) {
        return (int) (at % SAMPLES);
    }
}
