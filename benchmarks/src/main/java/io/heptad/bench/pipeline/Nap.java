package io.heptad.bench.pipeline;

import java.util.concurrent.locks.LockSupport;

/** Work that waits, as a call to a database or over the network does. */
final class Nap {
    private Nap() {}

    /** Waits at least {@code nanos}, and gives the item back. */
    static Item of(long nanos, Item item) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        return item;
    }
}
