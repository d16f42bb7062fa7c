package io.heptad.gate;

import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.gate.PhaseStore.Answered;
import io.heptad.gate.PhaseStore.ArmedTimer;
import io.heptad.gate.PhaseStore.State;
import io.heptad.gate.PhaseStore.Transaction;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the gate does inside of one transaction. Every method is the body of a unit: it reads, decides, writes, and has no
 * other effect, so that a unit that is run again, or never committed, has done nothing.
 */
final class Protocol<P, E> {
    /*
     * Three transactions make an event with a remote action crash-safe; between them nothing is held.
     *
     *   begin     the transition says which action; its intent is written (what, with which exact request, under which key,
     *             for which event). The phase has not changed: from here on the open action is the entity's lock.
     *   (call)    with the key, by whoever has the fence.
     *   finish    or decline: the action is closed under that fence, and phase, event, answer, messages and timers are
     *             written with it. A decline that becomes an event is closed in the same transaction that opens what the
     *             event leads to: no crash can leave a declined parcel without its refund.
     *
     * A crash before begin has committed leaves nothing. One at any later moment leaves an open action whose lease ends, and
     * whoever sweeps goes on with the call: same key, same request. The continuation is not stored: the transition is pure,
     * so it is asked again with the stored phase and event, and gives the same move. Where it does not, because the code has
     * changed in between, the action is parked instead of guessed about.
     *
     * A close that hits no row means that another has the fence. Then nothing of the transaction may be written: the outcome
     * that this holder knows may be older than what the other one did.
     */
    private final Plan<P, E> plan;
    private final String origin;
    private final AtomicLong events = new AtomicLong();

    Protocol(Plan<P, E> plan, String origin) {
        this.plan = plan;
        this.origin = origin;
    }

    /** An event on its way: what the caller sent, under which id, and what is asked of the transition now. */
    private record Asked<E>(E asked, E event, String eventId, boolean kept) {
        Asked<E> becomes(E another) {
            return new Asked<>(asked, another, eventId, true);
        }
    }

    // ---- T1

    Step<P, E> create(Transaction<P, E> tx, String id, P first) {
        Committed<P, E> there = tx.first().orElse(null);
        if (there != null) {
            if (!there.phase().equals(first)) {
                throw new KeyReusedException(plan.name(), "id", id, there.phase(), first);
            }
            return new Step.Settled<>(there, null, false);
        }
        Committed<P, E> created = new Committed<>(id, 1, first, null, tx.now());
        tx.append(created);
        tell(tx, created);
        return new Step.Settled<>(created, created, false);
    }

    /** What an event leads to, up to the first remote action. */
    Step<P, E> begin(Transaction<P, E> tx, String id, E event, @Nullable String eventId, boolean place) {
        Committed<P, E> current = current(tx, id);
        if (eventId != null) {
            Answered<P, E> answered = tx.answered(eventId).orElse(null);
            if (answered != null) {
                same(eventId, answered.event(), event);
                return new Step.Settled<>(answered.answer(), null, false);
            }
        }
        ActionRow<E> unfinished = tx.unfinished().orElse(null);
        if (unfinished != null) {
            if (unfinished.eventId().equals(eventId)) {
                same(unfinished.eventId(), unfinished.asked(), event);
                return new Step.Running<>(unfinished);
            }
            return new Step.Busy<>(unfinished);
        }
        String name = eventId == null ? origin + "-" + events.incrementAndGet() : eventId;
        return proceed(tx, current, new Asked<>(event, event, name, eventId != null), place);
    }

    /** A timer's event, if it is still armed. */
    Step<P, E> fire(Transaction<P, E> tx, ArmedTimer<E> timer) {
        Committed<P, E> current = tx.current().orElse(null);
        ActionRow<E> unfinished = tx.unfinished().orElse(null);
        if (unfinished != null) {
            return new Step.Busy<>(unfinished); // it comes again
        }
        if (current == null || !tx.disarm(timer)) {
            return new Step.Stale<>();
        }
        String eventId = "timer/" + timer.version() + "/" + timer.number();
        try {
            return proceed(tx, current, new Asked<>(timer.event(), timer.event(), eventId, true), true);
        } catch (IllegalTransitionException late) {
            return new Step.Stale<>(); // nothing was written but that it does not come again
        }
    }

    private Step<P, E> proceed(Transaction<P, E> tx, Committed<P, E> current, Asked<E> asked, boolean place) {
        Moves.With<P, E> with = move(current.phase(), asked.event())
                .orElseThrow(() ->
                        new IllegalTransitionException(plan.name(), current.id(), current.phase(), asked.event()));
        return switch (with.move()) {
            case Moves.To<P, E>(P next) -> commit(tx, current, next, with, asked);
            case Moves.Perform<P, E, ?, ?> perform -> perform(tx, current, perform, with, asked, place);
            case Moves.Undo<P, E> undo -> undo(tx, current, undo, asked, place);
            case Moves.With<P, E> nested -> throw new AssertionError(nested);
            case Moves.Illegal<P, E> illegal -> throw new AssertionError(illegal);
        };
    }

    private <I, R> Step<P, E> perform(
            Transaction<P, E> tx,
            Committed<P, E> current,
            Moves.Perform<P, E, I, R> perform,
            Moves.With<P, E> with,
            Asked<E> asked,
            boolean place) {
        return switch (user("the transition", () -> plan.registered(perform.action()))) {
            case Plan.Local<I, R> local -> {
                R result = run(tx, local, perform.input());
                P next = user("what follows " + perform.action(), () -> then(perform, result));
                yield commit(tx, current, next, with, asked);
            }
            case Plan.Remote<I, R> remote ->
                place
                        ? open(tx, current, remote.action().name(), null, false, perform.input(), asked)
                        : new Step.NoPlace<>();
        };
    }

    private Step<P, E> undo(
            Transaction<P, E> tx, Committed<P, E> current, Moves.Undo<P, E> undo, Asked<E> asked, boolean place) {
        boolean undoable =
                user("the transition", () -> plan.registered(undo.action())) instanceof Plan.Remote<?, ?> remote
                        && remote.undoer() != null;
        if (!undoable) {
            throw new Thrown.ByUser(
                    "the transition",
                    new IllegalStateException(plan.name() + " cannot undo " + undo.action()
                            + ": it was not registered with an undo, but the transition undoes it"));
        }
        if (!place) {
            return new Step.NoPlace<>();
        }
        ActionRow<E> done = tx.undoable(undo.action().name()).orElse(null);
        return open(tx, current, undo.action().name(), done, true, done == null ? null : done.request(), asked);
    }

    /** The intent. From here on the other side may know the key. */
    private Step<P, E> open(
            Transaction<P, E> tx,
            Committed<P, E> current,
            String action,
            @Nullable ActionRow<E> undoes,
            boolean undo,
            @Nullable Object request,
            Asked<E> asked) {
        String key = key(current, action, undo, tx.declined(action, undo));
        boolean nothing = undo && undoes == null;
        ActionRow<E> row = new ActionRow<>(
                key,
                current.id(),
                action,
                undo,
                undoes == null ? null : undoes.key(),
                current.version(),
                nothing ? State.PARKED : State.OPEN,
                1,
                Checks.later(tx.now(), plan.lease()),
                asked.eventId(),
                asked.asked(),
                asked.event(),
                request,
                null,
                tx.now(),
                0,
                nothing ? "there is no result of " + action + " that is not undone yet" : null);
        tx.open(row);
        return nothing ? new Step.Running<>(row) : new Step.Opened<>(row);
    }

    /**
     * The version, because an order that is paid a second time is charged a second time; the generation, because after a
     * definite no the same event is a new demand. Neither gate nor action has a '/' in its name, so no two keys are equal.
     */
    private String key(Committed<P, E> current, String action, boolean undo, int generation) {
        return plan.name() + "/" + current.id() + "/" + current.version() + "/" + action + (undo ? "/undo/" : "/do/")
                + generation;
    }

    // ---- T2

    /** The action has happened. */
    Step<P, E> finish(
            Transaction<P, E> tx, ActionRow<E> row, long fence, @Nullable Object result, @Nullable String note) {
        Committed<P, E> current = current(tx, row.id());
        if (!tx.close(row.key(), fence, State.DONE, result, note)) {
            return new Step.Lost<>();
        }
        Moves.With<P, E> with = again(current, row);
        P next = with.move() instanceof Moves.Perform<P, E, ?, ?> perform
                ? user("what follows " + perform.action(), () -> then(perform, result))
                : ((Moves.Undo<P, E>) with.move()).then();
        return commit(tx, current, next, with, asked(row));
    }

    // The result was checked against the action's type when it came; it is null only where that is Void, which says so.
    @SuppressWarnings({"unchecked", "NullAway"})
    private static <P, R> P then(Moves.Perform<P, ?, ?, R> perform, @Nullable Object result) {
        return perform.then().apply((R) result);
    }

    /** The action has definitely not happened. */
    Step<P, E> decline(Transaction<P, E> tx, ActionRow<E> row, long fence, String reason, @Nullable String note) {
        Committed<P, E> current = current(tx, row.id());
        if (!tx.close(row.key(), fence, State.DECLINED, null, note == null ? reason : note)) {
            return new Step.Lost<>();
        }
        if (!(again(current, row).move() instanceof Moves.Perform<P, E, ?, ?> perform)) {
            throw new Thrown.Misfit("an undo was declined: " + reason);
        }
        return declined(tx, current, perform, asked(row), reason);
    }

    /** A local action has definitely not happened; what it did on its connection was rolled back with its transaction. */
    @Nullable
    Step<P, E> declineLocally(
            Transaction<P, E> tx, String id, E event, @Nullable String eventId, String reason, boolean place) {
        Committed<P, E> current = current(tx, id);
        Moves.With<P, E> with = move(current.phase(), event).orElse(null);
        if (tx.unfinished().isPresent()
                || (eventId != null && tx.answered(eventId).isPresent())
                || with == null
                || !(with.move() instanceof Moves.Perform<P, E, ?, ?> perform)
                || !(plan.registered(perform.action()) instanceof Plan.Local<?, ?>)) {
            return null; // it has moved on meanwhile: the event has to be looked at anew
        }
        String name = eventId == null ? origin + "-" + events.incrementAndGet() : eventId;
        if (perform.declined() != null && !place) {
            return new Step.NoPlace<>();
        }
        return declined(tx, current, perform, new Asked<>(event, event, name, eventId != null), reason);
    }

    private Step<P, E> declined(
            Transaction<P, E> tx,
            Committed<P, E> current,
            Moves.Perform<P, E, ?, ?> perform,
            Asked<E> asked,
            String reason) {
        Declined<P, E> no = new Declined<>(
                current.id(), current.phase(), asked.event(), perform.action().name(), reason, tx.now());
        var becomes = perform.declined();
        if (becomes == null) {
            tx.answer(asked.eventId(), new Answered<>(asked.asked(), no));
            return new Step.Settled<>(no, null, false);
        }
        E event = user("what a declined " + perform.action() + " becomes", () -> becomes.apply(no));
        try {
            return proceed(tx, current, asked.becomes(event), true);
        } catch (IllegalTransitionException illegal) {
            throw new Thrown.Misfit(
                    perform.action() + " was declined (" + reason + "), and then " + illegal.getMessage());
        }
    }

    private Step<P, E> commit(
            Transaction<P, E> tx, Committed<P, E> current, P next, Moves.With<P, E> with, Asked<E> asked) {
        Committed<P, E> committed = new Committed<>(current.id(), current.version() + 1, next, asked.event(), tx.now());
        tx.append(committed);
        for (Moves.Timer<E> timer : with.timers()) {
            Duration delay = timer.delay().isNegative() ? Duration.ZERO : timer.delay();
            tx.arm(Checks.later(tx.now(), delay), timer.event());
        }
        for (OutboxMessage message : with.messages()) {
            tx.add(message);
        }
        tell(tx, committed);
        if (asked.kept()) {
            tx.answer(asked.eventId(), new Answered<>(asked.asked(), committed));
        }
        return new Step.Settled<>(committed, committed, !with.timers().isEmpty());
    }

    private void tell(Transaction<P, E> tx, Committed<P, E> committed) {
        for (Plan.Durable<P, E> durable : plan.durables()) {
            if (durable.entering().isInstance(committed.phase())) {
                tx.add(user(
                        "durable reaction " + durable.name(),
                        () -> durable.message().apply(committed)));
            }
        }
    }

    // ---- asking the transition, and other code of the user's

    /** The move that the stored action came from. */
    private Moves.With<P, E> again(Committed<P, E> current, ActionRow<E> row) {
        Moves.With<P, E> with = move(current.phase(), row.event()).orElse(null);
        boolean same = with != null
                && switch (with.move()) {
                    case Moves.Perform<P, E, ?, ?> perform ->
                        !row.undo() && perform.action().name().equals(row.action());
                    case Moves.Undo<P, E> undo ->
                        row.undo() && undo.action().name().equals(row.action());
                    default -> false;
                };
        if (with == null || !same) {
            throw new Thrown.Misfit("the transition does not name " + (row.undo() ? "the undo of " : "") + row.action()
                    + " any more for " + row.event() + " in " + current.phase());
        }
        return with;
    }

    /** Empty if the event is illegal. */
    private Optional<Moves.With<P, E>> move(P phase, E event) {
        Move<P, E> move = user("the transition", () -> plan.transition().next(phase, event));
        return move.isLegal() ? Optional.of(Moves.With.around(move)) : Optional.empty();
    }

    private <I, R> @Nullable R run(Transaction<P, E> tx, Plan.Local<I, R> local, I input) {
        try {
            return typed(local.action(), local.inside().run(tx, input));
        } catch (Throwable thrown) {
            if (plan.declines().test(thrown)) {
                throw new Thrown.LocalNo(local.action().name(), thrown);
            }
            throw new Thrown.ByUser(local.action().toString(), thrown);
        }
    }

    /** The result, if it is one of the action's. */
    static <R> @Nullable R typed(Action<?, R> action, @Nullable Object result) {
        if (result == null ? action.result() != Void.class : !action.result().isInstance(result)) {
            throw new ClassCastException(
                    "result of " + action + " must be of " + action.result().getName() + ", but is " + result);
        }
        return result == null ? null : action.result().cast(result);
    }

    private static <T> T user(String what, Supplier<T> code) {
        try {
            return Objects.requireNonNull(code.get(), what + " gave null");
        } catch (Throwable thrown) {
            throw new Thrown.ByUser(what, thrown);
        }
    }

    static String reason(Throwable thrown) {
        String message = thrown.getMessage();
        return message == null || message.isBlank() ? thrown.getClass().getName() : message;
    }

    private Committed<P, E> current(Transaction<P, E> tx, String id) {
        return tx.current().orElseThrow(() -> new NoSuchEntityException(plan.name(), id));
    }

    private Asked<E> asked(ActionRow<E> row) {
        return new Asked<>(row.asked(), row.event(), row.eventId(), true);
    }

    private void same(String eventId, E first, E now) {
        if (!first.equals(now)) {
            throw new KeyReusedException(plan.name(), "event id", eventId, first, now);
        }
    }
}
