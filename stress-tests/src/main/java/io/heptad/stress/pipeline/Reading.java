package io.heptad.stress.pipeline;

import io.heptad.core.FullPolicy;
import io.heptad.pipeline.Pipeline;
import io.heptad.pipeline.PipelineStats;
import io.heptad.stress.Crew;
import io.heptad.stress.Watch;
import io.heptad.stress.Ways;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/** The figures, read while everything moves: nothing is counted twice, or out before it was in. */
public class Reading {
    private Reading() {}

    /** What is not out or failed is inside, in every reading, and no stage has more out than in. */
    @JCStressTest
    @Outcome(id = "sums, accounted", expect = Expect.ACCEPTABLE, desc = "consistent")
    @State
    public static class StatsAgainstPassing {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item, options -> options.capacity(3))
                .then("b", 1, item -> item, options -> options.capacity(3))
                .into(ways::out)
                .threads(crew)
                .start();

        public StatsAgainstPassing() {
            pipeline.offer(1);
            pipeline.offer(2);
            pipeline.offer(3);
            pipeline.close();
        }

        @Actor
        public void one() {
            crew.meet(2);
            crew.play(0);
            crew.play(1);
        }

        @Actor
        public void two(LL_Result r) {
            crew.meet(2);
            Crew.linger();
            PipelineStats now = pipeline.stats();
            boolean sums = now.in() == now.out() + now.failed() + now.dropped() + now.inFlight()
                    && now.in() == 3
                    && now.inFlight() >= 0
                    && now.stages().stream().allMatch(stage -> stage.in() >= stage.out() + stage.failed());
            r.r1 = sums ? "sums" : now.toString();
        }

        @Arbiter
        public void arbiter(LL_Result r) {
            PipelineStats end = pipeline.stats();
            r.r2 = ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** The same with what is dropped between two stages, and what fails. */
    @JCStressTest
    @Outcome(id = "sums, accounted", expect = Expect.ACCEPTABLE, desc = "consistent")
    @State
    public static class StatsAgainstDropsAndFailures {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item, options -> options.capacity(3))
                .then(
                        "b",
                        1,
                        item -> {
                            throw new IllegalStateException();
                        },
                        options -> options.whenFull(FullPolicy.DROP_OLDEST).onDrop(ways::dropped))
                .into(ways::out)
                .onFailure(failed -> ways.failed(failed.item()))
                .threads(crew)
                .start();

        public StatsAgainstDropsAndFailures() {
            pipeline.offer(1);
            pipeline.offer(2);
            pipeline.offer(3);
            pipeline.close();
        }

        @Actor
        public void one() {
            crew.meet(2);
            crew.play(0);
            crew.play(1);
        }

        @Actor
        public void two(LL_Result r) {
            crew.meet(2);
            Crew.linger();
            PipelineStats now = pipeline.stats();
            boolean sums = now.in() == now.out() + now.failed() + now.dropped() + now.inFlight()
                    && now.in() == 3
                    && now.inFlight() >= 0
                    && now.stages().stream().allMatch(stage -> stage.in() >= stage.out() + stage.failed());
            r.r1 = sums ? "sums" : now.toString();
        }

        @Arbiter
        public void arbiter(LL_Result r) {
            PipelineStats end = pipeline.stats();
            r.r2 = ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }

    /** While items come and go: never more out than in, and the sum holds. */
    @JCStressTest
    @Outcome(id = "sums, true, accounted", expect = Expect.ACCEPTABLE, desc = "consistent")
    @State
    public static class StatsAgainstPut {
        private final Ways ways = new Ways();
        private final Crew crew = new Crew();
        private final Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item)
                .then("b", 1, item -> item)
                .into(ways::out)
                .threads(crew)
                .start();

        @Actor
        public void one(LLL_Result r) {
            crew.meet(2);
            r.r2 = Watch.call(() -> pipeline.put(1));
            pipeline.close();
            crew.play(0);
            crew.play(1);
        }

        @Actor
        public void two(LLL_Result r) {
            crew.meet(2);
            PipelineStats now = pipeline.stats();
            boolean sums = now.in() == now.out() + now.failed() + now.dropped() + now.inFlight()
                    && now.in() >= now.out()
                    && now.inFlight() >= 0
                    && now.inFlight() <= 1
                    && now.stages().get(0).depth() <= 1;
            r.r1 = sums ? "sums" : now.toString();
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            PipelineStats end = pipeline.stats();
            r.r3 = ways.account(end.in(), end.out(), end.failed(), end.dropped(), end.inFlight());
        }
    }
}
