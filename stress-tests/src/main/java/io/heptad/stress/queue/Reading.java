package io.heptad.stress.queue;

import io.heptad.core.FullPolicy;
import io.heptad.queue.BoundedQueue;
import io.heptad.queue.QueueStats;
import io.heptad.stress.Quick;
import io.heptad.stress.Watch;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/** What anybody may read, at any time. */
public class Reading {
    private Reading() {}

    /** From 0 to the capacity, always. Rows A4, G15. */
    @Quick
    @JCStressTest
    @Outcome(id = "ok, within", expect = Expect.ACCEPTABLE, desc = "exact")
    @State
    public static class DepthAgainstPutsAndTakes {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(3, FullPolicy.BLOCK);

        @Actor
        public void one(LL_Result r) {
            r.r1 = Watch.run(() -> {
                for (int i = 0; i < 4; i++) {
                    queue.put(i);
                    queue.offer(i);
                    queue.offer(i);
                    queue.take();
                    queue.poll();
                    queue.poll();
                }
            });
        }

        @Actor
        public void two(LL_Result r) {
            String seen = "within";
            for (int i = 0; i < 20; i++) {
                long depth = queue.depth();
                if (depth < 0 || depth > 3) {
                    seen = "depth " + depth;
                }
            }
            r.r2 = seen;
        }
    }

    /** A full queue that evicts is full at every instant. */
    @JCStressTest
    @Outcome(id = "ok, full", expect = Expect.ACCEPTABLE, desc = "one step")
    @State
    public static class DepthAgainstEvictions {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(2, FullPolicy.DROP_OLDEST);

        public DepthAgainstEvictions() {
            queue.offer(8);
            queue.offer(9);
        }

        @Actor
        public void one(LL_Result r) {
            r.r1 = Watch.run(() -> {
                for (int i = 0; i < 4; i++) {
                    queue.put(i);
                }
            });
        }

        @Actor
        public void two(LL_Result r) {
            String seen = "full";
            for (int i = 0; i < 20; i++) {
                long depth = queue.depth();
                if (depth != 2) {
                    seen = "depth " + depth;
                }
            }
            r.r2 = seen;
        }
    }

    /** In every record: accepted = taken + evicted + returned + depth. Row A28. */
    @Quick
    @JCStressTest
    @Outcome(id = "ok, balanced", expect = Expect.ACCEPTABLE, desc = "one instant")
    @State
    public static class StatsAgainstPutsAndTakes {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(2, FullPolicy.BLOCK);

        @Actor
        public void one(LL_Result r) {
            r.r1 = Watch.run(() -> {
                for (int i = 0; i < 4; i++) {
                    queue.put(i);
                    queue.put(i);
                    queue.take();
                    queue.take();
                }
            });
        }

        @Actor
        public void two(LL_Result r) {
            String seen = "balanced";
            for (int i = 0; i < 8; i++) {
                QueueStats stats = queue.stats();
                if (stats.accepted() != stats.taken() + stats.evicted() + stats.returned() + stats.depth()) {
                    seen = stats.toString();
                }
            }
            r.r2 = seen;
        }
    }

    /** Balanced also while items are evicted and returned. */
    @JCStressTest
    @Outcome(id = "ok, balanced", expect = Expect.ACCEPTABLE, desc = "one instant")
    @State
    public static class StatsAgainstEvictionsAndCloseNow {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(2, FullPolicy.DROP_OLDEST);

        @Actor
        public void one(LL_Result r) {
            r.r1 = Watch.run(() -> {
                for (int i = 0; i < 4; i++) {
                    queue.put(i);
                }
                queue.closeNow();
            });
        }

        @Actor
        public void two(LL_Result r) {
            String seen = "balanced";
            for (int i = 0; i < 8; i++) {
                QueueStats stats = queue.stats();
                if (stats.accepted() != stats.taken() + stats.evicted() + stats.returned() + stats.depth()) {
                    seen = stats.toString();
                }
            }
            r.r2 = seen;
        }
    }

    /** Who gave up is gone, whoever else came by. Row G6. */
    @JCStressTest
    @Outcome(id = "(true|false), (0|null), 0 and 0 waiting", expect = Expect.ACCEPTABLE, desc = "nobody left behind")
    @State
    public static class StatsOfWaiters {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> queue.put(0, Duration.ofNanos(5_000)) && queue.put(1, Duration.ofNanos(5_000)));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> queue.poll(Duration.ofNanos(5_000)));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            QueueStats stats = queue.stats();
            r.r3 = stats.waitingProducers() + " and " + stats.waitingConsumers() + " waiting";
        }
    }
}
