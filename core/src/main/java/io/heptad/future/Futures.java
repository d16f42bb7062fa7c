package io.heptad.future;

import io.heptad.core.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future.State;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Pattern 4: what becomes of many results that do not exist yet. The combinator you choose is your failure policy.
 *
 * <table class="striped">
 * <caption>Which combinator says what</caption>
 * <thead><tr><th scope="col">combinator</th><th scope="col">decided when</th><th scope="col">no stages</th>
 *     <th scope="col">for</th></tr></thead>
 * <tbody>
 * <tr><th scope="row">{@link #all all}</th><td>all have succeeded, or one has failed</td><td>{@code []}</td>
 *     <td>parts that are worth nothing one without the other</td></tr>
 * <tr><th scope="row">{@link #allSettled allSettled}</th><td>every one has ended</td><td>{@code []}</td>
 *     <td>failures that are reported, not fatal</td></tr>
 * <tr><th scope="row">{@link #race race}</th><td>the first has ended, either way</td>
 *     <td>{@code IllegalArgumentException}</td><td>whichever comes first</td></tr>
 * <tr><th scope="row">{@link #any any}</th><td>one has succeeded, or all have failed</td>
 *     <td>{@link AllFailedException}</td><td>mirrors, redundant sources</td></tr>
 * </tbody>
 * </table>
 *
 * {@snippet file="io/heptad/future/FuturesSnippets.java" region="page"}
 *
 * <p><b>They coordinate; they do not protect.</b> They start nothing, take no executor and impose no limit: {@code all}
 * over 5,000 started tasks has 5,000 tasks running. Start before you combine, and start on a worker pool.
 *
 * <p><b>Members.</b> The collection is read once, when the method is called; what happens to it afterwards changes
 * nothing. A {@code null} in it is a {@link NullPointerException} that names the index. Any {@link CompletionStage} will
 * do: a minimal stage, or a foreign one. Members that are done are read where they are; the others get a listener.
 *
 * <p><b>Results.</b> Input order is kept. Lists are unmodifiable and may hold {@code null}, where a member's value is
 * {@code null}. A failure is the member's own cause: exactly one {@link java.util.concurrent.CompletionException}, the
 * one that the JDK puts around the failure of a stage's source, is taken off, as {@link CompletableFuture#exceptionNow()}
 * does; a second one below it was somebody's intention and stays. Nothing is added to a cause, no suppressed exception
 * either, because the cause may have been published elsewhere. A cancelled member is a member that failed with its
 * {@link java.util.concurrent.CancellationException}.
 *
 * <p><b>Decided.</b> Whoever is first decides: a member, a timeout, or the caller who completes or cancels the returned
 * future. From then on nothing of the aggregate can be reached from a member that lives on, not the result, not the
 * other members. What can stay on it, until it is done, is an empty listener of about 100 bytes for each call: of
 * {@code all}, {@code any} and {@code allSettled} over more than 4 stages, of a {@link #forEachCompleted
 * forEachCompleted} that ended early, and of any combinator on a stage that is not a {@code CompletableFuture} itself. All others take their listeners off
 * again; under a race of decisions the JDK may leave a few behind until it next tidies that member up.
 *
 * <p><b>Cancelling</b> the returned future cancels the members under {@link Losers#CANCEL}, and only then.
 *
 * <p><b>Threads.</b> Safe for use by any thread, also from inside the completion of any stage. None of the methods that
 * return a future ever waits. Code that depends on the returned future runs in the thread that decided it, as with every
 * {@code CompletableFuture}; after a timeout that is a virtual thread. Chains and members of any number complete in
 * constant stack; in a chain of more than 8 aggregates on one thread, code that depends on a later one may run after
 * {@code complete()} of a member of it has returned, if that was called from inside the chain.
 *
 * <p><b>Memory consistency effects.</b> What a thread did before it completed a member <i>happens-before</i> what follows
 * the decision that this member took part in: the return of {@code join()} or {@code get()}, the code of a dependent
 * stage, the call of the consumer.
 *
 * <p><b>Source of the idea.</b> The four names are those of ECMAScript's promises. That a decided aggregate must let go
 * of its slower members is the lesson of JDK-8160402 (what {@code anyOf} left behind) and JDK-8303742 (the timer of
 * {@code orTimeout}).
 */
public final class Futures {
    /**
     * Up to so many members, all(), any() and allSettled() take every listener off again, through an anyOf of the JDK for each member or a new
     * look after each failure. A member that lives for ever is combined with one or two others (a stop signal and a
     * request); for ten parts of one answer that would double the cost, to save 100 bytes on a part that never ends.
     */
    static final int FEW_MAX = 4;

    /** No limit: longer than any process lives, and far from where nanoseconds overflow. */
    private static final long NO_LIMIT_NANOS = Long.MAX_VALUE / 2;

    private Futures() {}

    /**
     * All values, or the first failure: {@link #all(Collection, Losers)} that leaves the others alone.
     *
     * @param stages the members
     * @param <T> the value of one
     * @return all values in the order of the members, or the failure of the first that failed, at once
     * @throws NullPointerException if {@code stages} or one of them is null
     */
    public static <T extends @Nullable Object> CompletableFuture<List<T>> all(
            Collection<? extends CompletionStage<? extends T>> stages) {
        return all(stages, Losers.LEAVE);
    }

    /**
     * All values, or the first failure. For parts that are worth nothing one without the other.
     *
     * <p>It fails at the first failure and waits for nobody else then. If several have failed before the call, the first
     * in the order of the members counts.
     *
     * @param stages the members; none gives the empty list
     * @param losers what becomes of the others after a failure, and of all if the returned future is cancelled
     * @param <T> the value of one
     * @return all values in the order of the members, or the failure of the first that failed, at once
     * @throws NullPointerException if an argument or one of the stages is null
     */
    public static <T extends @Nullable Object> CompletableFuture<List<T>> all(
            Collection<? extends CompletionStage<? extends T>> stages, Losers losers) {
        Objects.requireNonNull(losers, "losers");
        Object[] members = Members.of(stages);
        boolean allDone = true;
        for (int i = 0; i < members.length; i++) {
            State state = Members.at(members, i).state();
            if (Members.failed(state)) {
                return decided(new Outcome.Failure<>(Members.cause(Members.at(members, i))), members, losers);
            }
            allDone &= state == State.SUCCESS;
        }
        if (allDone) {
            return CompletableFuture.completedFuture(Members.values(members, members));
        }
        Aggregate<List<T>> aggregate = new Aggregate<>(members, losers, members.length <= FEW_MAX);
        AtomicReference<@Nullable Aggregate<List<T>>> link = aggregate.link;
        Function<Throwable, @Nullable Object> onFailure = thrown -> {
            decide(link, new Outcome.Failure<>(Members.unwrapped(thrown)));
            return null;
        };
        CompletableFuture<?> over = aggregate.over;
        for (int i = 0; i < members.length && link.get() != null; i++) {
            CompletableFuture<@Nullable Object> member = Members.cast(Members.at(members, i));
            if (member.state() != State.SUCCESS) {
                // through anyOf, because that takes its entry off the member once the aggregate is over
                Object ignored =
                        (over == null ? member : CompletableFuture.anyOf(member, over)).exceptionally(onFailure);
            }
        }
        Watch.start(aggregate, new Last<>(members.length, Futures::valuesOrFailure), 1);
        return aggregate.open();
    }

    private static <T extends @Nullable Object> Outcome<List<T>> valuesOrFailure(Object[] members) {
        for (int i = 0; i < members.length; i++) {
            // failed so recently that its own listener has not run yet
            if (Members.failed(Members.at(members, i).state())) {
                return new Outcome.Failure<>(Members.cause(Members.at(members, i)));
            }
        }
        return new Outcome.Success<>(Members.values(members, new Object[members.length]));
    }

    /**
     * How each one ended, when every one has. For failures that are reported and not fatal: a member that fails is an
     * {@link Outcome.Failure} in the list, and stops nothing.
     *
     * @param stages the members; none gives the empty list
     * @param <T> the value of one
     * @return the outcomes in the order of the members; never fails because of a member
     * @throws NullPointerException if {@code stages} or one of them is null
     */
    public static <T extends @Nullable Object> CompletableFuture<List<Outcome<T>>> allSettled(
            Collection<? extends CompletionStage<? extends T>> stages) {
        return settled(Members.of(stages), Long.MAX_VALUE, "", Losers.LEAVE, Delay.SYSTEM);
    }

    /**
     * How each one ended within the time: {@link #settledWithin(Collection, Losers, Duration)} that leaves the late ones
     * alone.
     *
     * @param stages the members
     * @param timeout how long to wait for the slowest
     * @param <T> the value of one
     * @return the outcomes in the order of the members, at the latest when the time is over
     * @throws NullPointerException if an argument or one of the stages is null
     */
    public static <T extends @Nullable Object> CompletableFuture<List<Outcome<T>>> settledWithin(
            Collection<? extends CompletionStage<? extends T>> stages, Duration timeout) {
        return settledWithin(stages, Losers.LEAVE, timeout);
    }

    /**
     * How each one ended within the time. One that is still pending then is a {@link Outcome.Failure} with a {@link
     * TimeoutException}, the same one for all that were late.
     *
     * @param stages the members; none gives the empty list
     * @param losers what becomes of the late ones
     * @param timeout how long to wait for the slowest; zero or less takes what is there now
     * @param <T> the value of one
     * @return the outcomes in the order of the members, at the latest when the time is over; no timer stays behind
     * @throws NullPointerException if an argument or one of the stages is null
     */
    public static <T extends @Nullable Object> CompletableFuture<List<Outcome<T>>> settledWithin(
            Collection<? extends CompletionStage<? extends T>> stages, Losers losers, Duration timeout) {
        return settledWithin(stages, timeout, losers, Delay.SYSTEM);
    }

    static <T extends @Nullable Object> CompletableFuture<List<Outcome<T>>> settledWithin(
            Collection<? extends CompletionStage<? extends T>> stages, Duration timeout, Losers losers, Delay delay) {
        Objects.requireNonNull(losers, "losers");
        long nanos = Durations.saturatedNanos(timeout);
        return settled(Members.of(stages), nanos, "not settled within " + timeout, losers, delay);
    }

    private static <T extends @Nullable Object> CompletableFuture<List<Outcome<T>>> settled(
            Object[] members, long nanos, String late, Losers losers, Delay delay) {
        boolean allDone = true;
        for (int i = members.length - 1; i >= 0 && allDone; i--) {
            allDone = Members.at(members, i).isDone();
        }
        if (allDone) {
            return CompletableFuture.completedFuture(Members.outcomes(members, null));
        }
        if (nanos <= 0) {
            List<Outcome<T>> now = Members.outcomes(members, new TimeoutException(late));
            return decided(new Outcome.Success<>(now), members, losers);
        }
        boolean timed = nanos < NO_LIMIT_NANOS;
        Aggregate<List<Outcome<T>>> aggregate = new Aggregate<>(members, losers, timed || members.length <= FEW_MAX);
        if (timed) {
            AtomicReference<@Nullable Aggregate<List<Outcome<T>>>> link = aggregate.link;
            aggregate.startTimer(delay, nanos, () -> {
                Aggregate<List<Outcome<T>>> taken = Aggregate.take(link);
                if (taken != null) {
                    taken.decide(new Outcome.Success<>(Members.outcomes(taken.members, new TimeoutException(late))));
                }
            });
        }
        Watch.start(
                aggregate,
                new Last<>(members.length, ended -> new Outcome.Success<>(Members.<T>outcomes(ended, null))),
                1);
        return aggregate.open();
    }

    /**
     * The first that ends, either way: {@link #race(Collection, Losers)} that leaves the others alone.
     *
     * @param stages the members; at least one
     * @param <T> the value of one
     * @return the value or the failure of the first that ended
     * @throws IllegalArgumentException if there is none: nobody would ever win
     * @throws NullPointerException if {@code stages} or one of them is null
     */
    public static <T extends @Nullable Object> CompletableFuture<T> race(
            Collection<? extends CompletionStage<? extends T>> stages) {
        return race(stages, Losers.LEAVE);
    }

    /**
     * The first that ends, with a value or with a failure. For a time limit on one stage, {@link #within within} is
     * shorter.
     *
     * <p>If several have ended before the call, the first in the order of the members wins.
     *
     * @param stages the members; at least one
     * @param losers what becomes of the others, and of all if the returned future is cancelled
     * @param <T> the value of one
     * @return the value or the failure of the first that ended
     * @throws IllegalArgumentException if there is none: nobody would ever win
     * @throws NullPointerException if an argument or one of the stages is null
     */
    public static <T extends @Nullable Object> CompletableFuture<T> race(
            Collection<? extends CompletionStage<? extends T>> stages, Losers losers) {
        Objects.requireNonNull(losers, "losers");
        Object[] members = Members.of(stages);
        if (members.length == 0) {
            throw new IllegalArgumentException("stages is empty: a race of none is never won");
        }
        for (int i = 0; i < members.length; i++) {
            if (Members.at(members, i).isDone()) {
                return decided(Members.<T>outcome(Members.at(members, i)), members, losers);
            }
        }
        Aggregate<T> aggregate = new Aggregate<>(members, losers, true);
        first(aggregate);
        return aggregate.open();
    }

    /** Decides by the first member that ends, and leaves nothing on the others. */
    private static <T extends @Nullable Object> void first(Aggregate<T> aggregate) {
        Object[] members = aggregate.members;
        CompletableFuture<?>[] sources = Arrays.copyOf(members, members.length + 1, CompletableFuture[].class);
        sources[members.length] = Objects.requireNonNull(aggregate.over);
        AtomicReference<@Nullable Aggregate<T>> link = aggregate.link;
        Object ignored = CompletableFuture.anyOf(sources).handle((value, thrown) -> {
            decide(link, thrown == null ? success(value) : new Outcome.Failure<>(Members.unwrapped(thrown)));
            return null;
        });
    }

    /**
     * The first success: {@link #any(Collection, Losers)} that leaves the others alone.
     *
     * @param stages the members
     * @param <T> the value of one
     * @return the value of the first that succeeded, or a failure with {@link AllFailedException} when all have failed
     * @throws NullPointerException if {@code stages} or one of them is null
     */
    public static <T extends @Nullable Object> CompletableFuture<T> any(
            Collection<? extends CompletionStage<? extends T>> stages) {
        return any(stages, Losers.LEAVE);
    }

    /**
     * The first success; failures before it do not matter. For mirrors and redundant sources.
     *
     * <p>If several have succeeded before the call, the first in the order of the members wins.
     *
     * @param stages the members; with none, the future has failed with an {@link AllFailedException} without causes
     * @param losers what becomes of the others after a success, and of all if the returned future is cancelled
     * @param <T> the value of one
     * @return the value of the first that succeeded, or a failure with {@link AllFailedException}, which holds every
     *     cause in the order of the members, when all have failed
     * @throws NullPointerException if an argument or one of the stages is null
     */
    public static <T extends @Nullable Object> CompletableFuture<T> any(
            Collection<? extends CompletionStage<? extends T>> stages, Losers losers) {
        Objects.requireNonNull(losers, "losers");
        Object[] members = Members.of(stages);
        boolean allDone = true;
        for (int i = 0; i < members.length; i++) {
            State state = Members.at(members, i).state();
            if (state == State.SUCCESS) {
                return decided(Members.<T>outcome(Members.at(members, i)), members, losers);
            }
            allDone &= state != State.RUNNING;
        }
        if (allDone) {
            return CompletableFuture.failedFuture(allFailed(members));
        }
        Aggregate<T> aggregate = new Aggregate<>(members, losers, members.length <= FEW_MAX);
        if (members.length <= FEW_MAX) {
            Watch.start(aggregate, Futures::firstSuccessAmongFew, members.length);
        } else {
            firstSuccessAmongMany(aggregate);
        }
        return aggregate.open();
    }

    private static <T extends @Nullable Object> @Nullable Outcome<T> firstSuccessAmongFew(
            Object[] members, List<CompletableFuture<?>> next) {
        for (int i = 0; i < members.length; i++) {
            CompletableFuture<?> member = Members.at(members, i);
            switch (member.state()) {
                case SUCCESS -> {
                    return Members.outcome(member);
                }
                case RUNNING -> next.add(member);
                case FAILED, CANCELLED -> {}
            }
        }
        return next.isEmpty() ? new Outcome.Failure<>(allFailed(members)) : null;
    }

    private static <T extends @Nullable Object> void firstSuccessAmongMany(Aggregate<T> aggregate) {
        Object[] members = aggregate.members;
        AtomicReference<@Nullable Aggregate<T>> link = aggregate.link;
        BiFunction<@Nullable Object, @Nullable Throwable, @Nullable Object> onSuccess = (value, thrown) -> {
            if (thrown == null) {
                decide(link, success(value));
            }
            return null;
        };
        for (int i = 0; i < members.length && link.get() != null; i++) {
            CompletableFuture<?> member = Members.at(members, i);
            if (!Members.failed(member.state())) {
                Object ignored = member.handle(onSuccess);
            }
        }
        Watch.start(aggregate, new Last<>(members.length, Futures::successOrAllFailed), 1);
    }

    private static <T extends @Nullable Object> Outcome<T> successOrAllFailed(Object[] members) {
        for (int i = 0; i < members.length; i++) {
            // succeeded so recently that its own listener has not run yet
            if (!Members.failed(Members.at(members, i).state())) {
                return Members.outcome(Members.at(members, i));
            }
        }
        return new Outcome.Failure<>(allFailed(members));
    }

    private static AllFailedException allFailed(Object[] members) {
        List<Throwable> causes = new ArrayList<>(members.length);
        for (int i = 0; i < members.length; i++) {
            causes.add(Members.cause(Members.at(members, i)));
        }
        return new AllFailedException(causes);
    }

    /**
     * The stage's result, if it comes in time: {@link #within(CompletionStage, Losers, Duration)} that leaves a late
     * stage alone.
     *
     * @param stage the stage to wait for
     * @param timeout how long
     * @param <T> its value
     * @return its value or failure, or a failure with {@link TimeoutException} when the time is over
     * @throws NullPointerException if an argument is null
     */
    public static <T extends @Nullable Object> CompletableFuture<T> within(CompletionStage<T> stage, Duration timeout) {
        return within(stage, Losers.LEAVE, timeout);
    }

    /**
     * The stage's result, if it comes in time.
     *
     * <p>The time limit is on the waiting, not on the work: under {@link Losers#LEAVE} a late task runs on and its result
     * is nobody's; under {@link Losers#CANCEL} it is cancelled, and ends early if it heeds that.
     *
     * @param stage the stage to wait for
     * @param losers what becomes of the stage after a timeout, or if the returned future is cancelled
     * @param timeout how long; zero or less takes a result that is there now, {@code Duration.ofSeconds(Long.MAX_VALUE)}
     *     is no limit
     * @param <T> its value
     * @return a new future: its value or failure, or a failure with {@link TimeoutException} when the time is over. No
     *     timer stays behind, whichever way it ends
     * @throws NullPointerException if an argument is null
     */
    public static <T extends @Nullable Object> CompletableFuture<T> within(
            CompletionStage<T> stage, Losers losers, Duration timeout) {
        return within(stage, timeout, losers, Delay.SYSTEM);
    }

    static <T extends @Nullable Object> CompletableFuture<T> within(
            CompletionStage<T> stage, Duration timeout, Losers losers, Delay delay) {
        Objects.requireNonNull(losers, "losers");
        long nanos = Durations.saturatedNanos(timeout);
        CompletableFuture<?> member = Members.of(stage);
        Object[] members = {member};
        if (member.isDone()) {
            return decided(Members.<T>outcome(member), members, Losers.LEAVE);
        }
        if (nanos <= 0) {
            return decided(new Outcome.Failure<>(tooLate(timeout)), members, losers);
        }
        Aggregate<T> aggregate = new Aggregate<>(members, losers, true);
        if (nanos < NO_LIMIT_NANOS) {
            AtomicReference<@Nullable Aggregate<T>> link = aggregate.link;
            aggregate.startTimer(delay, nanos, () -> decide(link, new Outcome.Failure<>(tooLate(timeout))));
        }
        first(aggregate);
        return aggregate.open();
    }

    private static TimeoutException tooLate(Duration timeout) {
        return new TimeoutException("no result within " + timeout);
    }

    /**
     * Hands over each outcome as it comes, in the order of completion, in the caller's thread, and returns after the
     * last. Those that were done before the call come first, in the order of the list.
     *
     * <p>Memory is bounded by the input: one number for each member, nothing piles up while the consumer is slow. An
     * interrupt is noticed while waiting and between two deliveries. If the consumer throws, that ends the call, and the
     * members are left alone.
     *
     * @param stages the members; none returns at once
     * @param each takes the index of the member in the list, and how it ended
     * @param <T> the value of one
     * @throws InterruptedException if the calling thread is interrupted; members not delivered yet run on
     * @throws NullPointerException if an argument or one of the stages is null
     */
    public static <T extends @Nullable Object> void forEachCompleted(
            List<? extends CompletionStage<? extends T>> stages, IndexedConsumer<Outcome<T>> each)
            throws InterruptedException {
        Objects.requireNonNull(each, "each");
        Arrivals.<T>deliver(Members.of(stages), each);
    }

    /** A future that is decided from the start. */
    private static <R extends @Nullable Object> CompletableFuture<R> decided(
            Outcome<R> outcome, Object[] members, Losers losers) {
        if (losers == Losers.CANCEL) {
            Members.cancel(members);
        }
        return switch (outcome) {
            case Outcome.Success<R>(R value) -> CompletableFuture.completedFuture(value);
            case Outcome.Failure<R>(Throwable cause) -> CompletableFuture.failedFuture(cause);
        };
    }

    private static <R extends @Nullable Object> void decide(
            AtomicReference<@Nullable Aggregate<R>> link, Outcome<R> outcome) {
        Aggregate<R> taken = Aggregate.take(link);
        if (taken != null) {
            taken.decide(outcome);
        }
    }

    @SuppressWarnings("unchecked") // the value of a member of the caller's T
    private static <T extends @Nullable Object> Outcome<T> success(@Nullable Object value) {
        return (Outcome<T>) new Outcome.Success<>(value);
    }
}
