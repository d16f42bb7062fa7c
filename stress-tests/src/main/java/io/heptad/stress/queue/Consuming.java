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
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Consumers against each other. */
public class Consuming {
    private Consuming() {}

    /** Two items, two takers: one each. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "one each")
    @State
    public static class TakeAgainstTake {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(2, FullPolicy.BLOCK);

        public TakeAgainstTake() {
            queue.offer(1);
            queue.offer(2);
        }

        @Actor
        public void one(LL_Result r) {
            r.r1 = Watch.call(queue::take);
        }

        @Actor
        public void two(LL_Result r) {
            r.r2 = Watch.call(queue::take);
        }
    }

    /** Two items, so the poll finds one as well. */
    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "one each")
    @State
    public static class TakeAgainstPoll {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(2, FullPolicy.BLOCK);

        public TakeAgainstPoll() {
            queue.offer(1);
            queue.offer(2);
        }

        @Actor
        public void one(LL_Result r) {
            r.r1 = Watch.call(queue::take);
        }

        @Actor
        public void two(LL_Result r) {
            r.r2 = String.valueOf(queue.poll());
        }
    }

    /** One item goes to one of them. */
    @JCStressTest
    @Outcome(
            id = {"1, null", "null, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "one has it")
    @State
    public static class PollAgainstPoll {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        public PollAgainstPoll() {
            queue.offer(1);
        }

        @Actor
        public void one(LL_Result r) {
            r.r1 = String.valueOf(queue.poll());
        }

        @Actor
        public void two(LL_Result r) {
            r.r2 = String.valueOf(queue.poll());
        }
    }

    /** A batch is one step: neighbours, and nothing in between is gone. */
    @Quick
    @JCStressTest
    @Outcome(id = "\\[1, 2\\], 3, \\[\\]", expect = Expect.ACCEPTABLE, desc = "batch first")
    @Outcome(id = "\\[2, 3\\], 1, \\[\\]", expect = Expect.ACCEPTABLE, desc = "take first")
    @State
    public static class BatchAgainstTake {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(3, FullPolicy.BLOCK);

        public BatchAgainstTake() {
            queue.offer(1);
            queue.offer(2);
            queue.offer(3);
        }

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.takeBatch(2));
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

    /** Two batches share the items without a gap. */
    @JCStressTest
    @Outcome(
            id = {"\\[1, 2\\], \\[3, 4\\]", "\\[3, 4\\], \\[1, 2\\]"},
            expect = Expect.ACCEPTABLE,
            desc = "two each")
    @State
    public static class BatchAgainstBatch {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(4, FullPolicy.BLOCK);

        public BatchAgainstBatch() {
            queue.offer(1);
            queue.offer(2);
            queue.offer(3);
            queue.offer(4);
        }

        @Actor
        public void one(LL_Result r) {
            r.r1 = Watch.call(() -> queue.takeBatch(2));
        }

        @Actor
        public void two(LL_Result r) {
            r.r2 = Watch.call(() -> queue.takeBatch(2));
        }
    }

    /** A batch waits for the first item only. */
    @Quick
    @JCStressTest
    @Outcome(id = "\\[1\\], true, \\[2\\]", expect = Expect.ACCEPTABLE, desc = "came for the first")
    @Outcome(id = "\\[1, 2\\], true, \\[\\]", expect = Expect.ACCEPTABLE, desc = "came later")
    @State
    public static class BatchAgainstPut {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(2, FullPolicy.BLOCK);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.takeBatch(2));
        }

        @Actor
        public void two(LLL_Result r) {
            queue.offer(1);
            r.r2 = queue.offer(2);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Rest.of(queue::poll);
        }
    }

    /** The items go to one of them, undivided. */
    @JCStressTest
    @Outcome(id = "\\[1, 2\\], \\[\\]", expect = Expect.ACCEPTABLE, desc = "taken")
    @Outcome(id = "\\[\\], \\[1, 2\\]", expect = Expect.ACCEPTABLE, desc = "returned")
    @State
    public static class BatchAgainstCloseNow {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(2, FullPolicy.BLOCK);

        public BatchAgainstCloseNow() {
            queue.offer(1);
            queue.offer(2);
        }

        @Actor
        public void one(LL_Result r) {
            r.r1 = Watch.call(() -> queue.takeBatch(2));
        }

        @Actor
        public void two(LL_Result r) {
            r.r2 = queue.closeNow().toString();
        }
    }
}
