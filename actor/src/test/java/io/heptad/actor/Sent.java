package io.heptad.actor;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A call in a platform thread of its own, so that a test sees it wait. */
final class Sent<T> {
    private final FutureTask<T> task;
    private final Thread thread;

    private Sent(Callable<T> call) {
        task = new FutureTask<>(call);
        thread = Thread.ofPlatform().daemon().start(task);
    }

    static <T> Sent<T> of(Callable<T> call) {
        return new Sent<>(call);
    }

    /** A call that has to wait; returns once it does. */
    static <T> Sent<T> waiting(Callable<T> call) {
        Sent<T> sent = new Sent<>(call);
        sent.awaitParked();
        return sent;
    }

    void awaitParked() {
        Note.until()
                .until(() ->
                        thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING);
    }

    boolean isOver() {
        return task.isDone();
    }

    void interrupt() {
        thread.interrupt();
    }

    T value() throws Exception {
        try {
            return task.get(10, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw failed;
        } catch (TimeoutException late) {
            throw new AssertionError("still waits after " + Duration.ofSeconds(10), late);
        }
    }

    Throwable failure() throws InterruptedException {
        try {
            task.get(10, TimeUnit.SECONDS);
            throw new AssertionError("did not fail");
        } catch (ExecutionException failed) {
            return failed.getCause();
        } catch (TimeoutException late) {
            throw new AssertionError("still waits", late);
        }
    }
}
