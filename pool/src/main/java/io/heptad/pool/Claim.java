package io.heptad.pool;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One task's or caller's claim on the share of its key, from the moment it asks until it has left the pool. */
final class Claim implements Waiter.Owner {
    enum Place {
        NONE,
        /** Outside the line of the key, which is full. */
        DOOR,
        /** In the line of the key: waits for a share. */
        QUEUE,
        /** Has a share; whether it has a slot too is for {@link Slots} to say. */
        SHARE
    }

    enum End {
        COMPLETED,
        FAILED,
        CANCELLED,
        REJECTED,
        DROPPED
    }

    private final Dispatch dispatch;
    final KeyShare share;

    // Guarded by the lock of the share.
    Place place = Place.NONE;
    boolean left;

    @Nullable
    Waiter<?> waiter;

    /** Whether it may be granted a slot. Written under the lock of the share and that of Slots; read under either. */
    boolean eligible;

    /** Whether it has a slot. Written by whoever grants it. */
    volatile boolean granted;

    /** How it ended, told before it leaves. */
    volatile End end = End.CANCELLED;

    Claim(Dispatch dispatch, KeyShare share) {
        this.dispatch = dispatch;
        this.share = share;
    }

    @Override
    public Dispatch dispatch() {
        return dispatch;
    }

    @Override
    public Claim claim() {
        return this;
    }

    /** Its slot was granted. */
    void grant() {
        granted = true;
        share.active.incrementAndGet();
    }

    /** Leaves the pool; returns those of its key who were granted a slot by that. Idempotent. */
    List<Waiter<?>> leave() {
        return share.leave(this);
    }
}
