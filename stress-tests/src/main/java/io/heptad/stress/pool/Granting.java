package io.heptad.stress.pool;

import io.heptad.core.FullPolicy;
import io.heptad.pool.WorkerPool;
import io.heptad.stress.Bodies;
import io.heptad.stress.Quick;
import io.heptad.stress.Watch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLLL_Result;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** Who gets a slot, whoever else wants it, gives up, or is interrupted. */
public class Granting {
    private Granting() {}

    /** One slot, two callers: one after the other. Row A37. */
    @Quick
    @JCStressTest
    @Outcome(id = "ran, ran, 1 at most, idle", expect = Expect.ACCEPTABLE, desc = "one by one")
    @State
    public static class RunAgainstRun {
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> pool.run(bodies::run));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> pool.run(bodies::run));
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

    /** One slot, two tasks: one after the other. Row A37. */
    @JCStressTest
    @Outcome(id = "ran, ran, 1 at most, idle", expect = Expect.ACCEPTABLE, desc = "one by one")
    @State
    public static class SubmitAgainstSubmit {
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> pool.submit(bodies::run).get());
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> pool.submit(bodies::run).get());
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

    /** A newcomer that comes just as a slot changes hands does not get in beside the one in line. Row A38. */
    @Quick
    @JCStressTest
    @Outcome(id = "ran ran, ran ran, ran ran, 1 at most, idle", expect = Expect.ACCEPTABLE, desc = "one by one")
    @State
    public static class NewcomerAgainstAHandOver {
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
            r.r3 = Watch.call(() -> pool.run(bodies::run)) + " " + Watch.call(() -> pool.run(bodies::run));
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

    /** As above, of tasks and two threads. Row A38. */
    @JCStressTest
    @Outcome(id = "ran ran, ran ran, 1 at most, idle", expect = Expect.ACCEPTABLE, desc = "one by one")
    @State
    public static class NewcomerAgainstAFinishingTask {
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> pool.submit(bodies::run).get()) + " "
                    + Watch.call(() -> pool.submit(bodies::run).get());
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> pool.run(bodies::run)) + " " + Watch.call(() -> pool.run(bodies::run));
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

    /** The line is full, so a submitter waits for a place; all run in the end. */
    @JCStressTest
    @Outcome(id = "ran ran, ran ran, ran ran, 1 at most, idle", expect = Expect.ACCEPTABLE, desc = "all ran")
    @State
    public static class SubmitsAtTheDoor {
        private final WorkerPool pool = WorkerPool.of("r", 1, 1, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLLL_Result r) {
            r.r1 = Watch.call(() -> pool.submit(bodies::run).get()) + " "
                    + Watch.call(() -> pool.submit(bodies::run).get());
        }

        @Actor
        public void two(LLLL_Result r) {
            r.r2 = Watch.call(() -> pool.submit(bodies::run).get()) + " "
                    + Watch.call(() -> pool.submit(bodies::run).get());
        }

        @Actor
        public void three(LLLL_Result r) {
            r.r3 = Watch.call(() -> pool.submit(bodies::run).get()) + " "
                    + Watch.call(() -> pool.submit(bodies::run).get());
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

    /** REJECT, one slot and one place for three: run or refused, nothing else. */
    @JCStressTest
    @Outcome(
            id = "(ran|full) (ran|full), (ran|full), 1 at most, idle",
            expect = Expect.ACCEPTABLE,
            desc = "run or refused")
    @State
    public static class RejectedSubmits {
        private final WorkerPool pool = WorkerPool.of("r", 1, 1, FullPolicy.REJECT);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            CompletableFuture<String> first = pool.submit(bodies::run);
            String second = Watch.call(() -> pool.submit(bodies::run).get());
            r.r1 = Watch.call(first::get) + " " + second;
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> pool.submit(bodies::run).get());
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

    /** In time or not; a slot that came in the last moment is used, and none is lost. Rows A40, G6. */
    @Quick
    @JCStressTest
    @Outcome(id = "(ran|full), ran, 1 at most, idle", expect = Expect.ACCEPTABLE, desc = "in time or not")
    @State
    public static class TimedRunAgainstAFinishingOne {
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> pool.run(Duration.ofNanos(15_000), bodies::run));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> pool.run(bodies::run));
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

    /** It ran and keeps its interrupt, or it was interrupted; the slot is free again. Rows G4, G35. */
    @Quick
    @JCStressTest
    @Outcome(id = "ran flagged, ran, 1 at most, idle", expect = Expect.ACCEPTABLE, desc = "ran")
    @Outcome(id = "interrupted, ran, 1 at most, idle", expect = Expect.ACCEPTABLE, desc = "interrupted")
    @State
    public static class InterruptAgainstAGrantedRun {
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();
        private volatile Thread target;
        private volatile boolean sent;

        @Actor
        public void one(LLL_Result r) {
            target = Thread.currentThread();
            String end = Watch.call(() -> pool.run(bodies::run));
            r.r1 = end + (Watch.clearedAfter(() -> sent) ? " flagged" : "");
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> pool.run(() -> {
                Watch.awaitSpinning(() -> target != null && (pool.stats().waiting() > 0 || bodies.ended() > 0));
                return bodies.run();
            }));
            target.interrupt();
            sent = true;
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

    /** Cancelled or run; either way the slot comes back. Rows A40, G24. */
    @Quick
    @JCStressTest
    @Outcome(id = "(ran|cancelled), (true|false), [01] at most, idle", expect = Expect.ACCEPTABLE, desc = "either")
    @State
    public static class CancelAgainstStart {
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();
        private volatile CompletableFuture<String> future;

        @Actor
        public void one(LLL_Result r) {
            future = pool.submit(bodies::run);
            r.r1 = Watch.call(() -> future.get());
        }

        @Actor
        public void two(LLL_Result r) {
            Watch.awaitSpinning(() -> future != null);
            r.r2 = future.cancel(true);
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

    /** A task in line is cancelled as the slot comes to it: it runs or not, and the slot is not lost. */
    @Quick
    @JCStressTest
    @Outcome(id = "ran, (ran|cancelled), 1 at most, idle", expect = Expect.ACCEPTABLE, desc = "either")
    @State
    public static class CancelAgainstGrant {
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();
        private volatile CompletableFuture<String> waiting;

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> pool.run(() -> {
                waiting = pool.submit(bodies::run);
                return bodies.run();
            }));
        }

        @Actor
        public void two(LLL_Result r) {
            Watch.awaitSpinning(() -> waiting != null);
            waiting.cancel(true);
            r.r2 = Watch.call(() -> waiting.get());
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

    /** One thread runs A, then B: an interrupt meant for A never reaches B. */
    @Quick
    @JCStressTest
    @Outcome(
            id = "(ran|cancelled|interrupted), clean, [01] at most, idle",
            expect = Expect.ACCEPTABLE,
            desc = "stays with A")
    @State
    public static class InterruptStaysWithItsTask {
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Bodies bodies = new Bodies();
        private volatile CompletableFuture<String> first;
        private volatile boolean running;
        private volatile boolean cancelling;

        @Actor
        public void one(LLL_Result r) {
            first = pool.submit(() -> {
                running = true;
                Watch.awaitSpinning(() -> cancelling);
                return bodies.run();
            });
            CompletableFuture<String> second = pool.submit(() -> {
                for (int i = 0; i < 300; i++) {
                    if (Thread.currentThread().isInterrupted()) {
                        return "interrupted";
                    }
                    Thread.onSpinWait();
                }
                return "clean";
            });
            // first the second: a task that somebody waits for hands its thread to nobody
            r.r2 = Watch.call(() -> second.get());
            r.r1 = Watch.call(() -> first.get());
        }

        @Actor
        public void two(LLL_Result r) {
            Watch.awaitSpinning(() -> running && first != null);
            cancelling = true;
            first.cancel(true);
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
