package io.heptad.actor;

/**
 * What an actor does with a message: the state before, the message, and what is the state after.
 *
 * {@snippet file="io/heptad/actor/Snippets.java" region="behavior"}
 *
 * <p>It runs for one message at a time, from beginning to end, so check-then-act on the state needs no lock. It may block:
 * on the default executor it has a virtual thread of its own while it works, and the next message waits until it has
 * returned. There is no way to return before the work is done and be called back later: work that was started elsewhere
 * is awaited here, or its result is sent to the actor as a message of its own.
 *
 * <p>What it throws, an {@link Error} included, is counted and reported, fails the ask that is being handled, and is
 * otherwise dealt with as the {@link Supervision} says. The state is the one before, unless that is restarted.
 *
 * <p><b>Memory consistency effects:</b> what one call does <i>happens-before</i> the next call for the same actor, in
 * whatever thread that is; what a sender did before it sent a message <i>happens-before</i> the call that handles it.
 *
 * @param <S> the state; immutable, or touched by this behavior only
 * @param <M> the messages, best a sealed interface of records
 */
@FunctionalInterface
public interface Behavior<S, M> {
    /**
     * Handles one message.
     *
     * @param state the state that the call before returned, or the first one
     * @param message the message
     * @param context what an actor can do besides; valid for the life of the actor
     * @return the state for the next message
     * @throws Exception if the message cannot be handled
     */
    S handle(S state, M message, ActorContext<M> context) throws Exception;
}
