package io.heptad.stress.pipeline;

import io.heptad.pipeline.DrainReport;
import io.heptad.pipeline.Pipeline;
import io.heptad.pipeline.PipelineStats;
import io.heptad.stress.Crew;
import io.heptad.stress.Seen;
import io.heptad.stress.Watch;
import io.heptad.stress.Ways;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Two workers of a stage that keeps the order, of all items or of each key. */
public class Ordering {
    private Ordering() {}

    /** Two workers end in any order; what leaves is in the order of arrival. */
    @JCStressTest
    @Outcome(id = "1 2 3 4, 1 out, 2 out, 3 out, 4 out, accounted", expect = Expect.ACCEPTABLE, desc = "in order")
    @State
    public static class TwoWorkersInOrder {
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
                        options -> options.capacity(4).ordered().window(2))
                .into(ways::out)
                .threads(crew)
                .start();

        public TwoWorkersInOrder() {
            for (int item = 1; item <= 4; item++) {
                pipeline.offer(item);
            }
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

    /** One that fails releases its place, whoever is at the door. */
    @JCStressTest
    @Outcome(id = "1 3, 1 out, 2 failed, 3 out, accounted", expect = Expect.ACCEPTABLE, desc = "in order")
    @State
    public static class AFailureInOrder {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then(
                        "a",
                        2,
                        item -> {
                            Crew.linger();
                            if (item == 2) {
                                throw new IllegalStateException();
                            }
                            return item;
                        },
                        options -> options.capacity(3).ordered())
                .into(ways::out)
                .onFailure(failed -> ways.failed(failed.item()))
                .threads(crew)
                .start();

        public AFailureInOrder() {
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

    /** The end comes while results wait for their turn: gone on to the next stage in order, or handed back. */
    @JCStressTest
    @Outcome(
            id = "0 adrift, (1 begun|1 waiting|10 waiting), (2 begun|2 waiting|20 waiting), accounted",
            expect = Expect.ACCEPTABLE,
            desc = "one place each")
    @State
    public static class DrainAgainstTwoWorkersInOrder {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 2, item -> item * 10, options -> options.ordered())
                .then("b", 1, item -> item, options -> options.capacity(2))
                .into(ways::out)
                .threads(crew)
                .start();

        public DrainAgainstTwoWorkersInOrder() {
            pipeline.offer(1);
            pipeline.offer(2);
        }

        @Actor
        public void one() {
            crew.meet(3);
            crew.play(0);
        }

        @Actor
        public void two() {
            crew.meet(3);
            crew.play(1);
        }

        @Actor
        public void three(LL_Result r) {
            crew.meet(3);
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

    /** Two of one key are never worked on at once, and in their order; the third has a key of its own. */
    @JCStressTest
    @Outcome(
            id = "1 at most, 1 2 3, 1 out, 2 out, 3 out, 4 out, accounted",
            expect = Expect.ACCEPTABLE,
            desc = "in order")
    @State
    public static class TwoWorkersByKey {
        private final Ways ways = new Ways();
        private final Seen seen = new Seen();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then(
                        "a",
                        2,
                        item -> {
                            Crew.linger();
                            if (item < 4) {
                                seen.handle(item);
                            }
                            return item;
                        },
                        options ->
                                options.capacity(4).orderedBy(item -> item / 4).window(4))
                .into(ways::out)
                .threads(crew)
                .start();

        public TwoWorkersByKey() {
            pipeline.offer(1);
            pipeline.offer(4);
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
        public void arbiter(LLL_Result r) {
            r.r1 = seen.most();
            r.r2 = ways.order().replace(" 4", "").replace("4 ", "");
            PipelineStats end = pipeline.stats();
            r.r3 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** One of a key may stand in line; then nobody takes before one has left. */
    @JCStressTest
    @Outcome(
            id = "1 at most, 1 2 3, 1 out, 2 out, 3 out, 4 out, accounted",
            expect = Expect.ACCEPTABLE,
            desc = "in order")
    @State
    public static class TwoWorkersByKeyWithLittleRoom {
        private final Ways ways = new Ways();
        private final Seen seen = new Seen();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then(
                        "a",
                        2,
                        item -> {
                            Crew.linger();
                            if (item < 4) {
                                seen.handle(item);
                            }
                            return item;
                        },
                        options ->
                                options.capacity(4).orderedBy(item -> item / 4).window(2))
                .into(ways::out)
                .threads(crew)
                .start();

        public TwoWorkersByKeyWithLittleRoom() {
            pipeline.offer(1);
            pipeline.offer(4);
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
        public void arbiter(LLL_Result r) {
            r.r1 = seen.most();
            r.r2 = ways.order().replace(" 4", "").replace("4 ", "");
            PipelineStats end = pipeline.stats();
            r.r3 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** The end comes while one of a key stands in line behind another: each in one place. */
    @JCStressTest
    @Outcome(
            id = "0 adrift, (1 begun|1 waiting|10 waiting), (2 begun|2 waiting|20 waiting), accounted",
            expect = Expect.ACCEPTABLE,
            desc = "one place each")
    @State
    public static class DrainAgainstTwoWorkersByKey {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 2, item -> item * 10, options -> options.orderedBy(item -> 0))
                .then("b", 1, item -> item, options -> options.capacity(2))
                .into(ways::out)
                .threads(crew)
                .start();

        public DrainAgainstTwoWorkersByKey() {
            pipeline.offer(1);
            pipeline.offer(2);
        }

        @Actor
        public void one() {
            crew.meet(3);
            crew.play(0);
        }

        @Actor
        public void two() {
            crew.meet(3);
            crew.play(1);
        }

        @Actor
        public void three(LL_Result r) {
            crew.meet(3);
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
}
