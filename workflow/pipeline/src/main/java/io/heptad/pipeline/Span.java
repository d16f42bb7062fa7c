package io.heptad.pipeline;

/**
 * What a worker has been doing since when, and how long it had done what before. Replaced as a whole when the worker turns to
 * something else, so that a reader never adds up halves of two; not replaced between two items that follow at once.
 */
record Span(Doing doing, long since, long busyNanos, long blockedNanos) {
    enum Doing {
        /** Waits for an item, a slot of a pool, or room in a window. */
        IDLE,
        /** Works on an item. */
        BUSY,
        /** Waits for room in the next queue. */
        BLOCKED
    }

    Span then(Doing next, long now) {
        return new Span(next, now, busyNanos(now), blockedNanos(now));
    }

    long busyNanos(long now) {
        return busyNanos + (doing == Doing.BUSY ? Math.max(0, now - since) : 0);
    }

    long blockedNanos(long now) {
        return blockedNanos + (doing == Doing.BLOCKED ? Math.max(0, now - since) : 0);
    }
}
