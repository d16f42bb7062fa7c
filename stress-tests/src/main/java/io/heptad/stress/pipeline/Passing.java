package io.heptad.stress.pipeline;

import io.heptad.core.FullPolicy;
import io.heptad.pipeline.DrainReport;
import io.heptad.pipeline.OnError;
import io.heptad.pipeline.Pipeline;
import io.heptad.pipeline.PipelineStats;
import io.heptad.stress.Crew;
import io.heptad.stress.Quick;
import io.heptad.stress.Watch;
import io.heptad.stress.Ways;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;
import org.openjdk.jcstress.infra.results.L_Result;

/** From stage to stage: order, room, and who closes the next one. */
public class Passing {
    private Passing() {}

    /** The next stage closes when both workers have left, so it misses nothing. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, 1 out, 2 out, 3 out, accounted", expect = Expect.ACCEPTABLE, desc = "all")
    @State
    public static class LastWorkerAgainstTheNextStage {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then(
                        "a",
                        2,
                        item -> {
                            Crew.linger();
                            return item;
                        },
                        options -> options.capacity(3))
                .then("b", 1, item -> item, options -> options.capacity(3))
                .into(ways::out)
                .threads(crew)
                .start();

        public LastWorkerAgainstTheNextStage() {
            pipeline.offer(1);
            pipeline.offer(2);
            pipeline.offer(3);
            pipeline.close();
        }

        @Actor
        public void one() {
            crew.meet(2);
            crew.play(0);
        }

        @Actor
        public void two() {
            crew.meet(2);
            crew.play(1);
        }

        @Arbiter
        public void arbiter(LL_Result r) {
            crew.playTheRest();
            r.r1 = Watch.call(() -> pipeline.close(Duration.ZERO).drained());
            PipelineStats end = pipeline.stats();
            r.r2 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** The next stage has room for one: its worker makes it, and what waits there goes in. */
    @JCStressTest
    @Outcome(id = "1 2 3, 1 out, 2 out, 3 out, accounted", expect = Expect.ACCEPTABLE, desc = "all, in order")
    @State
    public static class RoomAgainstABlockedWorker {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item, options -> options.capacity(3))
                .then("b", 1, item -> item)
                .into(ways::out)
                .threads(crew)
                .start();

        public RoomAgainstABlockedWorker() {
            pipeline.offer(1);
            pipeline.offer(2);
            pipeline.offer(3);
            pipeline.close();
        }

        @Actor
        public void one() {
            crew.meet(2);
            crew.play(0);
        }

        @Actor
        public void two() {
            crew.meet(2);
            crew.play(1);
        }

        @Arbiter
        public void arbiter(LL_Result r) {
            r.r1 = ways.order();
            PipelineStats end = pipeline.stats();
            r.r2 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** It drops what the next worker has not taken: each item once. */
    @JCStressTest
    @Outcome(
            id = "1 (out|dropped), 2 (out|dropped), 3 out, accounted",
            expect = Expect.ACCEPTABLE,
            desc = "out or dropped")
    @State
    public static class DroppingTheOldestAgainstTheNextWorker {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item, options -> options.capacity(3))
                .then(
                        "b",
                        1,
                        item -> item,
                        options -> options.whenFull(FullPolicy.DROP_OLDEST).onDrop(ways::dropped))
                .into(ways::out)
                .threads(crew)
                .start();

        public DroppingTheOldestAgainstTheNextWorker() {
            pipeline.offer(1);
            pipeline.offer(2);
            pipeline.offer(3);
            pipeline.close();
        }

        @Actor
        public void one() {
            crew.meet(2);
            crew.play(0);
        }

        @Actor
        public void two() {
            crew.meet(2);
            crew.play(1);
        }

        @Arbiter
        public void arbiter(L_Result r) {
            PipelineStats end = pipeline.stats();
            r.r1 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** It drops what finds no room: each item once. */
    @JCStressTest
    @Outcome(
            id = "1 out, 2 (out|dropped), 3 (out|dropped), accounted",
            expect = Expect.ACCEPTABLE,
            desc = "out or dropped")
    @State
    public static class DroppingTheNewestAgainstTheNextWorker {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item, options -> options.capacity(3))
                .then(
                        "b",
                        1,
                        item -> item,
                        options -> options.whenFull(FullPolicy.DROP_NEWEST).onDrop(ways::dropped))
                .into(ways::out)
                .threads(crew)
                .start();

        public DroppingTheNewestAgainstTheNextWorker() {
            pipeline.offer(1);
            pipeline.offer(2);
            pipeline.offer(3);
            pipeline.close();
        }

        @Actor
        public void one() {
            crew.meet(2);
            crew.play(0);
        }

        @Actor
        public void two() {
            crew.meet(2);
            crew.play(1);
        }

        @Arbiter
        public void arbiter(L_Result r) {
            PipelineStats end = pipeline.stats();
            r.r1 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** What finds no room fails: each item once. */
    @JCStressTest
    @Outcome(
            id = "1 out, 2 (out|failed), 3 (out|failed), accounted",
            expect = Expect.ACCEPTABLE,
            desc = "out or failed")
    @State
    public static class RejectingAgainstTheNextWorker {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item, options -> options.capacity(3))
                .then("b", 1, item -> item, options -> options.whenFull(FullPolicy.REJECT))
                .into(ways::out)
                .onFailure(failed -> ways.failed(failed.item()))
                .threads(crew)
                .start();

        public RejectingAgainstTheNextWorker() {
            pipeline.offer(1);
            pipeline.offer(2);
            pipeline.offer(3);
            pipeline.close();
        }

        @Actor
        public void one() {
            crew.meet(2);
            crew.play(0);
        }

        @Actor
        public void two() {
            crew.meet(2);
            crew.play(1);
        }

        @Arbiter
        public void arbiter(L_Result r) {
            PipelineStats end = pipeline.stats();
            r.r1 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** What is refused at a stage that stops on errors stops the pipeline, whoever brings it. */
    @JCStressTest
    @Outcome(id = "false, [1-3, a-z]*, accounted", expect = Expect.ACCEPTABLE, desc = "stopped")
    @Outcome(id = "true, 1 out, 2 out, 3 out, accounted", expect = Expect.ACCEPTABLE, desc = "all went through")
    @State
    public static class StopOfWhatIsRefusedAgainstTheNextWorker {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item, options -> options.capacity(3))
                .then(
                        "b",
                        1,
                        item -> item,
                        options -> options.whenFull(FullPolicy.REJECT).onError(OnError.STOP))
                .onFailure(failed -> ways.failed(failed.item()))
                .threads(crew)
                .start();

        public StopOfWhatIsRefusedAgainstTheNextWorker() {
            pipeline.offer(1);
            pipeline.offer(2);
            pipeline.offer(3);
            pipeline.close();
        }

        @Actor
        public void one() {
            crew.meet(2);
            crew.play(0);
        }

        @Actor
        public void two() {
            crew.meet(2);
            crew.play(1);
        }

        @Arbiter
        public void arbiter(LL_Result r) {
            Watch.run(() -> {
                DrainReport report = pipeline.close(Duration.ofSeconds(3));
                report.residue().forEach(stage -> ways.back(stage.begun(), stage.waiting()));
                r.r1 = report.drained();
            });
            for (int item = 1; item <= 3; item++) {
                if (!ways.all().contains(String.valueOf(item))) {
                    ways.out(item);
                }
            }
            PipelineStats end = pipeline.stats();
            r.r2 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }
}
