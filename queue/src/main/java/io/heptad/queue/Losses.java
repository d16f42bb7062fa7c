package io.heptad.queue;

import io.heptad.core.DrainRate;
import io.heptad.core.FullException;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the queue did not keep: counted first, then recorded, then told to whoever asked. Never under the lock. */
final class Losses<E> {
    private final String name;
    private final int capacity;
    private final @Nullable Consumer<? super E> onDrop;
    private final @Nullable DrainRate drained;
    private final QueueEvents events;

    private final LongAdder rejected = new LongAdder();
    private final LongAdder droppedNewest = new LongAdder();
    private final LongAdder timedOut = new LongAdder();
    private final LongAdder failedCallbacks = new LongAdder();

    Losses(
            String name,
            int capacity,
            @Nullable Consumer<? super E> onDrop,
            @Nullable DrainRate drained,
            QueueEvents events) {
        this.name = name;
        this.capacity = capacity;
        this.onDrop = onDrop;
        this.drained = drained;
        this.events = events;
    }

    /** An item was refused, and its caller is told so. A refusal proves that the queue was full. */
    void rejected() {
        rejected.increment();
        events.refused(capacity);
    }

    FullException full() {
        return new FullException(name, capacity, capacity, retryAfter());
    }

    /** A clock that throws costs the advice, never the refusal. */
    private @Nullable Duration retryAfter() {
        try {
            return drained == null ? null : drained.timeToDrain(capacity);
        } catch (Throwable broken) {
            return null;
        }
    }

    void timedOut() {
        timedOut.increment();
    }

    void droppedNewest(E item) {
        droppedNewest.increment();
        events.dropped("newest");
        tell(item);
    }

    /** The slow path has counted this one already, in one step with the eviction. */
    void evicted(E item) {
        events.dropped("oldest");
        tell(item);
    }

    private void tell(E item) {
        if (onDrop == null) {
            return;
        }
        try {
            onDrop.accept(item);
        } catch (Throwable failure) {
            failedCallbacks.increment();
            report(failure);
        }
    }

    /** The producer has done nothing wrong, so it goes on; but the failure must not vanish. */
    private static void report(Throwable failure) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        } catch (Throwable handlerFailed) {
            // As the JVM does with a handler that throws: there is nobody left to tell.
        }
    }

    long rejectedCount() {
        return rejected.sum();
    }

    long droppedNewestCount() {
        return droppedNewest.sum();
    }

    long timedOutCount() {
        return timedOut.sum();
    }

    long failedCallbackCount() {
        return failedCallbacks.sum();
    }
}
