package io.heptad.pool;

import io.heptad.core.Body;
import io.heptad.core.Bounded;
import io.heptad.core.ClosedException;
import io.heptad.core.Durations;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.core.Metric;
import io.heptad.core.VoidBody;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A bulkhead per key inside the slots of one {@link WorkerPool}: one slow customer, partner or tenant fills its own share
 * and leaves the rest of the pool to the others.
 *
 * {@snippet file="io/heptad/pool/Snippets.java" region="keyed"}
 *
 * <p><b>The three questions.</b> What bounds it: of one key at most {@code slotsPerKey} tasks run and {@code waitingPerKey}
 * wait; of all keys together, what the pool allows. A waiter counts against both lines. When either is full the pool's
 * policy decides, as in {@link WorkerPool}; under {@code DROP_OLDEST} a key whose own line is full drops its own oldest.
 * How deep it is: {@link #depth()} is that of the pool's line, {@link #stats(Object)} that of one key.
 *
 * <p><b>Order.</b> First come first served within a key. Between keys, in the order in which waiters became able to run: one
 * that waits for its own key's share holds up nobody of another key.
 *
 * <p>A key that has nothing running or waiting leaves nothing behind, so there may be any number of them. {@code hashCode}
 * and {@code equals} of keys are called by a {@link ConcurrentHashMap}, which may hold the lock of a part of its table
 * meanwhile, and never under a lock of the pool: they should be quick and not call this.
 *
 * <p>Cancelling, interrupting, closing, waiting inside a task for the same pool, and memory consistency effects are those of
 * the pool. So are the threads that may call this: any.
 *
 * @param <K> the key
 */
public final class KeyedPool<K> implements Bounded {
    private final WorkerPool pool;
    private final int slotsPerKey;
    private final int waitingPerKey;
    private final ConcurrentHashMap<K, KeyShare> shares = new ConcurrentHashMap<>();
    private final List<Metric> metrics;

    KeyedPool(WorkerPool pool, int slotsPerKey, int waitingPerKey) {
        this.pool = pool;
        this.slotsPerKey = slotsPerKey;
        this.waitingPerKey = waitingPerKey;
        Map<String, String> tags = Map.of("name", pool.name(), "resource", pool.name());
        metrics = List.of(
                new Metric("heptad.keyed.keys", Metric.Kind.GAUGE, "keys", "Keys that run or wait", tags, this::keys),
                new Metric(
                        "heptad.keyed.depth",
                        Metric.Kind.GAUGE,
                        "tasks",
                        "The pool's line, which all keys share",
                        tags,
                        this::depth),
                new Metric("heptad.keyed.capacity", Metric.Kind.GAUGE, "tasks", "Its bound", tags, this::capacity),
                new Metric(
                        "heptad.keyed.rejected",
                        Metric.Kind.COUNTER,
                        "tasks",
                        "Refused by the pool, of whatever key",
                        tags,
                        pool.tally().rejected::sum),
                new Metric(
                        "heptad.keyed.dropped",
                        Metric.Kind.COUNTER,
                        "tasks",
                        "Dropped by the pool, of whatever key",
                        tags,
                        pool.tally().dropped::sum));
    }

    private Claim claim(K key) {
        Objects.requireNonNull(key, "key");
        for (; ; ) {
            KeyShare share = shares.computeIfAbsent(key, this::share);
            Claim claim = new Claim(pool.dispatch(), share);
            if (share.join()) {
                return claim;
            }
            shares.remove(key, share);
        }
    }

    private KeyShare share(K key) {
        return new KeyShare(pool.slots(), slotsPerKey, waitingPerKey, pool.whenFull()) {
            @Override
            void idle() {
                try {
                    shares.remove(key, this);
                } catch (Throwable thrown) {
                    Dispatch.report(thrown); // hashCode or equals; whoever comes next takes it out
                }
            }
        };
    }

    void turnAway() {
        shares.values().forEach(KeyShare::turnAway);
    }

    /**
     * Accepts a task of a key, as {@link WorkerPool#submit(Callable)}.
     *
     * @param key whose share it uses
     * @param task the body; may block, may throw
     * @param <T> what it returns
     * @return a future for its result; cancelling it cancels the task
     * @throws FullException if the line of the key or the pool is full and the pool rejects
     * @throws ClosedException if the pool is closed, also while this waits
     * @throws IllegalStateException if this would wait for the pool from inside its last free slot
     */
    public <T extends @Nullable Object> CompletableFuture<T> submit(K key, Callable<? extends T> task) {
        Objects.requireNonNull(task, "task");
        return pool.submit(claim(key), task);
    }

    /**
     * Accepts a task of a key without a result, as {@link #submit(Object, Callable)}.
     *
     * @param key whose share it uses
     * @param task the body; may block, may throw
     * @return a future that completes with null when the body has returned; cancelling it cancels the task
     * @throws FullException if the line of the key or the pool is full and the pool rejects
     * @throws ClosedException if the pool is closed, also while this waits
     * @throws IllegalStateException if this would wait for the pool from inside its last free slot
     */
    public CompletableFuture<Void> submit(K key, VoidBody<? extends Exception> task) {
        Objects.requireNonNull(task, "task");
        return submit(key, WorkerPool.withoutResult(task));
    }

    /**
     * Accepts a task of a key, as {@link WorkerPool#submit(Duration, Callable)}.
     *
     * @param key whose share it uses
     * @param maxWait how long to wait for a place in line; zero or less: not at all
     * @param task the body; may block, may throw
     * @param <T> what it returns
     * @return a future for its result; cancelling it cancels the task
     * @throws InterruptedException if interrupted; the task was not accepted
     * @throws FullException if there was no place in time, or the pool rejects
     * @throws ClosedException if the pool is closed, also while this waits
     * @throws IllegalStateException if this would wait for the pool from inside its last free slot
     */
    public <T extends @Nullable Object> CompletableFuture<T> submit(K key, Duration maxWait, Callable<? extends T> task)
            throws InterruptedException {
        long nanos = Durations.saturatedNanos(maxWait);
        Objects.requireNonNull(task, "task");
        return pool.submit(claim(key), nanos, task);
    }

    /**
     * Runs the body in the calling thread, inside a share of the key and a slot, as {@link WorkerPool#run(Body)}.
     *
     * @param key whose share it uses
     * @param body what to run
     * @param <T> what it returns
     * @param <X> what it throws
     * @return what the body returned
     * @throws X what the body threw, itself
     * @throws InterruptedException if interrupted before or while it waits; the body did not run
     * @throws FullException if a line is full and the policy is not {@code BLOCK}, or this wait was dropped
     * @throws ClosedException if the pool is closed
     * @throws IllegalStateException if this would wait for the pool from inside its last free slot
     */
    public <T extends @Nullable Object, X extends Throwable> T run(K key, Body<? extends T, ? extends X> body)
            throws InterruptedException, X {
        Objects.requireNonNull(body, "body");
        return pool.run(claim(key), Long.MAX_VALUE, body);
    }

    /**
     * Runs a body without a result in the calling thread, as {@link #run(Object, Body)}.
     *
     * @param key whose share it uses
     * @param body what to run
     * @param <X> what it throws
     * @throws X what the body threw, itself
     * @throws InterruptedException if interrupted before or while it waits; the body did not run
     * @throws FullException if a line is full and the policy is not {@code BLOCK}, or this wait was dropped
     * @throws ClosedException if the pool is closed
     * @throws IllegalStateException if this would wait for the pool from inside its last free slot
     */
    public <X extends Throwable> void run(K key, VoidBody<? extends X> body) throws InterruptedException, X {
        Objects.requireNonNull(body, "body");
        pool.run(claim(key), Long.MAX_VALUE, body);
    }

    /**
     * Runs the body in the calling thread, as {@link #run(Object, Body)}, and waits at most so long.
     *
     * @param key whose share it uses
     * @param maxWait how long to wait for a share and a slot; zero or less: not at all
     * @param body what to run
     * @param <T> what it returns
     * @param <X> what it throws
     * @return what the body returned
     * @throws X what the body threw, itself
     * @throws InterruptedException if interrupted before or while it waits; the body did not run
     * @throws FullException if no slot came in time, a line is full and the policy is not {@code BLOCK}, or this wait was
     *     dropped
     * @throws ClosedException if the pool is closed
     * @throws IllegalStateException if this would wait for the pool from inside its last free slot
     */
    public <T extends @Nullable Object, X extends Throwable> T run(
            K key, Duration maxWait, Body<? extends T, ? extends X> body) throws InterruptedException, X {
        long nanos = Durations.saturatedNanos(maxWait);
        Objects.requireNonNull(body, "body");
        return pool.run(claim(key), nanos, body);
    }

    /**
     * Runs a body without a result in the calling thread, as {@link #run(Object, Duration, Body)}.
     *
     * @param key whose share it uses
     * @param maxWait how long to wait for a share and a slot; zero or less: not at all
     * @param body what to run
     * @param <X> what it throws
     * @throws X what the body threw, itself
     * @throws InterruptedException if interrupted before or while it waits; the body did not run
     * @throws FullException if no slot came in time, a line is full and the policy is not {@code BLOCK}, or this wait was
     *     dropped
     * @throws ClosedException if the pool is closed
     * @throws IllegalStateException if this would wait for the pool from inside its last free slot
     */
    public <X extends Throwable> void run(K key, Duration maxWait, VoidBody<? extends X> body)
            throws InterruptedException, X {
        long nanos = Durations.saturatedNanos(maxWait);
        Objects.requireNonNull(body, "body");
        pool.run(claim(key), nanos, body);
    }

    /**
     * What one key looks like now. Its totals begin anew whenever it was idle, since an idle key leaves nothing behind; the
     * lasting ones are those of the pool.
     *
     * @param key the key
     * @return its figures: {@code slots} is its share, {@code waiting} are those of it that have no slot yet. All zero for
     *     a key that is idle
     */
    public PoolStats stats(K key) {
        KeyShare share = shares.get(Objects.requireNonNull(key, "key"));
        return share == null
                ? new PoolStats(pool.name(), slotsPerKey, 0, 0, 0, 0, 0, 0, 0, 0, 0, Duration.ZERO)
                : share.stats(pool.name(), waiter -> Duration.ofNanos(pool.waitNanos(waiter)));
    }

    /**
     * How many keys run or wait.
     *
     * @return the number of keys that are not idle
     */
    public int keys() {
        return shares.size();
    }

    @Override
    public String name() {
        return pool.name();
    }

    /**
     * What bounds the line that all keys share.
     *
     * @return the capacity of the pool
     */
    @Override
    public long capacity() {
        return pool.capacity();
    }

    @Override
    public FullPolicy whenFull() {
        return pool.whenFull();
    }

    /**
     * How many wait in the line that all keys share.
     *
     * @return the depth of the pool
     */
    @Override
    public long depth() {
        return pool.depth();
    }

    /**
     * {@inheritDoc}
     *
     * <p>Named {@code heptad.keyed.*}, with the tags of the pool.
     */
    @Override
    public List<Metric> metrics() {
        return metrics;
    }

    @Override
    public String toString() {
        return "KeyedPool[" + keys() + " keys, " + slotsPerKey + " slots and " + waitingPerKey + " places each, in "
                + pool + "]";
    }
}
