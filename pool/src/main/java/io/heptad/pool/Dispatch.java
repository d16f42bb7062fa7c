package io.heptad.pool;

import io.heptad.core.ClosedException;
import io.heptad.core.RefusedException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Gets whoever was granted a slot going, passes slots on, and stops everything at the end. */
final class Dispatch implements Waiter.Owner {
    /*
     * A slot is always somebody's duty. It is taken in Slots, and from then on exactly one thread has to pass it on:
     * the one that took it, until start() gave it to a thread or a caller; then the worker or the caller. start() is a
     * loop, not a recursion: if no thread can be had for one task, its slot goes to the next in line, and so on.
     *
     * Termination: closed, nothing active or waiting, every seat free, nothing unsettled. A seat is left after the future
     * completed, and whoever takes a task out of the pool in another way holds it unsettled until its future is complete:
     * so whoever waited for the pool finds all futures done.
     *
     * No lock is held while user code runs (body, thread factory, dependent stages).
     */
    private final String name;
    private final Slots slots;
    private final Seats seats;
    private final Tally tally;
    private final NestedWaits nestedWaits;
    private final ThreadFactory threads;
    private final boolean freshThreads;

    /** Threads that are about to complete a future of a task that left neither through a seat nor through halt. */
    private final AtomicInteger unsettled = new AtomicInteger();

    /** Threads that run dependent stages outside a seat, with the end waiting for them. */
    private final Set<Thread> tellers = ConcurrentHashMap.newKeySet();

    private final CompletableFuture<Void> idle = new CompletableFuture<>();

    /** Set by halt before it looks for bodies to interrupt. */
    private volatile boolean halted;

    /** Held while halt interrupts, so that a caller does not leave {@code run} with the interrupt still to come. */
    private final ReentrantLock halting = new ReentrantLock();

    Dispatch(String name, Slots slots, Seats seats, Tally tally, ThreadFactory threads, boolean freshThreads) {
        this.name = name;
        this.slots = slots;
        this.seats = seats;
        this.tally = tally;
        this.nestedWaits = new NestedWaits(slots);
        this.threads = threads;
        this.freshThreads = freshThreads;
    }

    @Override
    public Dispatch dispatch() {
        return this;
    }

    @Override
    public @Nullable Claim claim() {
        return null;
    }

    String name() {
        return name;
    }

    Seats seats() {
        return seats;
    }

    /** A slot changed hands: its new owner gets going. */
    void start(@Nullable Waiter<?> granted) {
        Waiter<?> next = granted;
        while (next != null) {
            next = switch (next) {
                case Caller caller -> {
                    caller.granted();
                    yield null;
                }
                case Task<?> task -> startThread(task);
            };
        }
    }

    /** A thread of the factory's, not started; it may throw anything. */
    Thread newThread(Runnable body) {
        Thread thread = threads.newThread(body);
        if (thread == null) {
            throw new NullPointerException("the thread factory of " + name + " returned null");
        }
        return thread;
    }

    boolean freshThreads() {
        return freshThreads;
    }

    /** Returns whom the slot went to, if no thread could be started. */
    private @Nullable Waiter<?> startThread(Task<?> task) {
        Worker worker = new Worker(this, task);
        try {
            newThread(worker).start();
            return null;
        } catch (Throwable noThread) {
            Task<?> mine = worker.take();
            return mine == null ? null : notStarted(mine, noThread);
        }
    }

    /** Fails a granted task that will not run; returns whom its slot went to. */
    @Nullable
    Waiter<?> notStarted(Task<?> task, Throwable why) {
        boolean fails = task.moves(Waiter.GRANTED, Waiter.ENDED);
        (fails ? tally.failed : tally.cancelled).increment();
        unsettled();
        try {
            leaveKey(task.claim(), fails ? Claim.End.FAILED : Claim.End.CANCELLED);
            Waiter<?> next = slots.pass();
            if (fails) {
                if (task.command() != null) {
                    report(why); // no future carries it
                }
                task.fail(why);
            }
            return next;
        } finally {
            settled();
        }
    }

    /** The body has ended: its slot goes on. Returns the task that this thread is to run next, if any. */
    @Nullable
    Task<?> passOn(Task<?> ended, Claim.End how, Seat seat, Thread me) {
        leaveKey(ended.claim(), how); // first, so that the slot may go to one of the same key
        Waiter<?> next = slots.pass();
        // Completing the future runs its dependent stages in this thread, and they may take long or wait for the next.
        if (next instanceof Task<?> task && !freshThreads && ended.getNumberOfDependents() == 0) {
            task.thread = me;
            return task;
        }
        seat.holds(false);
        start(next);
        return null;
    }

    /** What a claim holds of its key goes to the next of that key. */
    void leaveKey(@Nullable Claim claim, Claim.End how) {
        if (claim != null) {
            claim.end = how;
            claim.leave().forEach(this::start);
        }
    }

    /** The body of a caller inside {@code run} has ended, or was not begun: its slot goes on. */
    void ended(Seat seat, @Nullable Claim claim, Claim.End how) {
        seat.end();
        seat.count(how);
        seat.leave();
        leaveKey(claim, how);
        start(slots.pass());
        if (halted) {
            awaitInterrupt();
        }
        signalIfIdle();
    }

    @SuppressWarnings("LockNotBeforeTry") // to have held it is all that matters
    private void awaitInterrupt() {
        halting.lock();
        halting.unlock();
    }

    /** Takes it out of the line, if it is in line, and counts it as cancelled. */
    boolean withdraw(Waiter<?> waiter) {
        if (!leaveLine(waiter, Claim.End.CANCELLED)) {
            return false;
        }
        tally.cancelled.increment();
        return true;
    }

    /** Takes it out of the line or from the door; false if it is there no more. */
    boolean leaveLine(Waiter<?> waiter, Claim.End how) {
        int status = waiter.status();
        if (status == Waiter.NEW || status >= Waiter.GRANTED) {
            return false;
        }
        Claim claim = waiter.claim();
        if (!(claim == null ? slots.withdraw(waiter) : claim.share.withdraw(claim, waiter))) {
            return false;
        }
        leaveKey(claim, how);
        return true;
    }

    /** It was dropped, or the pool closed while it was in line. */
    void refuse(Waiter<?> waiter, RefusedException why, Claim.End how) {
        leaveKey(waiter.claim(), how);
        waiter.refused(why);
    }

    /**
     * The calling thread is about to wait for this task or caller: if it holds a slot, that is noted.
     *
     * @throws IllegalStateException if it is the last thread of the pool that could have gone on
     */
    NestedWaits.@Nullable Entry nested(Waiter<?> awaited) {
        Thread me = Thread.currentThread();
        List<@Nullable Claim> held = seats.heldBy(me);
        return held.isEmpty() ? null : nestedWaits.enter(name, me, held, awaited);
    }

    // The end

    ClosedException closed() {
        return new ClosedException(name);
    }

    boolean isHalted() {
        return halted;
    }

    /** Ends the wait of those in line, who are returned, and interrupts all bodies but the caller's own. */
    List<Waiter<?>> halt() {
        slots.close();
        halted = true;
        List<Waiter<?>> waited = slots.drain();
        tally.cancelled.add(waited.size());
        halting.lock();
        try {
            Thread me = Thread.currentThread();
            for (Seat seat : seats.all()) {
                Object owner = seat.owner();
                if (owner instanceof Worker worker) {
                    Task<?> task = worker.task();
                    if (task != null && worker.thread() != me) {
                        task.interruptBody();
                    }
                } else if (owner instanceof Thread thread && thread != me) {
                    interrupt(thread);
                }
            }
        } finally {
            halting.unlock();
        }
        return waited;
    }

    /** Interrupts, also where the factory's thread has a method of its own for it that throws. */
    static void interrupt(Thread thread) {
        try {
            thread.interrupt();
        } catch (Throwable thrown) {
            report(thrown);
        }
    }

    /** Tells those who were in line when the pool was halted, whatever their stages throw. */
    void tell(List<Waiter<?>> waited) {
        boolean tells = tells();
        try {
            for (Waiter<?> waiter : waited) {
                try {
                    refuse(waiter, closed(), Claim.End.CANCELLED);
                } catch (Throwable thrown) {
                    report(thrown);
                }
            }
        } finally {
            if (tells) {
                hasTold();
            }
            slots.drained(waited.size());
            signalIfIdle();
        }
    }

    /** Completes once the pool is closed and all that it accepted has ended. */
    CompletableFuture<Void> idle() {
        return idle;
    }

    /** The calling thread may take a task out, and will say {@link #settled} when its future is complete. */
    void unsettled() {
        unsettled.incrementAndGet();
    }

    /** The calling thread is about to complete futures that the end waits for; false if it is at it already. */
    boolean tells() {
        return tellers.add(Thread.currentThread());
    }

    /** It has; to be called if {@link #tells} was true. */
    void hasTold() {
        tellers.remove(Thread.currentThread());
    }

    /** Whether the end cannot come while the calling thread waits for it. */
    boolean endNeedsCaller() {
        Thread me = Thread.currentThread();
        return tellers.contains(me) || seats.hasOwner(me);
    }

    void settled() {
        unsettled.decrementAndGet();
        signalIfIdle();
    }

    /**
     * Whoever left a seat before needs a full fence or a read-modify-write of the state of the slots in between: without
     * it this may miss that the pool closes while the closer misses that the seat is free, and nobody signals.
     */
    void signalIfIdle() {
        if (Slots.isClosedAndEmpty(slots.state())) {
            seats.fence();
            if (seats.allFree() && unsettled.get() == 0) {
                idle.complete(null);
            }
        }
    }

    /** For what no future can carry. A handler that throws harms nobody. */
    static void report(Throwable thrown) {
        Thread me = Thread.currentThread();
        try {
            me.getUncaughtExceptionHandler().uncaughtException(me, thrown);
        } catch (Throwable handlerFailed) {
            // there is nobody left to tell
        }
    }
}
