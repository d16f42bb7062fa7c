package io.heptad.pool;

import io.heptad.core.RefusedException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread that waits in {@code run} for a slot. */
final class Caller extends Waiter<Void> {
    @Nullable
    private final Claim claim;

    /** Never refused for want of room: it waits at the door under every policy, and comes back if it is evicted. */
    final boolean patient;

    /** It was evicted and asks once more, which counts as one submission. */
    final boolean again;

    Caller(Thread me, @Nullable Claim claim) {
        this(me, claim, false, false);
    }

    Caller(Thread me, @Nullable Claim claim, boolean patient, boolean again) {
        this.claim = claim;
        this.patient = patient;
        this.again = again;
        thread = me;
    }

    @Override
    @Nullable
    Claim claim() {
        return claim;
    }

    /** The slot is its own now. */
    void granted() {
        LockSupport.unpark(thread);
    }

    @Override
    void refused(RefusedException why) {
        completeExceptionally(why);
        LockSupport.unpark(thread);
    }

    /** Why it was refused; the refusal itself may come an instant after the status. */
    RefusedException why() {
        return (RefusedException) handle((none, why) -> why).join();
    }
}
