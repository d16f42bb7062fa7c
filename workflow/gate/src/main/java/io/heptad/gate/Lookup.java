package io.heptad.gate;

import io.heptad.future.Outcome;
import java.util.Optional;

/**
 * Asks the other side what became of a key, where it can be asked. The gate does so before it repeats an action, and
 * instead of repeating it once the key is too old.
 *
 * @param <I> what the action is called with
 * @param <R> its result
 */
@FunctionalInterface
public interface Lookup<I, R> {
    /**
     * Asks.
     *
     * @param attempt the call whose outcome is not known
     * @return the result, or the cause of a definite no; empty if the other side has never seen the key
     * @throws Exception if nobody knows yet: it is asked again later
     */
    Optional<Outcome<R>> find(Attempt<I> attempt) throws Exception;
}
