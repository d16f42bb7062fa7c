package io.heptad.stress.queue;

import io.heptad.core.FullPolicy;
import io.heptad.queue.BoundedQueue;
import io.heptad.queue.QueueStats;
import io.heptad.stress.Quick;
import io.heptad.stress.Rest;
import io.heptad.stress.Watch;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLLL_Result;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Producers against consumers: through the ring, and straight from hand to hand. */
public class Handing {
    private Handing() {}

    /** The item arrives, what its producer did before is seen, and both are counted once, handed over or not. Rows A19, A28. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, 1 seen 7, 1 accepted 1 taken 0 inside", expect = Expect.ACCEPTABLE, desc = "arrived")
    @State
    public static class PutAgainstTake {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
        private int written;

        @Actor
        public void one(LLL_Result r) {
            written = 7;
            r.r1 = Watch.call(() -> queue.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(queue::take) + " seen " + written;
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            QueueStats stats = queue.stats();
            r.r3 = stats.accepted() + " accepted " + stats.taken() + " taken " + stats.depth() + " inside";
        }
    }

    /** Through one place, in order. */
    @Quick
    @JCStressTest
    @Outcome(id = "true true true, 1 2 3", expect = Expect.ACCEPTABLE, desc = "in order")
    @State
    public static class ThreePutsAgainstThreeTakes {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        @Actor
        public void one(LL_Result r) {
            r.r1 = Watch.call(() -> queue.put(1) + " " + queue.put(2) + " " + queue.put(3));
        }

        @Actor
        public void two(LL_Result r) {
            r.r2 = Watch.call(() -> queue.take() + " " + queue.take() + " " + queue.take());
        }
    }

    /** Found or still inside. */
    @JCStressTest
    @Outcome(id = "true, 1, \\[\\]", expect = Expect.ACCEPTABLE, desc = "found")
    @Outcome(id = "true, null, \\[1\\]", expect = Expect.ACCEPTABLE, desc = "too early")
    @State
    public static class PutAgainstPoll {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = String.valueOf(queue.poll());
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Rest.of(queue::poll);
        }
    }

    /** The producer waits for room and gets it. Row A22. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, 0, \\[1\\]", expect = Expect.ACCEPTABLE, desc = "let in")
    @State
    public static class BlockedPutAgainstTake {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        public BlockedPutAgainstTake() {
            queue.offer(0);
        }

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(queue::take);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Rest.of(queue::poll);
        }
    }

    /** A poll makes room as well. */
    @JCStressTest
    @Outcome(id = "true, 0, \\[1\\]", expect = Expect.ACCEPTABLE, desc = "let in")
    @State
    public static class BlockedPutAgainstPoll {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        public BlockedPutAgainstPoll() {
            queue.offer(0);
        }

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = String.valueOf(queue.poll());
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Rest.of(queue::poll);
        }
    }

    /** Capacity 2 in two slots: the producer's slot is the taker's, who must have left it before it lets the producer in. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, 0, \\[1, 2\\]", expect = Expect.ACCEPTABLE, desc = "let in")
    @State
    public static class BlockedPutAgainstTakeWhereSlotsAreReused {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(2, FullPolicy.BLOCK);

        public BlockedPutAgainstTakeWhereSlotsAreReused() {
            queue.offer(0);
            queue.offer(1);
        }

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(2));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(queue::take);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Rest.of(queue::poll);
        }
    }

    /** One batch lets all in that fit. */
    @JCStressTest
    @Outcome(id = "true, \\[0, 1\\], \\[2\\]", expect = Expect.ACCEPTABLE, desc = "let in")
    @State
    public static class BlockedPutAgainstBatch {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(2, FullPolicy.BLOCK);

        public BlockedPutAgainstBatch() {
            queue.offer(0);
            queue.offer(1);
        }

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(2));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> queue.takeBatch(2));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Rest.of(queue::poll);
        }
    }

    /** In time or not, and then not inside; afterwards the queue works as if nobody had waited. Row A36. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, 0, \\[1, 9\\]", expect = Expect.ACCEPTABLE, desc = "in time")
    @Outcome(id = "false, 0, \\[9\\]", expect = Expect.ACCEPTABLE, desc = "too late")
    @State
    public static class TimedPutAgainstTake {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(2, FullPolicy.BLOCK);

        public TimedPutAgainstTake() {
            queue.offer(0);
            queue.offer(8);
        }

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(1, Duration.ofNanos(20_000)));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(queue::take);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            queue.poll();
            r.r3 = Watch.call(() -> queue.offer(9) ? Rest.of(queue::poll) : "full");
        }
    }

    /** In time or not, and then it is still inside. Row A36. */
    @Quick
    @JCStressTest
    @Outcome(id = "1, true, \\[9\\]", expect = Expect.ACCEPTABLE, desc = "in time")
    @Outcome(id = "null, true, \\[1, 9\\]", expect = Expect.ACCEPTABLE, desc = "too early")
    @State
    public static class TimedPollAgainstPut {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(2, FullPolicy.BLOCK);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.poll(Duration.ofNanos(20_000)));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> queue.put(1));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> queue.offer(9) ? Rest.of(queue::poll) : "full");
        }
    }

    /** One item inside, one producer in line, two takers: nobody is stranded. Row A26. */
    @Quick
    @JCStressTest
    @Outcome(
            id = {"true, 0, 1, \\[\\]", "true, 1, 0, \\[\\]"},
            expect = Expect.ACCEPTABLE,
            desc = "one each")
    @State
    public static class TwoTakesAndABlockedPut {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        public TwoTakesAndABlockedPut() {
            queue.offer(0);
        }

        @Actor
        public void one(LLLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(1));
        }

        @Actor
        public void two(LLLL_Result r) {
            r.r2 = Watch.call(queue::take);
        }

        @Actor
        public void three(LLLL_Result r) {
            r.r3 = Watch.call(queue::take);
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            r.r4 = Rest.of(queue::poll);
        }
    }

    /** A producer that comes while another is parked stays behind it. Row A27. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, true, 0 1 2", expect = Expect.ACCEPTABLE, desc = "in order")
    @State
    public static class LaterPutBehindAParkedOne {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
        private volatile boolean parked;

        public LaterPutBehindAParkedOne() {
            queue.offer(0);
        }

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            Watch.awaitSpinning(() -> parked);
            r.r2 = Watch.call(() -> queue.put(2));
        }

        @Actor
        public void three(LLL_Result r) {
            Watch.awaitSpinning(() -> queue.stats().waitingProducers() > 0);
            parked = true;
            r.r3 = Watch.call(() -> queue.take() + " " + queue.take() + " " + queue.take());
        }
    }

    /** Two takers, two producers: one each, in whatever order they came. */
    @JCStressTest
    @Outcome(
            id = {"true, true, 1, 2", "true, true, 2, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "one each")
    @State
    public static class TwoPutsAgainstParkedTakers {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        @Actor
        public void one(LLLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(1));
        }

        @Actor
        public void two(LLLL_Result r) {
            r.r2 = Watch.call(() -> queue.put(2));
        }

        @Actor
        public void three(LLLL_Result r) {
            r.r3 = Watch.call(queue::take);
        }

        @Actor
        public void four(LLLL_Result r) {
            r.r4 = Watch.call(queue::take);
        }
    }
}
