package io.heptad.core;

import org.jspecify.annotations.Nullable;

/**
 * Code that runs in the caller's own thread and may throw its own kind of exception, which the caller then sees
 * unwrapped.
 *
 * @param <T> what it returns
 * @param <X> what it may throw
 */
@FunctionalInterface
public interface Body<T extends @Nullable Object, X extends Throwable> {
    /**
     * Runs the code.
     *
     * @return the result
     * @throws X whatever the code throws
     */
    T run() throws X;
}
