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

/** An interrupt against a grant: one of them wins, and nothing is lost with the other. */
public class Interrupting {
    private Interrupting() {}

    /** It got in and keeps its interrupt, or it was interrupted and its item is not inside. Row G13. */
    @Quick
    @JCStressTest
    @Outcome(id = "true flagged, 0, \\[1\\]", expect = Expect.ACCEPTABLE, desc = "got in")
    @Outcome(id = "interrupted, 0, \\[\\]", expect = Expect.ACCEPTABLE, desc = "interrupted")
    @State
    public static class InterruptAgainstAPutJustLetIn {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
        private volatile Thread target;
        private volatile boolean sent;

        public InterruptAgainstAPutJustLetIn() {
            queue.offer(0);
        }

        @Actor
        public void one(LLL_Result r) {
            target = Thread.currentThread();
            String end = Watch.call(() -> queue.put(1));
            r.r1 = end + (Watch.clearedAfter(() -> sent) ? " flagged" : "");
        }

        @Actor
        public void two(LLL_Result r) {
            Watch.awaitSpinning(() -> target != null);
            r.r2 = Watch.call(queue::take);
            target.interrupt();
            sent = true;
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Rest.of(queue::poll);
        }
    }

    /** It has the item and keeps its interrupt, or it was interrupted and the item is inside. Rows A36, G13. */
    @Quick
    @JCStressTest
    @Outcome(id = "1 flagged, true, \\[\\]", expect = Expect.ACCEPTABLE, desc = "served")
    @Outcome(id = "interrupted, true, \\[1\\]", expect = Expect.ACCEPTABLE, desc = "interrupted")
    @State
    public static class InterruptAgainstATakeJustServed {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
        private volatile Thread target;
        private volatile boolean sent;

        @Actor
        public void one(LLL_Result r) {
            target = Thread.currentThread();
            String end = Watch.call(queue::take);
            r.r1 = end + (Watch.clearedAfter(() -> sent) ? " flagged" : "");
        }

        @Actor
        public void two(LLL_Result r) {
            Watch.awaitSpinning(() -> target != null);
            r.r2 = Watch.call(() -> queue.put(1));
            target.interrupt();
            sent = true;
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Rest.of(queue::poll);
        }
    }

    /** One of two takers is interrupted: the item goes to a live one. Row G17. */
    @JCStressTest
    @Outcome(id = "interrupted, 1, true, \\[2\\]", expect = Expect.ACCEPTABLE, desc = "the other has it")
    @Outcome(
            id = {"1 flagged, 2, true, \\[\\]", "2 flagged, 1, true, \\[\\]"},
            expect = Expect.ACCEPTABLE,
            desc = "it had it before")
    @State
    public static class InterruptedTakeBesideAnother {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(2, FullPolicy.BLOCK);
        private volatile Thread target;
        private volatile boolean sent;

        @Actor
        public void one(LLLL_Result r) {
            target = Thread.currentThread();
            String end = Watch.call(queue::take);
            r.r1 = end + (Watch.clearedAfter(() -> sent) ? " flagged" : "");
        }

        @Actor
        public void two(LLLL_Result r) {
            r.r2 = Watch.call(queue::take);
        }

        @Actor
        public void three(LLLL_Result r) {
            Watch.awaitSpinning(() -> target != null);
            target.interrupt();
            sent = true;
            queue.offer(1);
            r.r3 = queue.offer(2);
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            r.r4 = Rest.of(queue::poll);
        }
    }
}
