package io.heptad.gate;

import io.heptad.core.BusyException;
import io.heptad.core.ClosedException;
import io.heptad.core.DrainRate;
import io.heptad.core.Durations;
import io.heptad.core.FullException;
import io.heptad.core.Ticker;
import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.gate.PhaseStore.ArmedTimer;
import io.heptad.gate.PhaseStore.Claim;
import io.heptad.gate.PhaseStore.Figures;
import io.heptad.gate.PhaseStore.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** What drives the machine: callers in, drives out, and the figures of both. */
final class Engine<P, E> {
    /*
     * running   the drives of this instance by entity. An entry is a hint: the store says what is unfinished.
     * places    how many drives there may be. A caller takes one before the intent is written, so that nothing is promised
     *           that there is no room for; the drive gives it back.
     * closed    set once. A drive that knows an outcome still commits it; one that would have to try again leaves it.
     *
     * A caller that waits for its own action waits for the drive, which hands it the result to commit, or the answer. Who waits for the action of
     * another event waits for the same drive, or, where another instance has it, looks again from time to time; then it
     * asks the store anew, as if it had just come.
     */
    static final Duration LOCK_MIN = Duration.ofSeconds(1);
    private static final long LOOK_MIN = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long LOOK_MAX = TimeUnit.MILLISECONDS.toNanos(200);
    private static final Duration RATE_WINDOW = Duration.ofSeconds(10);
    private static final int RATE_ITEMS = 1_000_000;

    final Plan<P, E> plan;
    final Protocol<P, E> protocol;
    final GateCounts counts = new GateCounts();
    final Sweeper<P, E> sweeper;
    private final Heartbeat<P, E> heartbeat;
    private final ConcurrentHashMap<String, Drive<P, E>> running = new ConcurrentHashMap<>();
    private final Semaphore places;
    private final DrainRate rate;
    private volatile boolean closed;
    private volatile Figures figures = new Figures(0, 0, Duration.ZERO, 0);

    Engine(Plan<P, E> plan) {
        this.plan = plan;
        this.protocol = new Protocol<>(plan, UUID.randomUUID().toString());
        this.places = new Semaphore(plan.calls(), true);
        this.rate = DrainRate.of(counts.transitions::sum, RATE_WINDOW, Ticker.system());
        this.sweeper = new Sweeper<>(this);
        this.heartbeat = new Heartbeat<>(this);
    }

    void start() {
        sweeper.start();
    }

    // ---- callers

    Committed<P, E> create(String id, P first) {
        requireOpen();
        Step<P, E> step = after(uninterruptibly(() ->
                thrownByUser(() -> plan.store().transact(id, Drive.LOCK, tx -> protocol.create(tx, id, first)))));
        return (Committed<P, E>) ((Step.Settled<P, E>) step).answer();
    }

    Answer<P, E> handle(String id, E event, @Nullable String eventId, Duration patience) throws InterruptedException {
        requireOpen();
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        refuseFromInside(id);
        long limit = Math.max(0, Durations.saturatedNanos(patience));
        long start = System.nanoTime();
        boolean place = places.tryAcquire(); // most events need one: then the first transaction is the only one
        long look = LOOK_MIN;
        String known = eventId;
        try {
            while (true) {
                requireOpen();
                long left = limit == Long.MAX_VALUE ? limit : limit - (System.nanoTime() - start);
                switch (begin(id, event, known, lockPatience(left), place)) {
                    case Step.Settled<P, E> settled -> {
                        return settled.answer();
                    }
                    case Step.Opened<P, E>(ActionRow<E> row) -> {
                        place = false; // the drive has it now
                        known = row.eventId();
                        Answer<P, E> answer = await(row, left);
                        if (answer != null) {
                            return answer;
                        }
                    }
                    case Step.NoPlace<P, E> none -> place = takePlace(left);
                    case Step.Running<P, E>(ActionRow<E> row) -> {
                        if (row.state() == State.PARKED || !look(row, left, look)) {
                            return pending(row.key());
                        }
                        look = Math.min(LOOK_MAX, look * 2);
                    }
                    case Step.Busy<P, E>(ActionRow<E> row) -> {
                        if (row.state() == State.PARKED || !look(row, left, look)) {
                            throw busy(row);
                        }
                        look = Math.min(LOOK_MAX, look * 2);
                    }
                    case Step.Handed<P, E> never -> throw new AssertionError(never);
                    case Step.Lost<P, E> never -> throw new AssertionError(never);
                    case Step.Stale<P, E> never -> throw new AssertionError(never);
                }
            }
        } finally {
            if (place) {
                places.release();
            }
        }
    }

    private Step<P, E> begin(String id, E event, @Nullable String eventId, Duration lock, boolean place)
            throws InterruptedException {
        try {
            return after(plan.store().transact(id, lock, tx -> protocol.begin(tx, id, event, eventId, place)));
        } catch (IllegalTransitionException illegal) {
            counts.illegal.increment();
            throw illegal;
        } catch (Thrown.LocalNo no) {
            String reason = no.reason();
            Step<P, E> step = after(thrownByUser(() -> plan.store()
                    .transact(id, lock, tx -> protocol.declineLocally(tx, id, event, eventId, reason, place))));
            return step == null ? begin(id, event, eventId, lock, place) : step;
        } catch (Thrown.ByUser thrown) {
            throw thrown.rethrown();
        } catch (BusyException locked) {
            counts.busy.increment();
            throw locked;
        }
    }

    /** The lock of an entity is held for as long as a commit takes: also who does not want to wait waits for that. */
    static Duration lockPatience(long nanos) {
        return nanos > LOCK_MIN.toNanos() ? Duration.ofNanos(nanos) : LOCK_MIN;
    }

    private void refuseFromInside(String id) {
        Drive<P, E> drive = running.get(id);
        if (drive != null && drive.isMine()) {
            throw new IllegalStateException(
                    plan.name() + " " + id + ": an action must not hand an event to the entity that "
                            + "waits for it; return first, and let the transition go on with a timer");
        }
    }

    private boolean takePlace(long left) throws InterruptedException {
        if (places.tryAcquire(Math.max(0, left), TimeUnit.NANOSECONDS)) {
            return true;
        }
        counts.busy.increment();
        throw new FullException(plan.name() + " actions", plan.calls(), plan.calls(), null);
    }

    /** Starts a drive of what was opened just now; it has a place already. */
    Drive<P, E> drive(ActionRow<E> row) {
        return drive(opened(row));
    }

    private Drive<P, E> opened(ActionRow<E> row) {
        return new Drive<>(this, row.id(), row.key(), row.fence(), System.nanoTime(), row);
    }

    private Drive<P, E> drive(Drive<P, E> drive) {
        start(drive);
        return drive;
    }

    /** A first time, or again. */
    void start(Drive<P, E> drive) {
        running.put(drive.id, drive);
        heartbeat.start();
        Thread.ofVirtual().name(plan.name() + " action").start(drive);
    }

    /** The answer; null where this instance has lost the action, or has left it to a sweep. */
    private @Nullable Answer<P, E> await(ActionRow<E> row, long left) throws InterruptedException {
        Drive<P, E> drive = opened(row);
        if (left <= 0) {
            start(drive);
            return pending(drive.key());
        }
        if (!drive.startAndAwait(left)) {
            return pending(drive.key());
        }
        try {
            return drive.answer.get();
        } catch (ExecutionException died) {
            if (died.getCause() instanceof Error error) {
                throw error;
            }
            throw died.getCause() instanceof RuntimeException unchecked
                    ? unchecked
                    : new IllegalStateException(died.getCause());
        }
    }

    private Answer<P, E> pending(String key) {
        counts.pending.increment();
        return new Pending<>(key);
    }

    private BusyException busy(ActionRow<E> row) {
        counts.busy.increment();
        return new BusyException(
                plan.name(),
                row.id() + ": " + (row.undo() ? "the undo of " : "") + row.action() + " for " + row.event()
                        + (row.state() == State.PARKED ? " waits for a person: " + row.lastError() : " is unfinished"));
    }

    /** Waits for the end of an action, or for a while if it is elsewhere. False: out of patience. */
    private boolean look(ActionRow<E> row, long left, long pause) throws InterruptedException {
        if (left <= 0) {
            return false;
        }
        Drive<P, E> drive = running.get(row.id());
        if (drive != null) {
            return drive.await(left);
        }
        LockSupport.parkNanos(this, Math.min(left, pause));
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return true;
    }

    // ---- what nobody waits for

    /** Takes over what was left behind; the drives that it has started. */
    List<Drive<P, E>> takeOver(int max) throws InterruptedException {
        int free = 0;
        while (free < max && places.tryAcquire()) {
            free++;
        }
        List<Drive<P, E>> started = new ArrayList<>();
        try {
            long start = System.nanoTime();
            for (Claim claim : free == 0 ? List.<Claim>of() : plan.store().claim(free, plan.lease())) {
                GateEvents.takeover(plan.name(), claim);
                Drive<P, E> here = running.get(claim.id());
                if (here != null && here.adopt(claim.key(), claim.fence(), start)) {
                    continue; // from this instance itself, whose lease had ended: only the fence is new
                }
                counts.takeovers.increment();
                free--;
                started.add(drive(new Drive<>(this, claim.id(), claim.key(), claim.fence(), start, null)));
            }
        } finally {
            places.release(free);
        }
        return started;
    }

    /** Fires a timer; the drive that it has started, if it leads to an action. False in {@code room}: no place. */
    @Nullable
    Drive<P, E> fire(ArmedTimer<E> timer) throws InterruptedException {
        if (!places.tryAcquire()) {
            return null; // it comes again
        }
        boolean mine = true;
        try {
            Step<P, E> step = after(plan.store().transact(timer.id(), LOCK_MIN, tx -> protocol.fire(tx, timer)));
            if (!(step instanceof Step.Busy<P, E>)) {
                counts.timers.increment();
            }
            if (step instanceof Step.Opened<P, E>(ActionRow<E> row)) {
                mine = false;
                return drive(row);
            }
            return null;
        } finally {
            if (mine) {
                places.release();
            }
        }
    }

    /** Goes on with an action that somebody's decision has led to; without a place, a sweep does. */
    void goOn(Step<P, E> step) {
        if (step instanceof Step.Opened<P, E>(ActionRow<E> row) && !closed && places.tryAcquire()) {
            Object ignored = drive(row);
        }
    }

    void ended(Drive<P, E> drive) {
        running.remove(drive.id, drive);
        places.release();
        if (closed) {
            endIfIdle();
        }
    }

    // ---- after a transaction

    /** What follows a commit, once it is one. */
    <S extends @Nullable Step<P, E>> S after(S step) {
        if (step instanceof Step.Settled<?, ?>) {
            @SuppressWarnings("unchecked")
            Step.Settled<P, E> settled = (Step.Settled<P, E>) step;
            Committed<P, E> committed = settled.committed();
            if (committed != null) {
                counts.transitions.increment();
                GateEvents.transition(plan.name(), committed);
                plan.reactions().tell(committed);
            } else if (settled.answer() instanceof Declined<P, E>) {
                counts.declined.increment();
            }
            if (settled.timers()) {
                sweeper.nudge();
            }
        }
        return step;
    }

    Duration pause(int attempt) {
        try {
            Duration pause = plan.backoff().delay(attempt);
            return pause.isNegative() ? Duration.ZERO : pause;
        } catch (Throwable broken) {
            Reports.uncaught(broken);
            return LOCK_MIN;
        }
    }

    interface Asking<T extends @Nullable Object> {
        T ask() throws InterruptedException;
    }

    private <T extends @Nullable Object> T thrownByUser(Asking<T> asking) throws InterruptedException {
        try {
            return asking.ask();
        } catch (Thrown.ByUser thrown) {
            throw thrown.rethrown();
        }
    }

    /** For calls that do not wait for others' work: an interrupt is kept for the next call that does. */
    static <T extends @Nullable Object> T uninterruptibly(Asking<T> asking) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return asking.ask();
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // ---- reading and closing

    int runningCount() {
        return running.size();
    }

    Iterable<Drive<P, E>> running() {
        return running.values();
    }

    /** A figure never throws: where the store cannot be asked, what it said last. */
    Figures figures() {
        try {
            Figures now = plan.store().figures();
            figures = now;
            return now;
        } catch (RuntimeException away) {
            counts.storeFailures.increment();
            return figures;
        }
    }

    double perSecond() {
        Duration time = rate.timeToDrain(RATE_ITEMS);
        return time == null || time.isZero() ? 0 : RATE_ITEMS / (time.toNanos() / 1e9);
    }

    boolean isClosed() {
        return closed;
    }

    void requireOpen() {
        if (closed) {
            throw new ClosedException(plan.name());
        }
    }

    void close() {
        closed = true;
        sweeper.close();
        running.values().forEach(Drive::wake);
        endIfIdle();
    }

    /** The last drive, or close itself, ends what the drives needed: heartbeats and reactions. */
    private void endIfIdle() {
        if (running.isEmpty()) {
            heartbeat.close();
            plan.reactions().close();
        }
    }

    boolean awaitEnd(long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        for (Drive<P, E> drive : running.values()) {
            long left = nanos == Long.MAX_VALUE ? nanos : end - System.nanoTime();
            if (drive.isMine()) {
                return false;
            }
            try {
                Object ignored = drive.answer.get(Math.max(0, left), TimeUnit.NANOSECONDS);
            } catch (TimeoutException late) {
                return false;
            } catch (ExecutionException died) {
                // Then it has ended too.
            }
        }
        return true;
    }
}
