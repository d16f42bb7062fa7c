package io.heptad.stress.pool;

import io.heptad.core.FullPolicy;
import io.heptad.pool.KeyedPool;
import io.heptad.pool.WorkerPool;
import io.heptad.stress.Bodies;
import io.heptad.stress.Quick;
import io.heptad.stress.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** Tasks of one key, whose share is one slot of two: never two of them at once, and nothing of the key is left behind. */
public class Keying {
    private Keying() {}

    /** The key's line has one place, so whoever is third waits at its door; all run in the end. */
    @Quick
    @JCStressTest
    @Outcome(id = "ran ran, ran ran, 1 at most, idle, 0 keys", expect = Expect.ACCEPTABLE, desc = "all ran")
    @State
    public static class SubmitsAtTheDoor {
        private final WorkerPool pool = WorkerPool.of("r", 2, 4, FullPolicy.BLOCK);
        private final KeyedPool<String> keyed = pool.perKey(1, 1);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> {
                CompletableFuture<String> first = keyed.submit("k", bodies::run);
                CompletableFuture<String> second = keyed.submit("k", bodies::run);
                return first.get() + " " + second.get();
            });
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> {
                CompletableFuture<String> first = keyed.submit("k", bodies::run);
                CompletableFuture<String> second = keyed.submit("k", bodies::run);
                return first.get() + " " + second.get();
            });
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> bodies.most() + " at most, "
                    + Bodies.left(
                            () -> pool.close(Duration.ofSeconds(3)),
                            () -> pool.stats().active(),
                            () -> pool.stats().waiting())
                    + ", " + keyed.keys() + " keys");
        }
    }

    /** One ends as the next one comes: the share goes on to it, or it finds the share free. */
    @Quick
    @JCStressTest
    @Outcome(id = "ran, ran, 1 at most, idle, 0 keys", expect = Expect.ACCEPTABLE, desc = "one by one")
    @State
    public static class SubmitAgainstAFinishingRun {
        private final WorkerPool pool = WorkerPool.of("r", 2, 4, FullPolicy.BLOCK);
        private final KeyedPool<String> keyed = pool.perKey(1, 1);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> keyed.run("k", bodies::run));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> keyed.submit("k", bodies::run).get());
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> bodies.most() + " at most, "
                    + Bodies.left(
                            () -> pool.close(Duration.ofSeconds(3)),
                            () -> pool.stats().active(),
                            () -> pool.stats().waiting())
                    + ", " + keyed.keys() + " keys");
        }
    }

    /** The last of a key leaves as the first enters: the share is kept or made anew, and there are never two of it. */
    @Quick
    @JCStressTest
    @Outcome(id = "ran ran ran, ran ran ran, 1 at most, idle, 0 keys", expect = Expect.ACCEPTABLE, desc = "one by one")
    @State
    public static class LastLeavesAgainstFirstEnters {
        private final WorkerPool pool = WorkerPool.of("r", 2, 4, FullPolicy.BLOCK);
        private final KeyedPool<String> keyed = pool.perKey(1, 1);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> keyed.run("k", bodies::run) + " " + keyed.run("k", bodies::run) + " "
                    + keyed.run("k", bodies::run));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> keyed.run("k", bodies::run) + " " + keyed.run("k", bodies::run) + " "
                    + keyed.run("k", bodies::run));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> bodies.most() + " at most, "
                    + Bodies.left(
                            () -> pool.close(Duration.ofSeconds(3)),
                            () -> pool.stats().active(),
                            () -> pool.stats().waiting())
                    + ", " + keyed.keys() + " keys");
        }
    }

    /** What was accepted runs; who is at the door of the key, or comes later, is told. */
    @Quick
    @JCStressTest
    @Outcome(
            id = "(ran ran ran|ran ran closed|ran closed closed|closed closed closed), ok, 0 active 0 waiting 0 keys",
            expect = Expect.ACCEPTABLE,
            desc = "run, then refused")
    @State
    public static class CloseAgainstSubmits {
        private final WorkerPool pool = WorkerPool.of("r", 2, 4, FullPolicy.BLOCK);
        private final KeyedPool<String> keyed = pool.perKey(1, 1);
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            List<CompletableFuture<String>> accepted = new ArrayList<>();
            List<String> ends = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                String end = Watch.run(() -> accepted.add(keyed.submit("k", bodies::run)));
                if (!end.equals("ok")) {
                    ends.add(end);
                }
            }
            for (int i = 0; i < accepted.size(); i++) {
                ends.add(i, Watch.call(accepted.get(i)::get));
            }
            r.r1 = String.join(" ", ends);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(pool::close);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = pool.stats().active() + " active " + pool.stats().waiting() + " waiting " + keyed.keys() + " keys";
        }
    }

    /** A task in the key's line is cancelled as the share comes to it: it runs or not, and the share is not lost. */
    @Quick
    @JCStressTest
    @Outcome(
            id = "ran, (ran|cancelled) ran, 1 at most, idle, 0 keys",
            expect = Expect.ACCEPTABLE,
            desc = "either, and the next one ran")
    @State
    public static class CancelAgainstAHandOver {
        private final WorkerPool pool = WorkerPool.of("r", 2, 4, FullPolicy.BLOCK);
        private final KeyedPool<String> keyed = pool.perKey(1, 2);
        private final Bodies bodies = new Bodies();
        private volatile CompletableFuture<String> waiting;

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> keyed.run("k", () -> {
                waiting = keyed.submit("k", bodies::run);
                return bodies.run();
            }));
        }

        @Actor
        public void two(LLL_Result r) {
            Watch.awaitSpinning(() -> waiting != null);
            waiting.cancel(true);
            r.r2 = Watch.call(() -> waiting.get()) + " "
                    + Watch.call(() -> keyed.submit("k", bodies::run).get());
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> bodies.most() + " at most, "
                    + Bodies.left(
                            () -> pool.close(Duration.ofSeconds(3)),
                            () -> pool.stats().active(),
                            () -> pool.stats().waiting())
                    + ", " + keyed.keys() + " keys");
        }
    }
}
