package io.heptad.actor;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;

/** A call in a thread of its own, and how it ended. */
final class Call<T> {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final Thread thread;
    private volatile Object end;
    private volatile boolean interruptedAfter;

    private record Failure(Throwable cause) {}

    private Call(boolean virtual, Callable<T> body) {
        Runnable run = () -> {
            Object result;
            try {
                result = body.call();
            } catch (Throwable failure) {
                result = new Failure(failure);
            }
            interruptedAfter = Thread.currentThread().isInterrupted();
            end = result == null ? "null" : result;
        };
        thread = virtual
                ? Thread.ofVirtual().start(run)
                : Thread.ofPlatform().daemon().start(run);
    }

    static <T> Call<T> platform(Callable<T> body) {
        return new Call<>(false, body);
    }

    static <T> Call<T> start(boolean virtual, Callable<T> body) {
        return new Call<>(virtual, body);
    }

    /** Waits for a condition without the cost of a thread of its own: some tests do it thousands of times. */
    static void until(BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("still not so after " + LIMIT);
            }
            Thread.yield();
        }
    }

    Thread thread() {
        return thread;
    }

    boolean isDone() {
        return end != null;
    }

    /** What the call returned ("null" for null) or threw. Waits for it. */
    Object outcome() {
        try {
            if (!thread.join(LIMIT)) {
                throw new AssertionError(
                        "still in its call after " + LIMIT + ": " + Arrays.toString(thread.getStackTrace()));
            }
        } catch (InterruptedException hung) {
            throw new AssertionError("interrupted by the watchdog", hung);
        }
        return end instanceof Failure failure ? failure.cause : end;
    }

    /** Whether the thread's interrupt status was set when the call had ended. */
    boolean interruptedAfter() {
        outcome();
        return interruptedAfter;
    }

    void interrupt() {
        thread.interrupt();
    }
}
