package io.heptad.actor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs things later, as a seam for tests. */
@FunctionalInterface
interface Alarm {
    /**
     * Sets it.
     *
     * @param nanos how long from now; zero or less for at once
     * @param then runs once, in a thread of its own, never in this call
     * @return takes it back; harmless when it has gone off
     */
    Runnable in(long nanos, Runnable then);

    /**
     * The JDK's own timer thread, one daemon for the whole process, which only starts a virtual thread for each alarm that
     * goes off: what runs there may be a user's code, and may block. An alarm that is taken back leaves the timer's queue.
     */
    Alarm SYSTEM = (nanos, then) -> {
        if (nanos <= 0) {
            Thread.ofVirtual().name("heptad-actor-timer").start(then);
            return () -> {};
        }
        CompletableFuture<Boolean> end = new CompletableFuture<Boolean>()
                .completeOnTimeout(true, Math.min(nanos, Long.MAX_VALUE / 4), TimeUnit.NANOSECONDS);
        Object ignored = end.thenAccept(rang -> {
            if (rang) {
                Thread.ofVirtual().name("heptad-actor-timer").start(then);
            }
        });
        return () -> end.complete(false);
    };
}
