package io.heptad.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The keys of a keyed lock whose hashes end alike: as far as anybody is inside of them, and no longer. */
final class Bin<K> {
    /*
     * word says who has what:
     *   null     nobody is inside of any key of this bin
     *   a key    one thread is inside of that key, and nobody waits: it leaves by CAS to null
     *   this     shared: several keys, or one that others wait for; they are in the table, all under the lock
     * null -> key and key -> null by CAS of whoever comes and goes. key -> this by CAS under the lock, by the second to
     * come, which makes a Held for the first and puts it into the table and into "first"; so the first, when it leaves,
     * fails its CAS, goes for the lock and finds that. this -> null by a store under the lock, when the last key has gone;
     * the table goes with it.
     *
     * So a key that nobody wants twice costs a CAS each way and no object, and no key leaves anything behind. The lock is
     * held for some ten instructions, never while a body runs and never while equals or hashCode do (Visit).
     *
     * owner is whoever came alone. It is written by that thread only, after it has come and before it leaves, and read by
     * the others as a hint; what has to be right is that a thread which is not it never finds itself there.
     *
     * A key changes hands under the lock: the owner that leaves makes the first in line the owner. A Held leaves the table
     * when its owner leaves and nobody is in line, so whoever is in line is in the line of a Held that has an owner.
     *
     * Rejected: a ConcurrentHashMap of locks. One that keeps idle keys grows for ever; one that counts users in compute()
     * pays two of its own locks a call.
     * Rejected: 64 locks, a key each by its hash. Keys that have nothing to do with each other wait for each other's
     * bodies, and deadlock where one body takes a second key.
     */
    private static final int SPINS = 128;
    private static final int SPINS_PER_TRY = 8;
    private static final int FIRST_BUCKETS = 4;

    /** The lower bits of the hash have chosen the bin. */
    private static final int BUCKET_SHIFT = 12;

    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(Bin.class, "word", Object.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** What a visit comes to. */
    enum Answer {
        /** It is inside, and nobody else is here. */
        ALONE,
        /** It is inside of its own Held. */
        INSIDE,
        /** It has a place in the line of a Held. */
        IN_LINE,
        /** Somebody else is inside, and it may not wait. */
        BUSY,
        /** It is inside already. */
        REENTRY
    }

    private volatile @Nullable Object word;
    private @Nullable Thread owner;

    private final ReentrantLock lock = new ReentrantLock();

    // All under the lock.
    private @Nullable Held<K> first;
    private @Nullable Held<K> @Nullable [] table;
    private int keys;
    private int waiting;

    /** The way in while nobody else is there. */
    boolean takes(K key) {
        if (word == null && WORD.compareAndSet(this, null, key)) {
            owner = Thread.currentThread();
            return true;
        }
        return false;
    }

    /** A body that ends in a moment is met without the lock. Not by a virtual thread: others need its carrier. */
    @SuppressWarnings("ReferenceEquality") // is it still the one that was looked at?
    boolean takesSpinning(K key, int hash) {
        if (Thread.currentThread().isVirtual()) {
            return false;
        }
        Object same = key;
        for (int i = 0; i < SPINS; i += SPINS_PER_TRY) {
            Object seen = word;
            if (seen == null) {
                if (takes(key)) {
                    return true;
                }
            } else if (seen != same) {
                if (seen == this || KeyedLock.hash(seen) != hash || owner == Thread.currentThread()) {
                    return false; // others wait, it is another key, or it would wait for itself
                }
                same = seen;
            }
            Spin.pause(SPINS_PER_TRY);
        }
        return false;
    }

    /** Tries to get inside, and stands in line if it may. */
    @SuppressWarnings("ReferenceEquality") // is it still the one whose hash was asked?
    Answer enter(Visit<K> visit, boolean mayWait) {
        for (; ; ) {
            Object alone = word;
            int aloneHash = alone == null || alone == this ? 0 : KeyedLock.hash(alone);
            Held<K> unsure;
            Spin.lock(lock);
            try {
                Object seen = word;
                if (seen == null) {
                    if (takes(visit.key)) {
                        return Answer.ALONE;
                    }
                    continue;
                }
                if (seen != this && (seen != alone || !share(seen, aloneHash))) {
                    continue;
                }
                unsure = unsure(visit);
                if (unsure == null) {
                    return enterShared(visit, mayWait);
                }
            } finally {
                lock.unlock();
            }
            visit.ask(unsure);
        }
    }

    private Answer enterShared(Visit<K> visit, boolean mayWait) {
        Held<K> held = find(visit);
        if (held == null) {
            held = new Held<>(visit.key, visit.hash, visit.thread);
            add(held);
            visit.held = held;
            return Answer.INSIDE;
        }
        if (owner(held) == visit.thread) {
            return Answer.REENTRY;
        }
        if (!mayWait) {
            return Answer.BUSY;
        }
        Place place = new Place(1);
        held.add(place);
        waiting++;
        visit.held = held;
        visit.place = place;
        return Answer.IN_LINE;
    }

    /** The owner leaves; the first in line, if there is one, is the owner now. Null: it came alone. */
    void leave(K key, @Nullable Held<K> held) {
        if (held == null) {
            owner = null;
            if (WORD.compareAndSet(this, key, null)) {
                return;
            }
        }
        leaveShared(held);
    }

    private void leaveShared(@Nullable Held<K> mine) {
        Place next;
        Spin.lock(lock);
        try {
            Held<K> held = mine;
            if (held == null) {
                held = Objects.requireNonNull(first); // whoever shared the bin has made it
                first = null;
            }
            next = held.firstWaiting();
            if (next == null) {
                remove(held);
            } else {
                held.remove(next);
                waiting--;
                held.owner = next.thread;
                next.end(Place.State.GRANTED);
            }
        } finally {
            lock.unlock();
        }
        if (next != null) {
            LockSupport.unpark(next.thread);
        }
    }

    /** It wants to wait no longer. GRANTED: too late, it is the owner. LEFT: it has left the line. */
    Place.State leaveLine(Held<K> held, Place place) {
        Spin.lock(lock);
        try {
            if (place.state() == Place.State.WAITING) {
                held.remove(place);
                waiting--;
                place.end(Place.State.LEFT);
            }
            return place.state();
        } finally {
            lock.unlock();
        }
    }

    // The table, all under the lock

    /** False: the one that was alone here has left meanwhile. */
    @SuppressWarnings("unchecked") // a word that is neither null nor this is a key
    private boolean share(Object alone, int hash) {
        Held<K> held = new Held<>((K) alone, hash, null); // before the bin is shared: memory may run out
        @Nullable Held<K>[] buckets = buckets(FIRST_BUCKETS);
        if (!WORD.compareAndSet(this, alone, this)) {
            return false;
        }
        first = held;
        table = buckets;
        put(buckets, held);
        keys = 1;
        return true;
    }

    private @Nullable Thread owner(Held<K> held) {
        return held.owner != null ? held.owner : owner;
    }

    private void add(Held<K> held) {
        @Nullable Held<K>[] buckets = Objects.requireNonNull(table);
        if (keys == buckets.length) {
            buckets = wider(buckets);
            table = buckets;
        }
        put(buckets, held);
        keys++;
    }

    private static <K> void put(@Nullable Held<K>[] buckets, Held<K> held) {
        int bucket = bucket(held.hash, buckets);
        held.next = buckets[bucket];
        buckets[bucket] = held;
    }

    private static <K> @Nullable Held<K>[] wider(@Nullable Held<K>[] buckets) {
        @Nullable Held<K>[] wider = buckets(buckets.length * 2);
        for (Held<K> held : buckets) {
            while (held != null) {
                Held<K> next = held.next;
                put(wider, held);
                held = next;
            }
        }
        return wider;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // there is no array of a generic type
    private static <K> @Nullable Held<K>[] buckets(int length) {
        return new Held[length];
    }

    private static int bucket(int hash, @Nullable Object[] buckets) {
        return hash >>> BUCKET_SHIFT & buckets.length - 1;
    }

    /** By identity: the key may have changed its hash, or may not be asked any more. */
    private void remove(Held<K> held) {
        @Nullable Held<K>[] buckets = Objects.requireNonNull(table);
        keys--;
        if (keys == 0) {
            table = null;
            WORD.setRelease(this, null);
            return;
        }
        int bucket = bucket(held.hash, buckets);
        Held<K> before = null;
        for (Held<K> each = buckets[bucket]; each != held; each = each.next) {
            if (each == null) {
                throw new AssertionError("a key that is not in its bucket");
            }
            before = each;
        }
        if (before == null) {
            buckets[bucket] = held.next;
        } else {
            before.next = held.next;
        }
    }

    private @Nullable Held<K> unsure(Visit<K> visit) {
        for (Held<K> each = firstIn(visit); each != null; each = each.next) {
            if (visit.isUnsure(each)) {
                return each;
            }
        }
        return null;
    }

    private @Nullable Held<K> find(Visit<K> visit) {
        for (Held<K> each = firstIn(visit); each != null; each = each.next) {
            if (visit.isMine(each)) {
                return each;
            }
        }
        return null;
    }

    private @Nullable Held<K> firstIn(Visit<K> visit) {
        @Nullable Held<K>[] buckets = table;
        return buckets == null ? null : buckets[bucket(visit.hash, buckets)];
    }

    // Figures

    /** Of a key that somebody is inside of; the holder may not be known yet, or no more. */
    record Inside(@Nullable Thread holder, int waiting) {}

    /** What there is to say of the key of the visit; null where nobody is inside of it. */
    @Nullable
    Inside read(Visit<K> visit) {
        for (; ; ) {
            Object seen = word;
            if (seen == null) {
                return null;
            }
            if (seen != this) {
                return visit.isEqual(seen) ? new Inside(owner, 0) : null;
            }
            Held<K> unsure;
            Spin.lock(lock);
            try {
                unsure = unsure(visit);
                if (unsure == null) {
                    Held<K> held = find(visit);
                    return held == null ? null : new Inside(owner(held), held.waiting());
                }
            } finally {
                lock.unlock();
            }
            visit.ask(unsure);
        }
    }

    /** How many keys somebody is inside of. */
    int keys() {
        Object seen = word;
        if (seen != this) {
            return seen == null ? 0 : 1;
        }
        Spin.lock(lock);
        try {
            return word == null ? 0 : Math.max(keys, 1);
        } finally {
            lock.unlock();
        }
    }

    /** How many threads wait for any of them. */
    int waiting() {
        if (word != this) {
            return 0;
        }
        Spin.lock(lock);
        try {
            return waiting;
        } finally {
            lock.unlock();
        }
    }

    /** For tests that step through a race: whoever holds it keeps the bin as it is. */
    ReentrantLock lockItself() {
        return lock;
    }
}
