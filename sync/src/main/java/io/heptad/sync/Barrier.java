package io.heptad.sync;

import io.heptad.core.Durations;
import io.heptad.core.Measured;
import io.heptad.core.Metric;
import io.heptad.sync.Round.Arrival;
import io.heptad.sync.Round.Broken;
import io.heptad.sync.Round.State;
import io.heptad.sync.Round.Tripped;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * A meeting point for a fixed number of parties, round after round: nobody goes on before all have arrived, and then all
 * go on.
 *
 * {@snippet file="io/heptad/sync/SnippetsTest.java" region="barrier-rounds"}
 *
 * <p><b>Rounds.</b> The last to arrive ends the round: it runs the action, if there is one, and lets all others go. The
 * next round begins at once, and each round counts its own arrivals, so a fast party that comes back while slow ones are
 * still on their way out counts for the next. {@code await} returns the number of the round that was completed: 0, 1, 2 …
 *
 * <p><b>Named parties.</b> A barrier made by {@link #ofParties} knows who takes part. Each party says who it is,
 * {@link #missing()} says who has not come, and one party cannot arrive twice in a round.
 *
 * {@snippet file="io/heptad/sync/SnippetsTest.java" region="barrier-parties"}
 *
 * <p><b>All or none.</b> A round that one party gives up is of use to nobody. When one of those who wait is interrupted or
 * runs out of time, when a party comes in interrupted, when the action throws, or when somebody calls {@link #fail}, the
 * barrier <i>breaks</i>: the one that caused it gets its own exception, all others who wait get a
 * {@link BrokenBarrierException}, and so does everyone who comes later, until {@link #reset()}. The message is the same for
 * all of them and says who was missing and how long the others had waited. A party that dies elsewhere is not noticed
 * before somebody's time runs out, so let it say so:
 *
 * {@snippet file="io/heptad/sync/SnippetsTest.java" region="barrier-fail"}
 *
 * <p>The end of a round is decided in one step, the same for all: if it was completed before a waiting party was
 * interrupted or ran out of time, that call returns as usual, and the interrupt status stays set.
 *
 * <p><b>The action</b> runs in the thread of the last party to arrive, after all have arrived and before any of them goes
 * on, under no lock. What it throws goes to that thread. While it runs, those who wait may still be interrupted or run
 * out of time, and that breaks the round as always; so an action that hangs holds nobody who did not agree to wait.
 *
 * <p><b>Waiting.</b> A time of zero or less means "do not wait": the call of the last party to arrive succeeds, any other
 * breaks the barrier. {@code Duration.ofSeconds(Long.MAX_VALUE)} means "no limit".
 *
 * <p>Any thread may call any method; only {@code await} ever blocks. A counted barrier must have as many parties as threads
 * that come to it: one thread more counts for the next round.
 *
 * <p><b>Memory consistency effects:</b> what each party did before its {@code await} <i>happens-before</i> the action, and
 * that <i>happens-before</i> what any party does after its {@code await} of that round returned. What a thread did before
 * {@code fail} or before it broke the barrier <i>happens-before</i> what a thread does after the exception.
 *
 * <p>The shape, its rounds and its breakage are those of {@link java.util.concurrent.CyclicBarrier}.
 */
public final class Barrier implements Measured {
    /*
     * State: current, the round under way, which holds everything else (see Round). Who completes a round, or resets one
     * that somebody waits in, puts the one that follows in its place; whoever finds the ended one there before that does it
     * for him, or somebody who was let go would come back to a round that is over. A broken round stays until a reset. A
     * round is replaced by CAS from the very one that was seen, so once.
     *
     * Who comes while all have arrived and the action runs belongs to the next round, which is not there yet. It stands
     * on top of the complete ones, is woken with them, and begins anew.
     *
     * No lock, so no lock order. The action is the only code of the user, and it runs in the thread that arrived last.
     */
    private static final VarHandle CURRENT;

    static {
        try {
            CURRENT = MethodHandles.lookup().findVarHandle(Barrier.class, "current", Round.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final String name;
    private final int parties;
    private final Map<String, Integer> names; // empty: it only counts
    private final @Nullable Runnable onRound;
    private final Round.@Nullable Rule rule;

    private volatile Round current = new Round(0);

    private final AtomicLong breaks = new AtomicLong();
    private final AtomicReference<@Nullable List<Metric>> metrics = new AtomicReference<>();

    private Barrier(String name, int parties, Map<String, Integer> names, @Nullable Runnable onRound) {
        if (parties < 1) {
            throw new IllegalArgumentException("parties must be at least 1, but is " + parties);
        }
        this.name = Names.notBlank("name", name);
        this.parties = parties;
        this.names = names;
        this.onRound = onRound;
        rule = names.isEmpty() && onRound == null ? null : this::check;
    }

    /**
     * A barrier with the name "barrier" for so many parties.
     *
     * @param parties how many take part, at least 1
     * @return a new barrier, at the start of round 0
     * @throws IllegalArgumentException if {@code parties} is less than 1
     */
    public static Barrier of(int parties) {
        return of("barrier", parties);
    }

    /**
     * A barrier with the name "barrier" for so many parties, with something to do between two rounds.
     *
     * @param parties how many take part, at least 1
     * @param onRound runs once for each round, when all have arrived and before any goes on
     * @return a new barrier, at the start of round 0
     * @throws IllegalArgumentException if {@code parties} is less than 1
     */
    public static Barrier of(int parties, Runnable onRound) {
        return of("barrier", parties, onRound);
    }

    /**
     * A barrier for so many parties.
     *
     * @param name the name in metrics, events and failures; not blank
     * @param parties how many take part, at least 1
     * @return a new barrier, at the start of round 0
     * @throws IllegalArgumentException if {@code name} is blank or {@code parties} is less than 1
     */
    public static Barrier of(String name, int parties) {
        return new Barrier(name, parties, Map.of(), null);
    }

    /**
     * A barrier for so many parties, with something to do between two rounds.
     *
     * @param name the name in metrics, events and failures; not blank
     * @param parties how many take part, at least 1
     * @param onRound runs once for each round, when all have arrived and before any goes on
     * @return a new barrier, at the start of round 0
     * @throws IllegalArgumentException if {@code name} is blank or {@code parties} is less than 1
     */
    public static Barrier of(String name, int parties, Runnable onRound) {
        return new Barrier(name, parties, Map.of(), Objects.requireNonNull(onRound, "onRound"));
    }

    /**
     * A barrier for these parties. Each arrives with its name: {@link #await(String)}.
     *
     * @param name the name in metrics, events and failures; not blank
     * @param parties who takes part: at least one, all different, none blank
     * @return a new barrier, at the start of round 0
     * @throws IllegalArgumentException if a name is blank, or there are no parties, or one is named twice
     */
    public static Barrier ofParties(String name, String... parties) {
        return ofParties(name, Arrays.asList(Objects.requireNonNull(parties, "parties")), null);
    }

    /**
     * A barrier for these parties, with something to do between two rounds.
     *
     * @param name the name in metrics, events and failures; not blank
     * @param parties who takes part: at least one, all different, none blank
     * @param onRound runs once for each round, when all have arrived and before any goes on
     * @return a new barrier, at the start of round 0
     * @throws IllegalArgumentException if a name is blank, or there are no parties, or one is named twice
     */
    public static Barrier ofParties(String name, Collection<String> parties, Runnable onRound) {
        List<String> names = new ArrayList<>(Objects.requireNonNull(parties, "parties"));
        return ofParties(name, names, Objects.requireNonNull(onRound, "onRound"));
    }

    private static Barrier ofParties(String name, List<String> parties, @Nullable Runnable onRound) {
        return new Barrier(name, parties.size(), Names.distinct("parties", parties), onRound);
    }

    // Arriving

    /**
     * Arrives, and waits for all others as long as it takes.
     *
     * @return the number of the round that was completed: 0, 1, 2 …
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; the barrier is broken
     * @throws BrokenBarrierException if the barrier is broken, or breaks or is reset while this call waits
     * @throws IllegalStateException if this barrier has named parties, or if its own action calls; nothing has changed
     */
    public long await() throws InterruptedException, BrokenBarrierException {
        return awaitWithoutLimit(unnamed());
    }

    /**
     * Arrives, and waits for all others, but no longer than this.
     *
     * @param timeout the longest wait; zero or less: none
     * @return the number of the round that was completed: 0, 1, 2 …
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; the barrier is broken
     * @throws BrokenBarrierException if the barrier is broken, or breaks or is reset while this call waits
     * @throws TimeoutException if the others did not arrive in time; the barrier is broken
     * @throws IllegalStateException if this barrier has named parties, or if its own action calls; nothing has changed
     */
    public long await(Duration timeout) throws InterruptedException, BrokenBarrierException, TimeoutException {
        long nanos = Durations.saturatedNanos(Objects.requireNonNull(timeout, "timeout"));
        return arrive(unnamed(), nanos);
    }

    /**
     * Arrives as the party of this name, and waits for all others as long as it takes.
     *
     * @param party who arrives
     * @return the number of the round that was completed: 0, 1, 2 …
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; the barrier is broken
     * @throws BrokenBarrierException if the barrier is broken, or breaks or is reset while this call waits
     * @throws IllegalArgumentException if this barrier has no such party
     * @throws IllegalStateException if that party has arrived in this round already, or this barrier has no named parties,
     *     or if its own action calls; nothing has changed
     */
    public long await(String party) throws InterruptedException, BrokenBarrierException {
        return awaitWithoutLimit(named(party));
    }

    /**
     * Arrives as the party of this name, and waits for all others, but no longer than this.
     *
     * @param party who arrives
     * @param timeout the longest wait; zero or less: none
     * @return the number of the round that was completed: 0, 1, 2 …
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; the barrier is broken
     * @throws BrokenBarrierException if the barrier is broken, or breaks or is reset while this call waits
     * @throws TimeoutException if the others did not arrive in time; the barrier is broken
     * @throws IllegalArgumentException if this barrier has no such party
     * @throws IllegalStateException if that party has arrived in this round already, or this barrier has no named parties,
     *     or if its own action calls; nothing has changed
     */
    public long await(String party, Duration timeout)
            throws InterruptedException, BrokenBarrierException, TimeoutException {
        String who = named(party);
        return arrive(who, Durations.saturatedNanos(Objects.requireNonNull(timeout, "timeout")));
    }

    private @Nullable String unnamed() {
        if (!names.isEmpty()) {
            throw new IllegalStateException(
                    "barrier " + name + " has named parties, which say who arrives: " + names.keySet());
        }
        return null;
    }

    private String named(String party) {
        Objects.requireNonNull(party, "party");
        if (names.isEmpty()) {
            throw new IllegalStateException("barrier " + name + " has no named parties, it only counts");
        }
        Names.place("party", names, party);
        return party;
    }

    private long awaitWithoutLimit(@Nullable String party) throws InterruptedException, BrokenBarrierException {
        try {
            return arrive(party, NO_LIMIT);
        } catch (TimeoutException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private long arrive(@Nullable String party, long nanos)
            throws InterruptedException, BrokenBarrierException, TimeoutException {
        long since = System.nanoTime();
        for (; ; ) {
            if (Thread.interrupted()) {
                breakCurrent(by(party) + " was interrupted", null);
                throw new InterruptedException();
            }
            Round round = current();
            Arrival me = new Arrival(party, since);
            if (!round.arrive(me, onRound == null ? parties : 0, rule)) {
                if (round.top() instanceof Broken broken && !broken.reset()) {
                    throw broken(broken);
                }
                continue; // that one was completed or reset before: the one that follows
            }
            if (me.count == parties) {
                completeRound(round, me);
                return round.number;
            }
            awaitEnd(round, me, nanos);
            if (me.count < parties) {
                return round.number;
            }
        }
    }

    /** Under no lock, before an arrival counts. */
    private void check(Arrival me) {
        boolean late = me.count > parties;
        for (Arrival other = me.before; other != null; other = other.before) {
            if (late && other.count == parties && other.thread == me.thread) {
                throw new IllegalStateException("the action of barrier " + name + " cannot wait for its own barrier");
            }
            if (!late && me.party != null && me.party.equals(other.party)) {
                throw new IllegalStateException(
                        "party " + me.party + " of barrier " + name + " has arrived in this round already");
            }
        }
    }

    /** By the last to arrive. */
    private void completeRound(Round round, Arrival me) throws BrokenBarrierException {
        if (onRound == null) { // it has ended with the arrival
            follow(round);
            Round.wake(me.before);
            return;
        }
        try {
            onRound.run();
        } catch (Throwable failure) {
            breakUp(round, "its action threw " + failure, failure, false);
            throw failure;
        }
        for (; ; ) {
            State seen = round.top();
            if (seen instanceof Broken broken) {
                throw broken(broken);
            }
            if (round.move(seen, Tripped.TRIPPED)) {
                follow(round);
                Round.wake(seen);
                return;
            }
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // see Round.YIELDS
    private void awaitEnd(Round round, Arrival me, long nanos)
            throws InterruptedException, BrokenBarrierException, TimeoutException {
        int yields = me.thread.isVirtual() || nanos <= 0 ? 0 : Round.YIELDS;
        for (; ; ) {
            State seen = round.top();
            if (seen == Tripped.TRIPPED) {
                return;
            }
            if (seen instanceof Broken broken) {
                throw broken(broken);
            }
            if (yields-- > 0) {
                Thread.yield();
                continue;
            }
            boolean interrupted = Thread.interrupted();
            long rest = nanos == NO_LIMIT ? NO_LIMIT : nanos <= 0 ? 0 : nanos - (System.nanoTime() - me.since);
            if (interrupted || rest <= 0) {
                String reason = by(me.party) + (interrupted ? " was interrupted" : " ran out of time");
                Broken mine = breakUp(round, reason, null, false);
                if (mine == null) { // it had ended before
                    if (interrupted) {
                        Thread.currentThread().interrupt();
                    }
                } else if (interrupted) {
                    throw new InterruptedException(mine.what());
                } else {
                    throw new TimeoutException(mine.what());
                }
            } else if (rest == NO_LIMIT) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, rest);
            }
        }
    }

    // Breaking

    /**
     * Breaks the barrier: what it waits for will not come. All who wait, and all who come before {@link #reset()}, get a
     * {@link BrokenBarrierException} with this cause. A broken barrier stays as it is. Never blocks.
     *
     * @param cause why
     */
    public void fail(Throwable cause) {
        Objects.requireNonNull(cause, "cause");
        breakCurrent("it failed with " + cause, cause);
    }

    /**
     * Begins the round anew. Those who wait get a {@link BrokenBarrierException}, and a broken barrier works again. The
     * number of the round stays the same, for it was not completed. Where nobody waits and nothing is broken, it changes
     * nothing. Never blocks.
     */
    public void reset() {
        Round round = current();
        if (round.top() == null) {
            return;
        }
        breakUp(round, "it was reset", null, true); // unless it has ended before
        follow(round);
    }

    private void breakCurrent(String reason, @Nullable Throwable cause) {
        Round round;
        do {
            round = current();
        } while (breakUp(round, reason, cause, false) == null && Round.isFollowed(round.top()));
    }

    /** Null: the round had ended before. */
    private @Nullable Broken breakUp(Round round, String reason, @Nullable Throwable cause, boolean reset) {
        for (; ; ) {
            State seen = round.top();
            if (seen != null && !(seen instanceof Arrival)) {
                return null;
            }
            Standing standing = Standing.of(parties, names.keySet(), (Arrival) seen);
            Broken broken = new Broken(
                    "barrier " + name + " broke in round " + round.number + ": " + reason + "; " + standing.inWords(),
                    standing.missing(),
                    cause,
                    reset);
            if (round.move(seen, broken)) {
                breaks.incrementAndGet();
                Round.wake(seen);
                tellFlightRecorder(round, reason, standing);
                return broken;
            }
        }
    }

    private static BrokenBarrierException broken(Broken broken) {
        BrokenBarrierException exception = new BrokenBarrierException(broken.what());
        if (broken.cause() != null) {
            exception.initCause(broken.cause());
        }
        return exception;
    }

    private static String by(@Nullable String party) {
        return party == null ? "a party" : party;
    }

    private void tellFlightRecorder(Round round, String reason, Standing standing) {
        if (!FlightRecorder.isInitialized()) { // the first event class costs a JVM 150 ms of CPU
            return;
        }
        BarrierBrokenEvent event = new BarrierBrokenEvent();
        if (event.isEnabled()) {
            event.barrier = name;
            event.round = round.number;
            event.reason = reason;
            event.missing = standing.missingInWords();
            event.waiting = standing.waits().size();
            event.longestWait = standing.longestWaitNanos();
            event.commit();
        }
    }

    // Rounds

    /** The round under way, or the broken one that nobody has reset. */
    Round current() {
        for (; ; ) {
            Round round = current;
            if (!Round.isFollowed(round.top())) {
                return round;
            }
            follow(round);
        }
    }

    /** Puts the next round in the place of this one, or the same anew if it was not completed. Happens once. */
    private void follow(Round round) {
        if (current == round) {
            long number = round.top() == Tripped.TRIPPED ? round.number + 1 : round.number;
            CURRENT.compareAndSet(this, round, new Round(number));
        }
    }

    // Figures

    /** A round and its state, from one instant at which it was under way or broken. */
    private record Look(Round round, @Nullable State state) {}

    private Look look() {
        for (; ; ) {
            Round round = current();
            State state = round.top();
            if (!Round.isFollowed(state)) {
                return new Look(round, state);
            }
        }
    }

    /**
     * How many take part.
     *
     * @return so many, fixed
     */
    public int parties() {
        return parties;
    }

    /**
     * How many have arrived in this round and wait for the others. Never blocks.
     *
     * @return from 0 to {@link #parties()}, which it reaches only while the action runs; 0 when broken
     */
    public int arrived() {
        return arrived(current().top());
    }

    private int arrived(@Nullable State state) {
        return state instanceof Arrival latest ? Math.min(latest.count, parties) : 0;
    }

    /**
     * Which parties have not arrived in this round. Never blocks.
     *
     * @return their names, in the order in which they were given; of a broken round, those that had not arrived when it
     *     broke; always empty if this barrier has no named parties
     */
    public Set<String> missing() {
        return missing(look().state);
    }

    private Set<String> missing(@Nullable State state) {
        return state instanceof Broken broken
                ? broken.missing()
                : Standing.of(parties, names.keySet(), (Arrival) state).missing();
    }

    /**
     * Which round is under way. Never blocks.
     *
     * @return its number, which is that of the rounds completed so far: 0, 1, 2 …
     */
    public long round() {
        return current().number;
    }

    /**
     * Whether the barrier is broken. Never blocks.
     *
     * @return true from the break until {@link #reset()}
     */
    public boolean isBroken() {
        return look().state instanceof Broken;
    }

    /**
     * All figures, read together. Never blocks.
     *
     * @return a new record; it says which of its figures belong to one instant
     */
    public BarrierStats stats() {
        Look look = look();
        return new BarrierStats(
                parties,
                look.round.number,
                arrived(look.state),
                missing(look.state),
                look.state instanceof Broken,
                longestWait(look.state),
                breaks.get());
    }

    private Duration longestWait(@Nullable State state) {
        return state instanceof Arrival latest
                ? Standing.of(parties, names.keySet(), latest).longestWait()
                : Duration.ZERO;
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * {@inheritDoc}
     *
     * <p>They are {@code heptad.barrier.} followed by {@code parties}, {@code arrived}, {@code longest.wait},
     * {@code broken}, {@code rounds} and {@code breaks}.
     */
    @Override
    public List<Metric> metrics() {
        List<Metric> made = metrics.get();
        if (made != null) {
            return made;
        }
        Figures of = new Figures("barrier", name);
        metrics.compareAndSet(
                null,
                List.of(
                        of.gauge("parties", "parties", "How many take part", () -> parties),
                        of.gauge("arrived", "parties", "How many have arrived in this round and wait", this::arrived),
                        of.gauge(
                                "longest.wait",
                                "seconds",
                                "How long the first to arrive has waited in this round",
                                () -> longestWait(look().state).toNanos() / 1e9),
                        of.gauge("broken", "", "1 from a break until the reset", () -> isBroken() ? 1 : 0),
                        of.counter("rounds", "rounds", "Rounds completed", this::round),
                        of.counter("breaks", "rounds", "Rounds broken", breaks::get)));
        return Objects.requireNonNull(metrics.get());
    }

    /**
     * For people: the name, the round and how it stands.
     *
     * @return such as {@code Barrier build: round 3, [c] missing; had waited: a 51 ms, b 40 ms}
     */
    @Override
    public String toString() {
        Look look = look();
        return look.state instanceof Broken broken
                ? "Barrier " + name + ": " + broken.what()
                : "Barrier " + name + ": round " + look.round.number + ", "
                        + Standing.of(parties, names.keySet(), (Arrival) look.state)
                                .inWords();
    }
}
