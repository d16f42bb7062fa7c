package io.heptad.stress.pipeline;

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
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/** What is inside against the end: everybody is told the same end, and every item leaves by one way. */
public class Ending {
    private Ending() {}

    /** One of the two that are worked on at once stops the pipeline, and the other is the last: it has not completed. */
    @Quick
    @JCStressTest
    @Outcome(
            id = "false, IllegalStateException, 1 failed, 2 (out|begun|waiting), accounted",
            expect = Expect.ACCEPTABLE,
            desc = "failed")
    @State
    public static class FailureAgainstCompletion {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then(
                        "a",
                        2,
                        item -> {
                            Crew.linger();
                            if (item == 1) {
                                throw new IllegalStateException();
                            }
                            return item;
                        },
                        options -> options.onError(OnError.STOP))
                .onFailure(failed -> ways.failed(failed.item()))
                .threads(crew)
                .start();

        public FailureAgainstCompletion() {
            pipeline.offer(1);
            pipeline.offer(2);
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
            Watch.run(() -> {
                DrainReport report = pipeline.close(Duration.ofSeconds(3));
                report.residue().forEach(stage -> ways.back(stage.begun(), stage.waiting()));
                if (report.left() == 0) {
                    ways.out(2);
                }
                r.r1 = report.drained();
                r.r2 = Watch.word(report.failure().orElse(new Error()));
            });
            PipelineStats end = pipeline.stats();
            r.r3 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** A drain whose time is up meets a failure that stops: one of them has decided, for whoever asks, now or later. */
    @JCStressTest
    @Outcome(
            id = "Error, Error, 1 (failed|begun|waiting), 2 (begun|waiting), accounted",
            expect = Expect.ACCEPTABLE,
            desc = "halted")
    @Outcome(
            id = "IllegalStateException, IllegalStateException, 1 failed, 2 waiting, accounted",
            expect = Expect.ACCEPTABLE,
            desc = "failed")
    @State
    public static class FailureAgainstDrain {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then(
                        "a",
                        1,
                        item -> {
                            Crew.linger();
                            throw new IllegalStateException();
                        },
                        options -> options.capacity(2).onError(OnError.STOP))
                .into(ways::out)
                .onFailure(failed -> ways.failed(failed.item()))
                .threads(crew)
                .start();

        public FailureAgainstDrain() {
            pipeline.offer(1);
            pipeline.offer(2);
        }

        @Actor
        public void one() {
            crew.meet(2);
            crew.play(0);
        }

        @Actor
        public void two(LLL_Result r) {
            crew.meet(2);
            Crew.linger();
            Watch.run(() -> {
                DrainReport report = pipeline.close(Duration.ZERO);
                report.residue().forEach(stage -> ways.back(stage.begun(), stage.waiting()));
                r.r1 = Watch.word(report.failure().orElse(new Error()));
            });
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r2 = Watch.word(pipeline.failure().orElse(new Error()));
            PipelineStats end = pipeline.stats();
            r.r3 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** The second stage stops the pipeline while the first passes on. */
    @JCStressTest
    @Outcome(
            id = "false, 10 failed, (2 begun|2 waiting|20 waiting), accounted",
            expect = Expect.ACCEPTABLE,
            desc = "one place each")
    @State
    public static class StopAgainstPassing {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item * 10, options -> options.capacity(2))
                .then(
                        "b",
                        1,
                        item -> {
                            Crew.linger();
                            throw new IllegalStateException();
                        },
                        options -> options.onError(OnError.STOP))
                .into(ways::out)
                .onFailure(failed -> ways.failed(failed.item()))
                .threads(crew)
                .start();

        public StopAgainstPassing() {
            pipeline.offer(1);
            pipeline.offer(2);
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
            PipelineStats end = pipeline.stats();
            r.r2 = ways.all() + ", " + ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }
}
