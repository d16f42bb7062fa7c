package io.heptad.actor;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread that waits for room: at the door of its key, or with a place of its key in the line for the bound over all. */
final class Sender {
    /*
     * How it ends is decided once, under the lock of the line in which it stands: that of its owner while it is at the
     * door, that of TotalBound later. The thread itself reads the state without a lock.
     */
    enum State {
        WAITING,
        /** Its message is inside. */
        LET_IN,
        /** Closed: its message is not inside. */
        CLOSED,
        /** It must not wait for the bound over all keys: its message is not inside. */
        FULL,
        /** It gave up: its message is not inside. */
        LEFT
    }

    /** What ended the wait. Only ENDED is final: the others still have to ask for leave. */
    enum Wake {
        ENDED,
        OUT_OF_TIME,
        INTERRUPTED
    }

    final Thread thread = Thread.currentThread();

    /** Whether its thread is inside a handler of the same owners; see {@link KeyOwners#inside}. */
    final boolean inside;

    private final Mail<?> mail;

    /** Whether it stands at the door of its key; otherwise in the line of the bound. Written under the lock of the owner. */
    volatile boolean atDoor;

    private volatile State state = State.WAITING;

    /** Neighbours in the line of the bound. Guarded by its lock. */
    @Nullable
    Sender previous;

    @Nullable
    Sender next;

    Sender(Mail<?> mail, boolean inside) {
        this.mail = mail;
        this.inside = inside;
    }

    State state() {
        return state;
    }

    /** Its message counts from now on. The count first: whoever sees the message may take it and count it down. */
    void letIn() {
        mail.oneMore();
        state = State.LET_IN;
    }

    /** It does not come in. */
    void end(State how) {
        state = how;
    }

    /** Waits so long; called by its thread. It may be let in at any time after this has returned. */
    Wake await(Object blocker, long nanos) {
        long start = nanos == Long.MAX_VALUE ? 0 : System.nanoTime();
        for (; ; ) {
            if (state != State.WAITING) {
                return Wake.ENDED;
            }
            if (Thread.interrupted()) {
                return Wake.INTERRUPTED;
            }
            if (nanos == Long.MAX_VALUE) {
                LockSupport.park(blocker);
            } else {
                long left = nanos - (System.nanoTime() - start);
                if (left <= 0) {
                    return Wake.OUT_OF_TIME;
                }
                LockSupport.parkNanos(blocker, left);
            }
        }
    }
}
