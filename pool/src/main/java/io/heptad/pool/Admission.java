package io.heptad.pool;

import io.heptad.core.DrainRate;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.core.RefusedException;
import io.heptad.core.Ticker;
import java.time.Duration;

/** Lets tasks and callers in, or tells them why not. */
final class Admission {
    private static final Duration RATE_WINDOW = Duration.ofSeconds(10);

    private static final int MOST_SKIPS = 64;

    private final FullPolicy whenFull;
    private final Slots slots;
    private final Seats seats;
    private final Tally tally;
    private final Dispatch dispatch;
    private final Ticker ticker;
    private final DrainRate rate;

    /*
     * Reading the clock would be a third of the cost of joining a long line, and the age of its head is asked for once
     * a second at most. So a waiter may take over the stamp of one shortly ahead of it. A lost update of these two only
     * moves a stamp by a few places more.
     */
    private volatile long lastStamp;
    private int skipped;

    Admission(FullPolicy whenFull, Slots slots, Seats seats, Tally tally, Dispatch dispatch, Ticker ticker) {
        this.whenFull = whenFull;
        this.slots = slots;
        this.seats = seats;
        this.tally = tally;
        this.dispatch = dispatch;
        this.ticker = ticker;
        this.rate = DrainRate.of(seats::ended, RATE_WINDOW, ticker);
    }

    /** Gets a task a slot, or a place in the line, waiting for a place at most so long. */
    void enter(Task<?> task, long nanos) throws InterruptedException {
        if (slots.tryTake()) {
            tally.submitted.increment();
            task.moveTo(Waiter.GRANTED);
            dispatch.start(task);
            return;
        }
        task.since = stamp();
        if (PoolEvents.slotWaits()) {
            task.waits(new SlotWaitEvent());
        }
        if (whenFull == FullPolicy.BLOCK) {
            task.thread = Thread.currentThread();
        }
        switch (ask(task, nanos > 0)) {
            case GRANTED -> dispatch.start(task);
            case QUEUED -> {}
            case AT_DOOR -> awaitPlace(task, nanos);
            case CLOSED -> throw closed();
            case FULL -> throw full(whenFull == FullPolicy.BLOCK ? "no place in time" : "");
            case DROPPED -> {
                task.moveTo(Waiter.REFUSED);
                task.refused(dropped("dropped by DROP_NEWEST"));
            }
        }
    }

    private Slots.Entry ask(Waiter<?> waiter, boolean mayWait) {
        if (whenFull != FullPolicy.DROP_OLDEST) {
            return slots.enter(waiter, mayWait);
        }
        dispatch.unsettled(); // whoever is evicted is told after it has left the line
        try {
            return slots.enter(waiter, mayWait);
        } finally {
            dispatch.settled();
        }
    }

    /** When a waiter joins: exact for a short line, at most a sixteenth of a long one too early. */
    private long stamp() {
        int skips = Math.min(Slots.waiting(slots.state()) / 16, MOST_SKIPS);
        if (skipped < skips) {
            skipped++;
            return lastStamp;
        }
        skipped = 0;
        long now = ticker.nanos();
        lastStamp = now;
        return now;
    }

    private void awaitPlace(Task<?> task, long nanos) throws InterruptedException {
        NestedWaits.Entry nested;
        try {
            nested = dispatch.nested(task);
        } catch (IllegalStateException starving) {
            if (!slots.withdraw(task)) {
                return; // it got in all the same
            }
            tally.rejected.increment();
            throw starving;
        }
        try {
            task.awaitPast(Waiter.DOOR, nanos);
        } catch (InterruptedException interrupted) {
            if (dispatch.withdraw(task)) {
                throw interrupted;
            }
            Thread.currentThread().interrupt(); // it got its place all the same
        } finally {
            if (nested != null) {
                nested.leave();
            }
        }
        if (task.status() == Waiter.DOOR && slots.withdraw(task)) {
            throw full("no place in time");
        }
        if (task.status() == Waiter.TURNED_AWAY) {
            throw closed();
        }
    }

    /** A slot for the calling thread, which waits for it at most so long, and a seat to go with it. */
    Seat enter(long nanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Thread me = Thread.currentThread();
        boolean direct = slots.tryTake();
        if (!direct) {
            awaitSlot(me, nanos);
        }
        Seat seat;
        try {
            seat = seats.claim(me, me);
        } catch (Throwable noSeat) {
            dispatch.start(slots.pass());
            throw noSeat;
        }
        if (direct) {
            seat.countDirect();
        }
        seat.begin(null);
        if (dispatch.isHalted()) {
            seat.end();
            seat.countCancelled();
            dispatch.leave(seat);
            throw dispatch.closed();
        }
        return seat;
    }

    private void awaitSlot(Thread me, long nanos) throws InterruptedException {
        if (nanos <= 0) {
            tally.submitted.increment();
            throw Slots.closed(slots.state()) ? closed() : full("no slot in time");
        }
        Caller caller = new Caller(me);
        caller.since = stamp();
        switch (ask(caller, true)) {
            case GRANTED -> {
                return;
            }
            case QUEUED, AT_DOOR -> {}
            case CLOSED -> throw closed();
            case FULL -> throw full("");
            case DROPPED -> throw dropped("dropped by DROP_NEWEST");
        }
        NestedWaits.Entry nested;
        try {
            nested = dispatch.nested(caller);
        } catch (IllegalStateException starving) {
            abandon(caller);
            tally.rejected.increment();
            throw starving;
        }
        SlotWaitEvent wait = PoolEvents.slotWaits() ? new SlotWaitEvent() : null;
        if (wait != null) {
            wait.begin();
        }
        try {
            caller.awaitPast(Waiter.LINE, nanos);
            if (caller.status() == Waiter.GRANTED && Thread.interrupted()) {
                throw new InterruptedException();
            }
        } catch (InterruptedException interrupted) {
            if (abandon(caller)) {
                tally.cancelled.increment();
            }
            throw interrupted;
        } finally {
            if (nested != null) {
                nested.leave();
            }
            if (wait != null) {
                wait.end(dispatch.name(), caller.status() == Waiter.GRANTED);
            }
        }
        if (caller.status() != Waiter.GRANTED) {
            if (slots.withdraw(caller)) {
                dispatch.signalIfIdle();
                throw full("no slot in time");
            }
            switch (caller.status()) {
                case Waiter.GRANTED -> {} // in the last moment: it is used, not lost
                case Waiter.TURNED_AWAY -> throw closed();
                default -> throw caller.why();
            }
        }
    }

    /** Gives up its wait, or the slot that it was granted; false if it was refused already. */
    private boolean abandon(Caller caller) {
        if (slots.withdraw(caller)) {
            dispatch.signalIfIdle();
            return true;
        }
        if (caller.status() == Waiter.GRANTED) {
            dispatch.start(slots.pass());
            dispatch.signalIfIdle();
            return true;
        }
        return false;
    }

    /** The first in line made room for another. */
    void evicted(Waiter<?> oldest) {
        oldest.refused(dropped("dropped by DROP_OLDEST"));
    }

    private RefusedException closed() {
        tally.rejected.increment();
        PoolEvents.refused(dispatch.name(), "closed", slots.state());
        return dispatch.closed();
    }

    private FullException full(String detail) {
        tally.rejected.increment();
        return refusal(detail);
    }

    private FullException dropped(String detail) {
        tally.dropped.increment();
        return refusal(detail);
    }

    private FullException refusal(String detail) {
        long state = slots.state();
        PoolEvents.refused(dispatch.name(), detail.isEmpty() ? "full" : detail, state);
        int depth = Slots.waiting(state);
        return new FullException(
                dispatch.name(), slots.capacity(), depth, rate.timeToDrain(Math.max(depth, 1)), detail);
    }
}
