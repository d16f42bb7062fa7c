package io.heptad.actor;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The one owner of a key: its mail, its {@link Life} while it has a state, and the one activation that may touch that. */
final class KeyOwner<K, S, M> extends KeyDoor<K, S, M> implements Runnable, Addressee<M> {
    /*
     *            wakes                nothing to do
     *   IDLE  ---------->  ACTIVE  ------------------>  IDLE     with its state, or with mail that waits for the bound
     *   (new)                |
     *                        +----------------------->  GONE     without state, without mail; the key is free
     *
     * ACTIVE: somebody is responsible, and nobody else is. Whoever moves IDLE to ACTIVE starts the owner: gets it a place
     * among the live ones (LiveOwners), or has it stand in line for one, and hands it to the executor. What runs there
     * is the only one that touches the life, until it says IDLE or GONE under the lock, having seen there that nothing is
     * left to do. So a message that comes in is either seen by that look, or finds IDLE and wakes.
     *
     * Passivation is a part of an activation: onPassivate runs while the phase is ACTIVE and the owner is in the table, so a
     * send of that time lies in this mail, and a load can only come after onPassivate has returned. GONE is said under the
     * lock, with the mail empty; a sender that finds it takes the owner out of the table itself and makes another. The
     * table is never touched under the lock, and user code never runs under it.
     *
     * Why not the Mailbox of an Actor: a letter here needs a place under two bounds, and who waits for the second must
     * keep its order under the first; "empty, so gone" is one step with the phase; and an ask that ends leaves at once, so
     * that it frees its place. One lock for each key does all that; keys do not share it.
     *
     * Rejected: offer and removal inside ConcurrentHashMap.compute. It runs equals of the user, and the CAS on the bound,
     * under the lock of a part of the table, where keys that have nothing to do with each other wait.
     */
    /** So many messages, then others that wait for a place among the live, or for a thread, have their turn. */
    static final int TURN = 64;

    // Guarded by the lock.
    /** It is to leave if it has nothing to do. */
    private boolean sentAway;

    /** An activation is on its way to {@link #run}. */
    private boolean scheduled;

    // Of LiveOwners. Resting begins under the lock of the owner and that of LiveOwners; it ends under the latter.
    volatile boolean resting;
    volatile long idleSince;
    boolean leaving;

    /** It waits for a place. */
    volatile boolean inLine;

    @Nullable
    KeyOwner<?, ?, ?> before;

    @Nullable
    KeyOwner<?, ?, ?> behind;

    // Of whoever is responsible; handed on by the lock, LiveOwners and the executor.
    private volatile boolean live;
    private volatile @Nullable Life<K, S, M> life;

    /** The thread that works for it. Written by that thread. */
    private volatile @Nullable Thread runner;

    KeyOwner(KeyOwners<K, S, M> all, K key) {
        super(all, key);
    }

    @Override
    boolean hasLife() {
        return life != null;
    }

    @Override
    void works() {
        if (resting) {
            all.live.works(this);
        }
    }

    @Override
    boolean isInLine() {
        return inLine;
    }

    // Called to leave

    /** Sends it away, unless it has something to do by now. */
    boolean leaveIfIdle() {
        lock.lock();
        try {
            if (phase != Phase.IDLE || resting || life == null) {
                return false;
            }
            phase = Phase.ACTIVE;
            sentAway = true;
        } finally {
            lock.unlock();
        }
        start();
        return true;
    }

    /** Something that kept it from resting is over: a timer, or its last message. */
    @Override
    void rest() {
        long now = all.now();
        boolean wakes = false;
        boolean unused;
        lock.lock();
        try {
            if (phase == Phase.IDLE && life != null && !life.isAwaited() && !resting) {
                idleSince = now;
                if (!all.live.rests(this)) {
                    phase = Phase.ACTIVE;
                    sentAway = true;
                    wakes = true;
                }
            }
            unused = goesUnused();
        } finally {
            lock.unlock();
        }
        settle(wakes, unused);
    }

    /** Something is to come that its handler has set: it does not rest. */
    void isAwaited() {
        lock.lock();
        try {
            works();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Everything is closed: who waits is sent away, and the owner too as soon as it has nothing to do.
     *
     * @param empties whether it is to have nothing to do
     * @return what was in its mail then, oldest first; the places are the caller's to give back
     */
    List<Item<M>> close(boolean empties) {
        List<Thread> woken = new ArrayList<>();
        List<Item<M>> items = new ArrayList<>();
        boolean wakes = false;
        boolean unused;
        lock.lock();
        try {
            mail.turnAway(woken);
            for (Item<M> item; empties && (item = mail.take()) != null; ) {
                items.add(item);
            }
            if (life != null && wakes()) {
                sentAway = true;
                wakes = true;
            }
            unused = goesUnused();
        } finally {
            lock.unlock();
        }
        woken.forEach(LockSupport::unpark);
        settle(wakes, unused);
        return items;
    }

    // At work

    /** Whoever has become responsible gets it going; without the lock. */
    @Override
    void start() {
        if (live || all.live.enter(this)) {
            admitted();
        } else {
            refuseInsiders();
        }
    }

    /** It has a place among the live. */
    void admitted() {
        live = true;
        execute(1);
    }

    private void execute(int attempt) {
        schedule(true);
        try {
            all.execute(this);
        } catch (Throwable refusal) {
            if (schedule(false)) { // else it took it after all
                all.refusals.increment();
                if (attempt == 1) {
                    Owner.report(refusal);
                }
                all.later(attempt, () -> {
                    if (attempt < KeyOwners.TRIES) {
                        execute(attempt + 1);
                    } else {
                        giveUp(refusal);
                    }
                });
            }
        }
    }

    /** An activation is on its way, or begins, or was refused. Whether one was on its way before. */
    private boolean schedule(boolean now) {
        lock.lock();
        try {
            boolean was = scheduled;
            scheduled = now;
            return was;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void run() {
        if (schedule(false)) { // an executor that runs it twice runs nothing twice
            activate(null);
        }
    }

    /** The executor will not run it: what waits fails, here, and what is to be stored is stored here. */
    private void giveUp(Throwable refusal) {
        activate(refusal);
    }

    private void activate(@Nullable Throwable refusal) {
        KeyOwner<?, ?, ?> outer = all.enter(this);
        Thread me = Thread.currentThread();
        runner = me;
        boolean interrupted = all.terms.executor() != null && Thread.interrupted();
        try {
            if (refusal == null) {
                interrupted |= work();
            } else {
                do {
                    all.undeliverable(this, empty(), refusal);
                } while (!ends());
            }
        } catch (Throwable broken) { // no memory, or no stack left of an executor that runs in the sender's thread
            Owner.report(broken);
            if (runner == me) { // else nobody is responsible any more, or somebody else
                runner = null;
                all.later(1, () -> execute(1));
            }
        } finally {
            all.exit(outer);
            if (interrupted) {
                me.interrupt(); // it was meant for the executor's thread, or for what it does next
            }
        }
    }

    /** Handles what there is. Whether the thread was interrupted from outside. */
    private boolean work() {
        boolean interrupted = false;
        for (int turn = 1; ; turn++) {
            Item<M> item = next();
            if (item == null) {
                if (ends()) {
                    return interrupted;
                }
                continue;
            }
            Life<K, S, M> now = Objects.requireNonNull(life); // next() has seen to it
            interrupted |= cleared(); // what a load or a hook has left
            now.handle(item);
            interrupted |= cleared();
            if (turn % TURN == 0 && !now.isOver() && givesWay()) {
                return interrupted;
            }
        }
    }

    /** No interrupt outlives what it came in. Whether there was one that is somebody else's. */
    private boolean cleared() {
        return Thread.interrupted() && all.terms.executor() != null;
    }

    /** Others have their turn. True: they have it in this thread's place, and this activation is over. */
    @SuppressWarnings("ThreadPriorityCheck") // a virtual thread is not preempted
    private boolean givesWay() {
        if (mayLeave() && all.live.shouldLeave(this)) {
            return passivates();
        }
        if (all.terms.executor() == null) {
            Thread.yield();
            return false;
        }
        runner = null;
        schedule(true);
        try {
            all.execute(this);
            return true;
        } catch (Throwable refusal) {
            if (!schedule(false)) {
                return true;
            }
            all.refusals.increment();
            runner = Thread.currentThread();
            return false;
        }
    }

    /** Whether it may leave with mail: not while one waits at its door for whom others may wait. */
    private boolean mayLeave() {
        lock.lock();
        try {
            return !mail.hasInsiders();
        } finally {
            lock.unlock();
        }
    }

    /** The next item to be handled, and a life to handle it; null if there is nothing, or this life is over. */
    private @Nullable Item<M> next() {
        List<Thread> woken = List.of();
        for (; ; ) {
            if (life != null && life.isOver()) {
                return null;
            }
            Item<M> item = null;
            boolean stays = false;
            lock.lock();
            try {
                if (!mail.hasNext()) {
                    return null;
                }
                if (life != null) {
                    item = Objects.requireNonNull(mail.take());
                    woken = admit();
                    stays = sentAway;
                    sentAway = false;
                }
            } finally {
                lock.unlock();
            }
            if (item == null) {
                load();
                continue;
            }
            all.bound.release();
            woken.forEach(LockSupport::unpark);
            if (stays) {
                all.live.stays(this);
            }
            return item;
        }
    }

    /** Under the lock. */
    private List<Thread> admit() {
        if (mail.nobodyWaits()) {
            return List.of();
        }
        List<Thread> woken = new ArrayList<>(1);
        mail.admit(woken);
        return woken;
    }

    /** Gets a state. If that fails, so does all that waits for it: the next message tries again. */
    private void load() {
        try {
            life = Life.load(this);
            all.loaded.increment();
        } catch (Throwable failure) {
            all.loadFailures.increment();
            ActorEvents.failed(name(), failure);
            Owner.report(failure);
            all.undeliverable(this, empty(), failure);
        }
    }

    /** Nothing is left to do, or this life is over. True: so is the activation. */
    private boolean ends() {
        Life<K, S, M> now = life;
        if (now == null) {
            return vacates();
        }
        if (now.isOver()) {
            all.undeliverable(this, empty(), null);
            return passivates();
        }
        idleSince = all.now();
        runner = null;
        lock.lock();
        try {
            if (mail.hasNext()) {
                runner = Thread.currentThread();
                return false;
            }
            if (!sentAway && !all.isClosed() && (now.isAwaited() || all.live.rests(this))) {
                phase = Phase.IDLE;
                return true;
            }
        } finally {
            lock.unlock();
        }
        runner = Thread.currentThread();
        return passivates();
    }

    /** Hands the state over and lets go of it. True: the activation is over. */
    private boolean passivates() {
        Objects.requireNonNull(life).end();
        life = null;
        return vacates();
    }

    /** Without a life: leaves, or, if there is mail and nobody else wants the place, stays for the next one. */
    private boolean vacates() {
        runner = null;
        Phase then;
        boolean stays;
        lock.lock();
        try {
            sentAway = false;
            then = mail.isEmpty() ? Phase.GONE : mail.hasNext() ? Phase.ACTIVE : Phase.IDLE;
            stays = then == Phase.ACTIVE && (!leaving || mail.hasInsiders());
            live = stays;
            phase = then;
        } finally {
            lock.unlock();
        }
        if (stays) {
            runner = Thread.currentThread();
            all.live.stays(this);
            return false;
        }
        KeyOwner<?, ?, ?> next = all.live.leave(this);
        if (then == Phase.GONE) {
            all.remove(this);
        }
        if (next != null) {
            next.admitted();
        }
        if (then == Phase.ACTIVE) {
            start();
        }
        return true;
    }

    // Messages of its own

    @Override
    public void deliver(M message) {
        all.sending.deliver(key, message);
    }

    @Override
    public void timerOver() {
        rest();
    }

    // Figures

    int timers() {
        Life<K, S, M> now = life;
        return now == null ? 0 : now.timers();
    }

    @Override
    public @Nullable Thread runner() {
        return runner;
    }

    @Override
    public String name() {
        return all.terms.name() + "[" + KeyOwners.text(key) + "]";
    }
}
