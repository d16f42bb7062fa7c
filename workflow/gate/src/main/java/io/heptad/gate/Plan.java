package io.heptad.gate;

import io.heptad.core.Backoff;
import io.heptad.core.Work;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What a gate was told when it was built, checked. */
record Plan<P, E>(
        String name,
        Transition<P, E> transition,
        PhaseStore<P, E> store,
        Map<String, Registered<?, ?>> actions,
        List<Durable<P, E>> durables,
        Reactions<P, E> reactions,
        Duration lease,
        Duration patience,
        Backoff backoff,
        Predicate<Throwable> declines,
        Duration keysLast,
        Duration sweepEvery,
        int calls) {

    /** How an action is carried out. */
    sealed interface Registered<I, R> {
        Action<I, R> action();
    }

    /** Outside of any transaction, by key. */
    record Remote<I, R>(
            Action<I, R> action,
            Doer<I, R> doer,
            @Nullable Undoer<I, R> undoer,
            @Nullable Lookup<I, R> lookup) implements Registered<I, R> {}

    /** Inside the commit. */
    record Local<I, R>(Action<I, R> action, Inside<I, R> inside) implements Registered<I, R> {}

    /** One of the two ways to be inside of a commit. */
    sealed interface Inside<I, R> {
        @Nullable
        R run(PhaseStore.Transaction<?, ?> transaction, I input) throws Exception;
    }

    record OnConnection<I, R>(LocalDoer<I, R> doer) implements Inside<I, R> {
        @Override
        public @Nullable R run(PhaseStore.Transaction<?, ?> transaction, I input) throws Exception {
            return doer.perform(transaction.unwrap(Connection.class).orElseThrow(), input);
        }
    }

    record InMemory<I, R>(Work<? super I, ? extends R> work) implements Inside<I, R> {
        @Override
        public @Nullable R run(PhaseStore.Transaction<?, ?> transaction, I input) throws Exception {
            return work.apply(input);
        }
    }

    /** A reaction that is a message in the commit. */
    record Durable<P, E>(String name, Class<? extends P> entering, Function<Committed<P, E>, OutboxMessage> message) {}

    /** The registered action that a move names; they must be the same in all that makes an action. */
    @SuppressWarnings("unchecked") // equal actions have equal types
    <I, R> Registered<I, R> registered(Action<I, R> action) {
        Registered<?, ?> registered = actions.get(action.name());
        if (registered == null || !registered.action().equals(action)) {
            throw new IllegalStateException(name + " has no " + action + " from "
                    + action.input().getName() + " to " + action.result().getName()
                    + ": the transition names it, so register it with the gate");
        }
        return (Registered<I, R>) registered;
    }
}
