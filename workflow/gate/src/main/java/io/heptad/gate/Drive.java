package io.heptad.gate;

import io.heptad.core.Durations;
import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.gate.PhaseStore.State;
import io.heptad.gate.PhaseStore.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One entity's open action, and those that it leads to, in the hands of this instance: calls, tries again, commits. It runs in
 * a virtual thread of its own, so that a caller who has lost patience, or was interrupted, interrupts nothing. What it comes to
 * know is committed by whoever has started it, if that one waits: it has to be woken anyway.
 */
final class Drive<P, E> implements Runnable {
    /*
     * key, fence   which action it is at, and under which fence: volatile, written under `hand` by the drive's own thread, and
     *              by a sweep of this instance that has found the lease ended (a clock that jumped, heartbeats that did not
     *              come through) and has taken over what is running here: it hands its fence to the drive instead of
     *              starting a second call.
     * over         under `hand`: this drive will do nothing more about its action, so a sweep must not hand it a fence. Set
     *              before the action is left to a sweep, and where a fence was refused and no sweep has handed over another.
     * waiting      callers who wait here; whoever has started the drive and waits counts from the start. While there are any,
     *              the drive makes the pause before the next try itself; when there are none, it leaves the next try to
     *              whoever sweeps, and gives its place back.
     * starter      whoever has started the drive and waits: set before the start, taken out once, by a CAS: by itself when it
     *              leaves, or by the drive that hands `known` over and is then done. From there on the drive is the
     *              starter's, which commits, or starts it again with what is known.
     * answer       completed once, at the end: with the answer; with null where this instance has lost the action, or has
     *              left it to a sweep, so that who waits looks again; with what the drive died of.
     */
    static final int BUGS_MAX = 5;
    static final Duration LOCK = Duration.ofSeconds(10);

    /**
     * How often whoever has started it looks again before it parks: an action that does next to nothing is over sooner than a
     * parked thread is awake. One in memory, two cores, means of two forks, us: 0 times 45, 16 times 21, 64 times 9, 256
     * times 11. For one that takes longer, 64 looks are lost.
     */
    private static final int TRIES = 64;

    private record Seen<E>(ActionRow<E> row, Instant now) {}

    private record Known<E>(ActionRow<E> row, @Nullable Object result) {}

    private final Engine<P, E> engine;
    private final Plan<P, E> plan;
    private final Caller<P, E> caller;
    final String id;
    private final ReentrantLock hand = new ReentrantLock();
    private volatile String key;
    private volatile long fence;
    private boolean over;
    private volatile long leaseStart;
    private volatile @Nullable Thread thread;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicReference<@Nullable Thread> starter = new AtomicReference<>();
    final CompletableFuture<@Nullable Answer<P, E>> answer = new CompletableFuture<>();

    /** What was opened in this process just now need not be looked at again; null for what was taken over. */
    private @Nullable Seen<E> opened;

    /** That the action has happened, and with what result, though it is not committed yet. */
    private @Nullable Known<E> known;

    Drive(Engine<P, E> engine, String id, String key, long fence, long leaseStart, @Nullable ActionRow<E> opened) {
        this.opened = opened == null ? null : new Seen<>(opened, opened.firstSentAt());
        this.engine = engine;
        this.plan = engine.plan;
        this.caller = new Caller<>(plan, engine.counts);
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

    /** Waits for the end; the drive knows that somebody does. */
    boolean await(long nanos) throws InterruptedException {
        waiting.incrementAndGet();
        try {
            return awaitAnswer(nanos);
        } finally {
            waiting.decrementAndGet();
        }
    }

    private boolean awaitAnswer(long nanos) throws InterruptedException {
        try {
            Object ignored = answer.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException outOfPatience) {
            return false;
        } catch (ExecutionException died) {
            return true;
        }
    }

    // ---- whoever has started it

    /** Starts it, waits for its end, and commits what it comes to know. False: out of patience. */
    boolean startAndAwait(long nanos) throws InterruptedException {
        Thread me = Thread.currentThread();
        long start = System.nanoTime();
        waiting.incrementAndGet();
        try {
            starter.set(me);
            engine.start(this);
            for (int tries = TRIES; tries > 0 && !answer.isDone() && starter.get() == me; tries--) {
                giveWay();
            }
            while (!answer.isDone() && starter.get() == me) {
                long left = left(nanos, start);
                boolean interrupted = Thread.interrupted();
                if ((interrupted || left <= 0) && starter.compareAndSet(me, null)) {
                    if (interrupted) {
                        throw new InterruptedException();
                    }
                    return false;
                }
                if (interrupted) {
                    me.interrupt(); // it was handed over just now: the commit is not begun, and the drive goes on
                }
                LockSupport.parkNanos(this, left);
            }
            if (starter.get() == me || commitsHere(left(nanos, start))) {
                return true;
            }
            engine.start(this);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            return awaitAnswer(left(nanos, start));
        } finally {
            waiting.decrementAndGet();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // the action may need this core
    private static void giveWay() {
        Thread.yield();
    }

    private static long left(long nanos, long start) {
        return nanos == Long.MAX_VALUE ? nanos : nanos - (System.nanoTime() - start);
    }

    /** One try. Whatever goes wrong, the drive goes on with it: it has the time, and nobody interrupts it. */
    private boolean commitsHere(long left) {
        Known<E> here = Objects.requireNonNull(known);
        Step<P, E> step;
        thread = Thread.currentThread();
        try {
            long mine = fence;
            step = engine.after(plan.store()
                    .transact(
                            id,
                            Engine.lockPatience(Math.min(left, LOCK.toNanos())),
                            tx -> engine.protocol.finish(tx, here.row, mine, here.result, null)));
        } catch (InterruptedException later) {
            Thread.currentThread().interrupt();
            return false;
        } catch (Throwable failed) {
            if (isDown(failed)) {
                engine.counts.storeFailures.increment();
            }
            return false;
        } finally {
            thread = null; // not its any more, also before the next one has begun
        }
        if (step instanceof Step.Lost<P, E>) {
            return false;
        }
        end(step, null);
        return true;
    }

    /** Whoever has started it waits, and has it from now on. */
    private boolean handsOver(ActionRow<E> row, @Nullable Object result) {
        known = new Known<>(row, result);
        Thread waits = starter.get();
        if (waits != null && starter.compareAndSet(waits, null)) {
            LockSupport.unpark(waits);
            return true;
        }
        known = null;
        return false;
    }

    // ---- the drive's own thread

    @Override
    public void run() {
        thread = Thread.currentThread();
        Step<P, E> step = null;
        Throwable death = null;
        try {
            Known<E> left = known;
            step = left == null ? action() : finish(left.row, left.result);
            while (step instanceof Step.Opened<P, E>(ActionRow<E> row)) {
                goOnWith(row);
                step = action();
            }
        } catch (Throwable thrown) {
            death = thrown;
            Reports.uncaught(thrown);
        } finally {
            if (!(step instanceof Step.Handed<P, E>)) {
                end(step, death);
            }
        }
    }

    private void end(@Nullable Step<P, E> step, @Nullable Throwable death) {
        engine.ended(this);
        if (death == null) {
            answer.complete(
                    switch (step) {
                        case Step.Settled<P, E> settled -> settled.answer();
                        case Step.Running<P, E>(ActionRow<E> parked) -> new Pending<>(parked.key());
                        case null, default -> null;
                    });
        } else {
            answer.completeExceptionally(death);
        }
        LockSupport.unpark(starter.get());
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
            Told told = caller.call(this, row, seen.now);
            Thread.interrupted(); // what the user's code leaves behind must not end the commit
            if (told instanceof Told.Done(Object result) && handsOver(row, result)) {
                return new Step.Handed<>();
            }
            Step<P, E> step = switch (told) {
                case Told.Done(Object result) -> finish(row, result);
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

    // ---- the lease

    /** How long the lease that is known to be there still lasts. */
    Duration remaining() {
        long left = Durations.saturatedNanos(plan.lease()) - (System.nanoTime() - leaseStart);
        return Duration.ofNanos(Math.max(0, left));
    }

    // ---- the commit

    private interface Close<P, E> {
        Step<P, E> in(Transaction<P, E> tx, long fence);
    }

    private Step<P, E> finish(ActionRow<E> row, @Nullable Object result) {
        return settle(row, (tx, fence) -> engine.protocol.finish(tx, row, fence, result, null));
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

    /** Whether that is the store's failure: what the user's code has thrown, or nobody can read, stays as it is. */
    private static boolean isDown(Throwable failed) {
        return failed instanceof RuntimeException
                && !(failed instanceof Thrown
                        || failed instanceof NoSuchEntityException
                        || failed instanceof UnreadableException
                        || failed instanceof IllegalArgumentException);
    }

    /** Asks the store until it answers, or until the gate is closed: then the lease ends, and another goes on. */
    private <T extends @Nullable Object> T ask(Question<T> question) {
        for (int failures = 1; ; failures++) {
            try {
                return question.ask();
            } catch (InterruptedException nobodysBusiness) {
                // The flag is clear again; nobody who may end this drive does it so.
            } catch (RuntimeException failed) {
                if (!isDown(failed)) {
                    throw failed;
                }
                engine.counts.storeFailures.increment();
                if (engine.isClosed()) {
                    throw failed;
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
