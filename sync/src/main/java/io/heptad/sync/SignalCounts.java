package io.heptad.sync;

import java.util.concurrent.atomic.LongAdder;

/** What became of calls that could not be answered at once. The others are not counted: that would cost them more than they do. */
final class SignalCounts {
    final LongAdder waited = new LongAdder();
    final LongAdder timedOut = new LongAdder();
    final LongAdder interrupted = new LongAdder();
    final LongAdder cancelled = new LongAdder();
    final LongAdder refused = new LongAdder();
}
