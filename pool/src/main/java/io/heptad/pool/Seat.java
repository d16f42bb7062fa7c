package io.heptad.pool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** Where a thread sits while it runs bodies, and the tally of the bodies that ended there. */
final class Seat {
    /*
     * One thread at a time owns a seat (CAS on owner, null when free) and only the owner writes the rest, so the tallies
     * need no atomic adds: plain increments, published by release stores, handed to the next owner by the CAS on owner.
     * Any thread may read them; each only grows. Rejected: LongAdders, three atomic adds a body where this takes one CAS.
     */
    private static final VarHandle OWNER;
    private static final VarHandle BUSY;
    private static final VarHandle HOLDS;
    private static final VarHandle TASK;
    private static final VarHandle CLAIM;
    private static final VarHandle DIRECT;
    private static final VarHandle COMPLETED;
    private static final VarHandle FAILED;
    private static final VarHandle CANCELLED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            OWNER = lookup.findVarHandle(Seat.class, "owner", Object.class);
            BUSY = lookup.findVarHandle(Seat.class, "busy", boolean.class);
            HOLDS = lookup.findVarHandle(Seat.class, "holds", boolean.class);
            TASK = lookup.findVarHandle(Seat.class, "task", Task.class);
            CLAIM = lookup.findVarHandle(Seat.class, "claim", Claim.class);
            DIRECT = lookup.findVarHandle(Seat.class, "direct", long.class);
            COMPLETED = lookup.findVarHandle(Seat.class, "completed", long.class);
            FAILED = lookup.findVarHandle(Seat.class, "failed", long.class);
            CANCELLED = lookup.findVarHandle(Seat.class, "cancelled", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** The thread inside {@code run}, or the worker. */
    @Nullable
    private volatile Object owner;

    /** Whether a body really executes. Set and cleared apart from the slot, so that a slot that leaks shows. */
    private volatile boolean busy;

    /** Whether the owner holds a slot; it keeps the seat a little longer, until the future is complete. */
    private volatile boolean holds;

    /** The submitted task that runs here; null for a body of {@code run}. */
    @Nullable
    private volatile Task<?> task;

    /** What the body claims of a key. */
    @Nullable
    private volatile Claim claim;

    private volatile long direct;
    private volatile long completed;
    private volatile long failed;
    private volatile long cancelled;

    boolean claim(Object me) {
        return owner == null && OWNER.compareAndSet(this, null, me);
    }

    /** The owner leaves; nothing of it stays behind. */
    void leave() {
        HOLDS.setRelease(this, false);
        OWNER.setRelease(this, null);
    }

    /** A body begins. */
    void begin(@Nullable Task<?> body, @Nullable Claim of) {
        HOLDS.setRelease(this, true);
        TASK.setRelease(this, body);
        if (of != null) {
            CLAIM.setRelease(this, of);
            of.share.running.incrementAndGet();
        }
        BUSY.setRelease(this, true);
    }

    /** The body has ended. */
    void end() {
        BUSY.setRelease(this, false);
        TASK.setRelease(this, null);
        Claim of = (Claim) CLAIM.get(this);
        if (of != null) {
            CLAIM.setRelease(this, null);
            of.share.running.decrementAndGet();
        }
    }

    void holds(boolean slot) {
        HOLDS.setRelease(this, slot);
    }

    void countDirect() {
        DIRECT.setRelease(this, (long) DIRECT.get(this) + 1);
    }

    /** Counts a body that ended. */
    void count(Claim.End end) {
        VarHandle tally = end == Claim.End.COMPLETED ? COMPLETED : end == Claim.End.FAILED ? FAILED : CANCELLED;
        tally.setRelease(this, (long) tally.get(this) + 1);
    }

    @Nullable
    Object owner() {
        return owner;
    }

    boolean busy() {
        return busy;
    }

    boolean holdsSlot() {
        return holds;
    }

    @Nullable
    Task<?> task() {
        return task;
    }

    @Nullable
    Claim claim() {
        return claim;
    }

    long direct() {
        return direct;
    }

    long completed() {
        return completed;
    }

    long failed() {
        return failed;
    }

    long cancelled() {
        return cancelled;
    }
}
