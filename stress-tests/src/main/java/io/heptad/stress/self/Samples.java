package io.heptad.stress.self;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** What a verdict has to tell apart. */
public class Samples {
    private Samples() {}

    @JCStressTest
    @Outcome(id = "[12], [12]", expect = Expect.ACCEPTABLE, desc = "any")
    @State
    public static class Passes {
        private int counter;

        @Actor
        public void one(II_Result r) {
            r.r1 = 1 + (counter & 1);
        }

        @Actor
        public void two(II_Result r) {
            r.r2 = 1 + (counter & 1);
        }
    }

    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "counted twice")
    @State
    public static class LosesAnUpdate {
        private int counter;

        @Actor
        public void one(II_Result r) {
            r.r1 = ++counter;
        }

        @Actor
        public void two(II_Result r) {
            r.r2 = ++counter;
        }
    }

    @JCStressTest
    @Outcome(
            id = {"1, 2", "2, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "counted twice")
    @Outcome(expect = Expect.ACCEPTABLE_INTERESTING, desc = "noticed")
    @State
    public static class NoticesALostUpdate {
        private int counter;

        @Actor
        public void one(II_Result r) {
            r.r1 = ++counter;
        }

        @Actor
        public void two(II_Result r) {
            r.r2 = ++counter;
        }
    }

    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "never reached")
    @State
    public static class ThrowsInAnActor {
        private int[] none = new int[0];

        @Actor
        public void one(II_Result r) {
            r.r1 = none[0];
        }

        @Actor
        public void two(II_Result r) {
            none = new int[0];
            r.r2 = 0;
        }
    }
}
