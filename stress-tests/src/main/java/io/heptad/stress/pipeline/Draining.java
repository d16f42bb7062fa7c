package io.heptad.stress.pipeline;

import io.heptad.core.FullPolicy;
import io.heptad.pipeline.DrainReport;
import io.heptad.pipeline.Pipeline;
import io.heptad.pipeline.PipelineStats;
import io.heptad.pool.WorkerPool;
import io.heptad.stress.Crew;
import io.heptad.stress.Quick;
import io.heptad.stress.Watch;
import io.heptad.stress.Ways;
import java.time.Duration;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLLL_Result;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;
import org.openjdk.jcstress.infra.results.L_Result;

/** A drain whose time is up, against everything that moves: each item is handed back or has left, and not both. */
public class Draining {
    private Draining() {}

    /** Two drains whose time is up: both hand back the same. */
    @JCStressTest
    @Outcome(id = "false, false, same, 1 waiting, 2 waiting, accounted", expect = Expect.ACCEPTABLE, desc = "the same")
    @State
    public static class DrainAgainstDrain {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private volatile DrainReport first;
        private volatile DrainReport second;
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item, options -> options.capacity(2))
                .into(ways::out)
                .threads(crew)
                .start();

        public DrainAgainstDrain() {
            pipeline.offer(1);
            pipeline.offer(2);
        }

        @Actor
        public void one() {
            crew.meet(2);
            Watch.run(() -> first = pipeline.close(Duration.ZERO));
        }

        @Actor
        public void two() {
            crew.meet(2);
            Watch.run(() -> second = pipeline.close(Duration.ZERO));
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            crew.playTheRest();
            r.r1 = first.drained();
            r.r2 = second.drained();
            r.r3 = first.residue().equals(second.residue()) ? "same" : first + " " + second;
            first.residue().forEach(stage -> ways.back(stage.begun(), stage.waiting()));
            PipelineStats end = pipeline.stats();
            r.r4 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** Two drains whose time is up and a worker: what both hand back is the same, and what they do not has left. */
    @JCStressTest
    @Outcome(
            id = "(true|false), same, 1 (out|begun|waiting), 2 (out|begun|waiting), accounted",
            expect = Expect.ACCEPTABLE,
            desc = "the same")
    @State
    public static class DrainAgainstDrainAndWork {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private volatile DrainReport first;
        private volatile DrainReport second;
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item, options -> options.capacity(2))
                .threads(crew)
                .start();

        public DrainAgainstDrainAndWork() {
            pipeline.offer(1);
            pipeline.offer(2);
        }

        @Actor
        public void one() {
            crew.meet(3);
            Watch.run(() -> first = pipeline.close(Duration.ZERO));
        }

        @Actor
        public void two() {
            crew.meet(3);
            Watch.run(() -> second = pipeline.close(Duration.ZERO));
        }

        @Actor
        public void three() {
            crew.meet(3);
            crew.play(0);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r1 = first.drained();
            r.r2 = first.residue().equals(second.residue()) && first.drained() == second.drained()
                    ? "same"
                    : first + " " + second;
            first.residue().forEach(stage -> ways.back(stage.begun(), stage.waiting()));
            for (int item = 1; item <= 2; item++) {
                if (!first.residue().toString().contains(String.valueOf(item))) {
                    ways.out(item);
                }
            }
            PipelineStats end = pipeline.stats();
            r.r3 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /**
     * Out, or handed back, never both, never neither; the report's own count agrees; and nothing begins after it that is not
     * interrupted.
     */
    @Quick
    @JCStressTest
    @Outcome(
            id = "(true|false), 0 adrift, in time, (\\d (out|begun|waiting), ){3}accounted",
            expect = Expect.ACCEPTABLE,
            desc = "one way each")
    @State
    public static class DrainAgainstWork {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private volatile boolean reported;
        private volatile String began = "in time";
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then(
                        "a",
                        1,
                        item -> {
                            Crew.linger();
                            if (reported && !Thread.currentThread().isInterrupted()) {
                                began = "late";
                            }
                            return item;
                        },
                        options -> options.capacity(3))
                .threads(crew)
                .start();

        public DrainAgainstWork() {
            pipeline.offer(1);
            pipeline.offer(2);
            pipeline.offer(3);
        }

        @Actor
        public void one() {
            crew.meet(2);
            crew.play(0);
        }

        @Actor
        public void two(LLLL_Result r) {
            crew.meet(2);
            Crew.linger();
            Watch.run(() -> {
                DrainReport report = pipeline.close(Duration.ZERO);
                reported = true;
                report.residue().forEach(stage -> ways.back(stage.begun(), stage.waiting()));
                r.r1 = report.drained();
                r.r2 = report.stats().inFlight() - report.left() + " adrift";
                for (int item = 1; item <= 3; item++) {
                    if (!report.residue().toString().contains(String.valueOf(item))) {
                        ways.out(item);
                    }
                }
            });
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            r.r3 = began;
            PipelineStats end = pipeline.stats();
            r.r4 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** Between two stages: in the hands of the first, on the way, or in the queue of the second. */
    @JCStressTest
    @Outcome(
            id =
                    "0 adrift, (1 begun|1 waiting|10 waiting), (2 begun|2 waiting|20 waiting), (3 begun|3 waiting|30 waiting), accounted",
            expect = Expect.ACCEPTABLE,
            desc = "one place each")
    @State
    public static class DrainAgainstPassing {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then(
                        "a",
                        1,
                        item -> {
                            Crew.linger();
                            return item * 10;
                        },
                        options -> options.capacity(3))
                .then("b", 1, item -> item, options -> options.capacity(3))
                .into(ways::out)
                .threads(crew)
                .start();

        public DrainAgainstPassing() {
            pipeline.offer(1);
            pipeline.offer(2);
            pipeline.offer(3);
        }

        @Actor
        public void one() {
            crew.meet(2);
            crew.play(0);
        }

        @Actor
        public void two(LL_Result r) {
            crew.meet(2);
            Crew.linger();
            Watch.run(() -> {
                DrainReport report = pipeline.close(Duration.ZERO);
                report.residue().forEach(stage -> ways.back(stage.begun(), stage.waiting()));
                r.r1 = report.stats().inFlight() - report.left() + " adrift";
            });
        }

        @Arbiter
        public void arbiter(LL_Result r) {
            crew.playTheRest();
            PipelineStats end = pipeline.stats();
            r.r2 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** The worker waits for room in the next stage as the halt comes: its item waits for that stage. */
    @JCStressTest
    @Outcome(id = "0 adrift, 10 waiting, 20 waiting, accounted", expect = Expect.ACCEPTABLE, desc = "sent away")
    @State
    public static class DrainAgainstABlockedWorker {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item * 10, options -> options.capacity(2))
                .then("b", 1, item -> item)
                .into(ways::out)
                .threads(crew)
                .start();

        public DrainAgainstABlockedWorker() {
            pipeline.offer(1);
            pipeline.offer(2);
        }

        @Actor
        public void one() {
            crew.meet(2);
            crew.play(0);
        }

        @Actor
        public void two(LL_Result r) {
            crew.meet(2);
            Watch.awaitSpinning(() -> pipeline.stats().stages().get(0).blocked() == 1);
            Watch.run(() -> {
                DrainReport report = pipeline.close(Duration.ZERO);
                report.residue().forEach(stage -> ways.back(stage.begun(), stage.waiting()));
                r.r1 = report.stats().inFlight() - report.left() + " adrift";
            });
        }

        @Arbiter
        public void arbiter(LL_Result r) {
            crew.playTheRest();
            PipelineStats end = pipeline.stats();
            r.r2 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** The drain comes while the worker waits for a slot of a pool, or as it gets it. The slot comes back. */
    @JCStressTest
    @Outcome(id = "0 adrift, 0 active, 1 (out|begun|waiting), accounted", expect = Expect.ACCEPTABLE, desc = "one way")
    @State
    public static class DrainAgainstWaitingForASlot {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final WorkerPool pool = WorkerPool.of("r", 1, 4, FullPolicy.BLOCK);
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item, options -> options.pool(pool))
                .threads(crew)
                .start();

        public DrainAgainstWaitingForASlot() {
            pipeline.offer(1);
        }

        @Actor
        public void one() {
            crew.meet(2);
            crew.play(0);
        }

        @Actor
        public void two(LLL_Result r) {
            crew.meet(2);
            Watch.run(() -> pool.run(() -> {
                Crew.linger();
                DrainReport report = pipeline.close(Duration.ZERO);
                report.residue().forEach(stage -> ways.back(stage.begun(), stage.waiting()));
                r.r1 = report.stats().inFlight() - report.left() + " adrift";
                if (report.left() == 0) {
                    ways.out(1);
                }
                return report;
            }));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r2 = pool.stats().active() + " active";
            pool.close();
            PipelineStats end = pipeline.stats();
            r.r3 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** What a flat stage had begun is handed back, unless all that it was made into has gone on. */
    @JCStressTest
    @Outcome(id = "1 waiting", expect = Expect.ACCEPTABLE, desc = "nothing has gone on")
    @Outcome(id = "1 begun(, 10 waiting)?(, 11 waiting)?", expect = Expect.ACCEPTABLE, desc = "some has gone on")
    @Outcome(id = "10 waiting, 11 waiting", expect = Expect.ACCEPTABLE, desc = "all has gone on")
    @State
    public static class DrainAgainstAFlatStage {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .thenFlat("a", 1, item -> List.of(item * 10, item * 10 + 1))
                .then("b", 1, item -> item, options -> options.capacity(2))
                .into(ways::out)
                .threads(crew)
                .start();

        public DrainAgainstAFlatStage() {
            pipeline.offer(1);
        }

        @Actor
        public void one() {
            crew.meet(2);
            crew.play(0);
        }

        @Actor
        public void two() {
            crew.meet(2);
            Crew.linger();
            Watch.run(() -> pipeline.close(Duration.ZERO)
                    .residue()
                    .forEach(stage -> ways.back(stage.begun(), stage.waiting())));
        }

        @Arbiter
        public void arbiter(L_Result r) {
            crew.playTheRest();
            r.r1 = ways.all();
        }
    }
}
