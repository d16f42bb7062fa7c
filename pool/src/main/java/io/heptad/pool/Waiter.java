package io.heptad.pool;

import io.heptad.core.RefusedException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Whoever wants a slot: a submitted {@link Task} or a {@link Caller} inside {@code run}. It is its own list node and its
 * own future, so a waiting task is one object.
 */
abstract sealed class Waiter<T extends @Nullable Object> extends CompletableFuture<T> permits Task, Caller {
    /*
     * The life of a waiter. Left of the bar only the holder of the lock of Slots moves it; right of the bar whoever wins
     * the CAS.
     *
     *   NEW -> DOOR -> LINE -> | GRANTED -> RUNNING <-> INTERRUPTING
     *    |      |       |      |    |         |             |
     *    |      |       |      |    |         +-> ENDED     |
     *    |      +-------+------|----+-----> CANCELLED <-----+
     *    +------+-------+--> REFUSED (dropped, or the pool was closed by force), TURNED_AWAY (closed while at the door)
     *
     * DOOR: a blocked producer or caller, outside the line. KEY_DOOR (before DOOR): outside the line of its key. ASIDE
     * (before LINE): has a place in the line, and may not be granted a slot before its key has a share for it. GRANTED: owns a slot, its body has not begun. INTERRUPTING
     * lasts for the few instructions in which another thread interrupts the runner; the runner cannot leave the task
     * meanwhile, so the interrupt cannot reach whatever that thread runs next (the handshake of
     * java.util.concurrent.FutureTask). Rejected: interrupting without the handshake and clearing the flag between
     * tasks, because the interrupt may come after the clearing.
     */
    static final int NEW = 0;
    static final int KEY_DOOR = 1;
    static final int DOOR = 2;
    static final int ASIDE = 3;
    static final int LINE = 4;
    static final int GRANTED = 5;
    static final int RUNNING = 6;
    static final int INTERRUPTING = 7;
    static final int CANCELLED = 8;
    static final int ENDED = 9;
    static final int REFUSED = 10;
    static final int TURNED_AWAY = 11;

    private static final VarHandle STATUS;

    static {
        try {
            STATUS = MethodHandles.lookup().findVarHandle(Waiter.class, "status", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private volatile int status;

    /** Neighbours in the one {@link Line} that holds it; guarded by the lock of {@link Slots}. */
    @Nullable
    Waiter<?> prev;

    @Nullable
    Waiter<?> next;

    /** When it joined, by the pool's ticker; written before a line publishes it. */
    long since;

    /** Whom to unpark while it waits at the door or in {@code run}; later, who runs it. Published by the status. */
    @Nullable
    Thread thread;

    final int status() {
        return status;
    }

    /** For a status that no other thread can be changing. */
    final void moveTo(int to) {
        STATUS.setRelease(this, to);
    }

    final boolean moves(int from, int to) {
        return STATUS.compareAndSet(this, from, to);
    }

    /**
     * Parks the calling thread until the status of this waiter is past {@code last}, at most so long. It must be this
     * waiter's {@link #thread}.
     */
    final void awaitPast(int last, long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        while (status <= last) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (nanos == Long.MAX_VALUE) {
                LockSupport.park(this);
            } else {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return;
                }
                LockSupport.parkNanos(this, left);
            }
        }
    }

    /** Where it belongs: to a pool, or with a claim to a key of one. */
    interface Owner {
        Dispatch dispatch();

        @Nullable
        Claim claim();
    }

    /** What it claims beside a slot, if anything. */
    @Nullable
    abstract Claim claim();

    /** Its status is REFUSED; tells whoever waits for it. Called without the lock. */
    abstract void refused(RefusedException why);
}
