package io.heptad.future;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Timers, as a seam for tests.
 */
@FunctionalInterface
interface Delay {
    /**
     * Starts a timer.
     *
     * @param nanos how long it runs; above zero
     * @param then runs once when it ends
     * @return stops the timer and lets go of it; harmless when it has ended
     */
    Runnable start(long nanos, Runnable then);

    /**
     * The JDK's own timer thread: one daemon for the whole process, which Heptad therefore need not have. It takes a
     * stopped timer off its queue, so none stays behind. What runs at the end may be a user's code and may block, so it
     * gets a virtual thread: the timer thread has all the other timeouts of the process to serve.
     */
    Delay SYSTEM = (nanos, then) -> {
        CompletableFuture<Boolean> end =
                new CompletableFuture<Boolean>().completeOnTimeout(true, nanos, TimeUnit.NANOSECONDS);
        Object ignored = end.thenAccept(elapsed -> {
            if (elapsed) {
                Thread.ofVirtual().name("heptad-timeout").start(then);
            }
        });
        return () -> end.complete(false);
    };
}
