package io.heptad.actor;

import io.heptad.core.ClosedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The asks that have no answer yet, and the one timer that ends them in time. */
final class Asks {
    /*
     * One alarm for all of them, and none per ask: an ask that is answered in a microsecond must not set and take back a
     * timer, which costs more than the round trip. The alarm is set for the first deadline, but for no later than a tick
     * from now; when it goes off it ends what is due, and is set for the next deadline if anything is left. So one that
     * finds nothing is the last, at most a tick after the last ask was answered; one set for longer than a tick is taken
     * back when the last ask is answered.
     *
     * The list, alarm, its time and "closed" belong to the lock. Futures are completed outside it: what depends on them
     * is a user's code. Each that ran out of time is completed in a thread of its own, so that a dependent stage that
     * blocks does not make the others late.
     */
    private static final long TICK = Duration.ofMillis(100).toNanos();

    /** Alarms closer than this are not told apart, so that a crowd of deadlines costs few alarms. */
    private static final long GRAIN = Duration.ofMillis(1).toNanos();

    private final String name;
    private final Alarm alarms;
    private final ReentrantLock lock = new ReentrantLock();

    private @Nullable Ask<?> first;
    private @Nullable Ask<?> last;
    private int count;
    private volatile int pending;
    private boolean closed;

    /** Takes the alarm back; null: none is set. */
    private @Nullable Runnable unset;

    private long due;
    private boolean beyondTick;

    Asks(String name, Alarm alarms) {
        this.name = name;
        this.alarms = alarms;
    }

    /** Lists it, and watches its deadline if it has one. Not one that has ended: by whoever made its message. */
    void add(Ask<?> ask) {
        lock.lock();
        try {
            if (ask.over) {
                return;
            }
            if (!closed) {
                ask.before = last;
                if (last == null) {
                    first = ask;
                } else {
                    last.behind = ask;
                }
                last = ask;
                ask.listed = true;
                pending = ++count;
                if (ask.limit != Ask.NEVER && (unset == null || ask.deadline - due < 0)) {
                    long now = System.nanoTime();
                    set(now, Math.min(ask.deadline - now, TICK));
                }
                return;
            }
        } finally {
            lock.unlock();
        }
        ask.completeExceptionally(new ClosedException(name));
    }

    /** It has ended. If it is not listed, it will not be. */
    void remove(Ask<?> ask) {
        lock.lock();
        try {
            ask.over = true;
            if (ask.listed) {
                unlink(ask);
            }
            if (first == null && beyondTick) {
                unset();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends all that are listed, and each that will come. */
    void close() {
        List<Ask<?>> left = new ArrayList<>();
        Runnable back;
        lock.lock();
        try {
            closed = true;
            back = unset;
            unset = null;
            for (Ask<?> ask; (ask = first) != null; ) {
                unlink(ask);
                left.add(ask);
            }
        } finally {
            lock.unlock();
        }
        left.forEach(ask -> ask.completeExceptionally(new ClosedException(name)));
        if (back != null) {
            back.run();
        }
    }

    int pending() {
        return pending;
    }

    /** 1 while an alarm is set. */
    int alarms() {
        lock.lock();
        try {
            return unset == null ? 0 : 1;
        } finally {
            lock.unlock();
        }
    }

    /** The alarm has gone off. */
    private void ring() {
        List<Ask<?>> late = new ArrayList<>();
        lock.lock();
        try {
            if (closed) {
                return;
            }
            long now = System.nanoTime();
            long next = Long.MAX_VALUE;
            Ask<?> behind;
            for (Ask<?> ask = first; ask != null; ask = behind) {
                behind = ask.behind;
                if (ask.limit == Ask.NEVER) {
                    continue;
                }
                long left = ask.deadline - now;
                if (left <= 0) {
                    unlink(ask);
                    late.add(ask);
                } else {
                    next = Math.min(next, left);
                }
            }
            unset = null;
            beyondTick = false;
            if (next != Long.MAX_VALUE) {
                set(now, Math.max(next, GRAIN));
            }
        } finally {
            lock.unlock();
        }
        for (Ask<?> ask : late) {
            Thread.ofVirtual().name("heptad-actor-timeout").start(() -> ask.completeExceptionally(late(ask)));
        }
    }

    private TimeoutException late(Ask<?> ask) {
        return late(name, ask.limit);
    }

    static TimeoutException late(String name, long nanos) {
        return new TimeoutException("no answer from " + name + " within " + Duration.ofNanos(nanos));
    }

    private void set(long now, long nanos) {
        unset();
        due = now + nanos;
        beyondTick = nanos > TICK;
        unset = alarms.in(Math.max(nanos, 1), this::ring);
    }

    private void unset() {
        if (unset != null) {
            unset.run();
            unset = null;
            beyondTick = false;
        }
    }

    private void unlink(Ask<?> ask) {
        Ask<?> before = ask.before;
        Ask<?> behind = ask.behind;
        if (before == null) {
            first = behind;
        } else {
            before.behind = behind;
        }
        if (behind == null) {
            last = before;
        } else {
            behind.before = before;
        }
        ask.before = null;
        ask.behind = null;
        ask.listed = false;
        pending = --count;
    }
}
