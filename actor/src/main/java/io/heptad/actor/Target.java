package io.heptad.actor;

import io.heptad.core.FullPolicy;
import io.heptad.core.Metric;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What is behind an {@link Actor}: each method is that of the actor, with times in nanoseconds that saturate. */
interface Target<M> {
    String name();

    int capacity();

    FullPolicy whenFull();

    int depth();

    Duration oldestAge();

    ActorStats stats();

    List<Metric> metrics();

    boolean isClosed();

    boolean send(M message, long nanos) throws InterruptedException;

    boolean offer(M message);

    <R extends @Nullable Object> CompletableFuture<R> ask(Function<? super Reply<R>, ? extends M> message, long nanos);

    <R extends @Nullable Object> R call(Function<? super Reply<R>, ? extends M> message, long nanos)
            throws InterruptedException, TimeoutException;

    void close();

    /** Waits so long until it has stopped; not in its own handler, nor where that would never be. Whether it has. */
    boolean awaitEnd(long nanos) throws InterruptedException;

    List<M> closeNow();
}
