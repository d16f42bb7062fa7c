package io.heptad.actor;

import io.heptad.core.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** A clock and its alarms, both moved by a test: an alarm goes off in the thread of the test, in the order of the times. */
final class ManualTime implements Ticker, Alarm {
    private record Set(long at, Runnable then) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Set> pending = new ArrayList<>();
    private volatile long now = Long.MAX_VALUE - 1_000_000_000L; // so that readings wrap

    @Override
    public long nanos() {
        return now;
    }

    @Override
    public Runnable in(long nanos, Runnable then) {
        Set set = new Set(now + Math.max(0, nanos), then);
        lock.lock();
        try {
            pending.add(set);
        } finally {
            lock.unlock();
        }
        return () -> {
            lock.lock();
            try {
                pending.remove(set);
            } finally {
                lock.unlock();
            }
        };
    }

    int pending() {
        lock.lock();
        try {
            return pending.size();
        } finally {
            lock.unlock();
        }
    }

    /** Lets so much time pass. */
    void advance(Duration by) {
        long end = now + by.toNanos();
        for (Set next; (next = nextUntil(end)) != null; ) {
            now = next.at - now > 0 ? next.at : now;
            next.then.run();
        }
        now = end;
    }

    private Set nextUntil(long end) {
        lock.lock();
        try {
            Set next = pending.stream()
                    .filter(set -> end - set.at >= 0)
                    .min(Comparator.comparingLong(set -> set.at - now))
                    .orElse(null);
            pending.remove(next);
            return next;
        } finally {
            lock.unlock();
        }
    }
}
