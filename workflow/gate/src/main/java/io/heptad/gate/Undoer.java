package io.heptad.gate;

import org.jspecify.annotations.Nullable;

/**
 * Undoes what an action has done. It runs as a {@link Doer} does, and is called until it succeeds.
 *
 * @param <I> what the action was called with
 * @param <R> the action's result
 */
@FunctionalInterface
public interface Undoer<I, R> {
    /**
     * Undoes it.
     *
     * @param attempt the call; it has the input of what it undoes, and a key of its own
     * @param result what the action has resulted in; null only where the result type is {@code Void}
     * @throws Exception if it was declined, which parks it for a person; or if nobody knows, then it is tried again with
     *     the same key
     */
    void undo(Attempt<I> attempt, @Nullable R result) throws Exception;
}
