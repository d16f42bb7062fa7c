package io.heptad.pool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** What a thread of the pool runs: a granted task, then whatever its slot goes to, until nobody is in line. */
final class Worker implements Runnable {
    /*
     * Whoever takes "first" out runs or fails it: the thread, or the starter whose thread could not be started. So a
     * factory that starts a thread and then throws, or a thread that runs this twice, cannot run a task twice or give
     * one slot back twice.
     */
    private static final VarHandle FIRST;

    private static final VarHandle TASK;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            FIRST = lookup.findVarHandle(Worker.class, "first", Task.class);
            TASK = lookup.findVarHandle(Worker.class, "task", Task.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final Dispatch dispatch;

    @Nullable
    private volatile Task<?> first;

    /** Published by the claim of the seat. */
    @Nullable
    private Thread thread;

    /** What runs now. Here and not in the seat, which {@code run} uses too: a body of its own is no task. */
    @Nullable
    private volatile Task<?> task;

    Worker(Dispatch dispatch, Task<?> first) {
        this.dispatch = dispatch;
        this.first = first;
    }

    @Nullable
    Task<?> take() {
        return (Task<?>) FIRST.getAndSet(this, (Task<?>) null);
    }

    /** What runs now; null between two tasks. */
    @Nullable
    Task<?> task() {
        return task;
    }

    void runs(@Nullable Task<?> now) {
        TASK.setRelease(this, now);
    }

    @Nullable
    Thread thread() {
        return thread;
    }

    @Override
    public void run() {
        Task<?> task = take();
        if (task == null) {
            return;
        }
        Thread me = Thread.currentThread();
        thread = me;
        Seat seat;
        try {
            seat = dispatch.seats().claim(me, this);
        } catch (Throwable noSeat) {
            dispatch.start(dispatch.notStarted(task, noSeat));
            return;
        }
        seat.holds(true);
        try {
            while (task != null) {
                task = task.runIn(this, seat, me);
            }
        } finally {
            seat.leave();
            dispatch.seats().fence(); // the seat is seen free, or the pool is seen closed
            dispatch.signalIfIdle();
        }
    }
}
