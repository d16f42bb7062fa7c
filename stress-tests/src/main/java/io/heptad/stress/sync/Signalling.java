package io.heptad.stress.sync;

import io.heptad.stress.Quick;
import io.heptad.stress.Watch;
import io.heptad.sync.Signal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** A permit comes while somebody wants it, gives up on it, or would like to get in between. */
public class Signalling {
    private Signalling() {}

    /** A release that comes as a thread begins to wait is not lost. Row A16. */
    @Quick
    @JCStressTest
    @Outcome(id = "ok, ok, 0 available 0 waiting", expect = Expect.ACCEPTABLE, desc = "met")
    @State
    public static class ReleaseAgainstAcquire {
        private final Signal signal = Signal.create();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.run(signal::acquire);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(signal::release);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = signal.available() + " available " + signal.waiting() + " waiting";
        }
    }

    /** Two acquire, two release: everybody is served. */
    @JCStressTest
    @Outcome(id = "ok ok, ok ok, 0 available 0 waiting", expect = Expect.ACCEPTABLE, desc = "all served")
    @State
    public static class PingAgainstPong {
        private final Signal there = Signal.create();
        private final Signal back = Signal.create();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.run(there::release) + " " + Watch.run(back::acquire);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(there::acquire) + " " + Watch.run(back::release);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = there.available() + back.available() + " available " + (there.waiting() + back.waiting())
                    + " waiting";
        }
    }

    /** The first future is granted or cancelled; then, and only then, the second is served. Row G10. */
    @Quick
    @JCStressTest
    @Outcome(id = "ok, true, cancelled done 0", expect = Expect.ACCEPTABLE, desc = "passed on")
    @Outcome(id = "ok, false, done waits 0", expect = Expect.ACCEPTABLE, desc = "granted first")
    @State
    public static class ReleaseAgainstCancel {
        private final Signal signal = Signal.create();
        private final CompletableFuture<Void> first = signal.acquireAsync();
        private final CompletableFuture<Void> second = signal.acquireAsync();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.run(signal::release);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = first.cancel(true);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = (first.isCancelled() ? "cancelled" : first.isDone() ? "done" : "waits") + " "
                    + (second.isDone() ? "done" : "waits") + " " + signal.available();
        }
    }

    /** In time or not; the permit is taken or there. Row G6. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, ok, 0 available 0 waiting", expect = Expect.ACCEPTABLE, desc = "in time")
    @Outcome(id = "false, ok, 1 available 0 waiting", expect = Expect.ACCEPTABLE, desc = "too late")
    @State
    public static class ReleaseAgainstTimeout {
        private final Signal signal = Signal.create();
        private volatile boolean inLine;

        @Actor
        public void one(LLL_Result r) {
            inLine = true;
            r.r1 = Watch.call(() -> signal.acquire(Duration.ofNanos(20_000)));
        }

        @Actor
        public void two(LLL_Result r) {
            Watch.awaitSpinning(() -> inLine);
            io.heptad.stress.Bodies.spin((int) System.nanoTime() & 511);
            r.r2 = Watch.run(signal::release);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = signal.available() + " available " + signal.waiting() + " waiting";
        }
    }

    /** It has the permit and keeps its interrupt, or it was interrupted and the permit is there. Row G4. */
    @JCStressTest
    @Outcome(id = "ok flagged, ok, 0 available 0 waiting", expect = Expect.ACCEPTABLE, desc = "served")
    @Outcome(id = "interrupted, ok, 1 available 0 waiting", expect = Expect.ACCEPTABLE, desc = "interrupted")
    @State
    public static class ReleaseAgainstInterrupt {
        private final Signal signal = Signal.create();
        private volatile Thread target;
        private volatile boolean sent;

        @Actor
        public void one(LLL_Result r) {
            target = Thread.currentThread();
            String end = Watch.run(signal::acquire);
            r.r1 = end + (Watch.clearedAfter(() -> sent) ? " flagged" : "");
        }

        @Actor
        public void two(LLL_Result r) {
            Watch.awaitSpinning(() -> target != null);
            if ((System.nanoTime() & 16) == 0) {
                r.r2 = Watch.run(signal::release);
                target.interrupt();
            } else {
                target.interrupt();
                r.r2 = Watch.run(signal::release);
            }
            sent = true;
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = signal.available() + " available " + signal.waiting() + " waiting";
        }
    }

    /** Wants two, which come one by one. Rows G8, G9. */
    @Quick
    @JCStressTest
    @Outcome(id = "ok, ok ok, 0 available 0 waiting", expect = Expect.ACCEPTABLE, desc = "both")
    @State
    public static class AcquireOfTwoAgainstReleases {
        private final Signal signal = Signal.of(0, 2);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.run(() -> signal.acquire(2));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(signal::release) + " " + Watch.run(signal::release);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = signal.available() + " available " + signal.waiting() + " waiting";
        }
    }

    /** A newcomer never takes what the one in line waits for. */
    @JCStressTest
    @Outcome(id = "ok, false, done 0", expect = Expect.ACCEPTABLE, desc = "the one in line has it")
    @State
    public static class TryAcquireAgainstTheLine {
        private final Signal signal = Signal.of(1, 2);
        private final CompletableFuture<Void> inLine = signal.acquireAsync(2);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.run(signal::release);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = signal.tryAcquire();
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = (inLine.isDone() ? "done " : "waits ") + signal.available();
        }
    }

    /** The first wants many and gives up; the second is served whether a release comes or not. Row G7. */
    @JCStressTest
    @Outcome(id = "ok, true, done 2", expect = Expect.ACCEPTABLE, desc = "the second is served")
    @State
    public static class ReleaseAgainstAFirstThatGivesUp {
        private final Signal signal = Signal.of(2, 5);
        private final CompletableFuture<Void> first = signal.acquireAsync(5);
        private final CompletableFuture<Void> second = signal.acquireAsync();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.run(signal::release);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = first.cancel(true);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = (second.isDone() ? "done " : "waits ") + signal.available();
        }
    }
}
