package io.heptad.gate;

import java.time.Duration;

/**
 * One call of an action, for whoever carries it out.
 *
 * {@snippet file="io/heptad/gate/GateSnippetsTest.java" region="attempt"}
 *
 * <p>Hand the {@link #key} on: it is what makes a repeat harmless. The gate repeats a call whose outcome it does not know
 * (a timeout, a lost reply, a crash) with the same key, in this process or another, so the other side must answer a key
 * that it has seen with what it answered then.
 *
 * @param <I> what the action is called with
 */
public interface Attempt<I> {
    /**
     * What the action is called with: what the {@link Move} said when it was first made. For an undo, what the action that
     * it undoes was called with.
     *
     * @return the input
     */
    I input();

    /**
     * What the other side knows this action by: {@code gate/entity/version/action/do|undo/generation}. The same over all
     * tries and restarts; another one for another action, another version of the entity, and after a definite no.
     *
     * @return the key
     */
    String key();

    /**
     * The entity.
     *
     * @return its id
     */
    String id();

    /**
     * Which try this is, as far as is known: one that a crash cut short may not have been counted.
     *
     * @return 1 for the first
     */
    int number();

    /**
     * How long this instance still has the action to itself if it cannot renew its lease. It renews while the call runs, so
     * this rises again; a call that ends within it never overlaps with that of another instance.
     *
     * @return the time, zero if another instance may have it
     */
    Duration remaining();
}
