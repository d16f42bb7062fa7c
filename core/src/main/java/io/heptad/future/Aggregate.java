package io.heptad.future;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * One future over many members, decided once, by whoever is first: a member, a timer, or the caller who cancels it.
 *
 * @param <R> what it is decided to
 */
final class Aggregate<R extends @Nullable Object>
        implements BiFunction<@Nullable Object, @Nullable Throwable, @Nullable Object> {
    /*
     * A member may live for ever (a signal that the process stops, a partner that hangs), so nothing of an aggregate may
     * stay on it. Listeners therefore know only `link`, and the decision IS the exchange of link for null: exactly one
     * caller of take() wins it and owns the members from then on, and every listener that comes later finds nothing.
     *
     * The listener itself goes too where the JDK allows it. A CompletableFuture offers no way to remove a dependent,
     * except that anyOf() takes its entries off the other sources once one of them is done. So whoever waits for "the
     * first of these" waits for anyOf(these, over), and `over` is completed at the decision. all() and any() over many
     * must hear from every member at once, and an anyOf each would cost more than all the rest; what they leave on a
     * member that outlives the decision is an empty listener (about 100 bytes with its JDK nodes), which holds nothing,
     * and which goes when the member is done.
     *
     * Losers are cancelled before the result is completed, not after: the code behind the result then finds their slots
     * free, and a caller who has the result knows that they have been told.
     *
     * Rejected: a listener with an index for each member and an array of results (one more object a member; the members
     * keep their results themselves); one shared counter (all completing threads write to it; see Last).
     */

    /** What listeners hold instead of the aggregate: empty once it is decided. */
    final AtomicReference<@Nullable Aggregate<R>> link = new AtomicReference<>();

    /** Completed at the decision, only to take listeners off the members; null where they stay. */
    final @Nullable CompletableFuture<@Nullable Object> over;

    final Object[] members;
    private final Losers losers;
    private final CompletableFuture<R> result = new CompletableFuture<>();

    /** Written before any member knows the link; a timer that ends before that need not be stopped. */
    private @Nullable Runnable timer;

    Aggregate(Object[] members, Losers losers, boolean leavesNothing) {
        this.members = members;
        this.losers = losers;
        this.over = leavesNothing ? new CompletableFuture<>() : null;
        link.set(this);
    }

    void startTimer(Delay delay, long nanos, Runnable then) {
        timer = delay.start(nanos, then);
    }

    /** The aggregate for whoever decides it; null for all others, for ever. */
    static <R extends @Nullable Object> @Nullable Aggregate<R> take(AtomicReference<@Nullable Aggregate<R>> link) {
        return link.get() == null ? null : link.getAndSet(null);
    }

    /** Called once, by the one that took it. */
    void decide(Outcome<R> outcome) {
        letGo();
        Steps.run(() -> {
            try {
                cancelLosers();
            } finally {
                switch (outcome) { // whatever happens: nobody else can complete it now
                    case Outcome.Success<R>(R value) -> result.complete(value);
                    case Outcome.Failure<R>(Throwable cause) -> result.completeExceptionally(cause);
                }
            }
        });
    }

    /** The future to hand out, when everything that may decide it has been started. */
    CompletableFuture<R> open() {
        // handle and not whenComplete, here and everywhere: it does not wrap a failure in a new exception for nobody
        Object ignored = result.handle(this);
        return result;
    }

    /** The result is complete, by whomever. */
    @Override
    public @Nullable Object apply(@Nullable Object value, @Nullable Throwable thrown) {
        if (take(link) != null) {
            letGo();
            Steps.run(this::cancelLosers);
        }
        return null;
    }

    private void letGo() {
        Runnable running = timer;
        if (running != null) {
            running.run();
        }
        if (over != null) {
            over.complete(null);
        }
    }

    private void cancelLosers() {
        if (losers == Losers.CANCEL) {
            Members.cancel(members);
        }
    }
}
