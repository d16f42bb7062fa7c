package io.heptad.pool;

import io.heptad.core.RefusedException;
import java.util.concurrent.locks.LockSupport;

/** A thread that waits in {@code run} for a slot. */
final class Caller extends Waiter<Void> {
    Caller(Thread me) {
        thread = me;
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
