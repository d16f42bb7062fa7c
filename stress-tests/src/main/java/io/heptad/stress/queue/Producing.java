package io.heptad.stress.queue;

import io.heptad.core.FullPolicy;
import io.heptad.queue.BoundedQueue;
import io.heptad.stress.Quick;
import io.heptad.stress.Rest;
import io.heptad.stress.Watch;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLLL_Result;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** Producers against producers, and against whoever makes room. */
public class Producing {
    private Producing() {}

    /** Both are inside, in one order or the other. */
    @JCStressTest
    @Outcome(id = "true, true, \\[(1, 2|2, 1)\\]", expect = Expect.ACCEPTABLE, desc = "both accepted")
    @State
    public static class PutAgainstPut {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(2, FullPolicy.BLOCK);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> queue.put(2));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Rest.of(queue::poll);
        }
    }

    /** One space, two offers: one gets it, and the other is told. Rows A23, A29. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, false, \\[1\\]", expect = Expect.ACCEPTABLE, desc = "the first has it")
    @Outcome(id = "false, true, \\[2\\]", expect = Expect.ACCEPTABLE, desc = "the second has it")
    @State
    public static class OfferAgainstOffer {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = queue.offer(1);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = queue.offer(2);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Rest.of(queue::poll);
        }
    }

    /** A capacity that is no power of two is exact too. */
    @JCStressTest
    @Outcome(id = "true, false, \\[8, 9, 1\\]", expect = Expect.ACCEPTABLE, desc = "the first has it")
    @Outcome(id = "false, true, \\[8, 9, 2\\]", expect = Expect.ACCEPTABLE, desc = "the second has it")
    @State
    public static class OfferAgainstOfferForTheLastOfThree {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(3, FullPolicy.BLOCK);

        public OfferAgainstOfferForTheLastOfThree() {
            queue.offer(8);
            queue.offer(9);
        }

        @Actor
        public void one(LLL_Result r) {
            r.r1 = queue.offer(1);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = queue.offer(2);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Rest.of(queue::poll);
        }
    }

    /** REJECT: one is inside, the other knows, and it is counted. */
    @JCStressTest
    @Outcome(
            id = {"true, full, 1 rejected \\[1\\]", "full, true, 1 rejected \\[2\\]"},
            expect = Expect.ACCEPTABLE,
            desc = "one accepted, one refused")
    @State
    public static class RejectedPuts {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.REJECT);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> queue.put(2));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = queue.stats().rejected() + " rejected " + Rest.of(queue::poll);
        }
    }

    /** DROP_NEWEST: one is inside, the other is dropped and counted. */
    @JCStressTest
    @Outcome(
            id = {"true, false, 1 dropped \\[1\\]", "false, true, 1 dropped \\[2\\]"},
            expect = Expect.ACCEPTABLE,
            desc = "one accepted, one dropped")
    @State
    public static class PutsThatDropThemselves {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.DROP_NEWEST);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> queue.put(2));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = queue.stats().droppedNewest() + " dropped " + Rest.of(queue::poll);
        }
    }

    /** DROP_OLDEST: both are accepted, the later one is inside, and two are counted as evicted. */
    @JCStressTest
    @Outcome(id = "true, true, 2 evicted \\[[12]\\]", expect = Expect.ACCEPTABLE, desc = "both accepted")
    @State
    public static class PutsThatEvict {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.DROP_OLDEST);

        public PutsThatEvict() {
            queue.offer(0);
        }

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> queue.put(2));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = queue.stats().evicted() + " evicted " + Rest.of(queue::poll);
        }
    }

    /** Eviction is one step: the queue was never empty, so a poll finds the old item or the new one. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, 0, \\[1\\]", expect = Expect.ACCEPTABLE, desc = "polled first")
    @Outcome(id = "true, 1, \\[\\]", expect = Expect.ACCEPTABLE, desc = "evicted first")
    @State
    public static class EvictingPutAgainstPoll {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.DROP_OLDEST);

        public EvictingPutAgainstPoll() {
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

    /** The take never waits: there is an item before, after and during the eviction. */
    @JCStressTest
    @Outcome(id = "true, 0, \\[1\\]", expect = Expect.ACCEPTABLE, desc = "taken first")
    @Outcome(id = "true, 1, \\[\\]", expect = Expect.ACCEPTABLE, desc = "evicted first")
    @State
    public static class EvictingPutAgainstTake {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.DROP_OLDEST);

        public EvictingPutAgainstTake() {
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

    /** Whoever has put and polls finds something, also while the other is half way through its put. */
    @Quick
    @JCStressTest
    @Outcome(id = "[12], [12], \\[\\]", expect = Expect.ACCEPTABLE, desc = "both found one")
    @State
    public static class PollAfterMyOwnPut {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(2, FullPolicy.BLOCK);

        @Actor
        public void one(LLL_Result r) {
            queue.offer(1);
            r.r1 = String.valueOf(queue.poll());
        }

        @Actor
        public void two(LLL_Result r) {
            queue.offer(2);
            r.r2 = String.valueOf(queue.poll());
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Rest.of(queue::poll);
        }
    }

    /** A space that comes free is taken once: never two items inside where one fits. Row A23. */
    @JCStressTest
    @Outcome(
            id = "(true|false), (true|false), 0, \\[[12]?\\]",
            expect = Expect.ACCEPTABLE,
            desc = "one space, at most one item")
    @State
    public static class TwoOffersAndAPoll {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        public TwoOffersAndAPoll() {
            queue.offer(0);
        }

        @Actor
        public void one(LLLL_Result r) {
            r.r1 = queue.offer(1);
        }

        @Actor
        public void two(LLLL_Result r) {
            r.r2 = queue.offer(2);
        }

        @Actor
        public void three(LLLL_Result r) {
            r.r3 = String.valueOf(queue.poll());
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            boolean both = r.r1.equals(true) && r.r2.equals(true);
            r.r4 = both ? "both" : Rest.of(queue::poll);
        }
    }
}
