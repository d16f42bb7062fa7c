package io.heptad.core;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The textbook queue: one semaphore counts the empty places, one the filled ones, and a lock guards the list between
 * them. It shows that the contract asks for nothing that two semaphores cannot give, and, with a {@link Fault} built
 * in, that the contract notices when something is missing.
 */
final class SemaphoreQueue<E> implements Bounded {
    /** What is wrong with it. */
    enum Fault {
        NONE,
        HOLDS_ONE_TOO_MANY,
        COUNTS_THE_ITEM_IN_HAND,
        COUNTS_BEFORE_THERE_IS_ROOM,
        DROPS_WITHOUT_COUNTING,
        DROPS_THE_WRONG_END,
        KEEPS_THE_REFUSED,
        PARKS_BEFORE_IT_REJECTS,
        HOLDS_A_LOCK_WHILE_IT_HANDLES,
        KEEPS_THE_CLAIM_OF_THE_INTERRUPTED,
        FORGETS_BLOCKED_PRODUCERS_ON_CLOSE,
        TAKES_ANY_BOUND,
        NEVER_SAYS_WHEN_TO_COME_BACK
    }

    private final String name;
    private final int capacity;
    private final FullPolicy whenFull;
    private final Fault fault;
    private final Semaphore empty;
    private final Semaphore filled = new Semaphore(0);
    private final ReentrantLock list = new ReentrantLock();
    private final ReentrantLock busy = new ReentrantLock();
    private final ArrayDeque<E> items = new ArrayDeque<>();
    private final ArrayDeque<E> kept = new ArrayDeque<>();
    private final LongAdder rejected = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private final LongAdder taken = new LongAdder();
    private final DrainRate drained = DrainRate.of(taken::sum, Duration.ofSeconds(10), Ticker.system());
    private final List<Metric> metrics;
    private volatile int depth;
    private volatile boolean closed;

    SemaphoreQueue(String name, int capacity, FullPolicy whenFull, Fault fault) {
        if (capacity < 1 && fault != Fault.TAKES_ANY_BOUND) {
            throw new IllegalArgumentException("capacity must be at least 1, but is " + capacity);
        }
        this.name = Objects.requireNonNull(name);
        this.whenFull = Objects.requireNonNull(whenFull);
        this.capacity = capacity;
        this.fault = fault;
        this.empty = new Semaphore(fault == Fault.HOLDS_ONE_TOO_MANY ? capacity + 1 : capacity, true);
        this.metrics = List.of(
                metric("depth", Metric.Kind.GAUGE, this::depth),
                metric("capacity", Metric.Kind.GAUGE, this::capacity),
                metric("rejected", Metric.Kind.COUNTER, rejected::sum),
                metric("dropped", Metric.Kind.COUNTER, dropped::sum));
    }

    private Metric metric(String figure, Metric.Kind kind, LongSupplier value) {
        return new Metric("heptad.semaphores." + figure, kind, "items", figure, Map.of("name", name), value::getAsLong);
    }

    boolean put(E item) throws InterruptedException {
        refuseIfClosed();
        if (fault == Fault.COUNTS_BEFORE_THERE_IS_ROOM) {
            count(1);
        }
        switch (whenFull) {
            case BLOCK -> {
                try {
                    empty.acquire();
                } catch (InterruptedException interrupt) {
                    if (fault == Fault.KEEPS_THE_CLAIM_OF_THE_INTERRUPTED) {
                        Thread.startVirtualThread(empty::acquireUninterruptibly);
                    }
                    throw interrupt;
                }
            }
            case REJECT -> {
                if (!empty.tryAcquire()) {
                    reject(item);
                }
            }
            case DROP_NEWEST -> {
                if (!empty.tryAcquire()) {
                    drop();
                    return false;
                }
            }
            case DROP_OLDEST -> {
                while (!empty.tryAcquire()) {
                    if (filled.tryAcquire()) {
                        drop();
                        return add(item, true);
                    }
                }
            }
        }
        return add(item, false);
    }

    boolean offer(E item) {
        refuseIfClosed();
        if (!empty.tryAcquire()) {
            rejected.increment();
            return false;
        }
        return add(item, false);
    }

    /** The next item, or null once closed and drained. */
    @Nullable
    E take() {
        filled.acquireUninterruptibly();
        list.lock();
        try {
            E item = items.poll();
            if (item != null && fault != Fault.COUNTS_THE_ITEM_IN_HAND) {
                count(-1);
            }
            return item;
        } finally {
            list.unlock();
            taken.increment();
            empty.release();
        }
    }

    /** The consumer begins with the item that it took. */
    void begin() {
        if (fault == Fault.HOLDS_A_LOCK_WHILE_IT_HANDLES) {
            busy.lock();
        }
    }

    /** The consumer is done with it. */
    void end() {
        if (fault == Fault.HOLDS_A_LOCK_WHILE_IT_HANDLES) {
            busy.unlock();
        }
        if (fault == Fault.COUNTS_THE_ITEM_IN_HAND) {
            count(-1);
        }
    }

    void close() {
        list.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
        } finally {
            list.unlock();
        }
        filled.release(); // a consumer that finds the list empty then knows that this is the end
        if (fault != Fault.FORGETS_BLOCKED_PRODUCERS_ON_CLOSE) {
            empty.release(1_000); // a place for every blocked producer: it sees that this is closed, and leaves
        }
    }

    private boolean add(E item, boolean evict) {
        list.lock();
        try {
            refuseIfClosed();
            if (evict) {
                if (fault == Fault.DROPS_THE_WRONG_END) {
                    items.pollLast();
                } else {
                    items.poll();
                }
            } else if (fault != Fault.COUNTS_BEFORE_THERE_IS_ROOM) {
                count(1);
            }
            items.add(item);
        } finally {
            list.unlock();
        }
        filled.release();
        return true;
    }

    private void reject(E item) {
        rejected.increment();
        if (fault == Fault.KEEPS_THE_REFUSED) {
            kept.add(item);
        }
        if (fault == Fault.PARKS_BEFORE_IT_REJECTS) {
            LockSupport.parkNanos(1);
        }
        Duration wait = fault == Fault.NEVER_SAYS_WHEN_TO_COME_BACK ? null : drained.timeToDrain(depth());
        throw new FullException(name, capacity, depth(), wait);
    }

    private void drop() {
        if (fault != Fault.DROPS_WITHOUT_COUNTING) {
            dropped.increment();
        }
    }

    private void refuseIfClosed() {
        if (closed) {
            throw new ClosedException(name);
        }
    }

    private void count(int change) {
        list.lock();
        try {
            depth += change;
        } finally {
            list.unlock();
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Metric> metrics() {
        return metrics;
    }

    @Override
    public long capacity() {
        return capacity;
    }

    @Override
    public FullPolicy whenFull() {
        return whenFull;
    }

    @Override
    public long depth() {
        if (fault == Fault.HOLDS_A_LOCK_WHILE_IT_HANDLES) {
            busy.lock();
            busy.unlock();
        }
        return depth;
    }
}
