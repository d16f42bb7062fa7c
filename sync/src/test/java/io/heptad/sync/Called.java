package io.heptad.sync;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;

/** A call of a signal or a keyed lock in a thread of its own, and how it ended. */
final class Called {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final Thread thread;
    private volatile Object end;
    private volatile boolean interruptedAfter;

    private record Failure(Throwable cause) {}

    private Called(boolean virtual, Callable<?> body) {
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

    static Called in(boolean virtual, Callable<?> body) {
        return new Called(virtual, body);
    }

    static Called platform(Callable<?> body) {
        return new Called(false, body);
    }

    /** The call, made by a thread whose interrupt status is set. */
    static Called interruptedOnEntry(boolean virtual, Callable<?> body) {
        return new Called(virtual, () -> {
            Thread.currentThread().interrupt();
            return body.call();
        });
    }

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

    void interrupt() {
        thread.interrupt();
    }

    /** Until it neither runs nor spins. */
    void untilParked() {
        until(() -> thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING);
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
}
