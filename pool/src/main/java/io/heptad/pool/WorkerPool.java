package io.heptad.pool;

import io.heptad.core.Body;
import io.heptad.core.Bounded;
import io.heptad.core.ClosedException;
import io.heptad.core.DepthEvents;
import io.heptad.core.Durations;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.core.Metric;
import io.heptad.core.Ticker;
import io.heptad.core.VoidBody;
import io.heptad.core.Work;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Bounded concurrency as an object: at most so many tasks at once, a bounded line for the others, and figures that show
 * both. A pool protects one scarce resource and is named after it.
 *
 * {@snippet file="io/heptad/pool/Snippets.java" region="pool"}
 *
 * <p><b>The three questions.</b> What bounds it: {@code slots} tasks run, {@link #capacity()} wait. When the line is full,
 * {@link #whenFull()} decides (table below). How deep it is: {@link #depth()}, {@link #stats()}, {@link #metrics()}.
 *
 * <table>
 * <caption>One more than the line holds</caption>
 * <tr><th>Policy</th><th>{@code submit}</th><th>{@code run}</th></tr>
 * <tr><td>{@code BLOCK}</td><td>waits for a place in the line</td><td>waits</td></tr>
 * <tr><td>{@code REJECT}</td><td>throws {@link FullException}</td><td>throws {@link FullException}</td></tr>
 * <tr><td>{@code DROP_NEWEST}</td><td>returns a future that failed with {@link FullException}</td>
 *     <td>throws {@link FullException}</td></tr>
 * <tr><td>{@code DROP_OLDEST}</td><td colspan="2">the first in line makes room: its future fails, or its {@code run}
 *     throws {@link FullException}</td></tr>
 * </table>
 *
 * <p><b>Slots.</b> A slot comes back on every exit: value, exception, {@link Error}, interrupt, a thread that could not be
 * started; for a task cancelled while it runs, when its body has ended. It comes back before the future completes. A
 * slot that comes back goes straight to the first in line; newcomers never overtake, and {@code active} never exceeds
 * {@code slots}, not for one instruction.
 *
 * <p><b>Threads.</b> A submitted task runs in a virtual thread, or one of the factory's. While somebody is in line, a thread
 * that has ended a task carries on with the next, so thread locals that a task leaves behind are seen by later ones, as
 * in any pool; {@link Builder#freshThreads()} gives each task its own. An interrupt meant for one task never reaches
 * another, and each task begins with the interrupt flag clear. {@code run} uses the caller's own thread.
 *
 * <p><b>Cancelling</b> the future that {@code submit} returned takes a waiting task out of the line at once, and interrupts
 * a running one ({@code cancel(false)} does not interrupt). A future completed by hand, also by {@code orTimeout}, leaves
 * the line but interrupts nothing. What happens to a dependent stage never reaches the task. Dependent stages without an
 * executor run in the thread that ran the task, after its slot went on. One attached in the very moment in which the
 * task ends may run while that thread already holds the next task's slot, and delays it: a stage that blocks, or waits
 * for another task of the pool, needs an executor, or a pool with {@link Builder#freshThreads()}. A future that is
 * completed by {@code completeAsync} keeps its place in line until its slot comes, and its task is not run then.
 *
 * <p><b>Waiting inside a task for a task or a slot of the same pool</b> starves the pool once all slots do it. {@code run},
 * {@code submit} that has to wait, and {@code join()} or {@code get()} of a future of {@code submit} notice the wait that
 * would be the last and throw {@link IllegalStateException} with the name of the pool. Not noticed: waits with a time
 * limit, waits for dependent stages, waits in threads that a task started itself, waits that {@link #resize(int)} to fewer
 * slots makes the last, and tasks of several keys of {@link #perKey} that wait for each other while their keys, not the
 * pool, are full.
 *
 * <p><b>Memory consistency effects:</b> what a thread does before {@code submit} or {@code run} happens-before the body;
 * the body happens-before the completion of its future, and what a body did happens-before the body that next gets its
 * slot.
 *
 * <p>All methods may be called from any thread, also from inside a task of the pool. The idea is the bulkhead (Michael
 * Nygard, "Release It!"); direct hand-over is that of {@code java.util.concurrent.SynchronousQueue}, the interrupt
 * handshake that of {@link java.util.concurrent.FutureTask}.
 */
public final class WorkerPool implements Bounded, AutoCloseable {
    /*
     * Who does what: Slots decides who holds a slot and who waits for one (the state word is explained there). Task and
     * Caller are the waiters; their life is drawn in Waiter. Admission lets them in or refuses them. Dispatch gets the
     * granted ones going and passes slots on; Worker is what a thread of the pool runs. Seats say which threads really
     * execute bodies and keep the tallies; they know nothing of slots, so a leak shows. NestedWaits finds starvation.
     */
    private final String resource;
    private final FullPolicy whenFull;
    private final @Nullable UnaryOperator<Runnable> wrapper;
    private final Ticker ticker;

    private final Slots slots;
    private final Seats seats = new Seats();
    private final Tally tally = new Tally();
    private final Dispatch dispatch;
    private final Admission admission;
    private final List<Metric> metrics;

    /** To wake those who wait for a place in the line of a key when this closes. */
    private final List<WeakReference<KeyedPool<?>>> keyedPools = new CopyOnWriteArrayList<>();

    private WorkerPool(Builder builder) {
        resource = builder.resource;
        whenFull = builder.whenFull;
        wrapper = builder.wrapper;
        ticker = builder.ticker;
        slots = new Slots(builder.slots, builder.waiting, whenFull);
        dispatch = new Dispatch(resource, slots, seats, tally, builder.threads, builder.freshThreads);
        admission = new Admission(whenFull, slots, seats, tally, dispatch, ticker);
        metrics = PoolMetrics.of(this);
        DepthEvents.include(this);
    }

    /**
     * A pool with virtual threads.
     *
     * @param resource the scarce resource that the slots stand for, such as {@code db-connections}; it names the pool
     * @param slots how many tasks may run at once, at least 1
     * @param waiting how many may wait for a slot, at least 1
     * @param whenFull what happens to one more
     * @return a pool, ready for use
     * @throws IllegalArgumentException if {@code resource} is blank or a number is less than 1
     */
    public static WorkerPool of(String resource, int slots, int waiting, FullPolicy whenFull) {
        return builder(resource, slots, waiting, whenFull).build();
    }

    /**
     * A pool with choices.
     *
     * @param resource the scarce resource that the slots stand for; it names the pool
     * @param slots how many tasks may run at once, at least 1
     * @param waiting how many may wait for a slot, at least 1
     * @param whenFull what happens to one more
     * @return a builder
     * @throws IllegalArgumentException if {@code resource} is blank or a number is less than 1
     */
    public static Builder builder(String resource, int slots, int waiting, FullPolicy whenFull) {
        return new Builder(resource, slots, waiting, whenFull);
    }

    /** The choices of a pool; each has a default. */
    public static final class Builder {
        private final String resource;
        private final int slots;
        private final int waiting;
        private final FullPolicy whenFull;
        private ThreadFactory threads;
        private boolean freshThreads;
        private @Nullable UnaryOperator<Runnable> wrapper;
        private Ticker ticker = Ticker.system();

        private Builder(String resource, int slots, int waiting, FullPolicy whenFull) {
            if (resource.isBlank()) {
                throw new IllegalArgumentException("resource must not be blank");
            }
            atLeastOne("slots", slots);
            atLeastOne("waiting", waiting);
            this.resource = resource;
            this.slots = slots;
            this.waiting = waiting;
            this.whenFull = Objects.requireNonNull(whenFull, "whenFull");
            this.threads = Thread.ofVirtual().name(resource).factory();
        }

        /**
         * Where the threads of submitted tasks come from; virtual threads named after the resource by default. If the
         * factory throws or returns null, that fails the task and gives its slot back.
         *
         * @param threads makes threads that are not started yet
         * @return this builder
         */
        public Builder threads(ThreadFactory threads) {
            this.threads = Objects.requireNonNull(threads, "threads");
            return this;
        }

        /**
         * Every submitted task gets a thread of its own, and nothing that one task leaves in a thread reaches another.
         * Without it, a thread that has ended a task carries on with the next in line.
         *
         * @return this builder
         */
        public Builder freshThreads() {
            freshThreads = true;
            return this;
        }

        /**
         * Wraps each submitted task in the thread that submits it, before it is accepted: the place to capture a context
         * and restore it around the body. What the wrapper or the wrapped task throws fails the future. Bodies of
         * {@code run} are not wrapped: they stay in their thread.
         *
         * @param wrapper gives a task that runs the one it was given, once
         * @return this builder
         */
        public Builder wrapTasks(UnaryOperator<Runnable> wrapper) {
            this.wrapper = Objects.requireNonNull(wrapper, "wrapper");
            return this;
        }

        /**
         * The clock for {@link PoolStats#oldestWait()} and {@link FullException#retryAfter()}. Waits with a limit follow
         * the system's clock.
         *
         * @param ticker the clock
         * @return this builder
         */
        public Builder ticker(Ticker ticker) {
            this.ticker = Objects.requireNonNull(ticker, "ticker");
            return this;
        }

        /**
         * Builds the pool.
         *
         * @return a pool, ready for use
         */
        public WorkerPool build() {
            return new WorkerPool(this);
        }
    }

    private static void atLeastOne(String parameter, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(parameter + " must be at least 1, but is " + value);
        }
    }

    // Submitting

    /**
     * Accepts a task, which runs as soon as a slot is free for it. If the line is full the policy decides; under
     * {@code BLOCK} this waits, and if interrupted the task is not accepted: the future is cancelled and the interrupt
     * flag stays set.
     *
     * @param task the body; may block, may throw
     * @param <T> what it returns
     * @return a future for its result; cancelling it cancels the task
     * @throws FullException if the line is full and the pool rejects
     * @throws ClosedException if the pool is closed, also while this waits
     * @throws IllegalStateException if this would wait for the pool from inside its last free slot
     */
    public <T extends @Nullable Object> CompletableFuture<T> submit(Callable<? extends T> task) {
        return submit(dispatch, Objects.requireNonNull(task, "task"));
    }

    <T extends @Nullable Object> CompletableFuture<T> submit(Waiter.Owner owner, Callable<? extends T> task) {
        Task<T> accepted = task(owner, task);
        try {
            admission.enter(accepted, Long.MAX_VALUE);
        } catch (InterruptedException interrupted) {
            accepted.cancel(false);
            Thread.currentThread().interrupt();
        }
        return accepted;
    }

    /**
     * Accepts a task without a result, as {@link #submit(Callable)}.
     *
     * @param task the body; may block, may throw
     * @return a future that completes with null when the body has returned; cancelling it cancels the task
     * @throws FullException if the line is full and the pool rejects
     * @throws ClosedException if the pool is closed, also while this waits
     * @throws IllegalStateException if this would wait for the pool from inside its last free slot
     */
    public CompletableFuture<Void> submit(VoidBody<? extends Exception> task) {
        Objects.requireNonNull(task, "task");
        return submit(withoutResult(task));
    }

    @SuppressWarnings("NullAway") // the one value of Void
    static Callable<Void> withoutResult(VoidBody<? extends Exception> task) {
        return () -> {
            task.run();
            return null;
        };
    }

    /**
     * Accepts a task, as {@link #submit(Callable)}, but waits for a place in the line at most so long.
     *
     * @param maxWait how long to wait for a place; zero or less: not at all. It limits the wait for a place, not the wait
     *     in line for a slot. It matters under {@code BLOCK} only
     * @param task the body; may block, may throw
     * @param <T> what it returns
     * @return a future for its result; cancelling it cancels the task
     * @throws InterruptedException if interrupted; the task was not accepted
     * @throws FullException if there was no place in time, or the pool rejects
     * @throws ClosedException if the pool is closed, also while this waits
     * @throws IllegalStateException if this would wait for the pool from inside its last free slot
     */
    public <T extends @Nullable Object> CompletableFuture<T> submit(Duration maxWait, Callable<? extends T> task)
            throws InterruptedException {
        return submit(dispatch, Durations.saturatedNanos(maxWait), Objects.requireNonNull(task, "task"));
    }

    <T extends @Nullable Object> CompletableFuture<T> submit(Waiter.Owner owner, long nanos, Callable<? extends T> task)
            throws InterruptedException {
        Task<T> accepted = task(owner, task);
        if (Thread.interrupted()) {
            dispatch.leaveKey(owner.claim(), Claim.End.CANCELLED);
            throw new InterruptedException();
        }
        admission.enter(accepted, nanos);
        return accepted;
    }

    private <T extends @Nullable Object> Task<T> task(Waiter.Owner owner, Callable<? extends T> body) {
        return new Task<>(owner, wrapper == null ? body : new Wrapped<>(body, wrapper));
    }

    // Running in the caller's thread

    /**
     * Runs the body in the calling thread, inside a slot, and waits for one if need be: in the same line as submitted
     * tasks, first come first served.
     *
     * @param body what to run
     * @param <T> what it returns
     * @param <X> what it throws
     * @return what the body returned
     * @throws X what the body threw, itself
     * @throws InterruptedException if interrupted before or while it waits; the body did not run and no slot was kept
     * @throws FullException if there is no place in the line and the policy is not {@code BLOCK}, or this wait was dropped
     * @throws ClosedException if the pool is closed, also while this waits for a place; after {@link #closeNow()} also
     *     while it waits for a slot
     * @throws IllegalStateException if this would wait for the pool from inside its last free slot
     */
    public <T extends @Nullable Object, X extends Throwable> T run(Body<? extends T, ? extends X> body)
            throws InterruptedException, X {
        return run(null, Long.MAX_VALUE, Objects.requireNonNull(body, "body"));
    }

    /**
     * Runs a body without a result in the calling thread, as {@link #run(Body)}.
     *
     * @param body what to run
     * @param <X> what it throws
     * @throws X what the body threw, itself
     * @throws InterruptedException if interrupted before or while it waits; the body did not run and no slot was kept
     * @throws FullException if there is no place in the line and the policy is not {@code BLOCK}, or this wait was dropped
     * @throws ClosedException if the pool is closed
     * @throws IllegalStateException if this would wait for the pool from inside its last free slot
     */
    public <X extends Throwable> void run(VoidBody<? extends X> body) throws InterruptedException, X {
        run(null, Long.MAX_VALUE, Objects.requireNonNull(body, "body"));
    }

    /**
     * Runs the body in the calling thread, as {@link #run(Body)}, and waits for a slot at most so long.
     *
     * @param maxWait how long to wait for a slot; zero or less: not at all
     * @param body what to run
     * @param <T> what it returns
     * @param <X> what it throws
     * @return what the body returned
     * @throws X what the body threw, itself
     * @throws InterruptedException if interrupted before or while it waits; the body did not run and no slot was kept
     * @throws FullException if no slot came in time, if there is no place in the line and the policy is not
     *     {@code BLOCK}, or if this wait was dropped
     * @throws ClosedException if the pool is closed
     * @throws IllegalStateException if this would wait for the pool from inside its last free slot
     */
    public <T extends @Nullable Object, X extends Throwable> T run(
            Duration maxWait, Body<? extends T, ? extends X> body) throws InterruptedException, X {
        return run(null, Durations.saturatedNanos(maxWait), Objects.requireNonNull(body, "body"));
    }

    /**
     * Runs a body without a result in the calling thread, as {@link #run(Duration, Body)}.
     *
     * @param maxWait how long to wait for a slot; zero or less: not at all
     * @param body what to run
     * @param <X> what it throws
     * @throws X what the body threw, itself
     * @throws InterruptedException if interrupted before or while it waits; the body did not run and no slot was kept
     * @throws FullException if no slot came in time, if there is no place in the line and the policy is not
     *     {@code BLOCK}, or if this wait was dropped
     * @throws ClosedException if the pool is closed
     * @throws IllegalStateException if this would wait for the pool from inside its last free slot
     */
    public <X extends Throwable> void run(Duration maxWait, VoidBody<? extends X> body) throws InterruptedException, X {
        run(null, Durations.saturatedNanos(maxWait), Objects.requireNonNull(body, "body"));
    }

    <T extends @Nullable Object, X extends Throwable> T run(
            @Nullable Claim claim, long nanos, Body<? extends T, ? extends X> body) throws InterruptedException, X {
        Seat seat = admission.enter(claim, nanos);
        Claim.End end = Claim.End.FAILED;
        try {
            T value = body.run();
            end = Claim.End.COMPLETED;
            return value;
        } finally {
            dispatch.ended(seat, claim, end);
        }
    }

    <X extends Throwable> void run(@Nullable Claim claim, long nanos, VoidBody<? extends X> body)
            throws InterruptedException, X {
        Seat seat = admission.enter(claim, nanos);
        Claim.End end = Claim.End.FAILED;
        try {
            body.run();
            end = Claim.End.COMPLETED;
        } finally {
            dispatch.ended(seat, claim, end);
        }
    }

    // Many at once

    /**
     * Runs all tasks and returns their values, or throws the first failure. For parts that are worth nothing one without
     * the other. Nothing outlives the call: after a failure the others are cancelled and running bodies interrupted, and
     * it returns when the last has ended. Tasks that had not begun never run.
     *
     * <p>The tasks are fed to the pool as slots come free, however many there are, as in {@link #settle(Iterable, Work)},
     * which also says what about threads, the full policy, interrupts and calls from inside a task.
     *
     * @param tasks the tasks
     * @param <T> what one returns
     * @return the values in the order of the tasks, unmodifiable; none for no tasks
     * @throws ExecutionException if a task threw; its cause is what the first that failed threw, itself
     * @throws InterruptedException if interrupted; running bodies were interrupted and have ended
     * @throws ClosedException if the pool is closed, or was before all tasks had begun
     * @throws IllegalStateException if called from inside a task of this pool
     * @throws NullPointerException if {@code tasks} or one of them is null
     */
    public <T extends @Nullable Object> List<T> all(Collection<? extends Callable<? extends T>> tasks)
            throws InterruptedException, ExecutionException {
        return Together.all(batch(Callable::call), tasks);
    }

    /**
     * Runs tasks until one has succeeded, and returns its value; failures before it do not matter. For mirrors and
     * redundant sources. Otherwise as {@link #all(Collection) all}.
     *
     * @param tasks the tasks
     * @param <T> what one returns
     * @return the first value
     * @throws ExecutionException if all tasks failed, or there was none; its cause is an {@link
     *     io.heptad.future.AllFailedException} with the failure of each, in the order of the tasks
     * @throws InterruptedException if interrupted; running bodies were interrupted and have ended
     * @throws ClosedException if the pool is closed, or was before one succeeded
     * @throws IllegalStateException if called from inside a task of this pool
     * @throws NullPointerException if {@code tasks} or one of them is null
     */
    public <T extends @Nullable Object> T any(Collection<? extends Callable<? extends T>> tasks)
            throws InterruptedException, ExecutionException {
        return Together.any(batch(Callable::call), tasks);
    }

    /**
     * Runs tasks until the first has ended, and returns its value or throws its failure. Otherwise as {@link
     * #all(Collection) all}.
     *
     * @param tasks the tasks, at least one
     * @param <T> what one returns
     * @return the value of the first that ended
     * @throws ExecutionException if the first that ended threw; its cause is what it threw, itself
     * @throws InterruptedException if interrupted; running bodies were interrupted and have ended
     * @throws ClosedException if the pool is closed
     * @throws IllegalArgumentException if there is no task
     * @throws IllegalStateException if called from inside a task of this pool
     * @throws NullPointerException if {@code tasks} or one of them is null
     */
    public <T extends @Nullable Object> T race(Collection<? extends Callable<? extends T>> tasks)
            throws InterruptedException, ExecutionException {
        return Together.race(batch(Callable::call), tasks);
    }

    /**
     * Runs the work for every item, inside the slots of this pool, and reports how each ended. Failures do not stop it.
     *
     * {@snippet file="io/heptad/pool/BatchSnippets.java" region="settle"}
     *
     * <p><b>What bounds it.</b> At most {@code slots} bodies run, and at most so many of this batch wait in line, however
     * many items there are; other users of the pool take their turn in between, if they get into the line: under a policy
     * other than {@code BLOCK} they are refused or dropped while batches keep it full. The full policy refuses no item: if
     * the line is full they wait until there is a place. Retries belong inside the work, where they use the slot that
     * it holds.
     *
     * <p><b>Threads.</b> The calling thread reads the items and hears the results, one after the other: while an iterator
     * blocks, items run and end, and their outcomes wait until it has given the next. Bodies run in threads of the pool's
     * factory, each with the interrupt flag clear at its beginning; a thread carries on with the next item, unless the
     * pool has {@link Builder#freshThreads()}. {@link Builder#wrapTasks(UnaryOperator)} goes around each such thread. If
     * no thread can be had at all, items fail with the reason.
     *
     * <p><b>The end.</b> Returns when the last has ended; nothing outlives the call. If the pool is closed meanwhile, what
     * was in line still runs and later items fail with {@link ClosedException}. If the input throws, what had begun ends
     * normally and its exception is thrown then; listen, or use {@link #forEachSettled}, to have what was done.
     *
     * <p><b>Memory consistency effects:</b> what this thread did before the call, and what the iterator did before it gave
     * the item, happens-before the body; the body happens-before its result is heard of or returned.
     *
     * @param items what to work on, none of them null; read once, by this thread, a little ahead of the slots
     * @param work what to do with one; may block, may throw
     * @param <I> the item
     * @param <O> its result
     * @return one outcome for each item, in the order of the items
     * @throws InterruptedException if interrupted; running bodies were interrupted and have ended
     * @throws IllegalStateException if called from inside a task of this pool, which could starve it
     */
    public <I extends @Nullable Object, O extends @Nullable Object> BatchReport<I, O> settle(
            Iterable<? extends I> items, Work<? super I, ? extends O> work) throws InterruptedException {
        return settle(items, work, (one, done, total) -> {});
    }

    /**
     * Runs the work for every item, as {@link #settle(Iterable, Work)}, and tells a listener as each ends.
     *
     * @param items what to work on, none of them null
     * @param work what to do with one; may block, may throw
     * @param listener hears of each in the order of completion, in this thread; after an interrupt also of those that
     *     had been read and will not run. If it throws, that is reported and changes nothing
     * @param <I> the item
     * @param <O> its result
     * @return one outcome for each item, in the order of the items
     * @throws InterruptedException if interrupted; running bodies were interrupted and have ended
     * @throws IllegalStateException if called from inside a task of this pool, which could starve it
     */
    public <I extends @Nullable Object, O extends @Nullable Object> BatchReport<I, O> settle(
            Iterable<? extends I> items,
            Work<? super I, ? extends O> work,
            BatchListener<? super I, ? super O> listener)
            throws InterruptedException {
        Objects.requireNonNull(listener, "listener");
        return Together.settle(this.<I, O>batch(work), items, listener);
    }

    /**
     * Runs the work for every item, as {@link #settle(Iterable, Work)}, and hands over each outcome as it comes, in the
     * order of completion, in this thread. For any number of items: memory is proportional to the slots. A slow consumer
     * or iterator holds back the reading of further items, not those that run. This thread is one: outcomes wait while the
     * iterator blocks, and items while the consumer does. So an iterator over a source that is not always ready (a queue, a
     * socket) should block for no longer than an outcome may wait.
     *
     * <p>Every item read from the iterator reaches the consumer, unless the consumer throws: that ends the batch, running
     * bodies are interrupted and have ended when it is thrown on. After an interrupt of this thread, too, all that was read
     * is handed over: what has run as it ended, the rest as failures with {@link
     * java.util.concurrent.CancellationException}.
     *
     * @param items what to work on, none of them null
     * @param work what to do with one; may block, may throw
     * @param each takes the outcomes
     * @param <I> the item
     * @param <O> its result
     * @throws InterruptedException if interrupted; running bodies were interrupted and have ended
     * @throws IllegalStateException if called from inside a task of this pool, which could starve it
     */
    public <I extends @Nullable Object, O extends @Nullable Object> void forEachSettled(
            Iterator<? extends I> items, Work<? super I, ? extends O> work, Consumer<? super Settled<I, O>> each)
            throws InterruptedException {
        Objects.requireNonNull(items, "items");
        Objects.requireNonNull(each, "each");
        this.<I, O>batch(work).run(items, (index, one) -> {
            each.accept(one);
            return true;
        });
    }

    private <I extends @Nullable Object, O extends @Nullable Object> Batch<I, O> batch(
            Work<? super I, ? extends O> work) {
        return new Batch<>(slots, admission, dispatch, ticker, wrapper, Objects.requireNonNull(work, "work"));
    }

    /**
     * A bulkhead per key inside this pool's slots: no key gets more than its share, however much it asks.
     *
     * @param slotsPerKey how many tasks of one key may run at once, at least 1
     * @param waitingPerKey how many of one key may wait, at least 1; they count against this pool's line as well
     * @param <K> the key, with {@code equals} and {@code hashCode}
     * @return a view of this pool; it ends with this pool
     * @throws IllegalArgumentException if a number is less than 1
     */
    public <K> KeyedPool<K> perKey(int slotsPerKey, int waitingPerKey) {
        atLeastOne("slotsPerKey", slotsPerKey);
        atLeastOne("waitingPerKey", waitingPerKey);
        KeyedPool<K> keyed = new KeyedPool<>(this, slotsPerKey, waitingPerKey);
        keyedPools.removeIf(gone -> gone.refersTo(null));
        keyedPools.add(new WeakReference<>(keyed));
        return keyed;
    }

    // The three questions

    @Override
    public String name() {
        return resource;
    }

    /**
     * What bounds the line; the slots are in {@link #stats()}.
     *
     * @return how many tasks and callers may wait for a slot
     */
    @Override
    public long capacity() {
        return slots.capacity();
    }

    @Override
    public FullPolicy whenFull() {
        return whenFull;
    }

    /**
     * How many tasks and callers are in line for a slot. Under {@code BLOCK}, those that wait for a place in the line are
     * not in it.
     *
     * @return the depth of the line, from 0 to {@link #capacity()}
     */
    @Override
    public long depth() {
        return Slots.waiting(slots.state());
    }

    /**
     * {@inheritDoc}
     *
     * <p>Named {@code heptad.pool.*}, with the tags {@code name} and {@code resource}.
     */
    @Override
    public List<Metric> metrics() {
        return metrics;
    }

    /**
     * What the pool looks like now. Never blocks.
     *
     * @return a snapshot; what is consistent with what is said there
     */
    public PoolStats stats() {
        long submitted = submitted();
        int running = seats.busy();
        long state = slots.state();
        return new PoolStats(
                resource,
                slots.limit(),
                Slots.active(state),
                running,
                Slots.waiting(state),
                submitted,
                seats.sum(Seat::completed),
                seats.sum(Seat::failed) + tally.failed.sum(),
                seats.sum(Seat::cancelled) + tally.cancelled.sum(),
                tally.rejected.sum(),
                tally.dropped.sum(),
                Duration.ofNanos(oldestWaitNanos()));
    }

    long submitted() {
        return slots.entered() + tally.submitted.sum() + seats.sum(Seat::direct);
    }

    long oldestWaitNanos() {
        Waiter<?> oldest = slots.oldest();
        return waitNanos(oldest);
    }

    long waitNanos(@Nullable Waiter<?> waiter) {
        return waiter == null ? 0 : Math.max(0, ticker.nanos() - waiter.since);
    }

    Slots slots() {
        return slots;
    }

    Seats seats() {
        return seats;
    }

    Tally tally() {
        return tally;
    }

    Dispatch dispatch() {
        return dispatch;
    }

    /**
     * Changes how many tasks may run at once. Never blocks and interrupts nobody: more slots are granted to the line at
     * once; with fewer, running tasks end as they would and no slot is granted until {@code active} is below the new
     * number.
     *
     * @param slots the new number, at least 1
     * @throws IllegalArgumentException if {@code slots} is less than 1
     */
    public void resize(int slots) {
        atLeastOne("slots", slots);
        this.slots.resize(slots).forEach(dispatch::start);
    }

    // The end

    /**
     * Accepts nothing more and returns at once. What was accepted runs as if nothing had happened; callers and submitters
     * that wait for a place in the line get {@link ClosedException}. Idempotent; may be called from inside a task.
     *
     * <p>To wait for the end, use {@link #close(Duration)}; to force it, {@link #closeNow()}.
     */
    @Override
    public void close() {
        slots.close();
        for (WeakReference<KeyedPool<?>> keyed : keyedPools) {
            KeyedPool<?> pool = keyed.get();
            if (pool != null) {
                pool.turnAway();
            }
        }
        DepthEvents.exclude(this);
        dispatch.signalIfIdle();
    }

    /**
     * Closes, and waits until everything that was accepted has ended and its futures are complete. Called from inside a
     * task of this pool, or inside a dependent stage that the end would have to wait for, it does not wait, and returns
     * false.
     *
     * @param timeout how long to wait; zero or less: not at all
     * @return true if all has ended; false if the time ran out: tasks go on, and closing again may wait again
     * @throws InterruptedException if interrupted while it waits; the pool is closed
     */
    public boolean close(Duration timeout) throws InterruptedException {
        long nanos = Durations.saturatedNanos(timeout);
        close();
        if (nanos <= 0 || dispatch.endNeedsCaller()) {
            return dispatch.idle().isDone();
        }
        try {
            dispatch.idle().get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException late) {
            return false;
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /**
     * Closes and ends what it can: futures of waiting tasks fail with {@link ClosedException}, waiting callers of
     * {@code run} get it thrown, and running bodies are interrupted, also those of {@code run}, but not one that calls
     * this. Returns at once; {@link #close(Duration)} waits for the bodies. Idempotent.
     *
     * @return how many tasks and callers were in line and will not run
     */
    public int closeNow() {
        close();
        List<Waiter<?>> waited = dispatch.halt();
        dispatch.tell(waited);
        return waited.size();
    }

    /** As {@link #closeNow()}, but hands back what came in through the executor view. */
    List<Runnable> haltAndReturn() {
        close();
        List<Waiter<?>> waited = dispatch.halt();
        List<Runnable> unrun = new ArrayList<>();
        for (Waiter<?> waiter : waited) {
            PoolExecutor.Command command = waiter instanceof Task<?> task ? task.command() : null;
            if (command != null) {
                unrun.add(command.runnable());
            }
        }
        dispatch.tell(waited);
        return unrun;
    }

    /**
     * This pool as an {@link ExecutorService}, for code that knows nothing else. It is a view: what is submitted here
     * meets the same slots, line and policy, refusals are {@link FullException} and {@link ClosedException}, and shutting
     * it down closes the pool.
     *
     * <p>What a command of {@code execute} throws goes to the uncaught exception handler of its thread. {@code
     * shutdownNow} returns the commands of {@code execute} that waited and cancels those that are futures, so that nobody
     * waits for them in vain; futures of {@code submit} that waited fail with {@link ClosedException}. {@code
     * DROP_NEWEST} and {@code DROP_OLDEST} treat dropped ones likewise.
     *
     * @return a view of this pool
     */
    public ExecutorService asExecutorService() {
        return new PoolExecutor(this);
    }

    @Override
    public String toString() {
        long state = slots.state();
        return "WorkerPool[" + resource + ", " + Slots.active(state) + " of " + slots.limit() + " slots active, "
                + Slots.waiting(state) + " of " + slots.capacity() + " places waiting"
                + (Slots.closed(state) ? ", closed]" : "]");
    }
}
