package io.heptad.pool;

import io.heptad.core.FullPolicy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
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
     * line: waiters with a place, oldest first; while it is not empty every slot is held. door: producers and callers that
     * found no place and may wait (under BLOCK, and the patient always); nobody is there while a place is free. aside: waiters with a place that may not
     * be granted a slot yet, because the share of their key is used up (KeyShare). All are guarded by the lock. Whoever
     * is eligible at the door is granted a slot when the line is empty, place or not: eligibleAtDoor saves the search.
     *
     * limit is read after the word and written before the word's change count moves, so a CAS that succeeds was
     * checked against the limit of its moment (up to four resizes within one CAS loop).
     *
     * Rejected: a Semaphore (a released permit is fought for, its queue has no bound, cancelled tasks cannot leave it);
     * a lock-free line (leaving from the middle and dropping the oldest in O(1) are what it makes hard; the lock is held
     * for some ten instructions); spinning for the lock before parking (with 64 tries an empty task cost several times as
     * much on two cores, with 4 about twice: submitter and workers seem to fight for every single task, whereas one that
     * parks leaves the others a long run without a rival); joining the line without the
     * lock (tried, with a tail that is exchanged: no faster, as all still meet at the word, and far less steady).
     */
    static final int MAX_ACTIVE = (1 << 30) - 1;

    private static final long CLOSED = Long.MIN_VALUE;
    private static final long RESIZED = 1L << 61;
    private static final long RESIZED_MASK = 3L << 61;
    private static final long ACTIVE = 1L << 31;
    private static final long WAITING_MASK = ACTIVE - 1;

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
    private final ReentrantLock lock = new ReentrantLock();
    private final Line line = new Line();
    private final Line door = new Line();
    private final Line aside = new Line();
    private int eligibleAtDoor;

    /** Whom the operation that holds the lock has let in from the door; it wakes them when it has let the lock go. */
    @Nullable
    private Thread admitted;

    /** How many without a key have asked to enter, whatever became of them. Written under the lock. */
    private volatile long entered;

    private volatile long state;
    private volatile int limit;

    Slots(int slots, int capacity, FullPolicy whenFull) {
        this.limit = Math.min(slots, MAX_ACTIVE);
        this.capacity = capacity;
        this.whenFull = whenFull;
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
        Thread wake;
        Waiter<?> first;
        lock.lock();
        try {
            long seen = state;
            while (active(seen) > limit || (line.isEmpty() && eligibleAtDoor == 0)) {
                if (cas(seen, seen - ACTIVE)) {
                    return null;
                }
                seen = state;
            }
            first = grantFirst(seen);
            wake = takeAdmitted();
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(wake);
        return first;
    }

    /** Gives the slot that {@code next} counts as active to the first who may have it. Holding the lock. */
    private Waiter<?> grantFirst(long next) {
        if (!line.isEmpty()) {
            Waiter<?> first = line.removeFirst();
            grant(first);
            placeFreed(next);
            return first;
        }
        Waiter<?> first = door.first();
        while (first != null && !isEligible(first)) {
            first = first.next;
        }
        if (first == null) {
            throw new AssertionError("nobody to grant to");
        }
        removeFromDoor(first);
        wakeLater(first);
        STATE.setRelease(this, next);
        grant(first);
        return first;
    }

    private static void grant(Waiter<?> waiter) {
        Claim claim = waiter.claim();
        if (claim != null) {
            claim.grant();
        }
        if (waiter instanceof Task) {
            waiter.thread = null; // its submitter's, who has nothing to do with it any more; its runner's comes later
        }
        waiter.moveTo(Waiter.GRANTED);
    }

    private static boolean isEligible(Waiter<?> waiter) {
        Claim claim = waiter.claim();
        return claim == null || claim.eligible;
    }

    private void removeFromDoor(Waiter<?> waiter) {
        door.remove(waiter);
        if (isEligible(waiter)) {
            eligibleAtDoor--;
        }
    }

    /** To be called before the status moves: after that a task may run at any time, and have another thread. */
    private void wakeLater(Waiter<?> waiter) {
        if (waiter instanceof Task) {
            admitted = waiter.thread;
        }
    }

    private @Nullable Thread takeAdmitted() {
        Thread taken = admitted;
        admitted = null;
        return taken;
    }

    /**
     * A waiter just left the line: the first at the door moves up into its place, or the place is free. Holding the lock,
     * with at least one place taken.
     */
    private void placeFreed(long next) {
        if (door.isEmpty()) {
            STATE.setRelease(this, next - 1);
            return;
        }
        Waiter<?> up = door.removeFirst();
        wakeLater(up);
        if (isEligible(up)) {
            eligibleAtDoor--;
            line.append(up);
            up.moveTo(Waiter.LINE);
        } else {
            aside.append(up);
            up.moveTo(Waiter.ASIDE);
        }
        STATE.setRelease(this, next);
    }

    /**
     * Asks for a slot and, if there is none, for a place in the line.
     *
     * @param mayWait whether it may wait at the door; matters under BLOCK only
     * @param evicted gets whoever had to make room; the caller tells them, without a lock
     */
    Entry enter(Waiter<?> waiter, boolean mayWait, List<Waiter<?>> evicted) {
        lock.lock();
        try {
            if (waiter.claim() == null && !(waiter instanceof Caller caller && caller.again)) {
                ENTERED.setRelease(this, (long) ENTERED.get(this) + 1);
            }
            return takeFree(waiter) ? Entry.GRANTED : takePlace(waiter, line, Waiter.LINE, mayWait, evicted);
        } finally {
            lock.unlock();
        }
    }

    /** A slot, if one is free and nobody is before it. */
    boolean tryEnter(Waiter<?> waiter) {
        lock.lock();
        try {
            return takeFree(waiter);
        } finally {
            lock.unlock();
        }
    }

    private boolean takeFree(Waiter<?> waiter) {
        for (long seen = state; seen >= 0 && line.isEmpty() && active(seen) < limit; seen = state) {
            if (cas(seen, seen + ACTIVE)) {
                grant(waiter);
                return true;
            }
        }
        return false;
    }

    /** Asks for a place in line, but not for a slot: the share of its key is used up. See {@link #enter}. */
    Entry enterAside(Waiter<?> waiter, boolean mayWait, List<Waiter<?>> evicted) {
        lock.lock();
        try {
            return takePlace(waiter, aside, Waiter.ASIDE, mayWait, evicted);
        } finally {
            lock.unlock();
        }
    }

    private Entry takePlace(Waiter<?> waiter, Line where, int status, boolean mayWait, List<Waiter<?>> evicted) {
        for (; ; ) {
            long seen = state;
            if (seen < 0) {
                return Entry.CLOSED;
            }
            if (waiting(seen) < capacity) {
                if (where == line && line.isEmpty() && active(seen) < limit) {
                    // A slot came free since: only the fast path can have done that, so only while nobody waited.
                    if (takeFree(waiter)) {
                        return Entry.GRANTED;
                    }
                } else if (addWaiting(seen)) {
                    where.append(waiter);
                    waiter.moveTo(status);
                    return Entry.QUEUED;
                }
                continue;
            }
            return whenFull(waiter, where, status, mayWait, evicted);
        }
    }

    /** With a waiter already there the holder of the lock is the only writer; the first one has to win against givers. */
    private boolean addWaiting(long seen) {
        if ((seen & WAITING_MASK) == 0) {
            return cas(seen, seen + 1);
        }
        STATE.setRelease(this, seen + 1);
        return true;
    }

    private Entry whenFull(Waiter<?> waiter, Line where, int status, boolean mayWait, List<Waiter<?>> evicted) {
        return switch (waiter instanceof Caller caller && caller.patient ? FullPolicy.BLOCK : whenFull) {
            case BLOCK -> {
                if (!mayWait) {
                    yield Entry.FULL;
                }
                door.append(waiter);
                if (isEligible(waiter)) {
                    eligibleAtDoor++;
                }
                waiter.moveTo(Waiter.DOOR);
                yield Entry.AT_DOOR;
            }
            case REJECT -> Entry.FULL;
            case DROP_NEWEST -> Entry.DROPPED;
            case DROP_OLDEST -> {
                Waiter<?> oldest = oldest();
                if (oldest == null) {
                    throw new AssertionError("a full line without a waiter");
                }
                (oldest.status() == Waiter.LINE ? line : aside).remove(oldest);
                oldest.moveTo(Waiter.REFUSED);
                evicted.add(oldest);
                where.append(waiter);
                waiter.moveTo(status);
                yield Entry.QUEUED;
            }
        };
    }

    /**
     * Its key has a share for it: from aside it moves on to a slot or the line.
     *
     * @return {@code GRANTED}: the caller gets it going. {@code QUEUED}: it waits for a slot. Null if it has left. The
     *     status says the same for as long as the lock is held only: a slot that ends may grant it, and a granted one
     *     may be cancelled, before the caller has looked
     */
    @Nullable
    Entry promote(Waiter<?> waiter, Claim claim) {
        Thread wake;
        boolean granted;
        lock.lock();
        try {
            int status = waiter.status();
            if (status != Waiter.ASIDE && status != Waiter.DOOR) {
                return null;
            }
            claim.eligible = true;
            if (status == Waiter.DOOR) {
                eligibleAtDoor++;
            }
            long seen = state; // somebody waits, so nobody else writes it
            granted = line.isEmpty() && active(seen) < limit;
            if (status == Waiter.DOOR) {
                if (granted) {
                    removeFromDoor(waiter);
                    wakeLater(waiter);
                    STATE.setRelease(this, seen + ACTIVE);
                    grant(waiter);
                }
            } else {
                aside.remove(waiter);
                if (granted) {
                    grant(waiter);
                    placeFreed(seen + ACTIVE);
                } else {
                    line.append(waiter);
                    waiter.moveTo(Waiter.LINE);
                }
            }
            wake = takeAdmitted();
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(wake);
        return granted ? Entry.GRANTED : Entry.QUEUED;
    }

    /** Takes a waiter out of the line to make room for another of its key; the caller tells it. False if it has left. */
    boolean evict(Waiter<?> waiter) {
        return remove(waiter, Waiter.REFUSED);
    }

    /** Leaves the door or the line; false if it is in neither any more. O(1). */
    boolean withdraw(Waiter<?> waiter) {
        return remove(waiter, Waiter.CANCELLED);
    }

    private boolean remove(Waiter<?> waiter, int to) {
        Thread wake;
        lock.lock();
        try {
            switch (waiter.status()) {
                case Waiter.DOOR -> removeFromDoor(waiter);
                case Waiter.LINE -> {
                    line.remove(waiter);
                    placeFreed(state);
                }
                case Waiter.ASIDE -> {
                    aside.remove(waiter);
                    placeFreed(state);
                }
                default -> {
                    return false;
                }
            }
            waiter.moveTo(to);
            wake = takeAdmitted();
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(wake);
        return true;
    }

    /** From now on there are so many slots; returns those who were granted one by it. */
    List<Waiter<?>> resize(int slots) {
        List<Waiter<?>> granted = new ArrayList<>();
        List<Thread> wake = new ArrayList<>();
        lock.lock();
        try {
            limit = Math.min(slots, MAX_ACTIVE);
            for (long seen = state; !cas(seen, changed(seen)); ) {
                seen = state;
            }
            long seen = state;
            while (active(seen) < limit && (!line.isEmpty() || eligibleAtDoor > 0)) {
                granted.add(grantFirst(seen + ACTIVE));
                Thread moved = takeAdmitted();
                if (moved != null) {
                    wake.add(moved);
                }
                seen = state;
            }
        } finally {
            lock.unlock();
        }
        wake.forEach(LockSupport::unpark);
        return granted;
    }

    private static long changed(long state) {
        return (state & ~RESIZED_MASK) | ((state + RESIZED) & RESIZED_MASK);
    }

    /** Nobody comes in any more; those at the door never came in, and are woken to hear it. */
    void close() {
        List<Thread> turnedAway = new ArrayList<>();
        lock.lock();
        try {
            STATE.getAndBitwiseOr(this, CLOSED);
            while (!door.isEmpty()) {
                Waiter<?> at = door.removeFirst();
                if (at.thread != null) {
                    turnedAway.add(at.thread);
                }
                at.moveTo(Waiter.TURNED_AWAY);
            }
            eligibleAtDoor = 0;
        } finally {
            lock.unlock();
        }
        turnedAway.forEach(LockSupport::unpark);
    }

    /** Empties the line of a closed pool. Their places stay taken until {@link #drained}, so the pool is not idle yet. */
    List<Waiter<?>> drain() {
        List<Waiter<?>> waited = new ArrayList<>();
        lock.lock();
        try {
            while (!line.isEmpty() || !aside.isEmpty()) {
                Waiter<?> at = (line.isEmpty() ? aside : line).removeFirst();
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
        Waiter<?> inLine = line.first();
        Waiter<?> beside = aside.first();
        if (inLine == null || beside == null) {
            return inLine == null ? beside : inLine;
        }
        return beside.since - inLine.since < 0 ? beside : inLine;
    }
}
