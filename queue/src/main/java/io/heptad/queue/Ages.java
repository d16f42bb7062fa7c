package io.heptad.queue;

import io.heptad.core.Ticker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Arrays;

/** How long the oldest item has been inside: exactly, or cheaply and never too much. */
final class Ages {
    /*
     * A clock reading costs more than a put, so by default only the item of every 512th index is timed (exact: of every
     * index). The oldest item was accepted no later than the first timed one at or behind it, which gives a lower bound.
     *
     * A slow queue may not see 512 items in an hour, so each reading of the age leaves a mark as well: "all below this
     * index was inside at this time". Marks cost the readers only, and both bounds are lower bounds: the greater is told.
     *
     * times[] is written by the claimer of an index before it releases the stamp, and read only between a look at that
     * stamp and a look at head that proves the item is still inside; its slot is not used again before that.
     */
    /** A time argument: read the clock when needed. Under the lock only if it is the system's. */
    static final long ON_DEMAND = Long.MIN_VALUE;

    /** A time argument and result: nobody looked at the clock. */
    static final long UNKNOWN = Long.MIN_VALUE + 1;

    private static final int SPARSE = 9;

    /** One item in so many is timed. */
    static final int TIMED = 1 << SPARSE;

    private static final int MOST_MARKS = 32;
    private static final int MAX_TRIES = 8;
    private static final VarHandle TIME = MethodHandles.arrayElementVarHandle(long[].class);

    private final Ticker ticker;
    private final int shift;
    private final long[] times;

    /** Pairs of an index and a time, oldest first. Replaced as a whole; a lost race costs a mark, never an age. */
    private volatile long[] marks = {};

    /** Whether the clock is the system's, which may be read under the lock: no code of the user runs there. */
    private final boolean trusted;

    Ages(int slots, boolean exact, Ticker ticker, boolean trusted) {
        this.ticker = ticker;
        this.trusted = trusted;
        this.shift = exact ? 0 : SPARSE;
        this.times = new long[Math.max(1, slots >> shift)];
    }

    /** The bits of an index that are all zero where the item is timed. */
    long sampling() {
        return (1L << shift) - 1;
    }

    /** The time for a put that is about to take the lock. A queue under load puts little in any other way. */
    long beforeLock() {
        return trusted ? ON_DEMAND : clock();
    }

    /** The time to note for an item, given what the caller of a put knows. */
    long at(long now) {
        return now == ON_DEMAND ? clock() : now;
    }

    /** Notes when the item of a timed index was accepted. Before its stamp is released. */
    void set(long index, long time) {
        TIME.setRelease(times, (int) (index >>> shift) & (times.length - 1), time);
    }

    /** The age of the oldest item in the ring; zero where it is empty or nobody knows. */
    Duration oldest(Ring<?> ring) {
        for (int tries = 1; ; tries++) {
            Ring.Span span = ring.span();
            long now = clock();
            if (span.depth() == 0) {
                return Duration.ZERO;
            }
            long timed = (span.head() + sampling()) & ~sampling();
            long since = UNKNOWN;
            if (timed < span.tail() && ring.isFilled(timed)) {
                since = (long) TIME.getAcquire(times, (int) (timed >>> shift) & (times.length - 1));
            }
            if (ring.headIndex() > timed && tries < MAX_TRIES) {
                continue; // taken meanwhile, so the time may be that of a later item
            }
            // After the last try that may be so: then it is a lower bound on the age of what was the oldest just now.
            long age = Math.max(age(since, now), age(mark(span.head(), span.tail(), now), now));
            return Duration.ofNanos(age);
        }
    }

    /** When the oldest mark was left that covers the item of this index; leaves one for now. */
    private long mark(long head, long tail, long now) {
        if (shift == 0 || now == UNKNOWN) {
            return UNKNOWN;
        }
        long[] seen = marks;
        int from = 0;
        while (from < seen.length && seen[from] <= head) {
            from += 2;
        }
        long since = from < seen.length ? seen[from + 1] : UNKNOWN;
        if (from == seen.length || seen[seen.length - 2] < tail) {
            long[] kept = Arrays.copyOfRange(seen, from, seen.length);
            if (kept.length >= 2 * MOST_MARKS) {
                kept = thinned(kept);
            }
            long[] next = Arrays.copyOf(kept, kept.length + 2);
            next[kept.length] = tail;
            next[kept.length + 1] = now;
            marks = next;
        }
        return since;
    }

    /** Without the mark that is missed least: the one whose neighbours are closest in time. So the gaps stay even. */
    private static long[] thinned(long[] pairs) {
        int least = 2;
        for (int i = 4; i < pairs.length - 2; i += 2) {
            if (gapWithout(pairs, i) < gapWithout(pairs, least)) {
                least = i;
            }
        }
        long[] kept = new long[pairs.length - 2];
        System.arraycopy(pairs, 0, kept, 0, least);
        System.arraycopy(pairs, least + 2, kept, least, kept.length - least);
        return kept;
    }

    private static long gapWithout(long[] pairs, int mark) {
        return pairs[mark + 3] - pairs[mark - 1];
    }

    private static long age(long since, long now) {
        return since == UNKNOWN || now == UNKNOWN ? 0 : Math.max(0, now - since);
    }

    /** A clock that throws costs an age, never an item: puts and takes read it when they have already claimed. */
    private long clock() {
        try {
            long now = ticker.nanos();
            return now <= UNKNOWN ? UNKNOWN + 1 : now;
        } catch (Throwable broken) {
            return UNKNOWN;
        }
    }
}
