package io.heptad.sync;

import io.heptad.core.Durations;
import io.heptad.core.FullException;
import io.heptad.core.Measured;
import io.heptad.core.Metric;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * A gate that opens once and stays open: all who come before wait, all who come after pass.
 *
 * <p>It opens at the last of a number of arrivals, or when every named part has arrived:
 *
 * {@snippet file="io/heptad/sync/SnippetsTest.java" region="latch-parts"}
 *
 * {@snippet file="io/heptad/sync/SnippetsTest.java" region="latch-count"}
 *
 * <p><b>Arrivals.</b> A latch made by {@link #of(int)} counts: {@link #countDown()} is one arrival, whoever calls it. One
 * made by {@link #ofParts(String, String...)} knows its parts by name: {@link #arrive} of a part counts once, however
 * often it is called, and {@link #missing()} says who is not there yet. What comes after the last arrival changes nothing;
 * the number that remains is never below zero, and an open latch neither closes nor fails.
 *
 * <p><b>Failure.</b> What it waits for may fail instead, and then nobody is left to wait for it: {@link #fail} ends all
 * waits, those under way and those to come, with a {@link LatchFailedException} that has the cause. The first failure
 * counts; arrivals after it change nothing.
 *
 * <p><b>Waiting.</b> {@link #await()} and {@link #await(Duration)} wait in a thread, {@link #opened()} is the same as a
 * future. All of them end at once on an open or a failed latch. A time of zero or less means "do not wait",
 * {@code Duration.ofSeconds(Long.MAX_VALUE)} "no limit". A wait that ends early (timeout, interrupt, a future that is
 * cancelled, completed or timed out by its holder) leaves nothing behind.
 *
 * <p><b>Who waits at a closed gate stands in a queue,</b> and where strangers do (requests that come before the service is
 * ready), that queue needs a bound: {@link #of(String, int, int)} and {@link #ofParts(String, int, String...)} refuse, with a
 * {@link FullException}, whoever comes when so many wait already.
 *
 * <p><b>When it opens</b> or fails, all threads are woken, in the order in which they came, and then the futures are
 * completed in that order, one after the other, by the thread that made the last arrival: what depends on them without
 * an executor of its own runs there. It runs under no lock, and what it throws stays with its own stage. However many
 * there are, they do not nest; and a chain of latches, each opened by what depends on the one before, needs no deeper a
 * stack than a few.
 *
 * <p>Any thread may call any method. Only the two forms of {@code await} ever block.
 *
 * <p><b>Memory consistency effects:</b> what a thread did before {@link #countDown()}, {@link #arrive} or {@link #fail}
 * <i>happens-before</i> what a thread does after a wait that it ended, or after it saw that wait's end in
 * {@link #isOpen()}.
 *
 * <p>The shape is {@link java.util.concurrent.CountDownLatch}, with parts, failure and futures. For one result rather than
 * a moment, a {@link CompletableFuture} is the latch.
 */
public final class Latch implements Measured {
    /*
     * State: one int, left. Above zero: so many arrivals to come. Zero: open. Below zero: failed, with -left to come. It
     * moves by CAS from above zero only, so whoever takes it to zero or below is alone in that, and ends the waits.
     *
     * A waiter is added under the lock, and only after left was read there and found above zero. Whoever ends the waits
     * moves left first and takes the list under the lock afterwards. So either the waiter saw the end, or its node is in
     * the list that is taken. A waiter that gives up looks at left under the lock as well: above zero, its node is still
     * in the list and is unlinked; otherwise the end came first and stands.
     *
     * arrived[] and the step of left that belongs to it are made under the lock, so missing() and remaining agree.
     * countDown takes no lock before the last count. cause is written under the lock before left goes below zero, so
     * whoever reads left below zero reads the cause of the one failure.
     *
     * No code of the user runs under the lock. The lock is the only one, and nothing is locked under it.
     *
     * Rejected: a Treiber stack of waiters, sealed by an exchange (as in FutureTask). It saves the lock of those who
     * wait, who pay for a park anyway; but taking one node out of its middle is a walk, and a latch that stays closed for
     * days sees many timed waits come and go.
     */
    private static final VarHandle LEFT;

    static {
        try {
            LEFT = MethodHandles.lookup().findVarHandle(Latch.class, "left", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final String name;
    private final int count;
    private final int maxWaiting;
    private final Map<String, Integer> parts; // empty: it only counts
    private final boolean named;

    private volatile int left;

    private final ReentrantLock lock = new ReentrantLock();
    private final boolean[] arrived; // under the lock
    private @Nullable Waiter first; // under the lock
    private @Nullable Waiter last; // under the lock
    private @Nullable Throwable cause; // written under the lock, published by left
    private volatile int waiting; // written under the lock

    private final LongAdder timedOut = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final AtomicReference<@Nullable List<Metric>> metrics = new AtomicReference<>();

    private Latch(String name, int count, int maxWaiting, Map<String, Integer> parts) {
        if (count < 0) {
            throw new IllegalArgumentException("count must be at least 0, but is " + count);
        }
        if (maxWaiting < 1) {
            throw new IllegalArgumentException("maxWaiting must be at least 1, but is " + maxWaiting);
        }
        this.name = Names.notBlank("name", name);
        this.count = count;
        this.maxWaiting = maxWaiting;
        this.parts = parts;
        named = !parts.isEmpty();
        arrived = new boolean[parts.size()];
        left = count;
    }

    /**
     * A latch with the name "latch" that opens at the last of so many arrivals.
     *
     * @param count how many arrivals it takes; with 0 it is open from the start
     * @return a new latch
     * @throws IllegalArgumentException if {@code count} is negative
     */
    public static Latch of(int count) {
        return of("latch", count);
    }

    /**
     * A latch that opens at the last of so many arrivals.
     *
     * @param name the name in metrics, events and failures; not blank
     * @param count how many arrivals it takes; with 0 it is open from the start
     * @return a new latch
     * @throws IllegalArgumentException if {@code name} is blank or {@code count} is negative
     */
    public static Latch of(String name, int count) {
        return of(name, count, Integer.MAX_VALUE);
    }

    /**
     * A latch that opens at the last of so many arrivals, and at which no more than so many wait.
     *
     * @param name the name in metrics, events, refusals and failures; not blank
     * @param count how many arrivals it takes; with 0 it is open from the start
     * @param maxWaiting the most threads and futures that may wait, at least 1; whoever comes on top is refused with a
     *     {@link FullException}
     * @return a new latch
     * @throws IllegalArgumentException if {@code name} is blank or a number is out of range
     */
    public static Latch of(String name, int count, int maxWaiting) {
        return new Latch(name, count, maxWaiting, Map.of());
    }

    /**
     * A latch that opens when each of these parts has arrived.
     *
     * @param name the name in metrics, events and failures; not blank
     * @param parts what has to arrive, by name: at least one, all different, none blank
     * @return a new latch
     * @throws IllegalArgumentException if a name is blank, or there are no parts, or one is named twice
     */
    public static Latch ofParts(String name, String... parts) {
        return ofParts(name, Integer.MAX_VALUE, parts);
    }

    /**
     * A latch that opens when each of these parts has arrived, and at which no more than so many wait.
     *
     * @param name the name in metrics, events, refusals and failures; not blank
     * @param maxWaiting the most threads and futures that may wait, at least 1; whoever comes on top is refused with a
     *     {@link FullException}
     * @param parts what has to arrive, by name: at least one, all different, none blank
     * @return a new latch
     * @throws IllegalArgumentException if a name is blank, or there are no parts, or one is named twice, or
     *     {@code maxWaiting} is out of range
     */
    public static Latch ofParts(String name, int maxWaiting, String... parts) {
        List<String> names = Arrays.asList(Objects.requireNonNull(parts, "parts"));
        return new Latch(name, names.size(), maxWaiting, Names.distinct("parts", names));
    }

    // Arrivals

    /**
     * One arrival; the last one opens the latch. On an open or a failed latch it changes nothing. Never blocks.
     *
     * @throws IllegalStateException if this latch has named parts: they {@link #arrive}
     */
    public void countDown() {
        if (named) {
            throw new IllegalStateException("latch " + name + " has named parts, which arrive: " + parts.keySet());
        }
        for (int seen = left; seen > 0; seen = left) {
            if (LEFT.compareAndSet(this, seen, seen - 1)) {
                if (seen == 1) {
                    endWaits();
                }
                return;
            }
        }
    }

    /**
     * The arrival of a part; that of the last missing one opens the latch. A part that has arrived before changes nothing,
     * and neither does one on a failed latch. Never blocks.
     *
     * @param part the name of the part
     * @throws IllegalArgumentException if this latch has no such part
     * @throws IllegalStateException if this latch only counts: use {@link #countDown()}
     */
    public void arrive(String part) {
        if (!named) {
            Objects.requireNonNull(part, "part");
            throw new IllegalStateException("latch " + name + " has no named parts, it only counts down");
        }
        int place = Names.place("part", parts, part);
        boolean opens = false;
        lock.lock();
        try {
            int seen = left; // nobody else writes it: parts are not counted down, and failing takes the lock
            if (seen > 0 && !arrived[place]) {
                arrived[place] = true;
                left = seen - 1;
                opens = seen == 1;
            }
        } finally {
            lock.unlock();
        }
        if (opens) {
            endWaits();
        }
    }

    /**
     * What this latch waits for will not come: all who wait, and all who come later, get a {@link LatchFailedException}
     * with this cause. On an open latch, or one that has failed before, it changes nothing. Never blocks.
     *
     * @param cause why
     */
    public void fail(Throwable cause) {
        Objects.requireNonNull(cause, "cause");
        int told;
        lock.lock();
        try {
            int seen = left;
            if (seen <= 0) {
                return;
            }
            this.cause = cause;
            while (!LEFT.compareAndSet(this, seen, -seen)) {
                seen = left;
                if (seen <= 0) { // counted down meanwhile
                    this.cause = null;
                    return;
                }
            }
            told = waiting;
        } finally {
            lock.unlock();
        }
        tellFlightRecorder(cause, told);
        endWaits();
    }

    // Waiting

    /**
     * Waits until the latch is open, as long as it takes.
     *
     * @throws InterruptedException if the thread is interrupted on entry, or while it waits
     * @throws LatchFailedException if the latch has failed, or fails while this call waits
     * @throws FullException if it would wait, and as many as may wait do so already
     */
    public void await() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (left != 0) {
            awaitEnd(NO_LIMIT);
        }
    }

    /**
     * Waits until the latch is open, but no longer than this.
     *
     * @param timeout the longest wait; zero or less: none
     * @return true if the latch is open; false if the time ran out
     * @throws InterruptedException if the thread is interrupted on entry, or while it waits
     * @throws LatchFailedException if the latch has failed, or fails while this call waits
     * @throws FullException if it would wait, and as many as may wait do so already
     */
    public boolean await(Duration timeout) throws InterruptedException {
        long nanos = Durations.saturatedNanos(Objects.requireNonNull(timeout, "timeout"));
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return left == 0 || awaitEnd(nanos);
    }

    @SuppressWarnings("ThreadPriorityCheck") // see Round.YIELDS
    private boolean awaitEnd(long nanos) throws InterruptedException {
        if (left > 0) {
            if (nanos <= 0) {
                timedOut.increment();
                return false;
            }
            Waiter me = new Waiter(Thread.currentThread(), null);
            long deadline = nanos == NO_LIMIT ? 0 : System.nanoTime() + nanos;
            if (!Thread.currentThread().isVirtual()) {
                for (int i = 0; i < Round.YIELDS && left > 0; i++) {
                    Thread.yield();
                }
            }
            if (enter(me) && !parkUntilTheEnd(me, nanos, deadline)) {
                timedOut.increment();
                return false;
            }
        }
        if (left < 0) {
            throw failure();
        }
        return true;
    }

    /** False: the time ran out. */
    private boolean parkUntilTheEnd(Waiter me, long nanos, long deadline) throws InterruptedException {
        while (left > 0) {
            boolean interrupted = Thread.interrupted();
            long rest = nanos == NO_LIMIT ? NO_LIMIT : deadline - System.nanoTime();
            if (interrupted || rest <= 0) {
                if (leave(me)) {
                    if (interrupted) {
                        throw new InterruptedException();
                    }
                    return false;
                }
                if (interrupted) {
                    Thread.currentThread().interrupt(); // the end came first, and the interrupt is for the caller
                }
                return true;
            }
            if (rest == NO_LIMIT) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, rest);
            }
        }
        return true;
    }

    /**
     * The opening as a future: completed when the latch opens, failed with a {@link LatchFailedException} when it fails.
     * Each call gives a future of its own, so to cancel, complete or time out one of them is nobody else's matter; the
     * latch lets go of it at once. Never blocks.
     *
     * @return a new future; already failed, with a {@link FullException}, if as many as may wait do so already
     */
    public CompletableFuture<Void> opened() {
        if (left > 0) {
            CompletableFuture<Void> future = new CompletableFuture<>();
            Waiter me = new Waiter(null, future);
            boolean entered;
            try {
                entered = enter(me);
            } catch (FullException full) {
                return CompletableFuture.failedFuture(full);
            }
            if (entered) {
                var unused = future.whenComplete((nothing, failure) -> {
                    if (left > 0) { // by its holder: the latch has not ended
                        leave(me);
                    }
                });
                return future;
            }
        }
        return left < 0 ? CompletableFuture.failedFuture(failure()) : CompletableFuture.completedFuture(null);
    }

    /** False: there is nothing to wait for any more. */
    private boolean enter(Waiter me) {
        lock.lock();
        try {
            if (left <= 0) {
                return false;
            }
            int others = waiting;
            if (others < maxWaiting) {
                me.before = last;
                if (last == null) {
                    first = me;
                } else {
                    last.behind = me;
                }
                last = me;
                waiting = others + 1;
                return true;
            }
        } finally {
            lock.unlock();
        }
        refused.increment();
        throw new FullException(name, maxWaiting, maxWaiting, null, "as many as may wait for the latch do so");
    }

    /** False: the end came first. */
    private boolean leave(Waiter me) {
        lock.lock();
        try {
            if (left <= 0) {
                return false;
            }
            Waiter before = me.before;
            Waiter behind = me.behind;
            if (before == null) {
                first = behind;
            } else {
                before.behind = behind;
            }
            if (behind == null) {
                last = before;
            } else {
                behind.before = before;
            }
            int all = waiting;
            waiting = all - 1;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** By the one that moved left to zero or below. */
    private void endWaits() {
        Waiter all;
        lock.lock();
        try {
            all = first;
            first = null;
            last = null;
            waiting = 0;
        } finally {
            lock.unlock();
        }
        // All threads first: what depends on a future is the user's, and may take its time.
        Waiter firstFuture = null;
        for (Waiter waiter = all; waiter != null; waiter = waiter.behind) {
            if (waiter.thread != null) {
                LockSupport.unpark(waiter.thread);
            } else if (firstFuture == null) {
                firstFuture = waiter;
            }
        }
        if (firstFuture != null) {
            Waiter from = firstFuture;
            Completions.run(() -> complete(from)); // one of them may open the next latch, and so on
        }
    }

    private void complete(Waiter from) {
        for (Waiter waiter = from; waiter != null; waiter = waiter.behind) {
            if (waiter.future != null) {
                if (left < 0) {
                    waiter.future.completeExceptionally(failure());
                } else {
                    waiter.future.complete(null);
                }
            }
        }
    }

    private LatchFailedException failure() {
        return new LatchFailedException(name, missingInWords(), Objects.requireNonNull(cause));
    }

    private void tellFlightRecorder(Throwable cause, int told) {
        if (!FlightRecorder.isInitialized()) { // the first event class costs a JVM 150 ms of CPU
            return;
        }
        LatchFailedEvent event = new LatchFailedEvent();
        if (event.isEnabled()) {
            event.latch = name;
            event.missing = missingInWords();
            event.waiting = told;
            event.cause = cause.toString();
            event.commit();
        }
    }

    // Figures

    /**
     * Whether the latch is open. Never blocks.
     *
     * @return true from the last arrival on, for ever; a failed latch is not open
     */
    public boolean isOpen() {
        return left == 0;
    }

    /**
     * Whether the latch has failed. Never blocks.
     *
     * @return true from the first {@link #fail} on a closed latch, for ever
     */
    public boolean isFailed() {
        return left < 0;
    }

    /**
     * How many arrivals are still to come. Never blocks.
     *
     * @return from the count down to 0; of a failed latch, how many were to come when it failed
     */
    public int remaining() {
        return Math.abs(left);
    }

    /**
     * Which parts are still to come. Takes the latch's lock for a few instructions.
     *
     * @return their names, in the order in which they were given; of a failed latch, those that were missing when it
     *     failed; empty if the latch is open, and always empty if it has no named parts
     */
    public Set<String> missing() {
        lock.lock();
        try {
            return missingParts();
        } finally {
            lock.unlock();
        }
    }

    /** Under the lock. */
    private Set<String> missingParts() {
        Set<String> missing = new LinkedHashSet<>();
        parts.forEach((part, place) -> {
            if (!arrived[place]) {
                missing.add(part);
            }
        });
        return Collections.unmodifiableSet(missing);
    }

    private String missingInWords() {
        return named ? missing().toString() : remaining() + " of " + count;
    }

    /**
     * How many wait: threads in {@code await}, and futures of {@link #opened()} that are pending. Never blocks.
     *
     * @return so many; 0 once the latch is open or has failed
     */
    public int waiting() {
        return left > 0 ? waiting : 0;
    }

    /**
     * All figures, read together. Takes the latch's lock for a few instructions.
     *
     * @return a new record; it says which of its figures belong to one instant
     */
    public LatchStats stats() {
        int seen;
        int waiters;
        Set<String> missing;
        lock.lock();
        try {
            seen = left;
            waiters = seen > 0 ? waiting : 0;
            missing = missingParts();
        } finally {
            lock.unlock();
        }
        return new LatchStats(
                count, Math.abs(seen), missing, seen == 0, seen < 0, waiters, timedOut.sum(), refused.sum());
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * {@inheritDoc}
     *
     * <p>They are {@code heptad.latch.} followed by {@code count}, {@code remaining}, {@code waiting}, {@code open},
     * {@code failed}, {@code timeouts} and {@code refused}.
     */
    @Override
    public List<Metric> metrics() {
        List<Metric> made = metrics.get();
        if (made != null) {
            return made;
        }
        Figures of = new Figures("latch", name);
        metrics.compareAndSet(
                null,
                List.of(
                        of.gauge("count", "arrivals", "How many arrivals it takes to open", () -> count),
                        of.gauge("remaining", "arrivals", "How many arrivals are still to come", this::remaining),
                        of.gauge("waiting", "waiters", "Threads that wait and futures that are pending", this::waiting),
                        of.gauge("open", "", "1 from the last arrival on", () -> isOpen() ? 1 : 0),
                        of.gauge("failed", "", "1 once it has failed", () -> isFailed() ? 1 : 0),
                        of.counter("timeouts", "calls", "Waits whose time ran out", timedOut::sum),
                        of.counter("refused", "calls", "Waits refused because enough waited", refused::sum)));
        return Objects.requireNonNull(metrics.get());
    }

    /**
     * For people: the name, what is missing and how many wait.
     *
     * @return such as {@code Latch startup: [config, database] missing, 3 waiting}
     */
    @Override
    public String toString() {
        int seen = left;
        return "Latch " + name + ": "
                + (seen == 0
                        ? "open"
                        : seen < 0
                                ? "failed with " + missingInWords() + " missing"
                                : missingInWords() + " missing, " + waiting() + " waiting");
    }

    /** For tests that step through a race: whoever holds it keeps all others from standing in line and from leaving it. */
    ReentrantLock lockItself() {
        return lock;
    }

    /** A parked thread, or a pending future. The links belong to the lock. */
    private static final class Waiter {
        final @Nullable Thread thread;
        final @Nullable CompletableFuture<Void> future;

        @Nullable
        Waiter before;

        @Nullable
        Waiter behind;

        Waiter(@Nullable Thread thread, @Nullable CompletableFuture<Void> future) {
            this.thread = thread;
            this.future = future;
        }
    }
}
