package io.heptad.actor;

import io.heptad.core.ClosedException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The messages that an actor is to get later. */
final class Timers<M> {
    /*
     * "set" holds each timer from sendAfter until its message was delivered, or it was taken back; it and "closed" belong
     * to the lock, and so does a timer's state. One that has gone off delivers in a virtual thread of its own, which may
     * wait for room in the mailbox: it cannot be taken back by a Cancellable any more, but a stop or a restart interrupts
     * it, under the lock, as long as it delivers; the flag is cleared before its thread can do anything else. So what was
     * set before a restart is in the mailbox by then, or never comes; but for one that waits for room and is let in before it
     * meets the interrupt: its time had come before the restart, as well.
     */
    private enum State {
        SET,
        DELIVERING,
        OVER
    }

    private final class Timer implements Cancellable {
        private final M message;
        private State state = State.SET;
        private @Nullable Runnable unset;
        private @Nullable Thread thread;

        Timer(M message) {
            this.message = message;
        }

        @Override
        public boolean cancel() {
            Runnable alarm;
            lock.lock();
            try {
                if (state != State.SET) {
                    return false;
                }
                alarm = over(this);
            } finally {
                lock.unlock();
            }
            if (alarm != null) {
                alarm.run();
            }
            owner.timerOver();
            return true;
        }

        private void ring() {
            lock.lock();
            try {
                if (state != State.SET) {
                    return;
                }
                state = State.DELIVERING;
                thread = Thread.currentThread();
            } finally {
                lock.unlock();
            }
            try {
                owner.deliver(message);
            } finally {
                lock.lock();
                try {
                    over(this);
                    thread = null;
                    boolean ignored = Thread.interrupted();
                } finally {
                    lock.unlock();
                }
                owner.timerOver();
            }
        }
    }

    private final Addressee<M> owner;
    private final Alarm alarms;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Timer> set = new HashSet<>();
    private volatile int pending;
    private boolean closed;

    Timers(Addressee<M> owner, Alarm alarms) {
        this.owner = owner;
        this.alarms = alarms;
    }

    Cancellable add(long nanos, M message) {
        Timer timer = new Timer(message);
        lock.lock();
        try {
            if (closed) {
                throw new ClosedException(owner.name());
            }
            timer.unset = alarms.in(nanos, timer::ring); // if it cannot be set, nothing has changed
            set.add(timer);
            pending = set.size();
        } finally {
            lock.unlock();
        }
        return timer;
    }

    int pending() {
        return pending;
    }

    /** Takes back all that have not delivered; more may be added. */
    void clear() {
        clear(false);
    }

    /** Takes back all, and accepts no more. */
    void close() {
        clear(true);
    }

    private void clear(boolean forGood) {
        List<Runnable> alarmsSet = new ArrayList<>();
        lock.lock();
        try {
            closed |= forGood;
            for (Timer timer : List.copyOf(set)) {
                Thread delivering = timer.thread;
                if (delivering != null) {
                    delivering.interrupt();
                }
                Runnable alarm = over(timer);
                if (alarm != null) {
                    alarmsSet.add(alarm);
                }
            }
        } finally {
            lock.unlock();
        }
        alarmsSet.forEach(Runnable::run);
    }

    /** Under the lock. What takes its alarm back. */
    private @Nullable Runnable over(Timer timer) {
        timer.state = State.OVER;
        set.remove(timer);
        pending = set.size();
        Runnable alarm = timer.unset;
        timer.unset = null;
        return alarm;
    }
}
