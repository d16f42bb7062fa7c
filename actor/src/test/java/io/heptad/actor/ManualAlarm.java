package io.heptad.actor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** Alarms that go off when a test lets time pass: one after the other, each in a thread of its own that is waited for. */
final class ManualAlarm implements Alarm {
    private record Set(long at, Runnable then) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Set> pending = new ArrayList<>();
    private long now;

    @Override
    public Runnable in(long nanos, Runnable then) {
        lock.lock();
        try {
            Set set = new Set(now + Math.max(0, nanos), then);
            pending.add(set);
            return () -> remove(set);
        } finally {
            lock.unlock();
        }
    }

    private boolean remove(Set set) {
        lock.lock();
        try {
            return pending.removeIf(each -> each == set);
        } finally {
            lock.unlock();
        }
    }

    int pending() {
        lock.lock();
        try {
            return pending.size();
        } finally {
            lock.unlock();
        }
    }

    /** Lets so much time pass, and waits for what rings in it. */
    void advance(Duration by) throws InterruptedException {
        long end = now + by.toNanos();
        for (Set next; (next = next(end)) != null; ) {
            Thread.ofVirtual().start(next.then).join();
        }
    }

    /** Lets so much time pass; the threads in which the alarms go off, one started after the other. */
    List<Thread> ring(Duration by) {
        long end = now + by.toNanos();
        List<Thread> threads = new ArrayList<>();
        for (Set next; (next = next(end)) != null; ) {
            threads.add(Thread.ofVirtual().start(next.then));
        }
        return threads;
    }

    private Set next(long end) {
        lock.lock();
        try {
            Set next = pending.stream().min(Comparator.comparing(Set::at)).orElse(null);
            if (next == null || next.at > end) {
                now = end;
                return null;
            }
            pending.remove(next);
            now = next.at;
            return next;
        } finally {
            lock.unlock();
        }
    }
}
