package io.heptad.gate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * What a {@link Transition} says to do: go to a phase; perform an action and then go; undo an action and then go; or
 * nothing, because it is illegal. Only a description: making one does nothing.
 *
 * {@snippet file="io/heptad/contract/gate/Orders.java" region="transition"}
 *
 * <p>A move has at most one action. A second step is a phase of its own, which shows honestly where the entity stands, and
 * that a timer without delay moves on from: {@code also(to(step1), Duration.ZERO, nextStep)}.
 *
 * @param <P> the phases
 * @param <E> the events
 */
public sealed interface Move<P, E> permits Moves.To, Moves.Perform, Moves.Undo, Moves.With, Moves.Illegal {

    /**
     * Whether anything would happen: for tests that hold a transition against a table of phases and events.
     *
     * @return false if the event must not happen in the phase
     */
    default boolean isLegal() {
        return !(this instanceof Moves.Illegal);
    }

    /**
     * Go to a phase.
     *
     * @param next the phase
     * @param <P> the phases
     * @param <E> the events
     * @return the move
     */
    static <P, E> Move<P, E> to(P next) {
        return new Moves.To<>(next);
    }

    /**
     * Perform an action that must happen, and when it has, go to a phase. A definite no leaves the phase as it is and is
     * answered with {@link Declined}.
     *
     * @param action the action, registered with the gate
     * @param input what it is called with, an instance of its input type
     * @param then makes the phase from the result; pure, as the transition is
     * @param <P> the phases
     * @param <E> the events
     * @param <I> the action's input
     * @param <R> the action's result
     * @return the move
     */
    static <P, E, I, R> Move<P, E> perform(Action<I, R> action, I input, Function<? super R, ? extends P> then) {
        return new Moves.Perform<>(action, input, then, null);
    }

    /**
     * Perform an action as above; a definite no becomes an event, which goes through the same transition in the same commit
     * that writes the no down.
     *
     * @param action the action, registered with the gate
     * @param input what it is called with, an instance of its input type
     * @param then makes the phase from the result; pure, as the transition is
     * @param declined makes the event from the no; pure, as the transition is
     * @param <P> the phases
     * @param <E> the events
     * @param <I> the action's input
     * @param <R> the action's result
     * @return the move
     */
    static <P, E, I, R> Move<P, E> perform(
            Action<I, R> action,
            I input,
            Function<? super R, ? extends P> then,
            Function<? super Declined<P, E>, ? extends E> declined) {
        return new Moves.Perform<>(action, input, then, Objects.requireNonNull(declined, "declined"));
    }

    /**
     * Undo the newest result of an action that is not undone yet, and when that has succeeded, go to a phase. It is retried
     * until it succeeds. A definite no, or nothing to undo, parks it for a person.
     *
     * @param action the action, registered with an undo
     * @param then the phase
     * @param <P> the phases
     * @param <E> the events
     * @return the move
     */
    static <P, E> Move<P, E> undo(Action<?, ?> action, P then) {
        return new Moves.Undo<>(action, then);
    }

    /**
     * The event must not happen in this phase: the caller gets an {@link IllegalTransitionException}, and nothing is
     * written.
     *
     * @param phase the phase
     * @param event the event
     * @param <P> the phases
     * @param <E> the events
     * @return the move
     */
    static <P, E> Move<P, E> illegal(P phase, E event) {
        return new Moves.Illegal<>(phase, event);
    }

    /**
     * Besides, let an event come by itself after a while, unless the entity has moved on by then: any later commit for the
     * entity, also one that leads back to the same phase, takes the timer away. A timer that is due while an action is
     * unfinished waits for its end.
     *
     * @param move the move; its commit sets the timer
     * @param delay from the commit on; zero or less for at once
     * @param timer the event
     * @param <P> the phases
     * @param <E> the events
     * @return the move
     * @throws IllegalArgumentException if the move is illegal: there is no commit to write with
     */
    static <P, E> Move<P, E> also(Move<P, E> move, Duration delay, E timer) {
        Moves.With<P, E> all = Moves.With.around(move);
        List<Moves.Timer<E>> timers = new ArrayList<>(all.timers());
        timers.add(new Moves.Timer<>(delay, timer));
        return new Moves.With<>(all.move(), timers, all.messages());
    }

    /**
     * Besides, send a message: it is written in the same commit, and leaves after it.
     *
     * @param move the move; its commit writes the message
     * @param message the message
     * @param <P> the phases
     * @param <E> the events
     * @return the move
     * @throws IllegalArgumentException if the move is illegal: there is no commit to write with
     */
    static <P, E> Move<P, E> also(Move<P, E> move, OutboxMessage message) {
        Moves.With<P, E> all = Moves.With.around(move);
        List<OutboxMessage> messages = new ArrayList<>(all.messages());
        messages.add(Objects.requireNonNull(message, "message"));
        return new Moves.With<>(all.move(), all.timers(), messages);
    }
}
