package io.heptad.pool;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

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
        private final int held;
        private final Waiter<?> awaited;

        private Entry(Thread thread, int held, Waiter<?> awaited) {
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
     * The thread, which holds so many slots, is about to wait.
     *
     * @throws IllegalStateException if then nobody could go on
     */
    Entry enter(String pool, Thread thread, int held, Waiter<?> awaited) {
        Entry entry = new Entry(thread, held, awaited);
        lock.lock();
        try {
            entries.add(entry);
            if (!isStarved()) {
                return entry;
            }
            entries.remove(entry);
        } finally {
            lock.unlock();
        }
        throw new IllegalStateException(
                pool + " would starve: all " + slots.limit()
                        + " slots are held by its own tasks that wait for " + pool
                        + ". A task must not wait for a task or a slot of its own pool: use another pool, or compose the futures");
    }

    private boolean isStarved() {
        int active = Slots.active(slots.state());
        if (active < slots.limit()) {
            return false;
        }
        int held = 0;
        Set<Thread> threads = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Entry entry : entries) {
            held += entry.held;
            threads.add(entry.thread);
        }
        return held >= active && entries.stream().allMatch(entry -> isStuck(entry.awaited, threads));
    }

    private static boolean isStuck(Waiter<?> awaited, Set<Thread> threads) {
        if (awaited.isDone()) {
            return false;
        }
        return switch (awaited.status()) {
            case Waiter.DOOR, Waiter.LINE -> true;
            case Waiter.GRANTED, Waiter.RUNNING -> {
                Thread runner = awaited.thread;
                yield awaited instanceof Task && runner != null && threads.contains(runner);
            }
            default -> false;
        };
    }
}
