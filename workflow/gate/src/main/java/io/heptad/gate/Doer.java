package io.heptad.gate;

import org.jspecify.annotations.Nullable;

/**
 * Carries an action out. It runs in a thread of the gate, with no lock, no transaction and no connection held; it may take
 * its time, and should have a time limit of its own.
 *
 * @param <I> what the action is called with
 * @param <R> its result
 */
@FunctionalInterface
public interface Doer<I, R> {
    /**
     * Does it.
     *
     * @param attempt the call; its key goes along to the other side
     * @return the result; null only where the result type is {@code Void}
     * @throws Exception if it was declined, which is what {@link Gate.Builder#declines} says of it; or if nobody knows
     *     whether it happened, which is what everything else means: then it is tried again with the same key
     */
    @Nullable
    R perform(Attempt<I> attempt) throws Exception;
}
