package io.heptad.future;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future.State;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The stages that a caller gave, as futures that can be asked whether they are done.
 */
final class Members {
    /*
     * An Object[] rather than a CompletableFuture[]: the array that toArray() made is reused for the members and, if
     * all are done already, for their values: the result of n values then costs that one array.
     *
     * A minimal stage IS a CompletableFuture by class, but throws on isDone() and state(); only the exact class is
     * taken as it is. Any other stage is asked for its future: a subclass answers with itself, a minimal stage with a
     * copy, a foreign stage with its own future or with UnsupportedOperationException, and then gets a copy from here.
     */
    private Members() {}

    /** The collection is read once, here, by one call of toArray(). */
    static Object[] of(Collection<? extends @Nullable CompletionStage<?>> stages) {
        @Nullable Object[] given = stages.toArray();
        if (given.getClass() != Object[].class) {
            given = Arrays.copyOf(given, given.length, Object[].class);
        }
        boolean allPlain = true;
        for (int i = 0; i < given.length; i++) {
            Object stage = given[i];
            if (stage == null) {
                throw new NullPointerException("stages[" + i + "] is null");
            }
            allPlain &= stage.getClass() == CompletableFuture.class;
        }
        @SuppressWarnings("NullAway") // the loop above has shown it
        Object[] members = given;
        // Only now: asking a foreign stage for its future may leave a listener on it, which a refused call must not.
        for (int i = 0; i < members.length && !allPlain; i++) {
            if (members[i].getClass() != CompletableFuture.class) {
                members[i] = future((CompletionStage<?>) members[i], i);
            }
        }
        return members;
    }

    static CompletableFuture<?> of(CompletionStage<?> stage) {
        return stage.getClass() == CompletableFuture.class ? (CompletableFuture<?>) stage : future(stage, 0);
    }

    private static CompletableFuture<?> future(CompletionStage<?> stage, int index) {
        CompletableFuture<?> future;
        try {
            future = stage.toCompletableFuture();
        } catch (UnsupportedOperationException unsupported) {
            CompletableFuture<@Nullable Object> copy = new CompletableFuture<>();
            stage.whenComplete((value, cause) -> {
                if (cause != null) {
                    copy.completeExceptionally(cause);
                } else {
                    copy.complete(value);
                }
            });
            return copy;
        }
        if (future == null) {
            throw new NullPointerException("stages[" + index + "].toCompletableFuture() is null");
        }
        return future;
    }

    static CompletableFuture<?> at(Object[] members, int index) {
        return (CompletableFuture<?>) members[index];
    }

    @SuppressWarnings("unchecked") // for listeners, which give the value nobody reads
    static CompletableFuture<@Nullable Object> cast(CompletableFuture<?> member) {
        return (CompletableFuture<@Nullable Object>) member;
    }

    static boolean failed(State state) {
        return state == State.FAILED || state == State.CANCELLED;
    }

    /**
     * The cause behind a throwable that a stage reports: exactly one {@code CompletionException} is taken off, the one
     * that every dependent stage puts around the failure of its source.
     */
    static Throwable unwrapped(Throwable reported) {
        Throwable cause = reported instanceof CompletionException ? reported.getCause() : null;
        return cause != null ? cause : reported;
    }

    /** Why a member that is done has failed. */
    static Throwable cause(CompletableFuture<?> member) {
        // exceptionNow() follows the same rule but refuses cancelled ones; join() gives those a new exception.
        Throwable[] cause = new Throwable[1];
        Object ignored = member.handle((value, thrown) -> cause[0] = thrown);
        return unwrapped(cause[0]);
    }

    /** How a member that is done has ended. */
    @SuppressWarnings("unchecked") // the caller's T is the member's
    static <T extends @Nullable Object> Outcome<T> outcome(CompletableFuture<?> member) {
        return failed(member.state())
                ? new Outcome.Failure<>(cause(member))
                : new Outcome.Success<>((T) member.resultNow());
    }

    /** The values of members that have all succeeded, in an array that becomes the list; it may be the members' own. */
    static <T extends @Nullable Object> List<T> values(Object[] members, @Nullable Object[] values) {
        for (int i = 0; i < members.length; i++) {
            values[i] = at(members, i).resultNow();
        }
        return listOver(values);
    }

    /** The outcomes of all members; those still pending count as timed out. */
    static <T extends @Nullable Object> List<Outcome<T>> outcomes(Object[] members, @Nullable TimeoutException late) {
        Object[] outcomes = new Object[members.length];
        for (int i = 0; i < outcomes.length; i++) {
            CompletableFuture<?> member = at(members, i);
            outcomes[i] = late == null || member.isDone() ? Members.<T>outcome(member) : new Outcome.Failure<T>(late);
        }
        return listOver(outcomes);
    }

    static void cancel(Object[] members) {
        for (Object member : members) {
            CompletableFuture<?> future = (CompletableFuture<?>) member;
            if (!future.isDone()) {
                try {
                    future.cancel(true);
                } catch (Throwable thrown) {
                    // A foreign future may refuse; the others must still be cancelled and the aggregate complete.
                    Steps.report(thrown);
                }
            }
        }
    }

    @SuppressWarnings("unchecked") // filled by the callers with what T says
    private static <T extends @Nullable Object> List<T> listOver(@Nullable Object[] elements) {
        return (List<T>) Collections.unmodifiableList(Arrays.asList(elements));
    }
}
