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
import org.openjdk.jcstress.infra.results.LL_Result;

/** Everybody against the end. */
public class Closing {
    private Closing() {}

    /** Accepted and inside, or refused and not. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, ok, \\[1\\]", expect = Expect.ACCEPTABLE, desc = "accepted")
    @Outcome(id = "closed, ok, \\[\\]", expect = Expect.ACCEPTABLE, desc = "refused")
    @State
    public static class PutAgainstClose {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(queue::close);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Rest.of(queue::poll);
        }
    }

    /** Accepted and inside, or refused and not. */
    @JCStressTest
    @Outcome(id = "true, ok, \\[1\\]", expect = Expect.ACCEPTABLE, desc = "accepted")
    @Outcome(id = "closed, ok, \\[\\]", expect = Expect.ACCEPTABLE, desc = "refused")
    @State
    public static class OfferAgainstClose {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.offer(1));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(queue::close);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Rest.of(queue::poll);
        }
    }

    /** Nobody takes, so the waiting producer is sent away, and its item with it. */
    @Quick
    @JCStressTest
    @Outcome(id = "closed, ok, \\[0\\]", expect = Expect.ACCEPTABLE, desc = "sent away")
    @State
    public static class BlockedPutAgainstClose {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        public BlockedPutAgainstClose() {
            queue.offer(0);
        }

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(queue::close);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Rest.of(queue::poll);
        }
    }

    /** Nothing comes, so the waiting consumer learns of the end. */
    @Quick
    @JCStressTest
    @Outcome(id = "closed, ok", expect = Expect.ACCEPTABLE, desc = "told")
    @State
    public static class TakeAgainstClose {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        @Actor
        public void one(LL_Result r) {
            r.r1 = Watch.call(queue::take);
        }

        @Actor
        public void two(LL_Result r) {
            r.r2 = Watch.run(queue::close);
        }
    }

    /** Close takes nothing away. */
    @JCStressTest
    @Outcome(id = "1, ok, true", expect = Expect.ACCEPTABLE, desc = "taken, then drained")
    @State
    public static class TakeAgainstCloseWithOneInside {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        public TakeAgainstCloseWithOneInside() {
            queue.offer(1);
        }

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(queue::take);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(queue::close);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = queue.isDrained();
        }
    }

    /** What was put before the close comes out before the end. */
    @JCStressTest
    @Outcome(id = "1 closed, ok", expect = Expect.ACCEPTABLE, desc = "item, then end")
    @State
    public static class TakesAgainstPutAndClose {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        @Actor
        public void one(LL_Result r) {
            r.r1 = Watch.call(queue::take) + " " + Watch.call(queue::take);
        }

        @Actor
        public void two(LL_Result r) {
            r.r2 = Watch.run(() -> {
                queue.put(1);
                queue.close();
            });
        }
    }

    /** Accepted and returned, or refused. */
    @JCStressTest
    @Outcome(id = "true, \\[1\\], \\[\\]", expect = Expect.ACCEPTABLE, desc = "accepted, returned")
    @Outcome(id = "closed, \\[\\], \\[\\]", expect = Expect.ACCEPTABLE, desc = "refused")
    @State
    public static class PutAgainstCloseNow {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = queue.closeNow().toString();
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Rest.of(queue::poll);
        }
    }

    /** The waiting producer is sent away; what was inside is returned. */
    @JCStressTest
    @Outcome(id = "closed, \\[0\\], \\[\\]", expect = Expect.ACCEPTABLE, desc = "sent away")
    @State
    public static class BlockedPutAgainstCloseNow {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        public BlockedPutAgainstCloseNow() {
            queue.offer(0);
        }

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(1));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = queue.closeNow().toString();
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Rest.of(queue::poll);
        }
    }

    /** Taken or returned, never both, never neither. */
    @Quick
    @JCStressTest
    @Outcome(id = "1, \\[\\]", expect = Expect.ACCEPTABLE, desc = "taken")
    @Outcome(id = "closed, \\[1\\]", expect = Expect.ACCEPTABLE, desc = "returned")
    @State
    public static class TakeAgainstCloseNow {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        public TakeAgainstCloseNow() {
            queue.offer(1);
        }

        @Actor
        public void one(LL_Result r) {
            r.r1 = Watch.call(queue::take);
        }

        @Actor
        public void two(LL_Result r) {
            r.r2 = queue.closeNow().toString();
        }
    }

    /** Taken or returned, never both, never neither. */
    @JCStressTest
    @Outcome(id = "1, \\[\\]", expect = Expect.ACCEPTABLE, desc = "taken")
    @Outcome(id = "null, \\[1\\]", expect = Expect.ACCEPTABLE, desc = "returned")
    @State
    public static class PollAgainstCloseNow {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        public PollAgainstCloseNow() {
            queue.offer(1);
        }

        @Actor
        public void one(LL_Result r) {
            r.r1 = String.valueOf(queue.poll());
        }

        @Actor
        public void two(LL_Result r) {
            r.r2 = queue.closeNow().toString();
        }
    }

    /** The items are returned once. */
    @JCStressTest
    @Outcome(
            id = {"\\[1, 2\\], \\[\\]", "\\[\\], \\[1, 2\\]"},
            expect = Expect.ACCEPTABLE,
            desc = "once")
    @State
    public static class CloseNowAgainstCloseNow {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(2, FullPolicy.BLOCK);

        public CloseNowAgainstCloseNow() {
            queue.offer(1);
            queue.offer(2);
        }

        @Actor
        public void one(LL_Result r) {
            r.r1 = queue.closeNow().toString();
        }

        @Actor
        public void two(LL_Result r) {
            r.r2 = queue.closeNow().toString();
        }
    }

    /** Whoever wins, close is not undone by the producer that is just being let in. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, 0, true, \\[1\\]", expect = Expect.ACCEPTABLE, desc = "let in, then closed")
    @Outcome(id = "closed, 0, true, \\[\\]", expect = Expect.ACCEPTABLE, desc = "closed first")
    @State
    public static class BlockedPutAndTakeAgainstClose {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        public BlockedPutAndTakeAgainstClose() {
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
            queue.close();
            r.r3 = queue.isClosed();
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            r.r4 = queue.isClosed() ? Rest.of(queue::poll) : "open again";
        }
    }
}
