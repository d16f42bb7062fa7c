package io.heptad.actor;

import io.heptad.core.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Which owners are live, that is have a state or are about to: so many, the idle ones in order, and who waits to be. */
final class LiveOwners {
    /*
     * Idle owners stand in a list linked through themselves, the one that has been idle for longest first. An owner joins
     * and leaves it in one step with its own phase, under its own lock and then this one, so the list is exact: no owner
     * is idle and not listed but one that is being sent away. Keys share this lock for a few instructions when they begin
     * and stop working, not for each message; it is never held while anything else is locked or called.
     *
     * leaving: owners on their way out because somebody stands in line; never more of them than stand there. An owner that
     * becomes idle while more are wanted does not join the list but leaves.
     *
     * Lock order: the lock of a KeyOwner, then this one. Whoever takes an owner out of the list to send it away has to let go
     * of this lock first, and may then find it busy again: that is told, and the next one looked for.
     *
     * Rejected: marks of the last use, corrected by a sweep. It saves this lock, and makes "idlest" a guess.
     */
    private final int most;
    private final long idleNanos;
    private final Ticker ticker;
    private final Alarm alarm;
    private final ReentrantLock lock = new ReentrantLock();

    // All guarded by the lock; live and wanted are read without it.
    private @Nullable KeyOwner<?, ?, ?> first;
    private @Nullable KeyOwner<?, ?, ?> last;
    private final ArrayDeque<KeyOwner<?, ?, ?>> line = new ArrayDeque<>();
    private volatile int live;
    private int leaving;
    private volatile boolean wanted;

    /** Takes the next sweep back; null: none is set. */
    private @Nullable Runnable takeBack;

    private boolean closed;

    /**
     * Of no owners yet.
     *
     * @param most how many may be live at once
     * @param idleNanos after how long an idle one is sent away; zero or less: at once; Long.MAX_VALUE: never
     */
    LiveOwners(int most, long idleNanos, Ticker ticker, Alarm alarm) {
        this.most = most;
        this.idleNanos = idleNanos;
        this.ticker = ticker;
        this.alarm = alarm;
    }

    int live() {
        return live;
    }

    int most() {
        return most;
    }

    /** How many owners with something to do wait until they may be live. */
    int waiting() {
        lock.lock();
        try {
            return line.size();
        } finally {
            lock.unlock();
        }
    }

    /** Whether somebody waits and nobody is on the way out for it. */
    boolean wanted() {
        return wanted;
    }

    /** An owner has something to do. True: it is live. False: it stands in line, and {@link KeyOwner#admitted} tells it. */
    boolean enter(KeyOwner<?, ?, ?> owner) {
        lock.lock();
        try {
            if (live < most) { // then nobody is in line
                count(1);
                return true;
            }
            line.add(owner);
            owner.inLine = true;
            judge();
        } finally {
            lock.unlock();
        }
        makeRoom();
        return false;
    }

    /** Sends idle owners away, while some are wanted. */
    private void makeRoom() {
        for (KeyOwner<?, ?, ?> idlest = takeIdlest(); idlest != null; idlest = takeIdlest()) {
            if (!idlest.leaveIfIdle()) {
                notLeaving(idlest);
            }
        }
    }

    private @Nullable KeyOwner<?, ?, ?> takeIdlest() {
        lock.lock();
        try {
            KeyOwner<?, ?, ?> idlest = wanted ? first : null;
            if (idlest != null) {
                unlink(idlest);
                leaves(idlest);
            }
            return idlest;
        } finally {
            lock.unlock();
        }
    }

    /** It has no state any more. Who has its place now, and is to be told so; null if nobody waits. */
    @Nullable
    KeyOwner<?, ?, ?> leave(KeyOwner<?, ?, ?> owner) {
        lock.lock();
        try {
            KeyOwner<?, ?, ?> next = line.pollFirst();
            if (next == null) {
                count(-1);
            } else {
                next.inLine = false;
            }
            if (owner.leaving) {
                owner.leaving = false;
                leaving--;
            }
            judge();
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** An owner that was to leave has got something to do instead. */
    void stays(KeyOwner<?, ?, ?> owner) {
        notLeaving(owner);
        makeRoom();
    }

    private void notLeaving(KeyOwner<?, ?, ?> owner) {
        lock.lock();
        try {
            if (owner.leaving) {
                owner.leaving = false;
                leaving--;
                judge();
            }
        } finally {
            lock.unlock();
        }
    }

    /** An owner with more to do asks whether it should leave all the same, since others have waited for long. */
    boolean shouldLeave(KeyOwner<?, ?, ?> owner) {
        if (!wanted) {
            return false;
        }
        lock.lock();
        try {
            if (wanted) {
                leaves(owner);
                return true;
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** An owner has nothing to do; called under its lock. True: it is in the list. False: it should leave. */
    boolean rests(KeyOwner<?, ?, ?> owner) {
        if (idleNanos <= 0) {
            return false;
        }
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            if (wanted) {
                leaves(owner);
                return false;
            }
            if (most < Integer.MAX_VALUE || idleNanos < Long.MAX_VALUE) {
                link(owner);
                arm(owner.idleSince);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** An idle owner has something to do; called under its lock. */
    void works(KeyOwner<?, ?, ?> owner) {
        lock.lock();
        try {
            if (owner.resting) {
                unlink(owner);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Nobody rests from now on. */
    void close() {
        Runnable back;
        lock.lock();
        try {
            closed = true;
            back = takeBack;
            takeBack = null;
        } finally {
            lock.unlock();
        }
        if (back != null) {
            back.run();
        }
    }

    // After a time

    /** One alarm for all: for the one that has been idle for longest. It may come too early, never too late. */
    private void arm(long now) {
        if (first != null && takeBack == null && idleNanos < Long.MAX_VALUE && !closed) {
            takeBack = alarm.in(Math.max(0, idleNanos - (now - first.idleSince)), this::sweep);
        }
    }

    /** Sends those away that have been idle for so long. */
    private void sweep() {
        long now = ticker.nanos();
        List<KeyOwner<?, ?, ?>> due = new ArrayList<>();
        lock.lock();
        try {
            takeBack = null;
            while (first != null && now - first.idleSince >= idleNanos) {
                due.add(first);
                unlink(first);
            }
            arm(now);
        } finally {
            lock.unlock();
        }
        due.forEach(KeyOwner::leaveIfIdle);
    }

    // Under the lock

    private void count(int change) {
        int now = live;
        live = now + change;
    }

    private void leaves(KeyOwner<?, ?, ?> owner) {
        owner.leaving = true;
        leaving++;
        judge();
    }

    private void judge() {
        wanted = line.size() > leaving;
    }

    private void link(KeyOwner<?, ?, ?> owner) {
        owner.resting = true;
        owner.before = last;
        if (last == null) {
            first = owner;
        } else {
            last.behind = owner;
        }
        last = owner;
    }

    private void unlink(KeyOwner<?, ?, ?> owner) {
        KeyOwner<?, ?, ?> before = owner.before;
        KeyOwner<?, ?, ?> behind = owner.behind;
        if (before == null) {
            first = behind;
        } else {
            before.behind = behind;
        }
        if (behind == null) {
            last = before;
        } else {
            behind.before = before;
        }
        owner.before = null;
        owner.behind = null;
        owner.resting = false;
    }
}
