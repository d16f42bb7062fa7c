package io.heptad.future;

import org.jspecify.annotations.Nullable;

/**
 * Takes one of many, and where it stood in the input.
 *
 * @param <T> what it takes
 * @see Futures#forEachCompleted
 */
@FunctionalInterface
public interface IndexedConsumer<T extends @Nullable Object> {
    /**
     * Takes one.
     *
     * @param index its position in the input, from 0
     * @param value the value
     */
    void accept(int index, T value);
}
