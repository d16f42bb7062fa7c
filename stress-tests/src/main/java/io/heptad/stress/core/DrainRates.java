package io.heptad.stress.core;

import io.heptad.core.DrainRate;
import io.heptad.stress.Quick;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** {@link DrainRate} under two askers. */
public class DrainRates {
    private DrainRates() {}

    /** Both move the marks: one mark may get lost, but no estimate is ever negative. */
    @Quick
    @JCStressTest
    @Outcome(id = "(unknown|later), (unknown|later)", expect = Expect.ACCEPTABLE, desc = "never a wrong sign")
    @State
    public static class AskedByTwo {
        private final AtomicLong nanos = new AtomicLong();
        private final AtomicLong drained = new AtomicLong();
        private final DrainRate rate = DrainRate.of(drained::get, Duration.ofNanos(3), nanos::incrementAndGet);

        private String ask() {
            String last = "unknown";
            for (int i = 0; i < 4; i++) {
                drained.incrementAndGet();
                Duration time = rate.timeToDrain(10);
                last = time == null ? last : time.isNegative() ? "earlier" : "later";
            }
            return last;
        }

        @Actor
        public void one(LL_Result r) {
            r.r1 = ask();
        }

        @Actor
        public void two(LL_Result r) {
            r.r2 = ask();
        }
    }
}
