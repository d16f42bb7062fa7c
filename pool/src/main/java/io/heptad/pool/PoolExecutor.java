package io.heptad.pool;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A pool in the clothes of the JDK. It has no state of its own: shutting it down closes the pool. */
final class PoolExecutor extends AbstractExecutorService {
    private final WorkerPool pool;

    PoolExecutor(WorkerPool pool) {
        this.pool = pool;
    }

    /**
     * A runnable that came in here. If it will not run it is cancelled, where it is a future: nobody else would ever
     * complete it, and {@code invokeAll} would wait for it.
     */
    static final class Command implements Callable<@Nullable Void> {
        private final Runnable runnable;

        /** Written and read by the one thread that runs the task. */
        private boolean begun;

        Command(Runnable runnable) {
            this.runnable = runnable;
        }

        @Override
        public @Nullable Void call() {
            begun = true;
            runnable.run();
            return null;
        }

        Runnable runnable() {
            return runnable;
        }

        /** It will not run any more; nothing happens if it has. */
        void abandon() {
            if (!begun && runnable instanceof Future<?> future) {
                try {
                    future.cancel(false);
                } catch (Throwable thrown) {
                    Dispatch.report(thrown); // what is done on completion, such as adding it to a queue that is full
                }
            }
        }
    }

    @Override
    public void execute(Runnable command) {
        Future<?> task = pool.submit(new Command(Objects.requireNonNull(command, "command")));
        if (task.isCancelled() && Thread.currentThread().isInterrupted()) {
            throw new RejectedExecutionException(pool.name() + ": interrupted while waiting for a place");
        }
    }

    @Override
    public <T extends @Nullable Object> Future<T> submit(Callable<T> task) {
        return pool.submit(task);
    }

    @Override
    public Future<?> submit(Runnable task) {
        Objects.requireNonNull(task, "task");
        return pool.submit(() -> task.run());
    }

    @Override
    public <T extends @Nullable Object> Future<T> submit(Runnable task, T result) {
        Objects.requireNonNull(task, "task");
        return pool.submit(() -> {
            task.run();
            return result;
        });
    }

    @Override
    public void shutdown() {
        pool.close();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return pool.haltAndReturn();
    }

    @Override
    public boolean isShutdown() {
        return Slots.closed(pool.slots().state());
    }

    @Override
    public boolean isTerminated() {
        return pool.dispatch().idle().isDone();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        try {
            pool.dispatch().idle().get(timeout, unit);
            return true;
        } catch (TimeoutException late) {
            return false;
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public String toString() {
        return "ExecutorService of " + pool;
    }
}
