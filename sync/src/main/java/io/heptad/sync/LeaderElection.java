package io.heptad.sync;

import io.heptad.core.Durations;
import io.heptad.core.Measured;
import io.heptad.core.Metric;
import io.heptad.core.Metric.Kind;
import io.heptad.core.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One of several candidates leads, for as long as it can renew its lease, and learns that it does not lead any more before
 * another can.
 *
 * {@snippet file="io/heptad/sync/LeaseSnippetsTest.java" region="election"}
 *
 * <p><b>When it leads.</b> A renewal proves that the lease lives for {@code ttl} from the moment at which the call began. The
 * candidate measures that on its own monotonic {@link Ticker}, and believes it for {@code ttl} less a margin. So a clock that
 * is set, here or at the leases, makes no candidate believe for longer than it may. What the margin has to cover is the
 * difference in speed of the two clocks, and the time that {@code onLost} takes.
 *
 * <p><b>When it stops.</b> {@link #isLeader} turns false, for good in this term, when the lap is over, a renewal is refused, or
 * the election is closed; {@code onLost} follows at once. That needs no answer from the leases: a store that is down or a call
 * that hangs does not delay it. A call that throws is tried again after a quarter of the usual pause, while there is time.
 * Failed calls are counted; the first of a row goes to the thread's uncaught exception handler.
 *
 * <p><b>What no election can do.</b> A leader can be stopped between a look at {@code isLeader()} and what it does next, for
 * longer than any margin; then two act as leader. Send {@link #lease}'s token with each write, and let the storage refuse a
 * lower one ({@link Fenced}). Between the death of a leader and the next election a {@code ttl} and a pause can pass without
 * any leader.
 *
 * <p><b>Callbacks</b> come in pairs, first {@code onElected}, then {@code onLost}, one at a time, each in a virtual thread of
 * the election. {@code onElected} should start what the leader does and return: until it has, {@code onLost} waits for it, and
 * {@code isLeader()} is the only one who tells. A candidate does not stand again before its {@code onLost} has returned. What
 * a callback throws is counted and reported; the term goes on. Who cannot lead after all closes the election.
 *
 * <p><b>Close.</b> {@link #close()} stops leading at once, lets {@code onLost} end, and then gives the lease back, so that
 * another need not wait for its end. An election that is not closed goes on, whether or not anybody refers to it.
 *
 * <p>Any thread may call any method, also from a callback or from inside a call to the leases. Only {@code close} waits.
 *
 * <p><b>Memory consistency effects:</b> what a callback did <i>happens-before</i> the next callback of the same election.
 * What a leader did before its {@code close} gave the lease back <i>happens-before</i> what the next one does after its
 * election, where the leases say so for release and grant.
 *
 * <p>This is the lease-based election of Gray and Cheriton's leases, not a consensus: it is as available, and as safe, as the
 * leases are.
 */
public final class LeaderElection implements Measured, AutoCloseable {
    private final String role;
    private final String candidate;
    private final Duration ttl;
    private final Candidacy candidacy;
    private final List<Metric> metrics;

    private LeaderElection(Builder builder, Candidacy candidacy) {
        role = builder.role;
        candidate = builder.candidate;
        ttl = builder.ttl;
        this.candidacy = candidacy;
        metrics = List.of(
                metric(Kind.GAUGE, "leading", "", "1 while this candidate leads", () -> leftNanos() > 0 ? 1 : 0),
                metric(
                        Kind.GAUGE,
                        "left",
                        "seconds",
                        "How long it leads unless it renews; falls towards zero while renewals fail",
                        () -> leftNanos() / 1e9),
                metric(Kind.COUNTER, "elected", "terms", "Terms begun", candidacy.elected::sum),
                metric(Kind.COUNTER, "lost", "terms", "Terms ended otherwise than by close", candidacy.lost::sum),
                metric(Kind.COUNTER, "failures", "calls", "Calls to the leases that threw", candidacy.failures::sum),
                metric(
                        Kind.COUNTER,
                        "callback.failures",
                        "calls",
                        "Callbacks that threw",
                        candidacy.failedCallbacks::sum));
    }

    /**
     * An election, to be started.
     *
     * @param leases decides who leads; may be slow or fail, and is called by one thread of this election at a time (a
     *     release may meet a call that hangs)
     * @param role what is led, not blank: the resource that is leased
     * @param candidate who stands, not blank: its own name for each candidate, also for each life of one
     * @param ttl how long a lease lasts; the longest time without a leader is a little more
     * @return a builder
     * @throws IllegalArgumentException if a name is blank or the time is not above zero
     */
    public static Builder builder(Leases leases, String role, String candidate, Duration ttl) {
        return new Builder(leases, role, candidate, ttl);
    }

    /**
     * Whether this candidate leads now. Cheap: one read, and a look at the ticker. Once it has said no, it says no until
     * {@code onElected} is called again.
     *
     * @return true while its lease is surely live
     */
    public boolean isLeader() {
        return candidacy.live() != null;
    }

    /**
     * The lease of the term, for its token.
     *
     * @return the lease as last renewed; empty while this candidate does not lead
     */
    public Optional<Lease> lease() {
        Candidacy.@Nullable Lap present = candidacy.live();
        return present == null ? Optional.empty() : Optional.of(present.lease());
    }

    /**
     * Who stands here.
     *
     * @return the candidate's name
     */
    public String candidate() {
        return candidate;
    }

    /**
     * What is led.
     *
     * @return the role
     */
    @Override
    public String name() {
        return role;
    }

    @Override
    public List<Metric> metrics() {
        return metrics;
    }

    /**
     * Stops leading and standing, lets {@code onLost} end, and gives the lease back. Returns when that is done, or after a
     * {@code ttl}, when the lease is over anyway; if the thread is interrupted it returns at once, with its interrupt status
     * set, and the rest is done without it. In a callback, or inside a call to the leases, it does not wait.
     */
    @Override
    public void close() {
        try {
            boolean ignored = close(ttl);
        } catch (InterruptedException leftToItself) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * As {@link #close()}, with another limit.
     *
     * @param timeout how long to wait; zero or less to not wait
     * @return true if it is done: {@code onLost} has returned, the lease was given back, and no call is in flight
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; the election is closed all the
     *     same
     */
    public boolean close(Duration timeout) throws InterruptedException {
        Objects.requireNonNull(timeout, "timeout");
        candidacy.close();
        return candidacy.awaitEnd(Durations.saturatedNanos(timeout));
    }

    @Override
    public String toString() {
        return "LeaderElection of " + role + ": " + candidate + (leftNanos() > 0 ? " leads" : " does not lead");
    }

    private long leftNanos() {
        return candidacy.leftNanos();
    }

    private Metric metric(Kind kind, String figure, String unit, String description, DoubleSupplier value) {
        return new Metric(
                "heptad.election." + figure,
                kind,
                unit,
                description,
                Map.of("name", role, "candidate", candidate),
                value);
    }

    /** What to choose about an election. Not thread-safe. */
    public static final class Builder {
        private static final long SHORTEST_PAUSE_NANOS = 1_000_000;

        private final Leases leases;
        private final String role;
        private final String candidate;
        private final Duration ttl;
        private Consumer<? super Lease> onElected = lease -> {};
        private Runnable onLost = () -> {};
        private Ticker ticker = Ticker.system();
        private long marginNanos;
        private long everyNanos;
        private @Nullable Alarm alarm;

        private Builder(Leases leases, String role, String candidate, Duration ttl) {
            this.leases = Objects.requireNonNull(leases, "leases");
            this.role = Names.notBlank("role", role);
            this.candidate = Names.notBlank("candidate", candidate);
            MemoryLeases.positive(ttl);
            this.ttl = ttl;
            marginNanos = ttlNanos() / 4;
            everyNanos = ttlNanos() / 4;
        }

        /**
         * What to do when this candidate has been elected: start leading, and return.
         *
         * @param action gets the lease, whose token goes with every write
         * @return this
         */
        public Builder onElected(Consumer<? super Lease> action) {
            onElected = Objects.requireNonNull(action, "action");
            return this;
        }

        /**
         * What to do when it does not lead any more: stop, within the margin.
         *
         * @param action called once for each {@code onElected}
         * @return this
         */
        public Builder onLost(Runnable action) {
            onLost = Objects.requireNonNull(action, "action");
            return this;
        }

        /**
         * How long before the end of the lease it stops leading. The more, the safer, and the sooner a store that is down
         * costs the leadership.
         *
         * @param margin above zero; a quarter of {@code ttl} unless given
         * @return this
         * @throws IllegalArgumentException if it is not above zero
         */
        public Builder margin(Duration margin) {
            marginNanos = above(Objects.requireNonNull(margin, "margin"), "margin", 1);
            return this;
        }

        /**
         * How often the leases are called: the leader renews, the others ask.
         *
         * @param pause from the beginning of one call to that of the next, at least a millisecond; a quarter of
         *     {@code ttl} unless given
         * @return this
         * @throws IllegalArgumentException if it is less than a millisecond
         */
        public Builder every(Duration pause) {
            everyNanos = above(Objects.requireNonNull(pause, "pause"), "pause", SHORTEST_PAUSE_NANOS);
            return this;
        }

        /**
         * The clock of the candidate's belief.
         *
         * @param ticker monotonic; read by any thread that asks, under no lock; {@link Ticker#system()} unless given
         * @return this
         */
        public Builder ticker(Ticker ticker) {
            this.ticker = Objects.requireNonNull(ticker, "ticker");
            return this;
        }

        Builder alarm(Alarm alarm) {
            this.alarm = alarm;
            return this;
        }

        /**
         * Stands for election from now on. Returns at once; the first call to the leases is made by another thread.
         *
         * @return the election, which lives until it is closed
         * @throws IllegalArgumentException if there is no time for a renewal: {@code every} and {@code margin} together
         *     must be below {@code ttl}, and {@code every} at least a millisecond
         */
        public LeaderElection start() {
            long spanNanos = ttlNanos() - marginNanos;
            if (everyNanos < SHORTEST_PAUSE_NANOS || everyNanos >= spanNanos) {
                throw new IllegalArgumentException("every and margin together must be below ttl, and every at least "
                        + Duration.ofNanos(SHORTEST_PAUSE_NANOS) + ", but they are " + Duration.ofNanos(everyNanos)
                        + " and " + Duration.ofNanos(marginNanos) + " of " + ttl);
            }
            Candidacy candidacy = new Candidacy(
                    new Candidacy.Rules(leases, role, candidate, ttl, spanNanos, everyNanos, onElected, onLost),
                    ticker,
                    alarm == null ? Alarm.system("heptad-election-" + role) : alarm);
            LeaderElection election = new LeaderElection(this, candidacy);
            candidacy.start();
            return election;
        }

        /** Half the range at most, so that sums and differences do not overflow. */
        private long ttlNanos() {
            return Math.min(Durations.saturatedNanos(ttl), Long.MAX_VALUE / 2);
        }

        private static long above(Duration value, String parameter, long leastNanos) {
            long nanos = Durations.saturatedNanos(value);
            if (nanos < leastNanos) {
                throw new IllegalArgumentException(
                        parameter + " must be at least " + Duration.ofNanos(leastNanos) + ", but is " + value);
            }
            return nanos;
        }
    }
}
