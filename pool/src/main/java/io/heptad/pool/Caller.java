package io.heptad.pool;

import io.heptad.core.RefusedException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread that waits in {@code run} for a slot. */
final class Caller extends Waiter<Void> {
    @Nullable
    private final Claim claim;

    Caller(Thread me, @Nullable Claim claim) {
        this.claim = claim;
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
