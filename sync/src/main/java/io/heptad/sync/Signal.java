package io.heptad.sync;

import io.heptad.core.Durations;
import io.heptad.core.Measured;
import io.heptad.core.Metric;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A bounded semaphore that starts at zero, for "this has happened" told from one thread to another: completion releases,
 * need acquires. A release that comes before its acquire is remembered; five releases let exactly five in.
 *
 * {@snippet file="io/heptad/sync/SignalSnippetsTest.java" region="signal"}
 *
 * <p>For a moment that comes once, a {@code CompletableFuture} says it better; a signal is for things that happen again and
 * again. As with any semaphore, a permit has no owner: whoever likes may release.
 *
 * <p><b>Bound.</b> At most {@link #maxPermits()} permits are remembered. A release that would pass it is refused with an
 * {@link IllegalStateException} and changes nothing, whoever waits.
 *
 * <p><b>Order.</b> Waiters are served first come, first served, threads and futures in one line. A released permit goes
 * straight to the first of them; a newcomer never overtakes one that is in line, not even with {@link #tryAcquire()}. The
 * first in line that wants many permits keeps those behind it waiting, also where theirs are there. (A platform thread
 * stands in line once it has spun for some microseconds; {@link #waiting()} counts it from then on.) The line is as long
 * as callers make it: bound it where they come from.
 *
 * <p><b>Giving up.</b> A call whose time is out, that is interrupted, or whose future is cancelled takes no permit and leaves
 * nothing in line; who stood behind it is served as if it had never come. If its permit was handed to it before that, it
 * has it: the call returns normally (an interrupt is kept in the thread's interrupt status), {@code cancel} returns false.
 *
 * <p><b>Memory consistency effects.</b> What a thread did before it released a permit happens-before what follows the
 * acquisition of it, in the thread that acquired or in what depends on the future.
 *
 * <p>Any thread may call any method. A virtual thread that waits does not hold its carrier. The idea is Dijkstra's (1965);
 * beside {@link java.util.concurrent.Semaphore} this one has a bound, a future form, and no barging.
 */
public final class Signal implements Measured {
    /*
     * state: how many wait (upper 32 bits) and how many permits are free (lower 32), so that both are one read.
     *   nobody waits     anybody changes it, by CAS: acquire and release without the lock
     *   somebody waits   only the holder of the lock changes it, by a store
     * The first waiter counts itself by CAS, under the lock, in the word that every release has to CAS: so a release
     * either comes before, and the waiter sees its permits, or sees the waiter and goes for the lock. No fence is needed.
     *
     * Whenever the lock is free: the count of waiters is the length of the line, and the first in it wants more permits
     * than there are. A grant moves permits and waiter in one step under the lock (Place). Threads are woken and futures
     * completed after unlocking, the threads first: what depends on a future may take long.
     *
     * Rejected: a grant that its receiver hands back when it has given up meanwhile. Back where? Another release may
     * have filled the signal to its bound since.
     * Rejected: java.util.concurrent's way, in which the first in line is woken to take for itself. Between the two a
     * newcomer takes the permit, and a cancelled future would have to wake the next.
     */
    private static final long ONE_WAITING = 1L << 32;
    private static final int SPINS = 128;
    private static final int SPINS_PER_TRY = 8;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Signal.class, "state", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private volatile long state;

    private final String name;
    private final int maxPermits;
    private final ReentrantLock lock = new ReentrantLock();

    // All under the lock. The chain holds who has been granted but not yet been told.
    private final Line line = new Line();
    private @Nullable Place firstGranted;
    private @Nullable Place lastGranted;

    private final SignalCounts counts = new SignalCounts();
    private final AtomicReference<@Nullable List<Metric>> metrics = new AtomicReference<>();

    private Signal(String name, int permits, int maxPermits) {
        if (maxPermits < 1) {
            throw new IllegalArgumentException("maxPermits must be 1 or more, but is " + maxPermits);
        }
        if (permits < 0 || permits > maxPermits) {
            throw new IllegalArgumentException("permits must be from 0 to " + maxPermits + ", but is " + permits);
        }
        this.name = Names.notBlank("name", name);
        this.maxPermits = maxPermits;
        this.state = permits;
    }

    /**
     * A signal named "signal" with no permits yet, which remembers up to {@link Integer#MAX_VALUE} of them.
     *
     * @return a new signal
     */
    public static Signal create() {
        return of(0, Integer.MAX_VALUE);
    }

    /**
     * A signal named "signal".
     *
     * @param permits how many permits it starts with; from 0 to {@code maxPermits}
     * @param maxPermits how many it remembers at most; 1 or more
     * @return a new signal
     * @throws IllegalArgumentException if one of them is out of range
     */
    public static Signal of(int permits, int maxPermits) {
        return of("signal", permits, maxPermits);
    }

    /**
     * A signal.
     *
     * @param name the name in metrics, events and refusals; not blank
     * @param permits how many permits it starts with; from 0 to {@code maxPermits}
     * @param maxPermits how many it remembers at most; 1 or more
     * @return a new signal
     * @throws IllegalArgumentException if the name is blank, or a number is out of range
     */
    public static Signal of(String name, int permits, int maxPermits) {
        return new Signal(name, permits, maxPermits);
    }

    // Release

    /**
     * Adds a permit, or hands it to the first in line. Never blocks. What depends on a future that is served runs in
     * this thread before it returns.
     *
     * @throws IllegalStateException if there are {@link #maxPermits()} permits already; nothing has changed
     */
    public void release() {
        if (!give(1)) {
            releaseToLine(1);
        }
    }

    /**
     * Adds permits, as {@link #release()}, all at once: one waiter for many is served by them together, many waiters
     * for one each.
     *
     * @param permits how many; 1 or more
     * @throws IllegalArgumentException if {@code permits} is less than 1; nothing has changed
     * @throws IllegalStateException if {@code permits} and those available together are more than {@link #maxPermits()},
     *     also where somebody waits for them; nothing has changed
     */
    public void release(int permits) {
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be 1 or more, but is " + permits);
        }
        if (!give(permits)) {
            releaseToLine(permits);
        }
    }

    /** False: somebody waits, so that the word is beyond any bound, or the bound is met. */
    private boolean give(int permits) {
        for (long seen = state; seen + permits <= maxPermits; seen = state) {
            if (STATE.compareAndSet(this, seen, seen + permits)) {
                return true;
            }
        }
        return false;
    }

    private void releaseToLine(int permits) {
        Place granted = null;
        Spin.lock(lock);
        try {
            for (; ; ) {
                long seen = state;
                long free = free(seen) + (long) permits;
                if (free > maxPermits) {
                    throw tooMany(permits, free(seen));
                }
                if (seen >= ONE_WAITING) {
                    grant(free);
                    granted = takeGranted();
                    break;
                }
                if (STATE.compareAndSet(this, seen, free)) {
                    break; // the last of the line has left meanwhile
                }
            }
        } finally {
            lock.unlock();
        }
        tell(granted);
    }

    private IllegalStateException tooMany(int permits, long available) {
        counts.refused.increment();
        return new IllegalStateException(name + " holds at most " + maxPermits + " permits: " + available
                + " are available, " + permits + " more do not fit");
    }

    /** Under the lock, with somebody in line or just gone: hands out what is free. */
    private void grant(long free) {
        long left = free;
        for (Place first = line.first(); first != null && first.permits <= left; first = line.first()) {
            left -= first.permits;
            line.remove(first);
            if (lastGranted == null) {
                firstGranted = first;
            } else {
                lastGranted.next = first;
            }
            lastGranted = first;
        }
        STATE.setRelease(this, line.size() * ONE_WAITING + left);
    }

    /** Under the lock: decides for those that grant() has served, after the state shows it, and returns the chain. */
    private @Nullable Place takeGranted() {
        Place first = firstGranted;
        firstGranted = null;
        lastGranted = null;
        for (Place place = first; place != null; place = place.next) {
            place.end(Place.State.GRANTED);
        }
        return first;
    }

    /** Without the lock. */
    private void tell(@Nullable Place first) {
        for (Place place = first; place != null; place = place.next) {
            LockSupport.unpark(place.thread); // null: a future
        }
        for (Place place = first; place != null; ) {
            Place next = place.next;
            place.next = null; // or whoever keeps its future would keep those of the others
            Pending future = place.future;
            if (future != null) {
                counts.waited.increment();
                Completions.run(future::granted);
            }
            place = next;
        }
    }

    // Acquire

    /**
     * Takes a permit, and waits for one if need be.
     *
     * @throws InterruptedException if interrupted before or while it waits; no permit was taken
     */
    public void acquire() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (!take(1)) {
            await(1, Long.MAX_VALUE);
        }
    }

    /**
     * Takes permits, all or none, and waits for them if need be.
     *
     * @param permits how many; from 1 to {@link #maxPermits()}
     * @throws IllegalArgumentException if {@code permits} is out of range
     * @throws InterruptedException if interrupted before or while it waits; no permit was taken
     */
    public void acquire(int permits) throws InterruptedException {
        check(permits);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (!take(permits)) {
            await(permits, Long.MAX_VALUE);
        }
    }

    /**
     * Takes a permit, and waits for one at most so long.
     *
     * @param timeout how long to wait; zero or less: not at all
     * @return false if there was none in time; none was taken
     * @throws InterruptedException if interrupted before or while it waits; no permit was taken
     */
    public boolean acquire(Duration timeout) throws InterruptedException {
        return acquire(1, timeout);
    }

    /**
     * Takes permits, all or none, and waits for them at most so long.
     *
     * @param permits how many; from 1 to {@link #maxPermits()}
     * @param timeout how long to wait; zero or less: not at all
     * @return false if there were too few in time; none was taken
     * @throws IllegalArgumentException if {@code permits} is out of range
     * @throws InterruptedException if interrupted before or while it waits; no permit was taken
     */
    public boolean acquire(int permits, Duration timeout) throws InterruptedException {
        check(permits);
        long nanos = Durations.saturatedNanos(Objects.requireNonNull(timeout, "timeout"));
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return take(permits) || await(permits, nanos);
    }

    /**
     * Takes a permit if that is possible at once: there is one, and nobody waits.
     *
     * @return whether it was taken
     */
    public boolean tryAcquire() {
        return take(1);
    }

    /**
     * Takes permits, all or none, if that is possible at once: they are there, and nobody waits.
     *
     * @param permits how many; from 1 to {@link #maxPermits()}
     * @return whether they were taken
     * @throws IllegalArgumentException if {@code permits} is out of range
     */
    public boolean tryAcquire(int permits) {
        check(permits);
        return take(permits);
    }

    /**
     * Takes a permit, now or when its turn comes, without a thread that waits.
     *
     * <p>When the future completes normally, the permit is the caller's. Whoever settles it otherwise before that gives up
     * the place in line: {@code cancel}, {@code orTimeout}, {@code completeExceptionally}, and {@code complete} too. These
     * return false, and the future completes normally, if the permit was there first. Dependents without an executor run
     * in the thread that releases, one after the other: one that blocks holds up the futures behind it, so give it an
     * executor. They may release and acquire here; 20,000 that do so in turn need no deeper a stack than a few.
     *
     * @return the future; done already if a permit was there
     */
    public CompletableFuture<Void> acquireAsync() {
        return acquireAsync(1);
    }

    /**
     * Takes permits, all or none, now or when their turn comes, as {@link #acquireAsync()}.
     *
     * @param permits how many; from 1 to {@link #maxPermits()}
     * @return the future; done already if the permits were there
     * @throws IllegalArgumentException if {@code permits} is out of range
     */
    public CompletableFuture<Void> acquireAsync(int permits) {
        check(permits);
        if (take(permits)) {
            return CompletableFuture.completedFuture(null);
        }
        Pending future = new Pending(this, permits);
        if (enter(future.place)) {
            future.granted();
        }
        return future;
    }

    private void check(int permits) {
        if (permits < 1 || permits > maxPermits) {
            throw new IllegalArgumentException("permits must be from 1 to " + maxPermits + ", but is " + permits);
        }
    }

    private boolean take(int permits) {
        for (long seen = state; seen < ONE_WAITING && seen >= permits; seen = state) {
            if (STATE.compareAndSet(this, seen, seen - permits)) {
                return true;
            }
        }
        return false;
    }

    private boolean await(int permits, long nanos) throws InterruptedException {
        if (nanos <= 0) {
            counts.timedOut.increment();
            return false;
        }
        if (takeSpinning(permits)) {
            return true;
        }
        SignalWaitEvent event = WaitEvents.signalWait(); // before it stands in line: nothing may fail until it leaves
        Place mine = new Place(permits);
        if (enter(mine)) {
            return true;
        }
        Place.Wake wake = mine.await(this, nanos);
        if (wake == Place.Wake.GRANTED || leave(mine) == Place.State.GRANTED) {
            if (wake == Place.Wake.INTERRUPTED) {
                Thread.currentThread().interrupt(); // granted first: it is for the caller
            }
            counts.waited.increment();
            WaitEvents.end(event, this, permits, "acquired");
            return true;
        }
        if (wake == Place.Wake.INTERRUPTED) {
            counts.interrupted.increment();
            WaitEvents.end(event, this, permits, "interrupted");
            throw new InterruptedException();
        }
        counts.timedOut.increment();
        WaitEvents.end(event, this, permits, "timed out");
        return false;
    }

    /** A release that comes in a moment is met without the lock. Not for a virtual thread: others need its carrier. */
    private boolean takeSpinning(int permits) {
        if (Thread.currentThread().isVirtual()) {
            return false;
        }
        for (int i = 0; i < SPINS && state < ONE_WAITING; i += SPINS_PER_TRY) {
            Spin.pause(SPINS_PER_TRY);
            if (take(permits)) {
                return true;
            }
        }
        return false;
    }

    /** True: it has its permits. False: it stands in line. */
    private boolean enter(Place place) {
        Spin.lock(lock);
        try {
            for (; ; ) {
                long seen = state;
                if (seen >= ONE_WAITING) {
                    STATE.setRelease(this, seen + ONE_WAITING);
                    line.add(place);
                    return false;
                }
                if (seen >= place.permits) {
                    if (STATE.compareAndSet(this, seen, seen - place.permits)) {
                        place.end(Place.State.GRANTED);
                        return true;
                    }
                } else if (STATE.compareAndSet(this, seen, seen + ONE_WAITING)) {
                    line.add(place);
                    return false;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** It wants to wait no longer. GRANTED: too late. LEFT: it has left, now or before. */
    Place.State leave(Place place) {
        Place granted;
        Spin.lock(lock);
        try {
            if (place.state() != Place.State.WAITING) {
                return place.state();
            }
            line.remove(place);
            place.end(Place.State.LEFT);
            grant(free(state)); // those behind it may want less
            granted = takeGranted();
        } finally {
            lock.unlock();
        }
        if (place.future != null) {
            counts.cancelled.increment();
        }
        tell(granted);
        return Place.State.LEFT;
    }

    // Figures

    private static int free(long state) {
        return (int) state;
    }

    private static int waiting(long state) {
        return (int) (state >>> 32);
    }

    /**
     * How many permits can be taken now. Greater than zero while somebody waits only if the first in line wants more.
     *
     * @return the permits, from 0 to {@link #maxPermits()}
     */
    public int available() {
        return free(state);
    }

    /**
     * How many stand in line, threads and futures together.
     *
     * @return so many
     */
    public int waiting() {
        return waiting(state);
    }

    /**
     * How many permits it remembers at most.
     *
     * @return the bound
     */
    public int maxPermits() {
        return maxPermits;
    }

    /**
     * All figures. May wait for a few instructions of another thread, never for a permit.
     *
     * @return the figures; {@link SignalStats} says what is consistent with what
     */
    public SignalStats stats() {
        long seen = state;
        return new SignalStats(
                free(seen),
                waiting(seen),
                maxPermits,
                counts.waited.sum(),
                counts.timedOut.sum(),
                counts.interrupted.sum(),
                counts.cancelled.sum(),
                counts.refused.sum(),
                Duration.ofNanos(oldestWaitNanos()));
    }

    long oldestWaitNanos() {
        if (waiting() == 0) {
            return 0;
        }
        Spin.lock(lock);
        try {
            Place first = line.first();
            return first == null ? 0 : System.nanoTime() - first.since;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * The figures of {@link #stats()} as {@code heptad.signal.…}, tagged with the name.
     *
     * @return the metrics, always the same list
     */
    @Override
    public List<Metric> metrics() {
        List<Metric> known = metrics.get();
        if (known == null) {
            metrics.compareAndSet(null, SignalMetrics.of(this, counts));
            known = Objects.requireNonNull(metrics.get());
        }
        return known;
    }

    @Override
    public String toString() {
        long seen = state;
        return name + "[" + free(seen) + "/" + maxPermits + ", " + waiting(seen) + " waiting]";
    }

    /** For tests that step through a race: whoever holds it keeps the line as it is. */
    ReentrantLock lockItself() {
        return lock;
    }
}
