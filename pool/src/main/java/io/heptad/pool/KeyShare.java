package io.heptad.pool;

import io.heptad.core.FullPolicy;
import io.heptad.pool.Slots.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What one key may use of a pool, and who of it waits. */
abstract class KeyShare {
    /*
     * A task of a key needs a share of the key, then a slot of the pool, in that order: held counts the shares that are
     * taken, by tasks that run or stand eligible in the pool's line. So a slow key fills its own line and never the heads
     * of the pool's; a freed slot finds somebody who may use it at the head, without a search.
     *
     * queue: waits for a share, with a place in the pool's line counted for it (status ASIDE), or at the pool's door for
     * one (DOOR). door: outside this key's full line (KEY_DOOR). A share that comes free goes to the first in queue
     * under the lock, as slots do.
     *
     * Locks: this one first, then that of Slots; never two shares, never user code under either. The table is only
     * touched outside: an idle share marks itself gone, and whoever finds a gone one takes it out and makes another.
     */
    private final Slots slots;
    private final int slotsPerKey;
    private final int waitingPerKey;
    private final FullPolicy whenFull;
    private final ReentrantLock lock = new ReentrantLock();

    private final LinkedHashSet<Claim> queue = new LinkedHashSet<>();
    private final LinkedHashSet<Claim> door = new LinkedHashSet<>();

    /** Had to wait for a slot with a share in hand; may have been granted it since. Oldest first. */
    private final LinkedHashSet<Claim> inLine = new LinkedHashSet<>();

    private int held;

    /** Claims that have joined and not left. */
    private int members;

    private boolean gone;

    final AtomicInteger active = new AtomicInteger();
    final AtomicInteger running = new AtomicInteger();
    private long submitted;
    private final EnumMap<Claim.End, Long> ended = new EnumMap<>(Claim.End.class);

    KeyShare(Slots slots, int slotsPerKey, int waitingPerKey, FullPolicy whenFull) {
        this.slots = slots;
        this.slotsPerKey = slotsPerKey;
        this.waitingPerKey = waitingPerKey;
        this.whenFull = whenFull;
    }

    /** Counts itself in; false if this share is gone, and another is to be made. */
    boolean join() {
        lock.lock();
        try {
            if (gone) {
                return false;
            }
            submitted++;
            members++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Asks for a share and a slot, or a place in line; see {@link Slots#enter}. */
    Entry enter(Claim claim, Waiter<?> waiter, boolean mayWait, List<Waiter<?>> evicted) {
        lock.lock();
        try {
            claim.waiter = waiter;
            if (held < slotsPerKey && queue.isEmpty()) {
                return enterWithShare(claim, waiter, mayWait, evicted);
            }
            if (queue.size() < waitingPerKey) {
                return enqueue(claim, waiter, mayWait, evicted);
            }
            if (Slots.closed(slots.state())) {
                return Entry.CLOSED;
            }
            return switch (whenFull) {
                case BLOCK -> {
                    if (!mayWait) {
                        yield Entry.FULL;
                    }
                    door.add(claim);
                    claim.place = Claim.Place.DOOR;
                    waiter.moveTo(Waiter.KEY_DOOR);
                    yield Entry.AT_DOOR;
                }
                case REJECT -> Entry.FULL;
                case DROP_NEWEST -> Entry.DROPPED;
                case DROP_OLDEST -> {
                    Claim oldest = queue.removeFirst();
                    oldest.place = Claim.Place.NONE;
                    Waiter<?> out = oldest.waiter;
                    if (out != null && slots.evict(out)) {
                        evicted.add(out);
                    }
                    yield enqueue(claim, waiter, mayWait, evicted);
                }
            };
        } finally {
            lock.unlock();
        }
    }

    /** A share and a slot at once, or nothing. */
    boolean tryEnter(Claim claim, Waiter<?> waiter) {
        lock.lock();
        try {
            if (held >= slotsPerKey || !queue.isEmpty() || !slots.tryEnter(waiter)) {
                return false;
            }
            held++;
            claim.place = Claim.Place.SHARE;
            claim.eligible = true;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private Entry enterWithShare(Claim claim, Waiter<?> waiter, boolean mayWait, List<Waiter<?>> evicted) {
        held++;
        claim.place = Claim.Place.SHARE;
        claim.eligible = true; // nobody else sees it yet
        Entry entry = slots.enter(waiter, mayWait, evicted);
        if (entry == Entry.FULL || entry == Entry.DROPPED || entry == Entry.CLOSED) {
            held--;
            claim.place = Claim.Place.NONE;
        } else if (entry != Entry.GRANTED) {
            inLine.add(claim);
        }
        return entry;
    }

    private Entry enqueue(Claim claim, Waiter<?> waiter, boolean mayWait, List<Waiter<?>> evicted) {
        Entry entry = slots.enterAside(waiter, mayWait, evicted);
        if (entry == Entry.QUEUED || entry == Entry.AT_DOOR) {
            queue.add(claim);
            claim.place = Claim.Place.QUEUE;
        }
        return entry;
    }

    /** Gives up its wait, if it still waits. */
    boolean withdraw(Claim claim, Waiter<?> waiter) {
        lock.lock();
        try {
            if (claim.place != Claim.Place.DOOR) {
                return slots.withdraw(waiter);
            }
            door.remove(claim);
            claim.place = Claim.Place.NONE;
            waiter.moveTo(Waiter.CANCELLED);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** See {@link Claim#leave}. */
    List<Waiter<?>> leave(Claim claim) {
        List<Waiter<?>> granted = new ArrayList<>(1);
        boolean last;
        lock.lock();
        try {
            if (claim.left) {
                return granted;
            }
            claim.left = true;
            ended.merge(claim.end, 1L, Long::sum);
            members--;
            if (claim.granted) {
                active.decrementAndGet();
            }
            switch (claim.place) {
                case DOOR -> door.remove(claim);
                case QUEUE -> queue.remove(claim);
                case SHARE -> {
                    held--;
                    inLine.remove(claim);
                }
                case NONE -> {}
            }
            claim.place = Claim.Place.NONE;
            claim.waiter = null;
            promote(granted);
            admit(granted);
            last = members == 0;
            gone = last;
        } finally {
            lock.unlock();
        }
        if (last) {
            idle();
        }
        return granted;
    }

    /** Shares that are free go to the first in the queue. */
    private void promote(List<Waiter<?>> granted) {
        while (held < slotsPerKey && !queue.isEmpty()) {
            Claim first = queue.removeFirst();
            Waiter<?> waiter = first.waiter;
            Entry entry = waiter == null ? null : slots.promote(waiter, first);
            if (waiter == null || entry == null) {
                first.place = Claim.Place.NONE; // it is on its way out
                continue;
            }
            held++;
            first.place = Claim.Place.SHARE;
            promoted();
            if (entry == Entry.GRANTED) {
                granted.add(waiter);
            } else {
                inLine.add(first);
            }
        }
    }

    /** Somebody got a share. From here on its slot may come and go without this share's lock: a test does so. */
    void promoted() {}

    /** Places in the queue that are free go to the first at the door. */
    private void admit(List<Waiter<?>> granted) {
        while (!door.isEmpty() && queue.size() < waitingPerKey) {
            Claim first = door.removeFirst();
            first.place = Claim.Place.NONE;
            Waiter<?> waiter = first.waiter;
            if (waiter == null) {
                continue;
            }
            Thread waits = waiter.thread;
            Entry entry = held < slotsPerKey && queue.isEmpty()
                    ? enterWithShare(first, waiter, true, List.of())
                    : enqueue(first, waiter, true, List.of());
            switch (entry) {
                case GRANTED -> {
                    granted.add(waiter);
                    LockSupport.unpark(waits);
                }
                case QUEUED -> LockSupport.unpark(waits);
                case AT_DOOR -> {}
                default -> {
                    waiter.moveTo(Waiter.TURNED_AWAY);
                    LockSupport.unpark(waits);
                }
            }
        }
    }

    /** The pool is closed: nobody at the door comes in. */
    void turnAway() {
        lock.lock();
        try {
            while (!door.isEmpty()) {
                Claim first = door.removeFirst();
                first.place = Claim.Place.NONE;
                Waiter<?> waiter = first.waiter;
                if (waiter != null) {
                    Thread waits = waiter.thread;
                    waiter.moveTo(Waiter.TURNED_AWAY);
                    LockSupport.unpark(waits);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Nobody of the key runs or waits. Called without the lock. */
    abstract void idle();

    int slotsPerKey() {
        return slotsPerKey;
    }

    int waitingPerKey() {
        return waitingPerKey;
    }

    /** Those with a place that have no slot yet. */
    int waiting() {
        lock.lock();
        try {
            return waitingNow();
        } finally {
            lock.unlock();
        }
    }

    private int waitingNow() {
        return queue.size() + Math.max(0, held - active.get());
    }

    /** Whoever waits for a slot came before those that wait for a share. */
    private @Nullable Waiter<?> oldest() {
        for (Claim claim : inLine) {
            if (!claim.granted) {
                return claim.waiter;
            }
        }
        return queue.isEmpty() ? null : queue.getFirst().waiter;
    }

    PoolStats stats(String name, Function<@Nullable Waiter<?>, Duration> age) {
        Waiter<?> oldest;
        PoolStats stats;
        lock.lock();
        try {
            oldest = oldest();
            stats = new PoolStats(
                    name,
                    slotsPerKey,
                    Math.min(active.get(), slotsPerKey),
                    running.get(),
                    waitingNow(),
                    submitted,
                    ended.getOrDefault(Claim.End.COMPLETED, 0L),
                    ended.getOrDefault(Claim.End.FAILED, 0L),
                    ended.getOrDefault(Claim.End.CANCELLED, 0L),
                    ended.getOrDefault(Claim.End.REJECTED, 0L),
                    ended.getOrDefault(Claim.End.DROPPED, 0L),
                    Duration.ZERO);
        } finally {
            lock.unlock();
        }
        return stats.withOldestWait(age.apply(oldest)); // the ticker may be the user's: not under the lock
    }
}
