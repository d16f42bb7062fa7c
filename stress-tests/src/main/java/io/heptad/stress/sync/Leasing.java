package io.heptad.stress.sync;

import io.heptad.stress.Quick;
import io.heptad.stress.Watch;
import io.heptad.sync.Fenced;
import io.heptad.sync.LeaderElection;
import io.heptad.sync.Lease;
import io.heptad.sync.Leases;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** Leases, what they fence, and who leads by them. Times are set; a lease lasts ten milliseconds, and token 0 is
 * none. */
public class Leasing {
    private Leasing() {}

    /** One of two gets it, and the third who asks later does not. */
    @Quick
    @JCStressTest
    @Outcome(id = "(1, 0|0, 1), 0", expect = Expect.ACCEPTABLE, desc = "one holder")
    @State
    public static class AcquireAgainstAcquire {
        private final Leases leases = Leases.inMemory(() -> Instant.EPOCH);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = leases.acquire("r", "A", Duration.ofMillis(10))
                    .map(Lease::token)
                    .orElse(0L);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = leases.acquire("r", "B", Duration.ofMillis(10))
                    .map(Lease::token)
                    .orElse(0L);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = leases.acquire("r", "C", Duration.ofMillis(10))
                    .map(Lease::token)
                    .orElse(0L);
        }
    }

    /** Two resources share one count, and no two grants share a token. */
    @JCStressTest
    @Outcome(id = "(1, 2|2, 1), 3", expect = Expect.ACCEPTABLE, desc = "a token each")
    @State
    public static class AcquireAgainstAcquireOfAnother {
        private final Leases leases = Leases.inMemory(() -> Instant.EPOCH);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = leases.acquire("r", "A", Duration.ofMillis(10))
                    .map(Lease::token)
                    .orElse(0L);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = leases.acquire("s", "A", Duration.ofMillis(10))
                    .map(Lease::token)
                    .orElse(0L);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = leases.acquire("t", "A", Duration.ofMillis(10))
                    .map(Lease::token)
                    .orElse(0L);
        }
    }

    /** Whoever asks as it is given back gets it then or later, and one of them only. */
    @JCStressTest
    @Outcome(id = "true, (2, 0|0, 2)", expect = Expect.ACCEPTABLE, desc = "then or later")
    @State
    public static class ReleaseAgainstAcquire {
        private final Leases leases = Leases.inMemory(() -> Instant.EPOCH);
        private final Lease held =
                leases.acquire("r", "A", Duration.ofMillis(10)).orElseThrow();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = leases.release(held);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = leases.acquire("r", "B", Duration.ofMillis(10))
                    .map(Lease::token)
                    .orElse(0L);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = leases.acquire("r", "C", Duration.ofMillis(10))
                    .map(Lease::token)
                    .orElse(0L);
        }
    }

    /**
     * At its last moment a lease is renewed, or it is over and its holder, born again, gets a new one: never both. An old
     * grant does not renew the new one, though the name is the same.
     */
    @Quick
    @JCStressTest
    @Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "renewed, and given back as it is")
    @Outcome(id = "0, 2, 0", expect = Expect.ACCEPTABLE, desc = "over, and granted anew")
    @State
    public static class RenewAgainstTheEnd {
        private final AtomicInteger millis = new AtomicInteger();
        private final Leases leases = Leases.inMemory(() -> Instant.ofEpochMilli(millis.get()));
        private final Lease held =
                leases.acquire("r", "A", Duration.ofMillis(10)).orElseThrow();

        {
            millis.set(9);
        }

        @Actor
        public void one(LLL_Result r) {
            r.r1 = leases.renew(held, Duration.ofMillis(10)).map(Lease::token).orElse(0L);
        }

        @Actor
        public void two(LLL_Result r) {
            millis.set(10);
            r.r2 = leases.acquire("r", "A", Duration.ofMillis(10))
                    .map(Lease::token)
                    .orElse(0L);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            millis.set(11);
            r.r3 = leases.acquire("r", "B", Duration.ofMillis(10))
                    .map(Lease::token)
                    .orElse(0L);
        }
    }

    /** Whatever the renewal said, what was released is free. */
    @JCStressTest
    @Outcome(id = "(1|0), true, 2", expect = Expect.ACCEPTABLE, desc = "free")
    @State
    public static class RenewAgainstRelease {
        private final Leases leases = Leases.inMemory(() -> Instant.EPOCH);
        private final Lease held =
                leases.acquire("r", "A", Duration.ofMillis(10)).orElseThrow();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = leases.renew(held, Duration.ofMillis(10)).map(Lease::token).orElse(0L);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = leases.release(held);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = leases.acquire("r", "B", Duration.ofMillis(10))
                    .map(Lease::token)
                    .orElse(0L);
        }
    }

    /** The higher token has the last word, whoever comes first. */
    @JCStressTest
    @Outcome(id = "(true|false), true, Fenced at token 8: B", expect = Expect.ACCEPTABLE, desc = "B's stays")
    @State
    public static class WriteAgainstAHigherToken {
        private final Fenced<String> value = Fenced.of("");

        @Actor
        public void one(LLL_Result r) {
            r.r1 = value.write(7, "A");
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = value.write(8, "B");
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = value.toString();
        }
    }

    /** A reader sees a value with its own token, and never goes back. */
    @JCStressTest
    @Outcome(
            id = "Fenced at token (0: -|7: A|8: B), true, Fenced at token 8: B",
            expect = Expect.ACCEPTABLE,
            desc = "a pair")
    @State
    public static class ReadAgainstWrites {
        private final Fenced<String> value = Fenced.of("-");

        @Actor
        public void one(LLL_Result r) {
            r.r1 = value.toString();
        }

        @Actor
        public void two(LLL_Result r) {
            value.write(7, "A");
            r.r2 = value.write(8, "B");
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = value.toString();
        }
    }

    /** Two threads of one holder: neither change is lost. */
    @JCStressTest
    @Outcome(id = "true, true, Fenced at token 7: 2", expect = Expect.ACCEPTABLE, desc = "both")
    @State
    public static class UpdateAgainstUpdate {
        private final Fenced<Integer> count = Fenced.of(0);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = count.update(7, old -> old + 1);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = count.update(7, old -> old + 1);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = count.toString();
        }
    }

    /**
     * An election is closed while it asks for the first time, and somebody else asks too. Once it says that it is done,
     * nobody leads, whoever was told of a beginning was told of the end, and the lease is free.
     */
    @Quick
    @JCStressTest
    @Outcome(
            id = "true, (0|[12]), (0 begun, 0 ended|1 begun, 1 ended), free",
            expect = Expect.ACCEPTABLE,
            desc = "over")
    @State
    public static class CloseAgainstElection {
        private final Leases leases = Leases.inMemory(() -> Instant.EPOCH);
        private final AtomicInteger begun = new AtomicInteger();
        private final AtomicInteger ended = new AtomicInteger();
        private final LeaderElection election = LeaderElection.builder(leases, "r", "A", Duration.ofMinutes(1))
                .onElected(lease -> begun.incrementAndGet())
                .onLost(ended::incrementAndGet)
                .start();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> election.close(Duration.ofSeconds(3)));
        }

        @Actor
        public void two(LLL_Result r) {
            Optional<Lease> lease = leases.acquire("r", "B", Duration.ofMillis(10));
            lease.ifPresent(leases::release);
            r.r2 = lease.map(Lease::token).orElse(0L);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = begun + " begun, " + ended + " ended, "
                    + (election.isLeader()
                            ? "led"
                            : leases.acquire("r", "C", Duration.ofMillis(10)).isPresent() ? "free" : "held");
        }
    }

    /** Both closers see the end; onLost comes once. */
    @JCStressTest
    @Outcome(id = "true, true, (0 begun, 0 ended|1 begun, 1 ended), free", expect = Expect.ACCEPTABLE, desc = "over")
    @State
    public static class CloseAgainstClose {
        private final Leases leases = Leases.inMemory(() -> Instant.EPOCH);
        private final AtomicInteger begun = new AtomicInteger();
        private final AtomicInteger ended = new AtomicInteger();
        private final LeaderElection election = LeaderElection.builder(leases, "r", "A", Duration.ofMinutes(1))
                .onElected(lease -> begun.incrementAndGet())
                .onLost(ended::incrementAndGet)
                .start();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> election.close(Duration.ofSeconds(3)));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> election.close(Duration.ofSeconds(3)));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = begun + " begun, " + ended + " ended, "
                    + (election.isLeader()
                            ? "led"
                            : leases.acquire("r", "C", Duration.ofMillis(10)).isPresent() ? "free" : "held");
        }
    }
}
