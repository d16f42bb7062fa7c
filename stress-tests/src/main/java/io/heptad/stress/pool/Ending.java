package io.heptad.stress.pool;

import io.heptad.core.FullPolicy;
import io.heptad.pool.PoolStats;
import io.heptad.pool.WorkerPool;
import io.heptad.stress.Bodies;
import io.heptad.stress.Quick;
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

/** Close, force, resize and reading, against bodies that start or finish. */
public class Ending {
    private Ending() {}

    /** Run or refused. */
    @JCStressTest
    @Outcome(id = "(ran|closed), ok, [01] at most, idle", expect = Expect.ACCEPTABLE, desc = "run or refused")
    @State
    public static class SubmitAgainstClose {
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> pool.submit(bodies::run).get());
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(pool::close);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> bodies.most() + " at most, "
                    + Bodies.left(
                            () -> pool.close(Duration.ofSeconds(3)),
                            () -> pool.stats().active(),
                            () -> pool.stats().waiting()));
        }
    }

    /** Run or refused, and the end is noticed. */
    @Quick
    @JCStressTest
    @Outcome(id = "(ran|closed), true, [01] at most, idle", expect = Expect.ACCEPTABLE, desc = "run or refused")
    @State
    public static class RunAgainstClose {
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> pool.run(bodies::run));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> pool.close(Duration.ofSeconds(3)));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> bodies.most() + " at most, "
                    + Bodies.left(
                            () -> pool.close(Duration.ofSeconds(3)),
                            () -> pool.stats().active(),
                            () -> pool.stats().waiting()));
        }
    }

    /** Who waits outside is turned away; who is in line runs. */
    @JCStressTest
    @Outcome(
            id = "(ran|closed), (ran|closed), ok, [01] at most, idle",
            expect = Expect.ACCEPTABLE,
            desc = "run or turned away")
    @State
    public static class SubmitAtTheDoorAgainstClose {
        private final WorkerPool pool = WorkerPool.of("r", 1, 1, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLLL_Result r) {
            r.r1 = Watch.call(() -> pool.submit(bodies::run).get());
        }

        @Actor
        public void two(LLLL_Result r) {
            r.r2 = Watch.call(() -> pool.submit(bodies::run).get());
        }

        @Actor
        public void three(LLLL_Result r) {
            r.r3 = Watch.run(pool::close);
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            r.r4 = Watch.call(() -> bodies.most() + " at most, "
                    + Bodies.left(
                            () -> pool.close(Duration.ofSeconds(3)),
                            () -> pool.stats().active(),
                            () -> pool.stats().waiting()));
        }
    }

    /** No future stays pending: run, refused, or failed as closed. Row G26. */
    @Quick
    @JCStressTest
    @Outcome(id = "(ran|closed|interrupted), ok, [01] at most, idle", expect = Expect.ACCEPTABLE, desc = "ended")
    @State
    public static class CloseNowAgainstSubmit {
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> pool.submit(bodies::run).get());
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(pool::closeNow);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> bodies.most() + " at most, "
                    + Bodies.left(
                            () -> pool.close(Duration.ofSeconds(3)),
                            () -> pool.stats().active(),
                            () -> pool.stats().waiting()));
        }
    }

    /** A body that starts just then is interrupted or does not run: it never waits on. Row G28. */
    @Quick
    @JCStressTest
    @Outcome(id = "(closed|interrupted), ok, 0 at most, idle", expect = Expect.ACCEPTABLE, desc = "ended")
    @State
    public static class CloseNowAgainstAStartingBody {
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> pool.submit(Bodies::waitForInterrupt).get());
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(pool::closeNow);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> bodies.most() + " at most, "
                    + Bodies.left(
                            () -> pool.close(Duration.ofSeconds(3)),
                            () -> pool.stats().active(),
                            () -> pool.stats().waiting()));
        }
    }

    /** As above, in the thread of a caller: the interrupt comes while it is inside run, or not at all, never later. */
    @JCStressTest
    @Outcome(
            id = "(closed|interrupted) clean, ok, 0 at most, idle",
            expect = Expect.ACCEPTABLE,
            desc = "ended, and left alone after it")
    @State
    public static class CloseNowAgainstAStartingCaller {
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();
        private volatile boolean over;

        @Actor
        public void one(LLL_Result r) {
            String end = Watch.call(() -> pool.run(Bodies::waitForInterrupt));
            Thread.interrupted(); // of the body, or of the call: it cannot be told from anybody else's
            r.r1 = end + (Watch.clearedAfter(() -> over) ? " interrupted later" : " clean");
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(pool::closeNow);
            over = true;
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> bodies.most() + " at most, "
                    + Bodies.left(
                            () -> pool.close(Duration.ofSeconds(3)),
                            () -> pool.stats().active(),
                            () -> pool.stats().waiting()));
        }
    }

    /** A caller whose body ends just then: the interrupt comes while it is inside run, or not at all, never later. */
    @JCStressTest
    @Outcome(
            id = "(ran|closed|interrupted) clean, ok, [01] at most, idle",
            expect = Expect.ACCEPTABLE,
            desc = "ended, and left alone after it")
    @State
    public static class CloseNowAgainstAFinishingCaller {
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();
        private volatile boolean running;
        private volatile boolean closing;
        private volatile boolean over;

        @Actor
        public void one(LLL_Result r) {
            String end = Watch.call(() -> pool.run(() -> {
                running = true;
                Watch.awaitSpinning(() -> closing);
                return bodies.run();
            }));
            running = true;
            Thread.interrupted(); // of the body, or of the call: it cannot be told from anybody else's
            r.r1 = end + (Watch.clearedAfter(() -> over) ? " interrupted later" : " clean");
        }

        @Actor
        public void two(LLL_Result r) {
            Watch.awaitSpinning(() -> running);
            closing = true;
            r.r2 = Watch.run(pool::closeNow);
            over = true;
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> bodies.most() + " at most, "
                    + Bodies.left(
                            () -> pool.close(Duration.ofSeconds(3)),
                            () -> pool.stats().active(),
                            () -> pool.stats().waiting()));
        }
    }

    /** Both see the end. */
    @JCStressTest
    @Outcome(id = "true, true, 0 at most, idle", expect = Expect.ACCEPTABLE, desc = "both")
    @State
    public static class CloseAgainstClose {
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> pool.close(Duration.ofSeconds(3)));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> pool.close(Duration.ofSeconds(3)));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> bodies.most() + " at most, "
                    + Bodies.left(
                            () -> pool.close(Duration.ofSeconds(3)),
                            () -> pool.stats().active(),
                            () -> pool.stats().waiting()));
        }
    }

    /** A grown slot goes to the first in line, once; at most two at a time. */
    @Quick
    @JCStressTest
    @Outcome(id = "ran ran, ran ran, ok, [12] at most, idle", expect = Expect.ACCEPTABLE, desc = "at most two")
    @State
    public static class GrowAgainstRuns {
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLLL_Result r) {
            r.r1 = Watch.call(() -> pool.run(bodies::run)) + " " + Watch.call(() -> pool.run(bodies::run));
        }

        @Actor
        public void two(LLLL_Result r) {
            r.r2 = Watch.call(() -> pool.run(bodies::run)) + " " + Watch.call(() -> pool.run(bodies::run));
        }

        @Actor
        public void three(LLLL_Result r) {
            r.r3 = Watch.run(() -> pool.resize(2));
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            r.r4 = Watch.call(() -> bodies.most() + " at most, "
                    + Bodies.left(
                            () -> pool.close(Duration.ofSeconds(3)),
                            () -> pool.stats().active(),
                            () -> pool.stats().waiting()));
        }
    }

    /** A slot that ends after a shrink is not handed on above the limit, and nobody is forgotten. */
    @JCStressTest
    @Outcome(id = "ran ran, ran ran, ok, [12] at most, idle", expect = Expect.ACCEPTABLE, desc = "all ran")
    @State
    public static class ShrinkAgainstAFinishingOne {
        private final WorkerPool pool = WorkerPool.of("r", 2, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLLL_Result r) {
            r.r1 = Watch.call(() -> pool.run(bodies::run)) + " " + Watch.call(() -> pool.run(bodies::run));
        }

        @Actor
        public void two(LLLL_Result r) {
            r.r2 = Watch.call(() -> pool.run(bodies::run)) + " " + Watch.call(() -> pool.run(bodies::run));
        }

        @Actor
        public void three(LLLL_Result r) {
            r.r3 = Watch.run(() -> pool.resize(1));
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            r.r4 = Watch.call(() -> bodies.most() + " at most, "
                    + Bodies.left(
                            () -> pool.close(Duration.ofSeconds(3)),
                            () -> pool.stats().active(),
                            () -> pool.stats().waiting()));
        }
    }

    /** In every record: active at most slots, running at most active. Rows A41, A42. */
    @Quick
    @JCStressTest
    @Outcome(id = "ran ran ran, within, 1 at most, idle", expect = Expect.ACCEPTABLE, desc = "consistent")
    @State
    public static class StatsAgainstRuns {
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> pool.run(bodies::run)) + " " + Watch.call(() -> pool.run(bodies::run)) + " "
                    + Watch.call(() -> pool.run(bodies::run));
        }

        @Actor
        public void two(LLL_Result r) {
            String seen = "within";
            for (int i = 0; i < 10; i++) {
                PoolStats stats = pool.stats();
                if (stats.active() < 0
                        || stats.active() > 1
                        || stats.waiting() < 0
                        || stats.waiting() > 1
                        || stats.running() > 1) {
                    seen = stats.toString();
                }
            }
            r.r2 = seen;
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> bodies.most() + " at most, "
                    + Bodies.left(
                            () -> pool.close(Duration.ofSeconds(3)),
                            () -> pool.stats().active(),
                            () -> pool.stats().waiting()));
        }
    }
}
