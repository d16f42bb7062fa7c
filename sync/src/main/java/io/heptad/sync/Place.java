package io.heptad.sync;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A place in a {@link Line}: of a thread that waits, or of a future that does so for nobody's thread. */
final class Place {
    /*
     * How it ends is decided under the lock of its line, once: GRANTED or LEFT. So a waiter that gives up (its time is
     * out, it was interrupted, its future was cancelled) either was granted before, or leaves and costs nobody anything:
     * a grant is never on its way to someone who has gone. The thread itself reads the state without the lock.
     */
    enum State {
        WAITING,
        GRANTED,
        LEFT
    }

    /** What ended the wait of a thread. Only GRANTED is final: the others still have to ask for leave. */
    enum Wake {
        GRANTED,
        OUT_OF_TIME,
        INTERRUPTED
    }

    /** Some microseconds: less than it takes to park a platform thread and to wake it again. */
    private static final int SPINS = 128;

    private static final int SPINS_PER_LOOK = 8;

    final @Nullable Thread thread;
    final @Nullable Pending future;

    /** What it waits for, in permits; a key counts as one. */
    final int permits;

    /** When it came, by {@code System.nanoTime()}. */
    final long since = System.nanoTime();

    private volatile State state = State.WAITING;

    /** Neighbours in the line; later {@code next} is the next one to be woken. Guarded by the lock of the line. */
    @Nullable
    Place previous;

    @Nullable
    Place next;

    /** Of the calling thread. */
    Place(int permits) {
        this.thread = Thread.currentThread();
        this.future = null;
        this.permits = permits;
    }

    Place(Pending future, int permits) {
        this.thread = null;
        this.future = future;
        this.permits = permits;
    }

    State state() {
        return state;
    }

    /** Under the lock of the line, which it has left. */
    void end(State end) {
        state = end;
    }

    /** Waits so long; called by the thread whose place it is. It may be granted at any time after this has returned. */
    Wake await(Object blocker, long nanos) {
        spin();
        long deadline = nanos == Long.MAX_VALUE ? 0 : since + nanos;
        for (; ; ) {
            if (state == State.GRANTED) {
                return Wake.GRANTED;
            }
            if (Thread.interrupted()) {
                return Wake.INTERRUPTED;
            }
            if (nanos == Long.MAX_VALUE) {
                LockSupport.park(blocker);
            } else {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return Wake.OUT_OF_TIME;
                }
                LockSupport.parkNanos(blocker, left);
            }
        }
    }

    /** A grant that comes soon then needs no system call on either side. A virtual thread would keep its carrier busy. */
    private void spin() {
        if (Thread.currentThread().isVirtual()) {
            return;
        }
        for (int i = 0; i < SPINS && state == State.WAITING; i += SPINS_PER_LOOK) {
            Spin.pause(SPINS_PER_LOOK);
        }
    }
}
