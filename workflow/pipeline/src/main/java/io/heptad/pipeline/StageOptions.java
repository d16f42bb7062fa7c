package io.heptad.pipeline;

import io.heptad.core.FullPolicy;
import io.heptad.pool.WorkerPool;
import io.heptad.queue.BoundedQueue;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The choices of one stage, made in the call that adds it.
 *
 * {@snippet file="io/heptad/pipeline/SnippetsTest.java" region="options"}
 *
 * <p>Used by the thread that builds, and not kept: a later change has no effect.
 *
 * @param <A> what the stage works on
 */
public final class StageOptions<A> {
    /** What leaves a stage in which order. */
    enum Order {
        NONE,
        ALL,
        BY_KEY
    }

    private final int workers;
    private int capacity;
    private FullPolicy whenFull = FullPolicy.BLOCK;
    private OnError onError = OnError.SKIP;
    private Order order = Order.NONE;
    private int window;
    private @Nullable Function<Object, Object> key;
    private @Nullable WorkerPool pool;
    private @Nullable Consumer<Object> onDrop;
    private @Nullable ThreadFactory threads;

    StageOptions(int workers) {
        this.workers = workers;
        capacity = Math.min(workers, BoundedQueue.MAX_CAPACITY);
        window = 2 * Math.min(workers, 1 << 29);
    }

    /**
     * The bound of the queue before the stage; as many as the stage has workers, unless set.
     *
     * @param capacity the most items that wait for the stage, at least 1; its memory is taken at once
     * @return these options
     * @throws IllegalArgumentException if it is less than 1, or more than {@link BoundedQueue#MAX_CAPACITY}
     */
    public StageOptions<A> capacity(int capacity) {
        if (capacity < 1 || capacity > BoundedQueue.MAX_CAPACITY) {
            throw new IllegalArgumentException(
                    "capacity must be from 1 to " + BoundedQueue.MAX_CAPACITY + ", but is " + capacity);
        }
        this.capacity = capacity;
        return this;
    }

    /**
     * What happens to an item for which that queue has no room. {@code BLOCK} unless set: whoever brings the item waits, and
     * so slowness travels up to the source. With {@code REJECT} an item that another stage brings fails in this stage with
     * {@link io.heptad.core.FullException}, and {@link #onError} decides about the others; at the first stage the caller of
     * {@code put} gets it. With {@code DROP_NEWEST} and {@code DROP_OLDEST} an item is dropped, counted, and handed to
     * {@link #onDrop}.
     *
     * @param whenFull the policy
     * @return these options
     */
    public StageOptions<A> whenFull(FullPolicy whenFull) {
        this.whenFull = Objects.requireNonNull(whenFull, "whenFull");
        return this;
    }

    /**
     * Called with each item that this stage's queue drops, in the thread that brought the item which caused it, under no lock,
     * after it was counted. If it throws, that is counted and reported to the thread's uncaught exception handler.
     *
     * @param onDrop the hook
     * @return these options
     */
    @SuppressWarnings("unchecked") // the stage's queue holds nothing but A
    public StageOptions<A> onDrop(Consumer<? super A> onDrop) {
        this.onDrop = (Consumer<Object>) Objects.requireNonNull(onDrop, "onDrop");
        return this;
    }

    /**
     * What leaves the stage leaves it in the order in which it came, though several are worked on at once. A failed item
     * releases its place. Replaces {@link #orderedBy}.
     *
     * <p>The order is that of arrival at this stage: an earlier stage with several workers may have changed it already.
     *
     * <p>A result whose turn has not come waits, and its worker goes on with other items, until {@link #window} items are
     * begun and not passed on. The results are passed on one at a time, in the thread of a worker.
     *
     * @return these options
     */
    public StageOptions<A> ordered() {
        order = Order.ALL;
        key = null;
        return this;
    }

    /**
     * Items with the same key are worked on one after another, in the order in which they came; those of different keys do not
     * wait for each other. Replaces {@link #ordered}.
     *
     * <p>The order is that of arrival at this stage: an earlier stage with several workers may have changed it already, so
     * one that matters from end to end is asked of every stage that has more than one.
     *
     * <p>An item whose key is being worked on is set aside and its worker goes on with others, until so many are set aside
     * that {@link #window} is reached. So a key that brings more than its share slows the stage down in the end: it is
     * bounded.
     *
     * @param key gives the key of an item, which has {@code equals} and {@code hashCode}; called by the thread that brings
     *     the item, before it enters. If it throws or returns null, the item fails in this stage; at the first stage, {@code put}
     *     throws it
     * @return these options
     */
    @SuppressWarnings("unchecked") // the stage is given nothing but A
    public StageOptions<A> orderedBy(Function<? super A, ?> key) {
        this.key = (Function<Object, Object>) Objects.requireNonNull(key, "key");
        order = Order.BY_KEY;
        return this;
    }

    /**
     * How many items an ordered stage has taken out of its queue and not yet passed on, at most; twice as many as it has
     * workers, unless set. Of no meaning without {@link #ordered} or {@link #orderedBy}.
     *
     * @param window a number of items, at least as many as there are workers
     * @return these options
     * @throws IllegalArgumentException if it is less
     */
    public StageOptions<A> window(int window) {
        if (window < workers) {
            throw new IllegalArgumentException(
                    "window must be at least " + workers + ", the workers of the stage, but is " + window);
        }
        this.window = window;
        return this;
    }

    /**
     * What becomes of the others when an item fails in this stage; {@link OnError#SKIP} unless set.
     *
     * @param onError go on or stop
     * @return these options
     */
    public StageOptions<A> onError(OnError onError) {
        this.onError = Objects.requireNonNull(onError, "onError");
        return this;
    }

    /**
     * The work runs inside the slots of this pool, which other stages and other code may share: a limit for all of them
     * together. It runs in the stage's own threads. The pool stays the caller's: the pipeline does not close it. While
     * the pool is full a worker waits as the pool's policy says; an item that the pool refuses, because it rejects or is
     * closed, fails.
     *
     * @param pool the pool
     * @return these options
     */
    public StageOptions<A> pool(WorkerPool pool) {
        this.pool = Objects.requireNonNull(pool, "pool");
        return this;
    }

    /**
     * Where the threads of this stage's workers come from, in place of {@link Pipeline.Builder#threads}. A stage that computes
     * rather than waits is better off with platform threads: a virtual thread that computes holds its carrier, and others wait.
     *
     * @param threads makes threads that are not started yet; asked when the pipeline starts, and never later
     * @return these options
     */
    public StageOptions<A> threads(ThreadFactory threads) {
        this.threads = Objects.requireNonNull(threads, "threads");
        return this;
    }

    /** What was chosen, once and for all. */
    record Chosen(
            int capacity,
            FullPolicy whenFull,
            OnError onError,
            Order order,
            int window,
            @Nullable Function<Object, Object> key,
            @Nullable WorkerPool pool,
            @Nullable Consumer<Object> onDrop,
            @Nullable ThreadFactory threads) {}

    Chosen chosen() {
        return new Chosen(capacity, whenFull, onError, order, window, key, pool, onDrop, threads);
    }
}
