package io.heptad.pool;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** All seats of a pool: as many as were ever needed at once, at most twice that. */
final class Seats {
    private final ReentrantLock growing = new ReentrantLock();

    /** Length a power of two; seats are only added, so a tally is never lost. */
    private volatile Seat[] seats = fill(new Seat[4], 0);

    private static Seat[] fill(Seat[] seats, int from) {
        for (int i = from; i < seats.length; i++) {
            seats[i] = new Seat();
        }
        return seats;
    }

    /** A seat for the calling thread: owned by itself or by its worker. Never refuses: there is room for one more. */
    Seat claim(Thread me, Object owner) {
        int start = ((int) me.threadId() * 0x9E3779B9) >>> 16;
        for (; ; ) {
            Seat[] all = seats;
            for (int i = 0; i < all.length; i++) {
                Seat seat = all[(start + i) & (all.length - 1)];
                if (seat.claim(owner)) {
                    return seat;
                }
            }
            growing.lock();
            try {
                if (seats.length == all.length) {
                    seats = fill(Arrays.copyOf(all, all.length * 2), all.length);
                }
            } finally {
                growing.unlock();
            }
        }
    }

    Seat[] all() {
        return seats;
    }

    long sum(ToLongFunction<Seat> figure) {
        long sum = 0;
        for (Seat seat : seats) {
            sum += figure.applyAsLong(seat);
        }
        return sum;
    }

    void fence() {
        VarHandle.fullFence();
    }

    int busy() {
        int busy = 0;
        for (Seat seat : seats) {
            if (seat.busy()) {
                busy++;
            }
        }
        return busy;
    }

    /** For each slot that this thread holds, what it claims of a key. More than one when the thread nests {@code run}. */
    List<@Nullable Claim> heldBy(Thread thread) {
        List<@Nullable Claim> held = List.of();
        for (Seat seat : seats) {
            Object owner = seat.owner();
            if (seat.holdsSlot() && (owner instanceof Worker worker ? worker.thread() : owner) == thread) {
                if (held.isEmpty()) {
                    held = new ArrayList<>(1);
                }
                held.add(seat.claim());
            }
        }
        return held;
    }

    /** Whether this thread has a seat, with a slot or without. */
    boolean hasOwner(Thread thread) {
        for (Seat seat : seats) {
            Object owner = seat.owner();
            if ((owner instanceof Worker worker ? worker.thread() : owner) == thread) {
                return true;
            }
        }
        return false;
    }

    /** Bodies that have ended. */
    long ended() {
        return sum(Seat::completed) + sum(Seat::failed) + sum(Seat::cancelled);
    }

    /**
     * Nobody sits. Whoever has just left must call {@link #fence} first: of two that leave together at least one then
     * sees that both have.
     */
    boolean allFree() {
        for (Seat seat : seats) {
            if (seat.owner() != null) {
                return false;
            }
        }
        return true;
    }
}
