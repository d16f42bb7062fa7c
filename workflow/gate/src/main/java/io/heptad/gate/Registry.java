package io.heptad.gate;

import io.heptad.core.Backoff;
import io.heptad.core.FullPolicy;
import io.heptad.gate.Reactions.Reaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What is registered while a gate is built. Not for several threads. */
final class Registry<P, E> {
    private final String name;
    private final Transition<P, E> transition;
    private final Map<String, Plan.Registered<?, ?>> actions = new LinkedHashMap<>();
    private final Map<String, Class<?>> joins = new LinkedHashMap<>();
    private final Set<String> locals = new HashSet<>();
    private final Map<String, Lookup<?, ?>> lookups = new LinkedHashMap<>();
    private final Set<String> names = new HashSet<>();
    private final List<Reaction<P, E>> reactions = new ArrayList<>();
    private final List<Plan.Durable<P, E>> durables = new ArrayList<>();
    private int capacity;
    private @Nullable FullPolicy whenFull;

    Registry(String name, Transition<P, E> transition) {
        this.name = Checks.notBlank("name", name);
        this.transition = Objects.requireNonNull(transition, "transition");
        if (name.indexOf('/') >= 0) {
            throw new IllegalArgumentException("name must not contain '/', but is \"" + name + "\"");
        }
    }

    /** What takes more and gives less is one. */
    @SuppressWarnings("unchecked")
    static <I, R> LocalDoer<I, R> narrow(LocalDoer<? super I, ? extends R> doer) {
        return (LocalDoer<I, R>) Objects.requireNonNull(doer, "doer");
    }

    @SuppressWarnings("unchecked") // as above
    <I, R> void remote(
            Action<I, R> action, Doer<? super I, ? extends R> doer, @Nullable Undoer<? super I, ? super R> undoer) {
        Objects.requireNonNull(doer, "doer");
        add(new Plan.Remote<>(
                Objects.requireNonNull(action, "action"), (Doer<I, R>) doer, (Undoer<I, R>) undoer, null));
    }

    <I, R> void local(Action<I, R> action, Plan.Inside<I, R> inside, @Nullable Class<?> join) {
        add(new Plan.Local<>(Objects.requireNonNull(action, "action"), inside));
        locals.add(action.name());
        if (join != null) {
            joins.put(action.name(), join);
        }
    }

    private void add(Plan.Registered<?, ?> registered) {
        if (actions.putIfAbsent(registered.action().name(), registered) != null) {
            throw new IllegalArgumentException(name + " has an " + registered.action() + " already");
        }
    }

    <I, R> void lookup(Action<I, R> action, Lookup<I, R> lookup) {
        Objects.requireNonNull(lookup, "lookup");
        if (lookups.putIfAbsent(action.name(), lookup) != null) {
            throw new IllegalArgumentException(name + " has a lookup of " + action + " already");
        }
    }

    void line(int capacity, FullPolicy whenFull) {
        this.capacity = Checks.atLeastOne("capacity", capacity);
        if (Objects.requireNonNull(whenFull, "whenFull") == FullPolicy.BLOCK) {
            throw new IllegalArgumentException(
                    "whenFull must not be BLOCK: a slow reaction would hold up the events; choose what may be lost");
        }
        this.whenFull = whenFull;
    }

    @SuppressWarnings("unchecked") // only commits of such a phase are handed over, and a commit is never changed
    <T extends P> void afterwards(String reaction, Class<T> entering, Consumer<? super Committed<T, E>> react) {
        name(reaction);
        Objects.requireNonNull(react, "react");
        Objects.requireNonNull(entering, "entering");
        reactions.add(new Reaction<>(
                reaction, entering, committed -> react.accept((Committed<T, E>) (Committed<?, E>) committed)));
    }

    @SuppressWarnings("unchecked") // as above
    <T extends P> void durably(
            String reaction, Class<T> entering, Function<? super Committed<T, E>, OutboxMessage> message) {
        name(reaction);
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(entering, "entering");
        durables.add(new Plan.Durable<>(
                reaction, entering, committed -> message.apply((Committed<T, E>) (Committed<?, E>) committed)));
    }

    private void name(String reaction) {
        if (!names.add(Checks.notBlank("reaction", reaction))) {
            throw new IllegalArgumentException(name + " has a reaction " + reaction + " already");
        }
    }

    Plan<P, E> plan(
            PhaseStore<P, E> store,
            Duration lease,
            Duration patience,
            Backoff backoff,
            Predicate<Throwable> declines,
            Duration keysLast,
            Duration sweepEvery,
            int calls) {
        if (!reactions.isEmpty() && whenFull == null) {
            throw new IllegalStateException(name + " has reactions that come afterwards ("
                    + reactions.getFirst().name()
                    + "), so it needs reactions(capacity, whenFull): their line is bounded");
        }
        lookups.forEach(this::look);
        for (String local : locals) {
            Class<?> join = joins.get(local);
            if (join != null && !store.joins(join)) {
                throw new IllegalStateException(name + ": the local action " + local + " wants a " + join.getName()
                        + ", but " + store + " does not commit on one");
            }
            if (join == null && store.joins(java.sql.Connection.class)) {
                throw new IllegalStateException(name + ": " + store + " commits on a connection, so the local action "
                        + local + " must take it: (connection, input) -> …");
            }
        }
        return new Plan<>(
                name,
                transition,
                store,
                Map.copyOf(actions),
                List.copyOf(durables),
                new Reactions<>(name, reactions, capacity, whenFull),
                lease,
                patience,
                backoff,
                declines,
                keysLast,
                sweepEvery,
                calls);
    }

    private void look(String action, Lookup<?, ?> lookup) {
        if (!(actions.get(action) instanceof Plan.Remote<?, ?> remote)) {
            throw new IllegalStateException(name + " has a lookup of " + action
                    + ", which is not one of its remote actions: " + actions.keySet());
        }
        actions.put(action, with(remote, lookup));
    }

    @SuppressWarnings("unchecked") // registered for an action of the same name
    private static <I, R> Plan.Remote<I, R> with(Plan.Remote<I, R> remote, Lookup<?, ?> lookup) {
        return new Plan.Remote<>(remote.action(), remote.doer(), remote.undoer(), (Lookup<I, R>) lookup);
    }
}
