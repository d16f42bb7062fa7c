package io.heptad.pool;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How one item of a batch ended, together with the item itself: the failures of a batch are the input of its next pass.
 *
 * {@snippet file="io/heptad/pool/BatchSnippets.java" region="settled"}
 *
 * <p>{@code took} is the time of the body alone, by the pool's ticker: not the wait for a slot, and zero if the body
 * never began.
 *
 * @param <I> the item
 * @param <O> its result
 */
public sealed interface Settled<I extends @Nullable Object, O extends @Nullable Object> {
    /**
     * What was worked on.
     *
     * @return the item, as it came
     */
    I item();

    /**
     * How long the body took.
     *
     * @return its time, success or not; zero if it never began
     */
    Duration took();

    /**
     * Whether there is a value.
     *
     * @return true for a {@link Succeeded}
     */
    default boolean isSuccess() {
        return this instanceof Succeeded;
    }

    /**
     * The work returned.
     *
     * @param item what was worked on
     * @param value what the work returned
     * @param took how long the body took
     * @param <I> the item
     * @param <O> its result
     */
    record Succeeded<I extends @Nullable Object, O extends @Nullable Object>(I item, O value, Duration took)
            implements Settled<I, O> {
        /** Refuses a missing time. */
        public Succeeded {
            Objects.requireNonNull(took, "took");
        }
    }

    /**
     * The work threw, or never began.
     *
     * @param item what was worked on
     * @param cause what the work threw, itself; {@link io.heptad.core.ClosedException} if the pool was closed before it
     *     began, {@link java.util.concurrent.CancellationException} if the batch was stopped before it began
     * @param took how long the body took; zero if it never began
     * @param <I> the item
     * @param <O> the result that did not come
     */
    record Failed<I extends @Nullable Object, O extends @Nullable Object>(I item, Throwable cause, Duration took)
            implements Settled<I, O> {
        /** Refuses a missing cause or time. */
        public Failed {
            Objects.requireNonNull(cause, "cause");
            Objects.requireNonNull(took, "took");
        }
    }
}
