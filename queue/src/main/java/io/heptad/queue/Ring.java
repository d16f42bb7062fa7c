package io.heptad.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The places of the queue, and the two words that say which of them are taken. The fast paths are here. */
@SuppressWarnings("unused") // the padding
abstract sealed class Ring<E> permits BoundedQueue {
    /*
     * A ring of stamped slots (after D. Vyukov's bounded MPMC queue), with the waiting flags inside the index words.
     *
     *   tail  = index << 2 | CLOSED | CONSUMER_WAITS    the next index to fill; producers claim it by CAS
     *   head  = index << 2 | EVICTING | PRODUCER_WAITS  the next index to empty; consumers claim it by CAS
     *   limit = an old value of head's index            spares producers a read of head, which consumers keep changing
     *   stamps[i & mask]                                whose turn the slot is; with lap = i & ~mask:
     *                                                   lap: free for index i; lap + 1: filled by index i;
     *                                                   lap + length: emptied, so free for index i + length
     *
     * tail - head is the depth, always in [0, capacity]. The slots are a power of two and at least the capacity, so any
     * capacity is exact; at least two, or "filled by i" and "free for i + 1" would be one stamp and a producer could
     * overwrite an item that its taker has claimed but not yet read. Stamps count laps so that a new ring is all zeros.
     *
     * The words lie 128 bytes apart (two cache lines: processors fetch lines in pairs) and as far from their neighbours.
     *
     * Who writes: the indices, whoever claims, by CAS. The flags and CLOSED, only who holds the lock of SlowPath. While
     * head has a flag, producers cannot claim (below), so the lock's holder is the only writer of tail and may store it.
     *
     * Why no waiter is missed: a waiter raises its flag in the word that the OTHER side must claim, by a CAS that still
     * proves full (or empty) at that instant. Whoever changes that claims the same word after it, and so reads the flag.
     * Hence the fast path needs no store-load fence and no second look.
     *
     * Why no producer overtakes: parked producers have head flagged. A producer never claims, and never refreshes
     * limit, from a flagged head; the limit known so far is at most the head that proved full. (Stamps alone do not
     * prove space: a taker may have freed a slot that belongs to the first in line.)
     *
     * Ordering. An item is stored plainly between the claim and the release-store of its stamp; the taker's acquire-load
     * of that stamp is the happens-before edge of put and take. The indices carry order for the full and empty proofs
     * only: a producer reads tail before head, so "tail - head >= capacity" held when head was read; a consumer reads
     * head before tail, so "tail == head" held when tail was read.
     *
     * Waiting for a stamp: its owner has claimed and is between two plain instructions; it never takes a lock there.
     * That is why a lock holder may wait for a stamp, and why a taker must release its stamp BEFORE it takes the lock.
     *
     * EVICTING: to drop the oldest and put the newest is one step for everyone. The evictor claims the head and raises
     * the flag in one CAS, then stores tail, then lowers the flag. Between these, depth reads "tailAfterEviction".
     *
     * This is a superclass of the queue and not a part of it, because each load on the way to a word counts: as a part it
     * made an uncontended put and take a quarter slower. (8.8 ns today; JCTools' MPMC ring, which has no flags, no exact
     * capacity and no waiting, takes 6.7 in the same run. Neither the look at the interrupt, nor the limit, nor the
     * sampled age accounts for the difference: each, taken out alone, gained nothing that could be measured.)
     *
     * Rejected: fetch-and-add claims (faster under contention, but the indices then run ahead and depth is no longer
     * exact; such channels refuse to report it); a lock round an array (simple, and several times slower under contention).
     */
    static final long ONE = 4;
    static final long CONSUMER_WAITS = 1;
    static final long CLOSED = 2;
    static final long PRODUCER_WAITS = 1;
    static final long EVICTING = 2;

    /** Answers of {@link #claim}, besides a claimed word: nothing is inside. */
    static final long EMPTY = -1;

    /** Nothing is inside, but producers are parked: their items come next, and it takes the lock to get at them. */
    static final long PARKED = -2;

    private static final long FLAGS = 3;
    private static final int SHIFT = 2;

    private static final int MAX_TRIES = 64;

    private static final VarHandle LONG = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle HEAD = word("head");
    private static final VarHandle TAIL = word("tail");
    private static final VarHandle LIMIT = word("limit");

    private static VarHandle word(String name) {
        try {
            return MethodHandles.lookup().findVarHandle(Ring.class, name, long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** What became of an item that was to be put. */
    enum Answer {
        /** It is inside, or with a consumer. */
        ACCEPTED,
        /** There was no room. */
        FULL,
        /** The queue is closed. */
        CLOSED,
        /** Somebody waits, so only the holder of the lock can say. */
        FLAGGED
    }

    private long p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p0a, p0b, p0c, p0d, p0e, p0f;
    private volatile long head;
    private long p10, p11, p12, p13, p14, p15, p16, p17, p18, p19, p1a, p1b, p1c, p1d, p1e, p1f;
    private volatile long tail;
    private long p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p2a, p2b, p2c, p2d, p2e, p2f;
    private volatile long limit;
    private long p30, p31, p32, p33, p34, p35, p36, p37, p38, p39, p3a, p3b, p3c, p3d, p3e, p3f;

    private final long[] stamps;
    private final @Nullable Object[] items;
    private final int mask;
    final int capacity;
    private final Ages ages;
    private final long sampling;

    /** Written by the evictor before it raises EVICTING, read by those who see the flag. */
    private volatile long tailAfterEviction;

    Ring(int capacity, Ages ages) {
        int slots = slots(capacity);
        this.stamps = new long[slots];
        this.items = new @Nullable Object[slots];
        this.mask = slots - 1;
        this.capacity = capacity;
        this.ages = ages;
        this.sampling = ages.sampling();
    }

    /** The slots that a ring of this capacity has: a power of two, at least two. */
    static int slots(int capacity) {
        return Math.max(2, Integer.highestOneBit(capacity - 1) << 1);
    }

    // Producers

    /**
     * Puts the item if there is room and nobody waits.
     *
     * @param now the time that its age counts from, or {@link Ages#ON_DEMAND}
     */
    Answer tryPut(E item, long now) {
        for (int tries = 0; ; ) {
            long tail = (long) TAIL.getAcquire(this);
            if ((tail & FLAGS) != 0) {
                return (tail & CLOSED) != 0 ? Answer.CLOSED : Answer.FLAGGED;
            }
            long index = tail >>> SHIFT;
            if (index - (long) LIMIT.getOpaque(this) >= capacity) {
                long head = (long) HEAD.getVolatile(this);
                if (index - (head >>> SHIFT) >= capacity) {
                    return Answer.FULL;
                }
                if ((head & FLAGS) != 0) {
                    return Answer.FLAGGED;
                }
                LIMIT.setOpaque(this, head >>> SHIFT);
            }
            int slot = (int) index & mask;
            long lap = index & ~mask;
            long stamp = (long) LONG.getAcquire(stamps, slot);
            if (stamp == lap) {
                if ((index & sampling) == 0) {
                    if (putTimed(tail, item, now)) {
                        return Answer.ACCEPTED;
                    }
                } else if (TAIL.compareAndSet(this, tail, tail + ONE)) {
                    items[slot] = item;
                    LONG.setRelease(stamps, slot, lap + 1);
                    return Answer.ACCEPTED;
                }
            } else if (stamp < lap) {
                tries = pause(tries);
            }
        }
    }

    private boolean putTimed(long tail, E item, long now) {
        long time = ages.at(now); // before the claim: the clock may be the user's code
        if (!TAIL.compareAndSet(this, tail, tail + ONE)) {
            return false;
        }
        fill(tail >>> SHIFT, item, time);
        return true;
    }

    private void fill(long index, E item, long time) {
        int slot = (int) index & mask;
        items[slot] = item;
        if ((index & sampling) == 0) {
            ages.set(index, ages.at(time));
        }
        LONG.setRelease(stamps, slot, (index & ~mask) + 1);
    }

    // Consumers: claim, then remove, then (if the claimed word says so) let parked producers in

    /** Claims the oldest item: the word of head as claimed, or {@link #EMPTY} or {@link #PARKED}. */
    long claim() {
        for (int tries = 0; ; ) {
            long head = (long) HEAD.getAcquire(this);
            long index = head >>> SHIFT;
            long lap = index & ~mask;
            long stamp = (long) LONG.getAcquire(stamps, (int) index & mask);
            if (stamp == lap + 1) {
                if (HEAD.compareAndSet(this, head, head + ONE)) {
                    return head;
                }
            } else if (stamp <= lap) {
                if ((long) TAIL.getVolatile(this) >>> SHIFT == index && (head & EVICTING) == 0) {
                    return (head & PRODUCER_WAITS) == 0 ? EMPTY : PARKED;
                }
                tries = pause(tries); // claimed, but not filled yet
            }
        }
    }

    /** The word of head, for {@link #filledFrom} and {@link #claim(long, int)}. */
    long head() {
        return (long) HEAD.getAcquire(this);
    }

    /** How many items, at most max, are ready to be claimed from this word of head on. */
    int filledFrom(long head, int max) {
        long index = head >>> SHIFT;
        int most = Math.min(max, capacity);
        for (int count = 0; count < most; count++, index++) {
            if ((long) LONG.getAcquire(stamps, (int) index & mask) != (index & ~mask) + 1) {
                return count;
            }
        }
        return most;
    }

    /** Claims so many items at once, unless head has moved since. */
    boolean claim(long head, int count) {
        return HEAD.compareAndSet(this, head, head + count * ONE);
    }

    /** Takes out the item of a claimed word, and gives its slot free. */
    @SuppressWarnings({"unchecked", "NullAway"}) // filled: that is what was claimed
    E remove(long claimed) {
        long index = claimed >>> SHIFT;
        int slot = (int) index & mask;
        E item = (E) items[slot];
        items[slot] = null;
        LONG.setRelease(stamps, slot, (index & ~mask) + mask + 1);
        return item;
    }

    /** The same for a place that was claimed before it was filled. */
    private E removeOnceFilled(long claimed) {
        for (int tries = 0; !isFilled(claimed >>> SHIFT); ) {
            tries = pause(tries);
        }
        return remove(claimed);
    }

    static boolean saysThatProducersWait(long claimed) {
        return (claimed & PRODUCER_WAITS) != 0;
    }

    // For everyone

    /**
     * The indices of head and tail at one instant: head stood still round the read of tail. If it will not stand still,
     * a head that it passed meanwhile, and never more than the capacity behind.
     */
    Span span() {
        for (int tries = 0; ; tries++) {
            long head = (long) HEAD.getVolatile(this);
            long tail = (head & EVICTING) == 0 ? (long) TAIL.getVolatile(this) >>> SHIFT : tailAfterEviction;
            long index = head >>> SHIFT;
            boolean still = (long) HEAD.getVolatile(this) == head;
            if (still || tries == MAX_TRIES) {
                return new Span(still ? index : Math.max(index, tail - capacity), tail);
            }
        }
    }

    /** The indices of the oldest item and of the next one. */
    record Span(long head, long tail) {
        int depth() {
            return (int) (tail - head);
        }
    }

    long headIndex() {
        return (long) HEAD.getVolatile(this) >>> SHIFT;
    }

    boolean shutAlready() {
        return ((long) TAIL.getVolatile(this) & CLOSED) != 0;
    }

    /** Closed, and nothing inside: for good, because a closed tail does not move. */
    boolean emptiedForGood() {
        long tail = (long) TAIL.getVolatile(this);
        return (tail & CLOSED) != 0 && headIndex() == tail >>> SHIFT;
    }

    /** For tests: whether anybody is said to wait, or to evict. */
    boolean isFlagged() {
        return ((long) TAIL.getVolatile(this) & CONSUMER_WAITS) != 0 || ((long) HEAD.getVolatile(this) & FLAGS) != 0;
    }

    /** For tests that are the only consumer: the oldest item, which stays inside. */
    @Nullable
    Object peek() {
        return items[(int) headIndex() & mask];
    }

    /** Whether the item of this index is inside and ready. */
    boolean isFilled(long index) {
        return (long) LONG.getAcquire(stamps, (int) index & mask) == (index & ~mask) + 1;
    }

    // For the holder of the lock

    /** Says that a producer waits, if that is still so: false once there is room. */
    boolean raiseProducerFlag() {
        long head = (long) HEAD.getVolatile(this);
        return (long) TAIL.getVolatile(this) - (head & ~FLAGS) >= capacity * ONE
                && HEAD.compareAndSet(this, head, head | PRODUCER_WAITS);
    }

    void lowerProducerFlag() {
        HEAD.getAndBitwiseAnd(this, ~PRODUCER_WAITS);
    }

    /** Says that a consumer waits, if that is still so: false once there is an item. */
    boolean raiseConsumerFlag() {
        long tail = (long) TAIL.getVolatile(this);
        return headIndex() == tail >>> SHIFT && TAIL.compareAndSet(this, tail, tail | CONSUMER_WAITS);
    }

    void lowerConsumerFlag() {
        TAIL.getAndBitwiseAnd(this, ~CONSUMER_WAITS);
    }

    /** While producers are parked: puts the item of the first of them, unless the ring is full. */
    boolean admit(E item, long now) {
        long tail = (long) TAIL.getVolatile(this);
        long index = tail >>> SHIFT;
        if (index - headIndex() >= capacity) {
            return false;
        }
        awaitEmptied(index);
        TAIL.setVolatile(this, tail + ONE);
        fill(index, item, now);
        return true;
    }

    /** Drops the oldest and puts this one in one step, if the ring is full and still has that oldest; else null. */
    @Nullable
    E replaceOldest(E item, long now) {
        long head = (long) HEAD.getVolatile(this);
        long tail = (long) TAIL.getVolatile(this);
        long index = tail >>> SHIFT;
        if (index - (head >>> SHIFT) < capacity) {
            return null;
        }
        tailAfterEviction = index + 1;
        if (!HEAD.compareAndSet(this, head, head + ONE | EVICTING)) {
            return null;
        }
        E oldest = removeOnceFilled(head);
        awaitEmptied(index);
        TAIL.setVolatile(this, tail + ONE);
        HEAD.getAndBitwiseAnd(this, ~EVICTING);
        fill(index, item, now);
        return oldest;
    }

    /** From now on nothing is accepted. */
    void shut() {
        TAIL.getAndBitwiseOr(this, CLOSED);
    }

    /** Claims all that is inside a closed ring. */
    Span claimAll() {
        for (; ; ) {
            long head = (long) HEAD.getVolatile(this);
            long tail = (long) TAIL.getVolatile(this) & ~FLAGS;
            if (HEAD.compareAndSet(this, head, tail)) {
                return new Span(head >>> SHIFT, tail >>> SHIFT);
            }
        }
    }

    /** Takes out what {@link #claimAll} has claimed, oldest first. */
    void removeAll(Span claimed, List<? super E> all) {
        for (long index = claimed.head(); index < claimed.tail(); index++) {
            all.add(removeOnceFilled(index << SHIFT));
        }
    }

    private void awaitEmptied(long index) {
        int slot = (int) index & mask;
        for (int tries = 0; (long) LONG.getAcquire(stamps, slot) != (index & ~mask); ) {
            tries = pause(tries);
        }
    }

    /** A short burst, then a yield: the owner of the stamp runs on another core, or wants this one. */
    @SuppressWarnings("ThreadPriorityCheck") // the wait is for a few instructions; parking would cost more
    private static int pause(int tries) {
        if (tries < MAX_TRIES) {
            for (int i = 0; i < 64; i++) {
                Thread.onSpinWait();
            }
        } else {
            Thread.yield();
        }
        return tries + 1;
    }
}
