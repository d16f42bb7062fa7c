package io.heptad.gate;

import io.heptad.future.Outcome;
import io.heptad.gate.PhaseStore.ActionRow;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Calls the other side, once, and says what that has told. */
record Caller<P, E>(Plan<P, E> plan, GateCounts counts) {
    Told call(Drive<P, E> drive, ActionRow<E> row, Instant now) {
        if (!(plan.actions().get(row.action()) instanceof Plan.Remote<?, ?> remote)) {
            return new Told.Park("no remote action of the name " + row.action() + " is registered");
        }
        return call(drive, remote, row, now);
    }

    private <I, R> Told call(Drive<P, E> drive, Plan.Remote<I, R> remote, ActionRow<E> row, Instant now) {
        boolean repeated = row.attempts() > 0 || row.fence() > 1;
        boolean tooOld = Duration.between(row.firstSentAt(), now).compareTo(plan.keysLast()) > 0;
        GateCallEvent event = GateEvents.call();
        Told told;
        try {
            Call<I> attempt = new Call<>(
                    drive, Objects.requireNonNull(remote.action().input().cast(row.request()), "request"), row);
            Lookup<I, R> lookup = remote.lookup();
            Told found = repeated && !row.undo() && lookup != null ? found(remote, lookup.find(attempt)) : null;
            if (found != null) {
                told = found;
            } else if (repeated && tooOld) {
                told = new Told.Park("nobody knows whether it happened, and its key is older than " + plan.keysLast()
                        + ": ask the other side before it is called again");
            } else {
                told = new Told.Done(perform(remote, attempt, row));
            }
        } catch (Throwable thrown) {
            told = outcome(thrown);
        }
        if (told instanceof Told.Unknown) {
            counts.unknown.increment();
        }
        GateEvents.end(event, plan.name(), row.key(), row.attempts() + 1, word(told));
        return told;
    }

    private <I, R> @Nullable Object perform(Plan.Remote<I, R> remote, Call<I> attempt, ActionRow<E> row)
            throws Exception {
        counts.calls.increment();
        if (!row.undo()) {
            return Protocol.typed(remote.action(), remote.doer().perform(attempt));
        }
        Undoer<I, R> undoer = Objects.requireNonNull(remote.undoer(), "undoer");
        undoer.undo(attempt, undone(remote.action(), row));
        return null;
    }

    private <R> @Nullable R undone(Action<?, R> action, ActionRow<E> row) {
        Object result = plan.store().actions(row.id()).stream()
                .filter(done -> done.key().equals(row.undoes()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no result under " + row.undoes()))
                .result();
        return Protocol.typed(action, result);
    }

    private static <R> @Nullable Told found(Plan.Remote<?, R> remote, Optional<Outcome<R>> found) {
        Outcome<R> outcome = found.orElse(null);
        if (outcome == null) {
            return null;
        }
        return outcome instanceof Outcome.Failure<?>(Throwable cause)
                ? new Told.No(Protocol.reason(cause))
                : new Told.Done(Protocol.typed(remote.action(), outcome.orElseThrow()));
    }

    /**
     * Only what the user says is a definite no is one. Everything else may have happened: a timeout, a lost connection, and
     * also an error in the code that reads the reply.
     */
    private Told outcome(Throwable thrown) {
        boolean no = false;
        try {
            no = plan.declines().test(thrown);
        } catch (Throwable broken) {
            Reports.uncaught(broken);
        }
        if (no) {
            return new Told.No(Protocol.reason(thrown));
        }
        boolean bug = thrown instanceof Error
                || thrown instanceof NullPointerException
                || thrown instanceof ClassCastException
                || thrown instanceof IllegalArgumentException
                || thrown instanceof IndexOutOfBoundsException
                || thrown instanceof ArithmeticException
                || thrown instanceof UnsupportedOperationException;
        return new Told.Unknown(thrown.toString(), bug);
    }

    private static String word(Told told) {
        return switch (told) {
            case Told.Done done -> "done";
            case Told.No no -> "declined";
            case Told.Unknown unknown -> unknown.bug() ? "broken" : "unknown";
            case Told.Park park -> "parked";
        };
    }
}
