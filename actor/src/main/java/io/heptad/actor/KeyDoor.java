package io.heptad.actor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What senders meet of the owner of a key: its mail, and whether it is there at all. {@link KeyOwner} is the other half. */
abstract sealed class KeyDoor<K, S, M> permits KeyOwner {
    /** See {@link KeyOwner}. */
    enum Phase {
        IDLE,
        ACTIVE,
        GONE
    }

    final KeyOwners<K, S, M> all;
    final K key;
    final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    final Mail<M> mail;
    Phase phase = Phase.IDLE;

    KeyDoor(KeyOwners<K, S, M> all, K key) {
        this.all = all;
        this.key = key;
        this.mail = new Mail<>(all.terms.capacity(), all.bound);
    }

    /** Whether it has a state; under the lock. */
    abstract boolean hasLife();

    /** It rests no more; under the lock. */
    abstract void works();

    /** It waits for a place among the live. */
    abstract boolean isInLine();

    /** The caller is responsible for it now, and gets it going; without the lock. */
    abstract void start();

    /** Something that kept it from resting is over. */
    abstract void rest();

    // Mail comes

    /** What came of an item. */
    enum Outcome {
        IN,
        STANDS,
        KEY_FULL,
        ALL_FULL,
        CLOSED,
        /** Its sender gave up. */
        LATE,
        /** The owner has gone, and another must take its place in the table. */
        GONE
    }

    Outcome post(Item<M> item, Mail.Patience patience) {
        boolean wakes;
        boolean unused;
        Outcome outcome;
        lock.lock();
        try {
            if (phase == Phase.GONE) {
                return Outcome.GONE;
            }
            outcome = all.isClosed()
                    ? Outcome.CLOSED
                    : switch (mail.enter(
                            item, isInLine() && patience == Mail.Patience.DOOR ? Mail.Patience.NONE : patience)) {
                        case IN -> Outcome.IN;
                        case STANDS -> Outcome.STANDS;
                        case KEY_FULL -> Outcome.KEY_FULL;
                        case ALL_FULL -> Outcome.ALL_FULL;
                    };
            wakes = outcome == Outcome.IN && wakes();
            unused = goesUnused();
        } finally {
            lock.unlock();
        }
        settle(wakes, unused);
        return outcome;
    }

    /** What {@link #replace} came to: whether the item is inside, and the one that is not any more. */
    record Replaced<M>(Outcome outcome, @Nullable Item<M> oldest) {}

    /** Puts an item in, in the place of the oldest of its key; if there is none, nothing has changed. */
    Replaced<M> replace(Item<M> item) {
        boolean wakes;
        Item<M> oldest;
        lock.lock();
        try {
            if (phase == Phase.GONE) {
                return new Replaced<>(Outcome.GONE, null);
            }
            if (all.isClosed()) {
                return new Replaced<>(Outcome.CLOSED, null);
            }
            oldest = mail.replaceOldest(item);
            if (oldest == null) {
                return new Replaced<>(Outcome.ALL_FULL, null);
            }
            wakes = wakes();
        } finally {
            lock.unlock();
        }
        settle(wakes, false);
        return new Replaced<>(Outcome.IN, oldest);
    }

    /** Takes the oldest out, to make room for another key; the caller has its place under the bound. */
    @Nullable
    Item<M> giveUpOldest() {
        lock.lock();
        try {
            return mail.take();
        } finally {
            lock.unlock();
        }
    }

    /** Puts an item in that has a place under the bound already. Other than IN: it has it still. */
    Outcome postWithPlace(Item<M> item) {
        boolean wakes;
        boolean unused;
        Outcome outcome;
        lock.lock();
        try {
            if (phase == Phase.GONE) {
                return Outcome.GONE;
            }
            outcome = all.isClosed() ? Outcome.CLOSED : mail.enterWithPlace(item) ? Outcome.IN : Outcome.KEY_FULL;
            wakes = outcome == Outcome.IN && wakes();
            unused = goesUnused();
        } finally {
            lock.unlock();
        }
        settle(wakes, unused);
        return outcome;
    }

    /** Under the lock. True: the caller is responsible now, and has to start it. */
    final boolean wakes() {
        if (phase != Phase.IDLE) {
            return false;
        }
        phase = Phase.ACTIVE;
        works();
        return true;
    }

    /** Under the lock. True: it has no state and no mail, and is gone. */
    final boolean goesUnused() {
        if (phase == Phase.IDLE && !hasLife() && mail.isEmpty()) {
            phase = Phase.GONE;
            return true;
        }
        return false;
    }

    final void settle(boolean wakes, boolean unused) {
        if (unused) {
            all.remove(this);
        }
        if (wakes) {
            start();
        }
    }

    /** A sender whose item stands waits no longer. False: its fate was decided before. */
    boolean leave(Item<M> item, Sender sender) {
        List<Thread> woken = new ArrayList<>(1);
        boolean left;
        boolean unused;
        lock.lock();
        try {
            left = mail.leave(item, sender, Sender.State.LEFT);
            mail.admit(woken);
            unused = goesUnused();
        } finally {
            lock.unlock();
        }
        woken.forEach(LockSupport::unpark);
        settle(false, unused);
        return left;
    }

    /** A sender was let in while it waited. Whoever did that need not have got the owner going. */
    void letIn() {
        boolean wakes;
        lock.lock();
        try {
            wakes = mail.hasNext() && wakes();
        } finally {
            lock.unlock();
        }
        settle(wakes, false);
    }

    /** The ask of an item has ended. If it is still in line it leaves, and whoever waits has its place. */
    void lapsed(Item<M> item) {
        List<Thread> woken = new ArrayList<>(1);
        lock.lock();
        try {
            if (!mail.remove(item)) {
                return;
            }
            mail.admit(woken);
        } finally {
            lock.unlock();
        }
        all.expired.increment();
        all.bound.release();
        woken.forEach(LockSupport::unpark);
        rest(); // it may have been all that there was
    }

    // Mail goes

    /** Takes out what waits, oldest first; the places are the caller's to give back. */
    final List<Item<M>> empty() {
        List<Item<M>> items = new ArrayList<>();
        List<Thread> woken = new ArrayList<>();
        lock.lock();
        try {
            for (Item<M> item; (item = mail.take()) != null; ) {
                items.add(item);
            }
            mail.admit(woken);
        } finally {
            lock.unlock();
        }
        woken.forEach(LockSupport::unpark);
        return items;
    }

    /** It stands in line. Whoever is inside a handler must not wait for it: it may be that one's place that it needs. */
    final void refuseInsiders() {
        List<Thread> woken = new ArrayList<>();
        lock.lock();
        try {
            if (isInLine()) {
                mail.refuseInsiders(woken);
            }
        } finally {
            lock.unlock();
        }
        woken.forEach(LockSupport::unpark);
    }

    // Figures

    int queued() {
        return mail.queued();
    }

    int waitingSenders() {
        lock.lock();
        try {
            return mail.atDoor();
        } finally {
            lock.unlock();
        }
    }

    /** Since when the oldest has waited; the other one if nothing waits. */
    long oldestSince(long otherwise) {
        lock.lock();
        try {
            return mail.oldestSince(otherwise);
        } finally {
            lock.unlock();
        }
    }

    int position(Item<?> item) {
        lock.lock();
        try {
            return mail.position(item);
        } finally {
            lock.unlock();
        }
    }
}
