package io.heptad.pool;

import io.heptad.core.DrainRate;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.core.RefusedException;
import io.heptad.core.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
        Claim claim = task.claim();
        if (claim == null && slots.tryTake()) {
            tally.submitted.increment();
            task.moveTo(Waiter.GRANTED);
            dispatch.start(task);
            return;
        }
        task.since = stamp(claim);
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
            case CLOSED -> throw closed(claim);
            case FULL -> throw full(claim, whenFull == FullPolicy.BLOCK ? "no place in time" : "");
            case DROPPED -> {
                task.moveTo(Waiter.REFUSED);
                task.refused(dropped(claim, "dropped by DROP_NEWEST"));
            }
        }
    }

    private Slots.Entry ask(Waiter<?> waiter, boolean mayWait) {
        if (whenFull != FullPolicy.DROP_OLDEST) {
            return ask(waiter, mayWait, List.of());
        }
        List<Waiter<?>> evicted = new ArrayList<>(1);
        dispatch.unsettled(); // whoever is evicted is told after it has left the line
        try {
            Slots.Entry entry = ask(waiter, mayWait, evicted);
            if (!evicted.isEmpty()) {
                tell(evicted);
            }
            return entry;
        } finally {
            dispatch.settled();
        }
    }

    private void tell(List<Waiter<?>> evicted) {
        boolean tells = dispatch.tells();
        try {
            for (Waiter<?> oldest : evicted) {
                boolean comesBack = oldest instanceof Caller caller && caller.patient;
                oldest.refused(
                        comesBack
                                ? refusal(oldest.claim(), Claim.End.DROPPED, "made room")
                                : dropped(oldest.claim(), "dropped by DROP_OLDEST"));
            }
        } finally {
            if (tells) {
                dispatch.hasTold();
            }
        }
    }

    private Slots.Entry ask(Waiter<?> waiter, boolean mayWait, List<Waiter<?>> evicted) {
        Claim claim = waiter.claim();
        if (claim == null) {
            return slots.enter(waiter, mayWait, evicted);
        }
        tally.submitted.increment();
        return claim.share.enter(claim, waiter, mayWait, evicted);
    }

    /** When a waiter joins: exact for a short line, at most a sixteenth of a long one too early. */
    private long stamp(@Nullable Claim claim) {
        try {
            return stamp();
        } catch (Throwable thrown) {
            dispatch.leaveKey(claim, Claim.End.FAILED);
            throw thrown;
        }
    }

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
            nested = nanos == Long.MAX_VALUE ? dispatch.nested(task) : null;
        } catch (IllegalStateException starving) {
            if (!dispatch.leaveLine(task, Claim.End.REJECTED)) {
                if (task.status() == Waiter.TURNED_AWAY) {
                    throw closed(task.claim());
                }
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
        if (task.status() <= Waiter.DOOR && dispatch.leaveLine(task, Claim.End.REJECTED)) {
            throw full(task.claim(), "no place in time");
        }
        if (task.status() == Waiter.TURNED_AWAY) {
            throw closed(task.claim());
        }
    }

    /** A slot for the calling thread, which waits for it at most so long, and a seat to go with it. */
    Seat enter(@Nullable Claim claim, long nanos) throws InterruptedException {
        return enter(claim, nanos, false);
    }

    /** As above, however long it takes and whatever the policy says about a full line; refused only when closed. */
    Seat enterPatiently() throws InterruptedException {
        return enter(null, Long.MAX_VALUE, true);
    }

    private Seat enter(@Nullable Claim claim, long nanos, boolean patient) throws InterruptedException {
        if (Thread.interrupted()) {
            dispatch.leaveKey(claim, Claim.End.CANCELLED);
            throw new InterruptedException();
        }
        Thread me = Thread.currentThread();
        boolean direct = claim == null && slots.tryTake();
        if (!direct) {
            boolean again = false;
            while (!awaitSlot(new Caller(me, claim, patient, again), claim, nanos)) {
                again = true; // it made room for somebody else
            }
        }
        Seat seat;
        try {
            seat = seats.claim(me, me);
        } catch (Throwable noSeat) {
            dispatch.leaveKey(claim, Claim.End.FAILED);
            dispatch.start(slots.pass());
            throw noSeat;
        }
        if (direct) {
            seat.countDirect();
        }
        seat.begin(claim);
        if (dispatch.isHalted()) {
            dispatch.ended(seat, claim, Claim.End.CANCELLED);
            Thread.interrupted(); // meant for the body, which has not begun
            throw dispatch.closed();
        }
        return seat;
    }

    /** Returns false if the patient one was evicted, and is to come again. */
    private boolean awaitSlot(Caller caller, @Nullable Claim claim, long nanos) throws InterruptedException {
        if (nanos <= 0) {
            tally.submitted.increment();
            if (!(claim == null ? slots.tryEnter(caller) : claim.share.tryEnter(claim, caller))) {
                throw Slots.closed(slots.state()) ? closed(claim) : full(claim, "no slot in time");
            }
            return true;
        }
        caller.since = stamp(claim);
        switch (ask(caller, true)) {
            case GRANTED -> {
                return true;
            }
            case QUEUED, AT_DOOR -> {}
            case CLOSED -> throw closed(claim);
            case FULL -> throw full(claim, "");
            case DROPPED -> throw dropped(claim, "dropped by DROP_NEWEST");
        }
        NestedWaits.Entry nested;
        try {
            nested = nanos == Long.MAX_VALUE ? dispatch.nested(caller) : null;
        } catch (IllegalStateException starving) {
            if (abandon(caller, Claim.End.REJECTED)) {
                tally.rejected.increment();
            }
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
            if (abandon(caller, Claim.End.CANCELLED)) {
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
            if (dispatch.leaveLine(caller, Claim.End.REJECTED)) {
                dispatch.signalIfIdle();
                throw full(claim, "no slot in time");
            }
            switch (caller.status()) {
                case Waiter.GRANTED -> {} // in the last moment: it is used, not lost
                case Waiter.TURNED_AWAY -> throw closed(claim);
                default -> {
                    RefusedException why = caller.why();
                    if (caller.patient && why instanceof FullException) {
                        return false;
                    }
                    throw why;
                }
            }
        }
        return true;
    }

    /** Gives up its wait, or the slot that it was granted; false if it was refused, and counted, already. */
    private boolean abandon(Caller caller, Claim.End how) {
        boolean left = dispatch.leaveLine(caller, how);
        if (!left && caller.status() == Waiter.GRANTED) {
            dispatch.leaveKey(caller.claim(), how);
            dispatch.start(slots.pass());
            left = true;
        }
        if (!left && caller.status() == Waiter.TURNED_AWAY) {
            dispatch.leaveKey(caller.claim(), how);
            left = true;
        }
        dispatch.signalIfIdle();
        return left;
    }

    private RefusedException closed(@Nullable Claim claim) {
        tally.rejected.increment();
        dispatch.leaveKey(claim, Claim.End.REJECTED);
        PoolEvents.refused(dispatch.name(), "closed", slots.state());
        return dispatch.closed();
    }

    private FullException full(@Nullable Claim claim, String detail) {
        tally.rejected.increment();
        return refusal(claim, Claim.End.REJECTED, detail);
    }

    private FullException dropped(@Nullable Claim claim, String detail) {
        tally.dropped.increment();
        return refusal(claim, Claim.End.DROPPED, detail);
    }

    private FullException refusal(@Nullable Claim claim, Claim.End how, String detail) {
        long state = slots.state();
        int capacity = slots.capacity();
        int depth = Slots.waiting(state);
        if (claim != null && depth < capacity) {
            capacity = claim.share.waitingPerKey();
            depth = Math.min(claim.share.waiting(), capacity);
        }
        dispatch.leaveKey(claim, how);
        PoolEvents.refused(dispatch.name(), detail.isEmpty() ? "full" : detail, state);
        return new FullException(dispatch.name(), capacity, depth, timeToDrain(depth), detail);
    }

    private @Nullable Duration timeToDrain(int depth) {
        try {
            return rate.timeToDrain(Math.max(depth, 1));
        } catch (Throwable thrown) {
            Dispatch.report(thrown); // the ticker; whoever is refused must be told so all the same
            return null;
        }
    }
}
