package io.heptad.actor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** How many messages may be queued for all keys together, and the senders that wait for it to let them in. */
final class TotalBound {
    /*
     * state = waiting << 32 | used. While nobody waits, used moves by CAS and no lock is touched: keys that have nothing to
     * do with each other share one word, never a wait. While somebody waits only the holder of the lock writes, and a
     * place that comes free is handed to the first in line, so used stays at the bound and a newcomer cannot overtake.
     * A sender counts as waiting only from a state that proves "full" (one CAS), so no place comes free unnoticed.
     *
     * Lock order: the lock of a KeyOwner, then this one. Nothing is called under it; threads are unparked after unlocking.
     *
     * Rejected: a Semaphore (its count and its line are two reads, so depth could be above the bound), and one lock for
     * every send (keys would wait for each other).
     */
    private static final VarHandle STATE;
    private static final int WAITING_SHIFT = 32;
    private static final long ONE_WAITING = 1L << WAITING_SHIFT;
    private static final long USED = ONE_WAITING - 1;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(TotalBound.class, "state", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final int capacity;
    private final ReentrantLock lock = new ReentrantLock();
    private final LongAdder released = new LongAdder();
    private volatile long state;

    /** Oldest first. Guarded by the lock. */
    private @Nullable Sender first;

    private @Nullable Sender last;

    TotalBound(int capacity) {
        this.capacity = capacity;
    }

    int capacity() {
        return capacity;
    }

    /** How many are queued. */
    int used() {
        return (int) (state & USED);
    }

    /** How many senders hold a place of their key and wait for one here. */
    int waiting() {
        return (int) (state >>> WAITING_SHIFT);
    }

    /** How many places were given back so far. */
    long released() {
        return released.sum();
    }

    /** Takes a place if there is one and nobody waits for it. */
    boolean tryTake() {
        for (; ; ) {
            long seen = state;
            if (seen >= capacity) { // full, or somebody waits: then it is at least ONE_WAITING
                return false;
            }
            if (STATE.compareAndSet(this, seen, seen + 1)) {
                return true;
            }
        }
    }

    /** Takes a place, or puts the sender in line for one. True: taken, and the sender need not wait. */
    boolean takeOrStand(Sender sender) {
        lock.lock();
        try {
            for (; ; ) {
                long seen = state;
                if (seen < capacity) {
                    if (STATE.compareAndSet(this, seen, seen + 1)) {
                        return true;
                    }
                } else if (STATE.compareAndSet(this, seen, seen + ONE_WAITING)) {
                    append(sender);
                    return false;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** A place comes free: the first in line has it, if there is one. */
    void release() {
        released.increment();
        for (; ; ) {
            long seen = state;
            if (seen >>> WAITING_SHIFT == 0) {
                if (STATE.compareAndSet(this, seen, seen - 1)) {
                    return;
                }
            } else if (handOver()) {
                return;
            }
        }
    }

    private boolean handOver() {
        Sender next;
        lock.lock();
        try {
            next = first;
            if (next == null) {
                return false; // the last one has left meanwhile
            }
            remove(next);
            next.letIn();
            STATE.setRelease(this, state - ONE_WAITING);
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(next.thread);
        return true;
    }

    /** The sender waits no longer. False: too late, it has been let in. */
    boolean leave(Sender sender, Sender.State how) {
        lock.lock();
        try {
            if (sender.state() != Sender.State.WAITING) {
                return false;
            }
            remove(sender);
            STATE.setRelease(this, state - ONE_WAITING);
            sender.end(how);
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void append(Sender sender) {
        sender.previous = last;
        if (last == null) {
            first = sender;
        } else {
            last.next = sender;
        }
        last = sender;
    }

    private void remove(Sender sender) {
        Sender before = sender.previous;
        Sender behind = sender.next;
        if (before == null) {
            first = behind;
        } else {
            before.next = behind;
        }
        if (behind == null) {
            last = before;
        } else {
            behind.previous = before;
        }
        sender.previous = null;
        sender.next = null;
    }
}
