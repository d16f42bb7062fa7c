package io.heptad.gate;

import java.util.concurrent.atomic.LongAdder;

/** What a gate counts; each only grows. */
final class GateCounts {
    final LongAdder transitions = new LongAdder();
    final LongAdder illegal = new LongAdder();
    final LongAdder declined = new LongAdder();
    final LongAdder busy = new LongAdder();
    final LongAdder pending = new LongAdder();
    final LongAdder calls = new LongAdder();
    final LongAdder unknown = new LongAdder();
    final LongAdder sweeps = new LongAdder();
    final LongAdder takeovers = new LongAdder();
    final LongAdder timers = new LongAdder();
    final LongAdder storeFailures = new LongAdder();
}
