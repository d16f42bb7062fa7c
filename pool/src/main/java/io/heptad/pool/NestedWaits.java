package io.heptad.pool;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Threads that hold a slot of the pool and wait for the pool: when all slots are held by such, nobody can go on. */
final class NestedWaits {
    /*
     * A pool starves itself when every slot is held by a thread that waits for a task or a slot of the same pool, and
     * what it waits for is in line or is itself such a thread. Each wait from inside a slot is entered here before it
     * parks; the one that completes the picture is told, instead of parking for ever.
     *
     * No false accusation: the state is read first. A slot whose thread does not wait here, whose task has not begun or
     * has just ended, makes "active" larger than the sum of what the waiting threads hold; a slot given up after that
     * read shows as an awaited task that has ended (the status moves before the slot does); a slot granted after it
     * shows as an awaited waiter that is no longer in line.
     *
     * The same holds for the share of one key, when every share is held by a thread that waits for one of that key.
     *
     * Not seen: waits with a time limit (they end by themselves), waits for a dependent stage or for anything else that
     * is not a future of submit, and waits in a thread that a task started.
     */
    private final Slots slots;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Entry> entries = new ArrayList<>();

    NestedWaits(Slots slots) {
        this.slots = slots;
    }

    /** One wait; {@link #leave} ends it. */
    final class Entry {
        private final Thread thread;
        private final List<@Nullable Claim> held;
        private final Waiter<?> awaited;

        private Entry(Thread thread, List<@Nullable Claim> held, Waiter<?> awaited) {
            this.thread = thread;
            this.held = held;
            this.awaited = awaited;
        }

        void leave() {
            lock.lock();
            try {
                entries.remove(this);
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * The thread, which holds these slots, is about to wait.
     *
     * @throws IllegalStateException if then nobody could go on
     */
    Entry enter(String pool, Thread thread, List<@Nullable Claim> held, Waiter<?> awaited) {
        Entry entry = new Entry(thread, held, awaited);
        lock.lock();
        try {
            entries.add(entry);
            Set<Thread> threads = Collections.newSetFromMap(new IdentityHashMap<>());
            entries.forEach(each -> threads.add(each.thread));
            if (!isStarved(threads) && !isKeyStarved(awaited, threads)) {
                return entry;
            }
            entries.remove(entry);
        } finally {
            lock.unlock();
        }
        throw new IllegalStateException(
                pool + " would starve: all " + slots.limit()
                        + " slots, or those of one key, are held by its own tasks that wait for " + pool
                        + ". A task must not wait for a task or a slot of its own pool: use another pool, or compose the futures");
    }

    private boolean isStarved(Set<Thread> threads) {
        int active = Slots.active(slots.state());
        if (active < slots.limit()) {
            return false;
        }
        int held = 0;
        for (Entry entry : entries) {
            held += entry.held.size();
        }
        return held >= active && entries.stream().allMatch(entry -> isStuck(entry.awaited, threads));
    }

    private boolean isKeyStarved(Waiter<?> awaited, Set<Thread> threads) {
        Claim claim = awaited.claim();
        if (claim == null) {
            return false;
        }
        int held = 0;
        for (Entry entry : entries) {
            for (Claim of : entry.held) {
                if (of != null && of.share.equals(claim.share)) {
                    Claim next = entry.awaited.claim();
                    if (next == null || !next.share.equals(claim.share) || !isStuck(entry.awaited, threads)) {
                        return false;
                    }
                    held++;
                }
            }
        }
        return held >= claim.share.slotsPerKey();
    }

    private static boolean isStuck(Waiter<?> awaited, Set<Thread> threads) {
        if (awaited.isDone()) {
            return false;
        }
        return switch (awaited.status()) {
            case Waiter.KEY_DOOR, Waiter.DOOR, Waiter.ASIDE, Waiter.LINE -> true;
            case Waiter.GRANTED, Waiter.RUNNING -> {
                Thread runner = awaited.thread;
                yield awaited instanceof Task && runner != null && threads.contains(runner);
            }
            default -> false;
        };
    }
}
