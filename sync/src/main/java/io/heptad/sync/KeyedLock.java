package io.heptad.sync;

import io.heptad.core.Body;
import io.heptad.core.Durations;
import io.heptad.core.Measured;
import io.heptad.core.Metric;
import io.heptad.core.VoidBody;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One lock for each key: two bodies for equal keys run one after the other, bodies for different keys side by side.
 *
 * {@snippet file="io/heptad/sync/KeyedLockSnippetsTest.java" region="keyed-lock"}
 *
 * <p>Keys need no set-up and no clean-up: a key is there from the first thread that wants it to the last that leaves it,
 * and nothing of it stays. Keys are compared by {@code equals} and {@code hashCode}, which are called in the caller's thread
 * and under no lock. It guards one process; across processes use a lease.
 *
 * <p><b>Order.</b> For each key first come, first served: whoever leaves hands the key to the first in line, and a newcomer
 * never overtakes one that is in line. (A platform thread stands in line once it has spun for some microseconds; {@link
 * #waiting} counts it from then on.)
 *
 * <p><b>Not reentrant.</b> A body that asks for the key it holds gets an {@link IllegalMonitorStateException}, not a
 * deadlock. It may take other keys; threads that hold one and want another must all take them in one order, as with any
 * lock, or wait for a limited time.
 *
 * <p><b>Giving up.</b> A call whose time is out or that is interrupted does not run its body and leaves nothing behind; a
 * key that was handed to it just then goes to the next in line, or, where only the time was out, is used.
 *
 * <p><b>Memory consistency effects.</b> What a thread does in a body for a key happens-before every later body for that key.
 *
 * <p>Any thread may call any method. A virtual thread that waits does not hold its carrier.
 *
 * @param <K> the type of the keys
 */
public final class KeyedLock<K> implements Measured {
    /*
     * Bins are there for good, and are all there is while nobody is inside. They need only be many more than the threads
     * that run at once; what happens when two keys share one is in Bin.
     */
    private static final int BINS_MIN = 64;
    private static final int BINS_MAX = 1024;
    private static final int BINS_PER_PROCESSOR = 16;

    private final String name;
    private final Bin<K>[] bins;

    private final LongAdder waited = new LongAdder();
    private final LongAdder timedOut = new LongAdder();
    private final LongAdder interrupted = new LongAdder();
    private final AtomicReference<@Nullable List<Metric>> metrics = new AtomicReference<>();

    private KeyedLock(String name, int count) {
        this.name = Names.notBlank("name", name);
        this.bins = bins(count);
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // there is no array of a generic type
    private static <K> Bin<K>[] bins(int count) {
        Bin<K>[] bins = new Bin[count];
        for (int i = 0; i < count; i++) {
            bins[i] = new Bin<>();
        }
        return bins;
    }

    /**
     * A keyed lock named "keyed lock".
     *
     * @param <K> the type of the keys
     * @return a new lock, nobody inside
     */
    public static <K> KeyedLock<K> create() {
        return of("keyed lock");
    }

    /**
     * A keyed lock.
     *
     * @param name the name in metrics, events and exceptions; not blank
     * @param <K> the type of the keys
     * @return a new lock, nobody inside
     * @throws IllegalArgumentException if the name is blank
     */
    public static <K> KeyedLock<K> of(String name) {
        int wanted = Runtime.getRuntime().availableProcessors() * BINS_PER_PROCESSOR;
        return withBins(name, Integer.highestOneBit(Math.clamp(wanted, BINS_MIN, BINS_MAX)));
    }

    /** For tests that need keys to meet in one bin. */
    static <K> KeyedLock<K> withBins(String name, int count) {
        return new KeyedLock<>(name, count);
    }

    /**
     * Runs the body while no other body for an equal key runs, and waits for the key if need be.
     *
     * @param key the key; whoever uses it for this lock must not change what {@code equals} says of it meanwhile
     * @param body what to run, in this thread
     * @param <T> what it returns
     * @param <X> what it throws
     * @return what the body returned
     * @throws X what the body threw, itself; the key is free again
     * @throws InterruptedException if interrupted before or while it waits; the body did not run
     * @throws IllegalMonitorStateException if this thread is inside of the key already
     */
    public <T extends @Nullable Object, X extends Throwable> T withLock(K key, Body<? extends T, ? extends X> body)
            throws InterruptedException, X {
        Objects.requireNonNull(body, "body");
        int hash = hash(Objects.requireNonNull(key, "key"));
        Bin<K> bin = bin(hash);
        Held<K> held = enter(bin, key, hash);
        try {
            return body.run();
        } finally {
            bin.leave(key, held);
        }
    }

    /**
     * Runs a body without a result, as {@link #withLock(Object, Body)}.
     *
     * @param key the key
     * @param body what to run, in this thread
     * @param <X> what it throws
     * @throws X what the body threw, itself; the key is free again
     * @throws InterruptedException if interrupted before or while it waits; the body did not run
     * @throws IllegalMonitorStateException if this thread is inside of the key already
     */
    public <X extends Throwable> void withLock(K key, VoidBody<? extends X> body) throws InterruptedException, X {
        Objects.requireNonNull(body, "body");
        int hash = hash(Objects.requireNonNull(key, "key"));
        Bin<K> bin = bin(hash);
        Held<K> held = enter(bin, key, hash);
        try {
            body.run();
        } finally {
            bin.leave(key, held);
        }
    }

    /**
     * Runs the body as {@link #withLock(Object, Body)}, but waits for the key at most so long. The time does not limit the
     * body.
     *
     * @param key the key
     * @param timeout how long to wait; zero or less: not at all
     * @param body what to run, in this thread
     * @param <T> what it returns
     * @param <X> what it throws
     * @return what the body returned
     * @throws X what the body threw, itself; the key is free again
     * @throws TimeoutException if the key was not free in time; it says who was inside. The body did not run
     * @throws InterruptedException if interrupted before or while it waits; the body did not run
     * @throws IllegalMonitorStateException if this thread is inside of the key already
     */
    public <T extends @Nullable Object, X extends Throwable> T withLock(
            K key, Duration timeout, Body<? extends T, ? extends X> body)
            throws InterruptedException, TimeoutException, X {
        Objects.requireNonNull(body, "body");
        int hash = hash(Objects.requireNonNull(key, "key"));
        Bin<K> bin = bin(hash);
        Held<K> held = enter(bin, key, hash, timeout);
        try {
            return body.run();
        } finally {
            bin.leave(key, held);
        }
    }

    /**
     * Runs a body without a result, as {@link #withLock(Object, Duration, Body)}.
     *
     * @param key the key
     * @param timeout how long to wait; zero or less: not at all
     * @param body what to run, in this thread
     * @param <X> what it throws
     * @throws X what the body threw, itself; the key is free again
     * @throws TimeoutException if the key was not free in time; it says who was inside. The body did not run
     * @throws InterruptedException if interrupted before or while it waits; the body did not run
     * @throws IllegalMonitorStateException if this thread is inside of the key already
     */
    public <X extends Throwable> void withLock(K key, Duration timeout, VoidBody<? extends X> body)
            throws InterruptedException, TimeoutException, X {
        Objects.requireNonNull(body, "body");
        int hash = hash(Objects.requireNonNull(key, "key"));
        Bin<K> bin = bin(hash);
        Held<K> held = enter(bin, key, hash, timeout);
        try {
            body.run();
        } finally {
            bin.leave(key, held);
        }
    }

    // Coming and going

    /** Null: it is alone in the bin. */
    private @Nullable Held<K> enter(Bin<K> bin, K key, int hash) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (bin.takes(key)) {
            return null;
        }
        Visit<K> visit = new Visit<>(key, hash);
        enterBusy(bin, visit, Long.MAX_VALUE);
        return visit.held;
    }

    private @Nullable Held<K> enter(Bin<K> bin, K key, int hash, Duration timeout)
            throws InterruptedException, TimeoutException {
        long nanos = Durations.saturatedNanos(Objects.requireNonNull(timeout, "timeout"));
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (bin.takes(key)) {
            return null;
        }
        Visit<K> visit = new Visit<>(key, hash);
        if (enterBusy(bin, visit, nanos)) {
            return visit.held;
        }
        timedOut.increment();
        Optional<Thread> holder = holder(key);
        throw new TimeoutException(name + ": key " + text(key) + " was not free within " + timeout
                + holder.map(thread -> ", " + thread + " is inside").orElse("") + ", " + waiting(key) + " wait");
    }

    /** False: it is not inside in time. */
    private boolean enterBusy(Bin<K> bin, Visit<K> visit, long nanos) throws InterruptedException {
        if (nanos > 0 && bin.takesSpinning(visit.key, visit.hash)) {
            return true;
        }
        KeyWaitEvent event = WaitEvents.keyWait(); // before it stands in line: nothing may fail until it leaves
        switch (bin.enter(visit, nanos > 0)) {
            case ALONE, INSIDE -> {
                return true;
            }
            case BUSY -> {
                return false;
            }
            case REENTRY ->
                throw new IllegalMonitorStateException(
                        name + ": " + visit.thread + " is inside of key " + text(visit.key) + " already");
            case IN_LINE -> {}
        }
        Held<K> held = Objects.requireNonNull(visit.held);
        Place place = Objects.requireNonNull(visit.place);
        Place.Wake wake = place.await(this, nanos);
        if (wake == Place.Wake.GRANTED || bin.leaveLine(held, place) == Place.State.GRANTED) {
            boolean kept = false;
            try {
                if (wake != Place.Wake.INTERRUPTED) {
                    waited.increment();
                    WaitEvents.end(event, this, visit.key, "acquired");
                    kept = true;
                    return true;
                }
            } finally {
                if (!kept) {
                    bin.leave(visit.key, held);
                }
            }
        }
        if (wake == Place.Wake.INTERRUPTED) {
            interrupted.increment();
            WaitEvents.end(event, this, visit.key, "interrupted");
            throw new InterruptedException();
        }
        WaitEvents.end(event, this, visit.key, "timed out");
        return false;
    }

    static int hash(Object key) {
        int hash = key.hashCode() * 0x9E3779B9; // spread over the upper bits
        return hash ^ hash >>> 16;
    }

    private Bin<K> bin(int hash) {
        return bins[hash & bins.length - 1];
    }

    /** What the key calls itself; a key that cannot is no reason to fail. */
    static String text(Object key) {
        try {
            return String.valueOf(key);
        } catch (Throwable broken) {
            return "(" + key.getClass().getName() + ", whose toString throws " + broken + ")";
        }
    }

    // Figures

    /**
     * How many threads stand in line for a key. The one inside is not counted.
     *
     * @param key the key
     * @return so many
     */
    public int waiting(K key) {
        Bin.Inside inside = inside(key);
        return inside == null ? 0 : inside.waiting();
    }

    /**
     * Who is inside of a key. A thread that has only just come, or is just leaving, may not be seen.
     *
     * @param key the key
     * @return the thread; empty if the key is free
     */
    public Optional<Thread> holder(K key) {
        Bin.Inside inside = inside(key);
        return inside == null ? Optional.empty() : Optional.ofNullable(inside.holder());
    }

    private Bin.@Nullable Inside inside(K key) {
        int hash = hash(Objects.requireNonNull(key, "key"));
        return bin(hash).read(new Visit<>(key, hash));
    }

    /**
     * How many keys some thread is inside of. Exact when nobody comes or goes meanwhile.
     *
     * @return so many; zero: nothing is kept
     */
    public int keys() {
        int keys = 0;
        for (Bin<K> bin : bins) {
            keys += bin.keys();
        }
        return keys;
    }

    private int waiting() {
        int waiting = 0;
        for (Bin<K> bin : bins) {
            waiting += bin.waiting();
        }
        return waiting;
    }

    /**
     * All figures. May wait for a few instructions of another thread, never for a key.
     *
     * @return the figures; {@link KeyedLockStats} says what is consistent with what
     */
    public KeyedLockStats stats() {
        return new KeyedLockStats(keys(), waiting(), waited.sum(), timedOut.sum(), interrupted.sum());
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * The figures of {@link #stats()} as {@code heptad.keyedlock.…}, tagged with the name.
     *
     * @return the metrics, always the same list
     */
    @Override
    public List<Metric> metrics() {
        List<Metric> known = metrics.get();
        if (known == null) {
            Figures of = new Figures("keyedlock", name);
            metrics.compareAndSet(
                    null,
                    List.of(
                            of.gauge("keys", "keys", "Keys that a thread is inside of", this::keys),
                            of.gauge("waiting", "threads", "Threads in line for a key", this::waiting),
                            of.counter("waited", "calls", "Calls that stood in line and got in", waited::sum),
                            of.counter("timeouts", "calls", "Calls that did not get in in time", timedOut::sum),
                            of.counter(
                                    "interrupts", "calls", "Calls that were interrupted in line", interrupted::sum)));
            known = Objects.requireNonNull(metrics.get());
        }
        return known;
    }

    @Override
    public String toString() {
        return name + "[" + keys() + " keys, " + waiting() + " waiting]";
    }

    /** For tests that step through a race. */
    Bin<K> binOf(K key) {
        return bin(hash(key));
    }
}
