package io.heptad.stress.sync;

import io.heptad.stress.Quick;
import io.heptad.stress.Watch;
import io.heptad.sync.Latch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** A latch opens or fails, while others come, wait, give up, count or fail it. */
public class Opening {
    private Opening() {}

    /** Whoever waits is let go, and sees what was done before the count. Rows A6, A8. */
    @JCStressTest
    @Outcome(id = "counted, ok seen 7, 0 waiting", expect = Expect.ACCEPTABLE, desc = "let go")
    @State
    public static class CountDownAgainstAwait {
        private final Latch latch = Latch.of(1);
        private int written;

        @Actor
        public void one(LLL_Result r) {
            written = 7;
            latch.countDown();
            r.r1 = "counted";
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(latch::await) + " seen " + written;
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = latch.waiting() + " waiting";
        }
    }

    /** A future that is asked for as the latch opens is completed all the same. */
    @Quick
    @JCStressTest
    @Outcome(id = "counted, null seen 7, 0 waiting", expect = Expect.ACCEPTABLE, desc = "completed")
    @State
    public static class CountDownAgainstOpened {
        private final Latch latch = Latch.of(1);
        private int written;

        @Actor
        public void one(LLL_Result r) {
            written = 7;
            latch.countDown();
            r.r1 = "counted";
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> latch.opened().get()) + " seen " + written;
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = latch.waiting() + " waiting";
        }
    }

    /** No count is lost: both pass. Row A9. */
    @Quick
    @JCStressTest
    @Outcome(id = "ok, ok, 0 left", expect = Expect.ACCEPTABLE, desc = "both pass")
    @State
    public static class CountDownAgainstCountDown {
        private final Latch latch = Latch.of(4);

        @Actor
        public void one(LLL_Result r) {
            latch.countDown();
            latch.countDown();
            r.r1 = Watch.run(latch::await);
        }

        @Actor
        public void two(LLL_Result r) {
            latch.countDown();
            latch.countDown();
            r.r2 = Watch.run(latch::await);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = latch.remaining() + " left";
        }
    }

    /** Open or failed, once and for all. Row A7. */
    @Quick
    @JCStressTest
    @Outcome(id = "opened, ok, open", expect = Expect.ACCEPTABLE, desc = "opened first")
    @Outcome(
            id = "LatchFailedException, LatchFailedException, failed",
            expect = Expect.ACCEPTABLE,
            desc = "failed first")
    @State
    public static class FailAgainstCountDown {
        private final Latch latch = Latch.of(1);
        private final CompletableFuture<String> future = latch.opened().thenApply(nothing -> "opened");

        @Actor
        public void one() {
            latch.fail(new IllegalStateException("failed"));
        }

        @Actor
        public void two() {
            latch.countDown();
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r1 = Watch.call(future::get);
            r.r2 = Watch.run(latch::await);
            r.r3 = latch.isOpen() ? "open" : latch.isFailed() ? "failed" : "closed";
        }
    }

    /** Whoever waits is told of the failure. Row A11. */
    @JCStressTest
    @Outcome(id = "failed, LatchFailedException, 0 waiting", expect = Expect.ACCEPTABLE, desc = "told")
    @State
    public static class FailAgainstAwait {
        private final Latch latch = Latch.of(1);

        @Actor
        public void one(LLL_Result r) {
            latch.fail(new IllegalStateException("failed"));
            r.r1 = "failed";
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(latch::await);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = latch.waiting() + " waiting";
        }
    }

    /** One failure counts, and it has the cause that all are told. */
    @JCStressTest
    @Outcome(id = "(one|two), (one|two), true", expect = Expect.ACCEPTABLE, desc = "the same cause for all")
    @State
    public static class FailAgainstFail {
        private final Latch latch = Latch.of(1);
        private final CompletableFuture<Void> future = latch.opened();

        @Actor
        public void one() {
            latch.fail(new IllegalStateException("one"));
        }

        @Actor
        public void two() {
            latch.fail(new IllegalStateException("two"));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r1 = future.exceptionNow().getCause().getMessage();
            r.r2 = latch.opened().exceptionNow().getCause().getMessage();
            r.r3 = r.r1.equals(r.r2);
        }
    }

    /** In time or not; nobody is left behind. */
    @JCStressTest
    @Outcome(id = "counted, (true|false), 0 waiting", expect = Expect.ACCEPTABLE, desc = "in time or not")
    @State
    public static class CountDownAgainstTimedAwait {
        private final Latch latch = Latch.of(1);

        @Actor
        public void one(LLL_Result r) {
            latch.countDown();
            r.r1 = "counted";
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> latch.await(Duration.ofNanos(15_000)));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = latch.waiting() + " waiting";
        }
    }

    /** A time that runs out takes one waiter out of the line, and not its neighbour. */
    @JCStressTest
    @Outcome(id = "(true|false), ok, 0 waiting", expect = Expect.ACCEPTABLE, desc = "the other is let go")
    @State
    public static class TimedAwaitBesideAnother {
        private final Latch latch = Latch.of(1);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> latch.await(Duration.ofNanos(15_000)));
            latch.countDown();
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(latch::await);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = latch.waiting() + " waiting";
        }
    }

    /** An interrupt that comes after the opening finds a wait that has ended: it is kept for the caller. */
    @Quick
    @JCStressTest
    @Outcome(id = "ok flagged, counted, 0 waiting", expect = Expect.ACCEPTABLE, desc = "let go, with its interrupt")
    @State
    public static class InterruptAgainstAnAwaitJustLetGo {
        private final Latch latch = Latch.of(1);
        private volatile Thread target;
        private volatile boolean sent;

        @Actor
        public void one(LLL_Result r) {
            target = Thread.currentThread();
            String end = Watch.run(latch::await);
            r.r1 = end + (Watch.clearedAfter(() -> sent) ? " flagged" : "");
        }

        @Actor
        public void two(LLL_Result r) {
            Watch.awaitSpinning(() -> latch.waiting() == 1);
            latch.countDown();
            target.interrupt();
            sent = true;
            r.r2 = "counted";
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = latch.waiting() + " waiting";
        }
    }

    /** A future is cancelled as the latch opens: one or the other, and the future beside it opens. */
    @JCStressTest
    @Outcome(id = "(null|cancelled), null, 0 waiting", expect = Expect.ACCEPTABLE, desc = "its neighbour opens")
    @State
    public static class CancelAgainstCountDown {
        private final Latch latch = Latch.of(1);
        private final CompletableFuture<Void> first = latch.opened();
        private final CompletableFuture<Void> second = latch.opened();

        @Actor
        public void one() {
            first.cancel(false);
        }

        @Actor
        public void two() {
            latch.countDown();
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r1 = Watch.call(first::get);
            r.r2 = Watch.call(second::get);
            r.r3 = latch.waiting() + " waiting";
        }
    }

    /** Two that leave the line at once leave nobody in it, and no gap. */
    @JCStressTest
    @Outcome(id = "1 waiting, null, 0 waiting", expect = Expect.ACCEPTABLE, desc = "the one between them stays")
    @State
    public static class CancelAgainstCancel {
        private final Latch latch = Latch.of(1);
        private final CompletableFuture<Void> first = latch.opened();
        private final CompletableFuture<Void> between = latch.opened();
        private final CompletableFuture<Void> last = latch.opened();

        @Actor
        public void one() {
            first.cancel(false);
        }

        @Actor
        public void two() {
            last.cancel(false);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r1 = latch.waiting() + " waiting";
            latch.countDown();
            r.r2 = Watch.call(between::get);
            r.r3 = latch.waiting() + " waiting";
        }
    }

    /** One part, brought by two at once, counts once. */
    @JCStressTest
    @Outcome(id = "1 left, \\[b\\], closed", expect = Expect.ACCEPTABLE, desc = "counted once")
    @State
    public static class ArriveAgainstArriveOfOnePart {
        private final Latch latch = Latch.ofParts("parts", "a", "b");

        @Actor
        public void one() {
            latch.arrive("a");
        }

        @Actor
        public void two() {
            latch.arrive("a");
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r1 = latch.remaining() + " left";
            r.r2 = latch.missing().toString();
            r.r3 = latch.isOpen() ? "open" : "closed";
        }
    }

    /** Two parts open the latch, and what they did before is seen. */
    @JCStressTest
    @Outcome(id = "ok seen 7, arrived, \\[\\] left", expect = Expect.ACCEPTABLE, desc = "opened")
    @State
    public static class ArriveAgainstArriveAndAwait {
        private final Latch latch = Latch.ofParts("parts", "a", "b");
        private int written;

        @Actor
        public void one(LLL_Result r) {
            latch.arrive("a");
            r.r1 = Watch.run(latch::await) + " seen " + written;
        }

        @Actor
        public void two(LLL_Result r) {
            written = 7;
            latch.arrive("b");
            r.r2 = "arrived";
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = latch.missing() + " left";
        }
    }

    /** Where one may wait, one of two does, and the other is refused. Row A11. */
    @JCStressTest
    @Outcome(id = "null, full, 1 refused", expect = Expect.ACCEPTABLE, desc = "the first waits")
    @Outcome(id = "full, null, 1 refused", expect = Expect.ACCEPTABLE, desc = "the second waits")
    @State
    public static class OpenedAgainstOpenedInOnePlace {
        private final Latch latch = Latch.of("narrow", 1, 1);
        private CompletableFuture<Void> first;
        private CompletableFuture<Void> second;

        @Actor
        public void one() {
            first = latch.opened();
        }

        @Actor
        public void two() {
            second = latch.opened();
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            latch.countDown();
            r.r1 = Watch.call(first::get);
            r.r2 = Watch.call(second::get);
            r.r3 = latch.stats().refused() + " refused";
        }
    }
}
