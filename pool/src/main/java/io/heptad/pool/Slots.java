package io.heptad.pool;

import io.heptad.core.FullPolicy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Who holds a slot and who waits for one: the state machine of a pool. It runs no task. */
final class Slots {
    /*
     * One word says it all, so one read is a consistent pair:
     *
     *   bit 63     CLOSED
     *   62..61     how often slots was changed, modulo 4
     *   60..31     active: slots held
     *   30..0      waiting: places in the line that are taken
     *
     * Without a waiter everything is one CAS of this word. With one, the lock decides: "waiting > 0" disables both fast
     * paths, so the holder of the lock is the only writer and a release store is enough. The step from no waiter to one
     * is itself a CAS under the lock: it either sees the slot that was just given back, or whoever gives one back next
     * sees it.
     *
     * A slot that ends with somebody in line never becomes free: active keeps its value and the first in line owns the
     * slot before the lock is let go. So a newcomer cannot slip in between, which is the fault of "decrement, then
     * wake": there the woken waiter and the newcomer both go in. In the same way a place in the line that comes free
     * goes to the first at the door.
     *
     * line: waiters with a place, oldest first. door: producers and callers that found the line full and may wait
     * (BLOCK); they hold no place, and nobody is at the door while the line has room. Both are guarded by the lock.
     *
     * limit is read after the word and written before the word's change count moves, so a CAS that succeeds was
     * checked against the limit of its moment (up to four resizes within one CAS loop).
     *
     * Rejected: a Semaphore (a released permit is fought for, its queue has no bound, cancelled tasks cannot leave it);
     * a lock-free line (leaving from the middle and dropping the oldest in O(1) are what it makes hard; the lock is held
     * for some ten instructions).
     */
    static final int MAX_ACTIVE = (1 << 30) - 1;

    private static final long CLOSED = Long.MIN_VALUE;
    private static final long RESIZED = 1L << 61;
    private static final long RESIZED_MASK = 3L << 61;
    private static final long ACTIVE = 1L << 31;
    private static final long WAITING_MASK = ACTIVE - 1;

    private static final int SPINS = 64;

    private static final VarHandle STATE;
    private static final VarHandle ENTERED;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Slots.class, "state", long.class);
            ENTERED = MethodHandles.lookup().findVarHandle(Slots.class, "entered", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** What became of a waiter that asked to come in. */
    enum Entry {
        GRANTED,
        QUEUED,
        AT_DOOR,
        FULL,
        DROPPED,
        CLOSED
    }

    private final int capacity;
    private final FullPolicy whenFull;
    private Consumer<Waiter<?>> evicted = waiter -> {};
    private final ReentrantLock lock = new ReentrantLock();
    private final Line line = new Line();
    private final Line door = new Line();

    /** How many have asked to enter, whatever became of them. Written under the lock. */
    private volatile long entered;

    private volatile long state;
    private volatile int limit;

    Slots(int slots, int capacity, FullPolicy whenFull) {
        this.limit = Math.min(slots, MAX_ACTIVE);
        this.capacity = capacity;
        this.whenFull = whenFull;
    }

    /** Who is told, without the lock, that a waiter had to make room. Set before the pool is published. */
    void onEvicted(Consumer<Waiter<?>> evicted) {
        this.evicted = evicted;
    }

    static int active(long state) {
        return (int) (state >>> 31) & MAX_ACTIVE;
    }

    static int waiting(long state) {
        return (int) (state & WAITING_MASK);
    }

    static boolean closed(long state) {
        return state < 0;
    }

    static boolean isClosedAndEmpty(long state) {
        return (state & ~RESIZED_MASK) == CLOSED;
    }

    long state() {
        return state;
    }

    long entered() {
        return entered;
    }

    int limit() {
        return limit;
    }

    int capacity() {
        return capacity;
    }

    /** The lock is held for some ten instructions, so a few tries cost less than parking, for either kind of thread. */
    private void lock() {
        for (int spins = 0; spins < SPINS; spins++) {
            if (lock.tryLock()) {
                return;
            }
            Thread.onSpinWait();
        }
        lock.lock();
    }

    private boolean cas(long from, long to) {
        return STATE.compareAndSet(this, from, to);
    }

    /** A slot, if one is free and nobody waits. Never blocks. */
    boolean tryTake() {
        for (; ; ) {
            long seen = state;
            if (seen < 0 || (seen & WAITING_MASK) != 0 || active(seen) >= limit) {
                return false;
            }
            if (cas(seen, seen + ACTIVE)) {
                return true;
            }
        }
    }

    /**
     * The caller's slot goes to the first in line, who is returned and owns it from now on; null if nobody waits, and
     * then the slot is free. After a shrink the slot may end instead.
     */
    @Nullable
    Waiter<?> pass() {
        for (long seen = state; (seen & WAITING_MASK) == 0; seen = state) {
            if (cas(seen, seen - ACTIVE)) {
                return null;
            }
        }
        Thread admitted;
        Waiter<?> first;
        lock();
        try {
            long seen = state;
            while (line.isEmpty() || active(seen) > limit) {
                if (cas(seen, seen - ACTIVE)) {
                    return null;
                }
                seen = state;
            }
            first = grantFirst();
            admitted = placeFreed(seen);
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(admitted);
        return first;
    }

    /** The first in line, taken out and granted. Holding the lock. */
    private Waiter<?> grantFirst() {
        Waiter<?> first = line.removeFirst();
        first.moveTo(Waiter.GRANTED);
        return first;
    }

    /**
     * A waiter just left the line: the first at the door moves up into its place, or the place is free. Returns whom to
     * wake. Holding the lock, with at least one place taken.
     */
    @Nullable
    private Thread placeFreed(long next) {
        if (door.isEmpty()) {
            STATE.setRelease(this, next - 1);
            return null;
        }
        Waiter<?> up = door.removeFirst();
        // Read before the status, after which the task may run at any time, and have another thread.
        Thread waits = up.thread;
        line.append(up);
        up.moveTo(Waiter.LINE);
        STATE.setRelease(this, next);
        return up instanceof Task ? waits : null;
    }

    /**
     * Asks for a slot and, if there is none, for a place in the line.
     *
     * @param mayWait whether it may wait at the door; matters under BLOCK only
     */
    Entry enter(Waiter<?> waiter, boolean mayWait) {
        Waiter<?> oldest;
        lock();
        try {
            ENTERED.setRelease(this, (long) ENTERED.get(this) + 1);
            for (; ; ) {
                long seen = state;
                if (seen < 0) {
                    return Entry.CLOSED;
                }
                if (line.isEmpty() && active(seen) < limit) {
                    if (cas(seen, seen + ACTIVE)) {
                        waiter.moveTo(Waiter.GRANTED);
                        return Entry.GRANTED;
                    }
                } else if (waiting(seen) < capacity) {
                    if (cas(seen, seen + 1)) {
                        line.append(waiter);
                        waiter.moveTo(Waiter.LINE);
                        return Entry.QUEUED;
                    }
                } else if (whenFull == FullPolicy.DROP_OLDEST) {
                    oldest = line.removeFirst();
                    line.append(waiter);
                    waiter.moveTo(Waiter.LINE);
                    break;
                } else if (whenFull == FullPolicy.BLOCK && mayWait) {
                    door.append(waiter);
                    waiter.moveTo(Waiter.DOOR);
                    return Entry.AT_DOOR;
                } else {
                    return whenFull == FullPolicy.DROP_NEWEST ? Entry.DROPPED : Entry.FULL;
                }
            }
            oldest.moveTo(Waiter.REFUSED);
        } finally {
            lock.unlock();
        }
        evicted.accept(oldest);
        return Entry.QUEUED;
    }

    /** Leaves the door or the line; false if it is in neither any more. O(1). */
    boolean withdraw(Waiter<?> waiter) {
        Thread admitted = null;
        lock();
        try {
            switch (waiter.status()) {
                case Waiter.DOOR -> door.remove(waiter);
                case Waiter.LINE -> {
                    line.remove(waiter);
                    admitted = placeFreed(state);
                }
                default -> {
                    return false;
                }
            }
            waiter.moveTo(Waiter.CANCELLED);
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(admitted);
        return true;
    }

    /** From now on there are so many slots; returns those who were granted one by it. */
    List<Waiter<?>> resize(int slots) {
        List<Waiter<?>> granted = new ArrayList<>();
        List<Thread> admitted = new ArrayList<>();
        lock();
        try {
            limit = Math.min(slots, MAX_ACTIVE);
            for (long seen = state; !cas(seen, changed(seen)); ) {
                seen = state;
            }
            for (long seen = state; !line.isEmpty() && active(seen) < limit; seen = state) {
                granted.add(grantFirst());
                Thread moved = placeFreed(seen + ACTIVE);
                if (moved != null) {
                    admitted.add(moved);
                }
            }
        } finally {
            lock.unlock();
        }
        admitted.forEach(LockSupport::unpark);
        return granted;
    }

    private static long changed(long state) {
        return (state & ~RESIZED_MASK) | ((state + RESIZED) & RESIZED_MASK);
    }

    /** Nobody comes in any more; those at the door never came in, and are woken to hear it. */
    void close() {
        List<Thread> turnedAway = new ArrayList<>();
        lock();
        try {
            STATE.getAndBitwiseOr(this, CLOSED);
            while (!door.isEmpty()) {
                Waiter<?> at = door.removeFirst();
                if (at.thread != null) {
                    turnedAway.add(at.thread);
                }
                at.moveTo(Waiter.TURNED_AWAY);
            }
        } finally {
            lock.unlock();
        }
        turnedAway.forEach(LockSupport::unpark);
    }

    /** Empties the line of a closed pool. Their places stay taken until {@link #drained}, so the pool is not idle yet. */
    List<Waiter<?>> drain() {
        List<Waiter<?>> waited = new ArrayList<>();
        lock();
        try {
            while (!line.isEmpty()) {
                Waiter<?> at = line.removeFirst();
                at.moveTo(Waiter.REFUSED);
                waited.add(at);
            }
        } finally {
            lock.unlock();
        }
        return waited;
    }

    /** Those who were drained have been told. */
    void drained(int waiters) {
        STATE.getAndAdd(this, (long) -waiters);
    }

    /** The waiter that has waited longest; it may have left by now. Never blocks. */
    @Nullable
    Waiter<?> oldest() {
        return line.first();
    }
}
