package io.heptad.pool;

import java.util.concurrent.atomic.LongAdder;

/** Totals of what no seat saw; the rest is counted where it happened, in the {@link Seat}s. */
final class Tally {
    final LongAdder submitted = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder cancelled = new LongAdder();
    final LongAdder rejected = new LongAdder();
    final LongAdder dropped = new LongAdder();
}
