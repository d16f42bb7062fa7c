package io.heptad.stress.sync;

import io.heptad.stress.Quick;
import io.heptad.stress.Watch;
import io.heptad.sync.Barrier;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLLL_Result;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** Parties of a barrier meet, while one of them gives up, or somebody resets or fails it. */
public class Meeting {
    private Meeting() {}

    /** Two rounds, back to back: each party sees what the other did before. Rows A13, A14, G1. */
    @Quick
    @JCStressTest
    @Outcome(id = "0 sees 1 1 sees 2, 0 sees 1 1 sees 2, round 2 of 0", expect = Expect.ACCEPTABLE, desc = "together")
    @State
    public static class AwaitAgainstAwait {
        private final Barrier barrier = Barrier.of(2);
        private int ones;
        private int twos;
        private int onesAgain;
        private int twosAgain;

        @Actor
        public void one(LLL_Result r) {
            ones = 1;
            String first = Watch.call(barrier::await) + " sees " + twos;
            onesAgain = 2;
            r.r1 = first + " " + Watch.call(barrier::await) + " sees " + twosAgain;
        }

        @Actor
        public void two(LLL_Result r) {
            twos = 1;
            String first = Watch.call(barrier::await) + " sees " + ones;
            twosAgain = 2;
            r.r2 = first + " " + Watch.call(barrier::await) + " sees " + onesAgain;
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = "round " + barrier.round() + " of " + barrier.arrived();
        }
    }

    /** Three parties, two rounds. */
    @JCStressTest
    @Outcome(id = "0 1, 0 1, 0 1, round 2 of 0", expect = Expect.ACCEPTABLE, desc = "together")
    @State
    public static class ThreeParties {
        private final Barrier barrier = Barrier.of(3);

        @Actor
        public void one(LLLL_Result r) {
            r.r1 = Watch.call(() -> barrier.await() + " " + barrier.await());
        }

        @Actor
        public void two(LLLL_Result r) {
            r.r2 = Watch.call(() -> barrier.await() + " " + barrier.await());
        }

        @Actor
        public void three(LLLL_Result r) {
            r.r3 = Watch.call(() -> barrier.await() + " " + barrier.await());
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            r.r4 = "round " + barrier.round() + " of " + barrier.arrived();
        }
    }

    /** Both complete the round, or neither does. Rows A15, G2. */
    @Quick
    @JCStressTest
    @Outcome(id = "0, 0, works at 1 of 0", expect = Expect.ACCEPTABLE, desc = "in time")
    @Outcome(
            id = "timeout, BrokenBarrierException, broken at 0 of 0",
            expect = Expect.ACCEPTABLE,
            desc = "not in time, and both know")
    @State
    public static class TimedAwaitAgainstAwait {
        private final Barrier barrier = Barrier.of(2);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> barrier.await(Duration.ofNanos(15_000)));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(barrier::await);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = (barrier.isBroken() ? "broken" : "works") + " at " + barrier.round() + " of " + barrier.arrived();
        }
    }

    /** Two times run out at once: one of them breaks the round, once. */
    @JCStressTest
    @Outcome(
            id = {"timeout, BrokenBarrierException, 1 break", "BrokenBarrierException, timeout, 1 break"},
            expect = Expect.ACCEPTABLE,
            desc = "one breaks it, the other is told")
    @State
    public static class TimedAwaitAgainstTimedAwait {
        private final Barrier barrier = Barrier.of(3);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> barrier.await(Duration.ofNanos(15_000)));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> barrier.await(Duration.ofNanos(15_000)));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = barrier.stats().breaks() + " break";
        }
    }

    /** It was completed and keeps its interrupt, or it broke for both. Row G2. */
    @Quick
    @JCStressTest
    @Outcome(id = "0 flagged, 0, 1 of 0", expect = Expect.ACCEPTABLE, desc = "completed")
    @Outcome(id = "interrupted, BrokenBarrierException, 0 of 0", expect = Expect.ACCEPTABLE, desc = "broken")
    @State
    public static class InterruptAgainstTheLastArrival {
        private final Barrier barrier = Barrier.of(2);
        private volatile Thread target;
        private volatile boolean sent;

        @Actor
        public void one(LLL_Result r) {
            target = Thread.currentThread();
            String end = Watch.call(barrier::await);
            r.r1 = end + (Watch.clearedAfter(() -> sent) ? " flagged" : "");
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(barrier::await);
        }

        @Actor
        public void three(LLL_Result r) {
            Watch.awaitSpinning(() -> target != null);
            target.interrupt();
            sent = true;
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = barrier.round() + " of " + barrier.arrived();
        }
    }

    /** Whoever waits as it is reset is told, and the round that follows has the number of the one that was not completed. */
    @Quick
    @JCStressTest
    @Outcome(id = "0, 0, 1 of 0", expect = Expect.ACCEPTABLE, desc = "reset before anybody came")
    @Outcome(id = "BrokenBarrierException then 0, 0, 1 of 0", expect = Expect.ACCEPTABLE, desc = "reset in between")
    @State
    public static class ResetAgainstAwait {
        private final Barrier barrier = Barrier.of(2);

        @Actor
        public void one(LLL_Result r) {
            String first = Watch.call(barrier::await);
            r.r1 = first.equals("BrokenBarrierException") ? first + " then " + Watch.call(barrier::await) : first;
        }

        @Actor
        public void two(LLL_Result r) {
            barrier.reset();
            r.r2 = Watch.call(barrier::await);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = barrier.round() + " of " + barrier.arrived();
        }
    }

    /** A reset as the last one arrives: the round was completed, or both were told; never one of each. */
    @JCStressTest
    @Outcome(id = "0, 0, 1 of 0", expect = Expect.ACCEPTABLE, desc = "completed")
    @Outcome(
            id = {
                "BrokenBarrierException, timeout, 0 of 0",
                "timeout, BrokenBarrierException, 0 of 0",
                "BrokenBarrierException, BrokenBarrierException, 0 of 0",
                "timeout, timeout, 0 of 0"
            },
            expect = Expect.ACCEPTABLE,
            desc = "reset in between, or nobody came in time")
    @State
    public static class ResetAgainstTheLastArrival {
        private final Barrier barrier = Barrier.of(2);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> barrier.await(Duration.ofMillis(1)));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> barrier.await(Duration.ofMillis(1)));
        }

        @Actor
        public void three() {
            barrier.reset();
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = barrier.round() + " of " + barrier.arrived();
        }
    }

    /** Two resets at once begin one round anew. */
    @JCStressTest
    @Outcome(id = "works at 0, 0 of 0, 1 break", expect = Expect.ACCEPTABLE, desc = "one round")
    @State
    public static class ResetAgainstReset {
        private final Barrier barrier = Barrier.of(2);

        public ResetAgainstReset() {
            barrier.fail(new IllegalStateException("failed"));
        }

        @Actor
        public void one() {
            barrier.reset();
        }

        @Actor
        public void two() {
            barrier.reset();
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r1 = (barrier.isBroken() ? "broken" : "works") + " at " + barrier.round();
            r.r2 = barrier.round() + " of " + barrier.arrived();
            r.r3 = barrier.stats().breaks() + " break";
        }
    }

    /** Whoever waits, or comes, is told. Row A15. */
    @JCStressTest
    @Outcome(id = "BrokenBarrierException, failed, 1 break", expect = Expect.ACCEPTABLE, desc = "told")
    @State
    public static class FailAgainstAwait {
        private final Barrier barrier = Barrier.of(2);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(barrier::await);
        }

        @Actor
        public void two(LLL_Result r) {
            barrier.fail(new IllegalStateException("failed"));
            r.r2 = "failed";
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = barrier.stats().breaks() + " break";
        }
    }

    /** The action runs once, before anybody goes on, or somebody's time runs out and nobody goes on. */
    @JCStressTest
    @Outcome(id = "0 after 1, 0 after 1, 1 ran", expect = Expect.ACCEPTABLE, desc = "in time")
    @Outcome(
            id = "timeout after [01], BrokenBarrierException after [01], [01] ran",
            expect = Expect.ACCEPTABLE,
            desc = "not in time")
    @State
    public static class TimedAwaitAgainstTheAction {
        private int ran; // the barrier publishes it
        private final Barrier barrier = Barrier.of(2, () -> ran++);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> barrier.await(Duration.ofNanos(15_000))) + " after " + ran;
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(barrier::await) + " after " + ran;
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = ran + " ran";
        }
    }

    /** One party that arrives twice is one party: the second call is refused, and the first still waits. */
    @JCStressTest
    @Outcome(
            id = {
                "timeout, IllegalStateException, \\[b\\]",
                "IllegalStateException, timeout, \\[b\\]",
                "timeout, BrokenBarrierException, \\[b\\]",
                "BrokenBarrierException, timeout, \\[b\\]"
            },
            expect = Expect.ACCEPTABLE,
            desc = "one of them counted")
    @State
    public static class OnePartyTwice {
        private final Barrier barrier = Barrier.ofParties("parties", "a", "b");

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> barrier.await("a", Duration.ofNanos(15_000)));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> barrier.await("a", Duration.ofNanos(15_000)));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = barrier.missing().toString();
        }
    }
}
