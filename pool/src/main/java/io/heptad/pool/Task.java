package io.heptad.pool;

import io.heptad.core.RefusedException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** A submitted task: the future that the user holds and the body that a worker runs. */
final class Task<T extends @Nullable Object> extends Waiter<T> {
    /*
     * The future completes last, when the slot is already someone else's. Completing it runs the user's dependent
     * stages in this thread, so nothing of the pool should depend on their coming back soon: where there are any, the
     * next task gets a thread of its own (Dispatch.passOn). One gap is left: a stage that another thread attaches
     * after passOn has looked and before the future is complete runs here, with the next task's slot held and its body
     * not begun. CompletableFuture cannot complete without running the stages, so it cannot be closed from outside
     * without a thread per task; freshThreads is that, and the javadoc of WorkerPool says so.
     *
     * complete, completeExceptionally and cancel are what the user calls; the pool itself completes through super.
     */
    private final Owner owner;

    /** Dropped once it has run, so that a future that is kept does not keep what the body captured. */
    @Nullable
    private Callable<? extends T> body;

    /** How long it waited in line, when Flight Recorder asks. */
    @Nullable
    private SlotWaitEvent wait;

    Task(Owner owner, Callable<? extends T> body) {
        this.owner = owner;
        this.body = body;
    }

    @Override
    @Nullable
    Claim claim() {
        return owner.claim();
    }

    /** From now on its wait for a slot is recorded. */
    void waits(SlotWaitEvent event) {
        event.begin();
        wait = event;
    }

    /**
     * Runs the body in this thread, which owns a slot, and gives the slot away before the future completes.
     *
     * @return the task that the slot went to, if this thread is to run it next
     */
    @Nullable
    Task<?> runIn(Worker worker, Seat seat, Thread me) {
        // Whatever interrupted this thread until now was not meant for this task.
        Thread.interrupted();
        Dispatch dispatch = owner.dispatch();
        Callable<? extends T> body = this.body;
        PoolExecutor.Command command = command();
        SlotWaitEvent wait = this.wait;
        this.body = null;
        if (wait != null) {
            wait.end(dispatch.name(), true);
            this.wait = null;
        }
        T value = null;
        Throwable failure = null;
        boolean halted = false;
        thread = me;
        worker.runs(this);
        seat.begin(owner.claim());
        boolean counts = moves(GRANTED, RUNNING);
        if (counts) {
            // worker.runs before the CAS, this after it: closeNow finds the task there, or is found here.
            if (dispatch.isHalted()) {
                failure = dispatch.closed();
                halted = true;
                counts = false;
            } else if (body == null || isDone()) {
                counts = false; // completed by hand while it waited: nobody would see the result
            } else {
                try {
                    value = body.call();
                } catch (Throwable thrown) {
                    failure = thrown;
                    if (command != null) {
                        Dispatch.report(thrown); // no future carries it
                    }
                }
            }
            counts &= ends() && !isCancelled();
            Thread.interrupted();
        }
        seat.end();
        worker.runs(null);
        thread = null;
        Claim.End end = !counts ? Claim.End.CANCELLED : failure == null ? Claim.End.COMPLETED : Claim.End.FAILED;
        seat.count(end);
        if (command != null) {
            command.abandon(); // whoever was to run it did not
        }
        Task<?> next = dispatch.passOn(this, end, seat, me);
        try {
            if (failure != null && (counts || halted)) {
                super.completeExceptionally(failure);
            } else if (counts) {
                super.complete(value);
            } else {
                super.cancel(false); // the canceller may not have come to it yet
            }
        } catch (Throwable thrown) {
            Dispatch.report(thrown); // dependents keep what they throw; this is for a stack or a heap that ran out
        }
        return next;
    }

    /** Leaves the body; false if it was cancelled meanwhile. Waits out an interrupt that is just being delivered. */
    private boolean ends() {
        for (; ; ) {
            switch (status()) {
                case RUNNING -> {
                    if (moves(RUNNING, ENDED)) {
                        return true;
                    }
                }
                case INTERRUPTING -> letInterrupt();
                default -> {
                    return false;
                }
            }
        }
    }

    /** The other thread needs the processor for a few instructions; it may be on this carrier. */
    @SuppressWarnings("ThreadPriorityCheck")
    private static void letInterrupt() {
        Thread.yield();
    }

    /** Interrupts the body, if it runs, and leaves the status as {@code after} says; false if it does not run. */
    private boolean interruptBody(int after) {
        for (; ; ) {
            switch (status()) {
                case RUNNING -> {
                    if (moves(RUNNING, INTERRUPTING)) {
                        Thread runner = thread;
                        if (runner != null) {
                            Dispatch.interrupt(runner);
                        }
                        moveTo(after);
                        return true;
                    }
                }
                case INTERRUPTING -> letInterrupt();
                default -> {
                    return false;
                }
            }
        }
    }

    /** Interrupts the body, if it runs; the future then completes as the body ends. */
    void interruptBody() {
        interruptBody(RUNNING);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (isDone()) {
            return isCancelled();
        }
        Dispatch dispatch = owner.dispatch();
        dispatch.unsettled();
        boolean tells = dispatch.tells();
        try {
            // Without an interrupt the status stays RUNNING, so that closeNow can still interrupt the body.
            if (!leavesLine() && !moves(GRANTED, CANCELLED) && mayInterruptIfRunning) {
                interruptBody(CANCELLED);
            }
            return super.cancel(mayInterruptIfRunning);
        } finally {
            if (tells) {
                dispatch.hasTold();
            }
            dispatch.settled();
        }
    }

    /** Leaves the line, if it is there, and lets go of the body: the user may keep the future. */
    private boolean leavesLine() {
        if (!owner.dispatch().withdraw(this)) {
            return false;
        }
        body = null;
        return true;
    }

    @Override
    public boolean complete(T value) {
        boolean mine = super.complete(value);
        if (mine && leavesLine()) {
            owner.dispatch().signalIfIdle();
        }
        return mine;
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        boolean mine = super.completeExceptionally(failure);
        if (mine && leavesLine()) {
            owner.dispatch().signalIfIdle();
        }
        return mine;
    }

    @Override
    public T join() {
        NestedWaits.Entry nested = isDone() ? null : owner.dispatch().nested(this);
        try {
            return super.join();
        } finally {
            if (nested != null) {
                nested.leave();
            }
        }
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        NestedWaits.Entry nested = isDone() ? null : owner.dispatch().nested(this);
        try {
            return super.get();
        } finally {
            if (nested != null) {
                nested.leave();
            }
        }
    }

    /** What came in through the executor view, if this did and has not begun. */
    PoolExecutor.@Nullable Command command() {
        Callable<?> inner = body instanceof Wrapped<?> wrapped ? wrapped.body() : body;
        return inner instanceof PoolExecutor.Command command ? command : null;
    }

    /** It will not run, though it has left the line. */
    void fail(Throwable why) {
        PoolExecutor.Command command = command();
        if (command != null) {
            command.abandon();
        }
        body = null;
        super.completeExceptionally(why);
    }

    @Override
    void refused(RefusedException why) {
        fail(why);
    }
}
