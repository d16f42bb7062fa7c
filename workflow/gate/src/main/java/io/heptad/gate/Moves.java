package io.heptad.gate;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The kinds of a move. */
final class Moves {
    private Moves() {}

    record To<P, E>(P next) implements Move<P, E> {
        To {
            Objects.requireNonNull(next, "next");
        }
    }

    record Perform<P, E, I, R>(
            Action<I, R> action,
            I input,
            Function<? super R, ? extends P> then,
            @Nullable Function<? super Declined<P, E>, ? extends E> declined)
            implements Move<P, E> {
        Perform {
            Objects.requireNonNull(action, "action");
            Objects.requireNonNull(then, "then");
            if (!action.input().isInstance(Objects.requireNonNull(input, "input"))) {
                throw new IllegalArgumentException(
                        "input of " + action + " must be of " + action.input().getName() + ", but is of "
                                + input.getClass().getName() + ": " + input);
            }
        }
    }

    record Undo<P, E>(Action<?, ?> action, P then) implements Move<P, E> {
        Undo {
            Objects.requireNonNull(action, "action");
            Objects.requireNonNull(then, "then");
        }
    }

    record Illegal<P, E>(P phase, E event) implements Move<P, E> {
        Illegal {
            Objects.requireNonNull(phase, "phase");
            Objects.requireNonNull(event, "event");
        }
    }

    record Timer<E>(Duration delay, E event) {
        Timer {
            Objects.requireNonNull(delay, "delay");
            Objects.requireNonNull(event, "timer");
        }
    }

    /** A move that is none of these, and what is written with its commit. */
    record With<P, E>(Move<P, E> move, List<Timer<E>> timers, List<OutboxMessage> messages) implements Move<P, E> {
        With {
            timers = List.copyOf(timers);
            messages = List.copyOf(messages);
        }

        static <P, E> With<P, E> around(Move<P, E> move) {
            return switch (Objects.requireNonNull(move, "move")) {
                case With<P, E> with -> with;
                case Illegal<P, E>(P phase, E event) ->
                    throw new IllegalArgumentException(
                            "move must be one that is committed, but " + event + " is illegal in " + phase);
                case Move<P, E> alone -> new With<>(alone, List.of(), List.of());
            };
        }
    }
}
