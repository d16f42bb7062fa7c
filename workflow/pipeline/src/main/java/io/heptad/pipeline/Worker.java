package io.heptad.pipeline;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** One of the threads of a stage: takes an item, has it worked on, passes it on, and again, until the end. */
final class Worker implements Runnable {
    /*
     * What is in its hands stands in `hold`, so that a drain whose time has run out can take it away, and each item leaves
     * by one way only:
     *
     *   null -> TAKING -> parcel -> PASSING -> null     by CAS of the worker: it leaves by one way or another, and is counted
     *                     parcel -> null                by CAS of the drain: taken away. The worker finds its CAS lost, and
     *                                                   whatever its work comes to is let go
     *
     * While it is TAKING or PASSING a worker runs no user code and waits for nothing but queues that a halt has closed, so
     * the drain waits for it (a few instructions). TAKING is stored before the take, so an item that has left its queue is
     * always in sight. Only the worker writes TAKING and PASSING; release stores suffice, since the drain has gone through
     * the lock of the queue before it looks, and looks again until it sees a parcel or null.
     *
     * Tallies: only the worker writes them (release), any thread reads them; each only grows.
     */
    private static final Object TAKING = "taking";
    private static final Object PASSING = "passing";

    /** It holds nothing. */
    static final long NEVER = Long.MIN_VALUE;

    private static final VarHandle HOLD;
    private static final VarHandle SINCE;
    private static final VarHandle DONE;
    private static final VarHandle OUT;
    private static final VarHandle FAILED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HOLD = lookup.findVarHandle(Worker.class, "hold", Object.class);
            SINCE = lookup.findVarHandle(Worker.class, "since", long.class);
            DONE = lookup.findVarHandle(Worker.class, "done", long.class);
            OUT = lookup.findVarHandle(Worker.class, "out", long.class);
            FAILED = lookup.findVarHandle(Worker.class, "failed", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final Stage stage;

    @Nullable
    private volatile Object hold;

    /** When what it holds came to the stage; {@link #NEVER} if it holds nothing. */
    private volatile long since = NEVER;

    private volatile Span span;
    private volatile long done;
    private volatile long out;
    private volatile long failed;

    Worker(Stage stage, long now) {
        this.stage = stage;
        span = new Span(Span.Doing.IDLE, now, 0, 0);
    }

    @Override
    public void run() {
        try {
            for (Parcel parcel; (parcel = stage.next(this)) != null; ) {
                while (parcel != null) {
                    parcel = stage.work(this, parcel);
                }
            }
        } catch (Throwable broken) { // ours or the JVM's (no memory): rather an end that says why than a pipeline that
            // hangs
            stage.broke(this, broken);
        } finally {
            free();
            stage.leave();
        }
    }

    void taking() {
        HOLD.setRelease(this, TAKING);
    }

    void holds(Parcel parcel) {
        SINCE.setRelease(this, parcel.entered);
        HOLD.setRelease(this, parcel);
    }

    /**
     * From here on the item is the worker's to see to, which it says by {@link #free} once it is counted, in the next queue, or in
     * the residue; false if it has been taken away.
     */
    boolean passes(Parcel parcel) {
        return HOLD.compareAndSet(this, parcel, PASSING);
    }

    /** Its hands are empty. */
    void free() {
        HOLD.setRelease(this, null);
        SINCE.setRelease(this, NEVER);
    }

    /** What it was passing on has arrived, or was dropped at the door; what follows is user code. */
    void hasPassed() {
        if (PASSING.equals(hold)) {
            free();
        }
    }

    /** The item in its hands, if it works on one. */
    @Nullable
    Parcel held() {
        return hold instanceof Parcel parcel ? parcel : null;
    }

    /** Takes away what is in its hands, for the residue. After a halt only. */
    @Nullable
    @SuppressWarnings("ThreadPriorityCheck") // the other side is a few instructions from its next store
    Parcel yieldUp() {
        for (; ; ) {
            Object held = hold;
            if (held == null) {
                return null;
            }
            if (held instanceof Parcel parcel) {
                if (HOLD.compareAndSet(this, parcel, null)) {
                    return parcel;
                }
            } else {
                Thread.yield();
            }
        }
    }

    void turnTo(Span.Doing doing, long now) {
        span = span.then(doing, now);
    }

    Span span() {
        return span;
    }

    void countDone() {
        DONE.setRelease(this, (long) DONE.get(this) + 1);
    }

    void countOut() {
        OUT.setRelease(this, (long) OUT.get(this) + 1);
    }

    void countFailed() {
        FAILED.setRelease(this, (long) FAILED.get(this) + 1);
    }

    long since() {
        return since;
    }

    long done() {
        return done;
    }

    long out() {
        return out;
    }

    long failed() {
        return failed;
    }
}
