package io.heptad.gate;

import io.heptad.core.Durations;
import io.heptad.future.Outcome;
import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.gate.PhaseStore.State;
import io.heptad.gate.PhaseStore.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One entity's open action, and those that it leads to, in the hands of this instance: calls, tries again, commits. It runs in
 * a virtual thread of its own, so that a caller who has lost patience, or was interrupted, interrupts nothing.
 */
final class Drive<P, E> implements Runnable {
    /*
     * key, fence   which action it is at, and under which fence: volatile, written under `hand` by the drive's own thread, and
     *              by a sweep of this instance that has found the lease ended (a clock that jumped, heartbeats that did not
     *              come through) and has taken over what is running here: it hands its fence to the drive instead of
     *              starting a second call.
     * over         under `hand`: this drive will do nothing more about its action, so a sweep must not hand it a fence. Set
     *              before the action is left to a sweep, and where a fence was refused and no sweep has handed over another.
     * waiting      callers who wait here; whoever has started the drive and waits counts from the start. While there are any, the drive makes the pause before the next try itself; when
     *              there are none, it leaves the next try to whoever sweeps, and gives its place back.
     * answer       completed once, at the end: with the answer; with null where this instance has lost the action, or has
     *              left it to a sweep, so that who waits looks again; with what the drive died of.
     */
    static final int BUGS_MAX = 5;
    static final Duration LOCK = Duration.ofSeconds(10);

    /** What one call has told. */
    private sealed interface Told {
        record Done(@Nullable Object result) implements Told {}

        record No(String reason) implements Told {}

        record Unknown(String error, boolean bug) implements Told {}

        record Park(String reason) implements Told {}
    }

    private record Seen<E>(ActionRow<E> row, Instant now) {}

    private final Engine<P, E> engine;
    private final Plan<P, E> plan;
    final String id;
    private final ReentrantLock hand = new ReentrantLock();
    private volatile String key;
    private volatile long fence;
    private boolean over;
    private volatile long leaseStart;
    private volatile @Nullable Thread thread;
    private final AtomicInteger waiting = new AtomicInteger();
    final CompletableFuture<@Nullable Answer<P, E>> answer = new CompletableFuture<>();

    /** What was opened in this process just now need not be looked at again; null for what was taken over. */
    private @Nullable Seen<E> opened;

    Drive(Engine<P, E> engine, String id, String key, long fence, long leaseStart, @Nullable ActionRow<E> opened) {
        this.opened = opened == null ? null : new Seen<>(opened, opened.firstSentAt());
        this.engine = engine;
        this.plan = engine.plan;
        this.id = id;
        this.key = key;
        this.fence = fence;
        this.leaseStart = leaseStart;
    }

    // ---- for others

    String key() {
        return key;
    }

    long fence() {
        return fence;
    }

    /** The lease was renewed by a request that was made then. */
    void renewed(long start) {
        leaseStart = start;
    }

    /** A sweep of this instance has taken over the action that this drive is at. False: it is not at it. */
    boolean adopt(String claimed, long newer, long start) {
        hand.lock();
        try {
            if (over || !claimed.equals(key)) {
                return false;
            }
            leaseStart = start;
            fence = newer;
            return true;
        } finally {
            hand.unlock();
        }
    }

    /** The store has refused a fence: whether a sweep of this instance has handed over another. If not, it is over. */
    private boolean adopted(long refused) {
        hand.lock();
        try {
            if (fence != refused) {
                return true;
            }
            over = true;
            return false;
        } finally {
            hand.unlock();
        }
    }

    private long leave() {
        hand.lock();
        try {
            over = true;
            return fence;
        } finally {
            hand.unlock();
        }
    }

    private void goOnWith(ActionRow<E> row) {
        hand.lock();
        try {
            key = row.key();
            fence = row.fence();
            leaseStart = System.nanoTime();
            opened = new Seen<>(row, row.firstSentAt());
        } finally {
            hand.unlock();
        }
    }

    boolean isMine() {
        return thread == Thread.currentThread();
    }

    void wake() {
        LockSupport.unpark(thread);
    }

    /** Whoever starts the drive will wait for it: called before the start, and {@link #awaitCounted} after it. */
    void countIn() {
        waiting.incrementAndGet();
    }

    /** Waits for the end; the drive knows that somebody does. */
    boolean await(long nanos) throws InterruptedException {
        countIn();
        return awaitCounted(nanos);
    }

    boolean awaitCounted(long nanos) throws InterruptedException {
        try {
            Object ignored = answer.get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException outOfPatience) {
            return false;
        } catch (ExecutionException died) {
            return true;
        } finally {
            waiting.decrementAndGet();
        }
    }

    // ---- the drive's own thread

    @Override
    public void run() {
        thread = Thread.currentThread();
        Answer<P, E> end = null;
        Throwable death = null;
        try {
            Step<P, E> step = action();
            while (step instanceof Step.Opened<P, E>(ActionRow<E> row)) {
                goOnWith(row);
                step = action();
            }
            end = switch (step) {
                case Step.Settled<P, E> settled -> settled.answer();
                case Step.Running<P, E>(ActionRow<E> parked) -> new Pending<>(parked.key());
                case null, default -> null;
            };
        } catch (Throwable thrown) {
            death = thrown;
            Reports.uncaught(thrown);
        } finally {
            engine.ended(this);
            if (death == null) {
                answer.complete(end);
            } else {
                answer.completeExceptionally(death);
            }
        }
    }

    /** From the open action to the step that ends it; null if this instance leaves it as it is. */
    private @Nullable Step<P, E> action() {
        while (true) {
            Seen<E> seen = opened == null ? look() : opened;
            opened = null;
            if (seen == null) {
                return null;
            }
            ActionRow<E> row = seen.row;
            Told told = call(row, seen.now);
            Thread.interrupted(); // what the user's code leaves behind must not end the commit
            Step<P, E> step = switch (told) {
                case Told.Done(Object result) ->
                    settle(row, (tx, fence) -> engine.protocol.finish(tx, row, fence, result, null));
                case Told.No(String reason) ->
                    row.undo()
                            ? park(row, "declined: " + reason)
                            : settle(row, (tx, fence) -> engine.protocol.decline(tx, row, fence, reason, null));
                case Told.Park(String reason) -> park(row, reason);
                case Told.Unknown(String error, boolean bug) ->
                    bug && !row.undo() && row.attempts() + 1 >= BUGS_MAX
                            ? park(row, "threw " + error + ", " + BUGS_MAX + " times")
                            : tryAgain(row, error);
            };
            if (step != null) {
                return step instanceof Step.Lost<P, E> ? null : step;
            }
            if (!goesOn) {
                return null;
            }
        }
    }

    /** Whether {@link #action} makes the next try; written and read by the drive's thread only. */
    private boolean goesOn;

    /** Notes the failure, and waits for the next try or leaves it to a sweep. */
    private @Nullable Step<P, E> tryAgain(ActionRow<E> row, String error) {
        Duration pause = engine.pause(row.attempts() + 1);
        goesOn = waiting.get() > 0 && !engine.isClosed();
        if (!goesOn) {
            long mine = leave();
            Object ignored = ask(() -> plan.store().failed(id, key, mine, error, pause));
            engine.sweeper.nudge();
            return null;
        }
        while (true) {
            long mine = fence;
            long start = System.nanoTime();
            if (ask(() -> plan.store().failed(id, key, mine, error, Checks.sum(plan.lease(), pause)))) {
                leaseStart = start;
                pause(pause);
                return null;
            }
            if (!adopted(mine)) {
                return new Step.Lost<>();
            }
        }
    }

    private Step<P, E> park(ActionRow<E> row, String reason) {
        while (true) {
            long mine = fence;
            if (ask(() -> plan.store().park(id, key, mine, reason))) {
                GateEvents.parked(plan.name(), key, "parked", reason);
                return new Step.Running<>(row);
            }
            if (!adopted(mine)) {
                return new Step.Lost<>();
            }
        }
    }

    private @Nullable Seen<E> look() {
        while (true) {
            long mine = fence;
            Seen<E> seen = ask(() -> plan.store().transact(id, LOCK, tx -> {
                ActionRow<E> row = tx.unfinished().orElse(null);
                return row != null && row.key().equals(key) && row.fence() == mine && row.state() == State.OPEN
                        ? new Seen<>(row, tx.now())
                        : null;
            }));
            if (seen != null || !adopted(mine)) {
                return seen;
            }
        }
    }

    // ---- the call

    private Told call(ActionRow<E> row, Instant now) {
        if (!(plan.actions().get(row.action()) instanceof Plan.Remote<?, ?> remote)) {
            return new Told.Park("no remote action of the name " + row.action() + " is registered");
        }
        return call(remote, row, now);
    }

    private <I, R> Told call(Plan.Remote<I, R> remote, ActionRow<E> row, Instant now) {
        boolean repeated = row.attempts() > 0 || row.fence() > 1;
        boolean tooOld = Duration.between(row.firstSentAt(), now).compareTo(plan.keysLast()) > 0;
        GateCallEvent event = GateEvents.call();
        Told told;
        try {
            Call<I> attempt = new Call<>(
                    this, Objects.requireNonNull(remote.action().input().cast(row.request()), "request"), row);
            Lookup<I, R> lookup = remote.lookup();
            Told found = repeated && !row.undo() && lookup != null ? found(remote, lookup.find(attempt)) : null;
            if (found != null) {
                told = found;
            } else if (repeated && tooOld) {
                told = new Told.Park("nobody knows whether it happened, and its key is older than " + plan.keysLast()
                        + ": ask the other side before it is called again");
            } else {
                told = new Told.Done(perform(remote, attempt, row));
            }
        } catch (Throwable thrown) {
            told = outcome(thrown);
        }
        if (told instanceof Told.Unknown) {
            engine.counts.unknown.increment();
        }
        GateEvents.end(event, plan.name(), row.key(), row.attempts() + 1, word(told));
        return told;
    }

    private <I, R> @Nullable Object perform(Plan.Remote<I, R> remote, Call<I> attempt, ActionRow<E> row)
            throws Exception {
        engine.counts.calls.increment();
        if (!row.undo()) {
            return Protocol.typed(remote.action(), remote.doer().perform(attempt));
        }
        Undoer<I, R> undoer = Objects.requireNonNull(remote.undoer(), "undoer");
        undoer.undo(attempt, undone(remote.action(), row));
        return null;
    }

    private <R> @Nullable R undone(Action<?, R> action, ActionRow<E> row) {
        Object result = plan.store().actions(id).stream()
                .filter(done -> done.key().equals(row.undoes()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no result under " + row.undoes()))
                .result();
        return Protocol.typed(action, result);
    }

    private static <R> @Nullable Told found(Plan.Remote<?, R> remote, Optional<Outcome<R>> found) {
        Outcome<R> outcome = found.orElse(null);
        if (outcome == null) {
            return null;
        }
        return outcome instanceof Outcome.Failure<?>(Throwable cause)
                ? new Told.No(Protocol.reason(cause))
                : new Told.Done(Protocol.typed(remote.action(), outcome.orElseThrow()));
    }

    /**
     * Only what the user says is a definite no is one. Everything else may have happened: a timeout, a lost connection, and
     * also an error in the code that reads the reply.
     */
    private Told outcome(Throwable thrown) {
        boolean no = false;
        try {
            no = plan.declines().test(thrown);
        } catch (Throwable broken) {
            Reports.uncaught(broken);
        }
        if (no) {
            return new Told.No(Protocol.reason(thrown));
        }
        boolean bug = thrown instanceof Error
                || thrown instanceof NullPointerException
                || thrown instanceof ClassCastException
                || thrown instanceof IllegalArgumentException
                || thrown instanceof IndexOutOfBoundsException
                || thrown instanceof ArithmeticException
                || thrown instanceof UnsupportedOperationException;
        return new Told.Unknown(thrown.toString(), bug);
    }

    private static String word(Told told) {
        return switch (told) {
            case Told.Done done -> "done";
            case Told.No no -> "declined";
            case Told.Unknown unknown -> unknown.bug() ? "broken" : "unknown";
            case Told.Park park -> "parked";
        };
    }

    /** How long the lease that is known to be there still lasts. */
    Duration remaining() {
        long left = Durations.saturatedNanos(plan.lease()) - (System.nanoTime() - leaseStart);
        return Duration.ofNanos(Math.max(0, left));
    }

    // ---- the commit

    private interface Close<P, E> {
        Step<P, E> in(Transaction<P, E> tx, long fence);
    }

    /** Commits what is known, however long the store is away: while this thread knows the outcome, nobody need ask again. */
    private Step<P, E> settle(ActionRow<E> row, Close<P, E> close) {
        for (int bugs = 1; ; bugs++) {
            try {
                while (true) {
                    long mine = fence;
                    Step<P, E> step =
                            engine.after(ask(() -> plan.store().transact(id, LOCK, tx -> close.in(tx, mine))));
                    if (!(step instanceof Step.Lost<P, E>) || !adopted(mine)) {
                        return step;
                    }
                }
            } catch (Thrown.Misfit misfit) {
                return park(row, String.valueOf(misfit.getMessage()));
            } catch (Thrown.LocalNo
                    | Thrown.ByUser
                    | IllegalArgumentException thrown) { // the last: a value that no store can keep
                if (bugs == BUGS_MAX || thrown instanceof Thrown.LocalNo) {
                    return park(row, "its outcome is known, but not what follows: " + thrown.getMessage());
                }
                pause(engine.pause(bugs));
            }
        }
    }

    private interface Question<T extends @Nullable Object> {
        T ask() throws InterruptedException;
    }

    /** Asks the store until it answers, or until the gate is closed: then the lease ends, and another goes on. */
    private <T extends @Nullable Object> T ask(Question<T> question) {
        for (int failures = 1; ; failures++) {
            try {
                return question.ask();
            } catch (Thrown | NoSuchEntityException | UnreadableException | IllegalArgumentException notDown) {
                throw notDown;
            } catch (InterruptedException nobodysBusiness) {
                // The flag is clear again; nobody who may end this drive does it so.
            } catch (RuntimeException down) {
                engine.counts.storeFailures.increment();
                if (engine.isClosed()) {
                    throw down;
                }
                pause(engine.pause(failures));
            }
        }
    }

    private void pause(Duration pause) {
        long end = System.nanoTime() + Durations.saturatedNanos(pause);
        long left = Durations.saturatedNanos(pause);
        while (left > 0 && !engine.isClosed()) {
            LockSupport.parkNanos(this, left);
            Thread.interrupted();
            left = end - System.nanoTime();
        }
    }
}
