package io.heptad.future;

import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How one part of many ended: with a value or with a cause. Parts that failed are data here, not exceptions, so a batch
 * can report them without stopping.
 *
 * {@snippet :
 * switch (outcome) {
 *     case Outcome.Success<Receipt>(var receipt) -> paid.add(receipt);
 *     case Outcome.Failure<Receipt>(var cause) -> log.warn("not charged", cause);
 * }
 * }
 *
 * @param <T> the value
 */
public sealed interface Outcome<T extends @Nullable Object> {
    /**
     * It ended with a value.
     *
     * @param value the value
     * @param <T> its type
     */
    record Success<T extends @Nullable Object>(T value) implements Outcome<T> {}

    /**
     * It ended with a cause.
     *
     * @param cause the throwable itself, not a wrapper around it
     * @param <T> the type of the value that did not come
     */
    record Failure<T extends @Nullable Object>(Throwable cause) implements Outcome<T> {
        /** Refuses null. */
        public Failure {
            Objects.requireNonNull(cause, "cause");
        }
    }

    /**
     * Whether there is a value.
     *
     * @return true for a {@link Success}
     */
    default boolean isSuccess() {
        return this instanceof Success;
    }

    /**
     * The value, or the cause thrown.
     *
     * @return the value of a {@link Success}
     * @throws RuntimeException the cause itself if it is unchecked; otherwise a {@link CompletionException}
     *     around it
     */
    default T orElseThrow() {
        return switch (this) {
            case Success<T>(T value) -> value;
            case Failure<T>(RuntimeException cause) -> throw cause;
            case Failure<T>(Error cause) -> throw cause;
            case Failure<T>(Throwable cause) -> throw new CompletionException(cause);
        };
    }

    /**
     * The outcome with its value replaced; a failure stays as it is.
     *
     * @param mapper applied to the value; what it throws becomes a {@link Failure}
     * @param <R> the new value
     * @return the new outcome
     */
    default <R extends @Nullable Object> Outcome<R> map(Function<? super T, ? extends R> mapper) {
        Objects.requireNonNull(mapper, "mapper");
        return switch (this) {
            case Success<T>(T value) -> {
                try {
                    yield new Success<>(mapper.apply(value));
                } catch (Throwable thrown) {
                    yield new Failure<>(thrown);
                }
            }
            case Failure<T>(Throwable cause) -> new Failure<>(cause);
        };
    }
}
