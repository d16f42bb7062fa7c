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

    private final FullPolicy whenFull;
    private final Slots slots;
    private final Seats seats;
    private final Tally tally;
    private final Dispatch dispatch;
    private final Ticker ticker;
    private final DrainRate rate;

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
        tally.submitted.increment();
        if (slots.tryTake()) {
            task.moveTo(Waiter.GRANTED);
            dispatch.start(task);
            return;
        }
        task.since = ticker.nanos();
        if (PoolEvents.slotWaits()) {
            task.waits(new SlotWaitEvent());
        }
        if (whenFull == FullPolicy.BLOCK) {
            task.thread = Thread.currentThread();
        }
        switch (slots.enter(task, nanos > 0)) {
            case GRANTED -> dispatch.start(task);
            case QUEUED -> {}
            case AT_DOOR -> awaitPlace(task, nanos);
            case CLOSED -> throw closed();
            case FULL -> throw full(whenFull == FullPolicy.BLOCK ? "timeout" : "full");
            case DROPPED -> {
                task.moveTo(Waiter.REFUSED);
                task.refused(dropped("dropped newest"));
            }
        }
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
            throw full("timeout");
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
            tally.submitted.increment();
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
            throw Slots.closed(slots.state()) ? closed() : full("timeout");
        }
        Caller caller = new Caller(me);
        caller.since = ticker.nanos();
        switch (slots.enter(caller, true)) {
            case GRANTED -> {
                return;
            }
            case QUEUED, AT_DOOR -> {}
            case CLOSED -> throw closed();
            case FULL -> throw full("full");
            case DROPPED -> throw dropped("dropped newest");
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
                throw full("timeout");
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
        oldest.refused(dropped("dropped oldest"));
    }

    private RefusedException closed() {
        tally.rejected.increment();
        PoolEvents.refused(dispatch.name(), "closed", slots.state());
        return dispatch.closed();
    }

    private FullException full(String reason) {
        tally.rejected.increment();
        return refusal(reason);
    }

    private FullException dropped(String reason) {
        tally.dropped.increment();
        return refusal(reason);
    }

    private FullException refusal(String reason) {
        long state = slots.state();
        PoolEvents.refused(dispatch.name(), reason, state);
        int depth = Slots.waiting(state);
        return new FullException(dispatch.name(), slots.capacity(), depth, rate.timeToDrain(Math.max(depth, 1)));
    }
}
