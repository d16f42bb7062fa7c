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
    private static final VarHandle PHASE;
    private static final VarHandle CLAIM;
    private static final VarHandle DIRECT;
    private static final VarHandle COMPLETED;
    private static final VarHandle FAILED;
    private static final VarHandle CANCELLED;

    /** The owner holds no slot: it keeps the seat a little longer, until the future is complete. */
    private static final int NO_SLOT = 0;

    /** The owner holds a slot, and is before or after its body. */
    private static final int SLOT = 1;

    /** A body really executes. */
    private static final int BODY = 2;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            OWNER = lookup.findVarHandle(Seat.class, "owner", Object.class);
            PHASE = lookup.findVarHandle(Seat.class, "phase", int.class);
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

    /** Set and cleared apart from the slot, so that a slot that leaks shows. */
    private volatile int phase;

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
        PHASE.setRelease(this, NO_SLOT);
        OWNER.setRelease(this, null);
    }

    /** A body begins. */
    void begin(@Nullable Claim of) {
        if (of != null) {
            CLAIM.setRelease(this, of);
            of.share.running.incrementAndGet();
        }
        PHASE.setRelease(this, BODY);
    }

    /** The body has ended. */
    void end() {
        PHASE.setRelease(this, SLOT);
        Claim of = (Claim) CLAIM.get(this);
        if (of != null) {
            CLAIM.setRelease(this, null);
            of.share.running.decrementAndGet();
        }
    }

    void holds(boolean slot) {
        PHASE.setRelease(this, slot ? SLOT : NO_SLOT);
    }

    void countDirect() {
        DIRECT.setRelease(this, (long) DIRECT.get(this) + 1);
    }

    /** Counts a body that ended. */
    void count(Claim.End end) {
        switch (end) { // each handle a constant, also where this is not inlined
            case COMPLETED -> COMPLETED.setRelease(this, (long) COMPLETED.get(this) + 1);
            case FAILED -> FAILED.setRelease(this, (long) FAILED.get(this) + 1);
            default -> CANCELLED.setRelease(this, (long) CANCELLED.get(this) + 1);
        }
    }

    @Nullable
    Object owner() {
        return owner;
    }

    boolean busy() {
        return phase == BODY;
    }

    boolean holdsSlot() {
        return phase != NO_SLOT;
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
