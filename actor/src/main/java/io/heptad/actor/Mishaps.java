package io.heptad.actor;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;

/** Totals of what most actors never meet, and the recent restarts. */
final class Mishaps {
    /*
     * The counters may be raised by the runner and by a thread in closeNow; readers see each grow. The restarts belong to
     * the runner.
     */
    final AtomicLong failed = new AtomicLong();
    final AtomicLong expired = new AtomicLong();
    final AtomicLong undelivered = new AtomicLong();
    final AtomicLong returned = new AtomicLong();
    final AtomicLong restarts = new AtomicLong();
    final AtomicLong refusals = new AtomicLong();
    final AtomicLong callbackFailures = new AtomicLong();

    /** When, by the ticker; as many as the supervision allows. */
    private final ArrayDeque<Long> recent = new ArrayDeque<>();

    /** Whether one more restart is fine. */
    boolean mayRestart(Restart terms, long now) {
        while (!recent.isEmpty() && now - recent.peekFirst() > terms.withinNanos()) {
            recent.removeFirst();
        }
        if (recent.size() >= terms.max()) {
            return false;
        }
        recent.addLast(now);
        return true;
    }
}
