package io.heptad.stress.sync;

import io.heptad.stress.Bodies;
import io.heptad.stress.Quick;
import io.heptad.stress.Watch;
import io.heptad.sync.KeyedLock;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** Who gets a key, and what is left of it. */
public class KeyLocking {
    private KeyLocking() {}

    /** One key, two bodies: one after the other, and nothing is kept. */
    @JCStressTest
    @Outcome(id = "ran, ran, 1 at most, 0 keys", expect = Expect.ACCEPTABLE, desc = "one by one")
    @State
    public static class LockAgainstLock {
        private final KeyedLock<String> lock = KeyedLock.create();
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> lock.withLock("a", bodies::run));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> lock.withLock("a", bodies::run));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = bodies.most() + " at most, " + lock.keys() + " keys";
        }
    }

    /** The last leaves as the first comes, again and again: the key goes and comes anew. */
    @Quick
    @JCStressTest
    @Outcome(id = "ran ran ran, ran ran ran, 1 at most, 0 keys", expect = Expect.ACCEPTABLE, desc = "one by one")
    @State
    public static class LastLeavesAgainstFirstEnters {
        private final KeyedLock<String> lock = KeyedLock.create();
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> lock.withLock("a", bodies::run)) + " "
                    + Watch.call(() -> lock.withLock("a", bodies::run)) + " "
                    + Watch.call(() -> lock.withLock("a", bodies::run));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> lock.withLock("a", bodies::run)) + " "
                    + Watch.call(() -> lock.withLock("a", bodies::run)) + " "
                    + Watch.call(() -> lock.withLock("a", bodies::run));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = bodies.most() + " at most, " + lock.keys() + " keys";
        }
    }

    /** Two keys whose hashes are the same: side by side, and both go. */
    @JCStressTest
    @Outcome(id = "ran ran, ran ran, 0 keys", expect = Expect.ACCEPTABLE, desc = "both ran")
    @State
    public static class TwoKeysInOneBin {
        private final KeyedLock<String> lock = KeyedLock.create();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> lock.withLock("Aa", () -> "ran")) + " "
                    + Watch.call(() -> lock.withLock("Aa", () -> "ran"));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> lock.withLock("BB", () -> "ran")) + " "
                    + Watch.call(() -> lock.withLock("BB", () -> "ran"));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = lock.keys() + " keys";
        }
    }

    /** In time or not; a key that came in the last moment is used, and none stays locked. */
    @JCStressTest
    @Outcome(id = "(ran|timeout), ran, 1 at most, 0 keys", expect = Expect.ACCEPTABLE, desc = "in time or not")
    @State
    public static class TimedLockAgainstLeave {
        private final KeyedLock<String> lock = KeyedLock.create();
        private final Bodies bodies = new Bodies();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> lock.withLock("a", Duration.ofNanos(15_000), bodies::run));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> lock.withLock("a", () -> {
                Bodies.spin((int) System.nanoTime() & 511);
                return bodies.run();
            }));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = bodies.most() + " at most, " + lock.keys() + " keys";
        }
    }

    /** It ran and keeps its interrupt, or it was interrupted and the key is free. */
    @Quick
    @JCStressTest
    @Outcome(id = "(ran flagged|interrupted), ran, 1 at most, 0 keys", expect = Expect.ACCEPTABLE, desc = "either")
    @State
    public static class InterruptAgainstHandOver {
        private final KeyedLock<String> lock = KeyedLock.create();
        private final Bodies bodies = new Bodies();
        private volatile Thread target;
        private volatile boolean sent;

        @Actor
        public void one(LLL_Result r) {
            target = Thread.currentThread();
            String end = Watch.call(() -> lock.withLock("a", bodies::run));
            r.r1 = end + (Watch.clearedAfter(() -> sent) ? " flagged" : "");
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> lock.withLock("a", () -> {
                Watch.awaitSpinning(() -> target != null && (lock.waiting("a") > 0 || bodies.ended() > 0));
                return bodies.run();
            }));
            target.interrupt();
            sent = true;
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = bodies.most() + " at most, " + lock.keys() + " keys";
        }
    }
}
