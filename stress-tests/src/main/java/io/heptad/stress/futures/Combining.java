package io.heptad.stress.futures;

import io.heptad.future.AllFailedException;
import io.heptad.future.Futures;
import io.heptad.future.Losers;
import io.heptad.stress.Bodies;
import io.heptad.stress.Quick;
import io.heptad.stress.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Members that end while somebody combines, waits, cancels, or runs out of time. */
public class Combining {
    private Combining() {}

    /** All ends with both values, also if they complete while it attaches; what their threads wrote is seen. */
    @Quick
    @JCStressTest
    @Outcome(id = "\\[1, 2\\] seen 7, true, true", expect = Expect.ACCEPTABLE, desc = "both")
    @State
    public static class AllWhileBothComplete {
        private final CompletableFuture<Integer> a = new CompletableFuture<>();
        private final CompletableFuture<Integer> b = new CompletableFuture<>();
        private int written;

        @Actor
        public void one(LLL_Result r) {
            Object values = Watch.call(() -> Futures.all(List.of(a, b)).get());
            r.r1 = values + " seen " + written;
        }

        @Actor
        public void two(LLL_Result r) {
            Bodies.spin(30);
            written = 7;
            r.r2 = a.complete(1);
            r.r3 = b.complete(2);
        }
    }

    /** All ends with both values, whichever thread is the last. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, true, \\[1, 2\\]", expect = Expect.ACCEPTABLE, desc = "both")
    @State
    public static class AllAgainstTwoThreads {
        private final CompletableFuture<Integer> a = new CompletableFuture<>();
        private final CompletableFuture<Integer> b = new CompletableFuture<>();
        private final CompletableFuture<List<Integer>> all = Futures.all(List.of(a, b));

        @Actor
        public void one(LLL_Result r) {
            r.r1 = a.complete(1);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = b.complete(2);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(all::get);
        }
    }

    /** One failure decides, whatever the other does. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, true, IllegalStateException boom", expect = Expect.ACCEPTABLE, desc = "failed")
    @State
    public static class AllAgainstFailureAndValue {
        private final CompletableFuture<Integer> a = new CompletableFuture<>();
        private final CompletableFuture<Integer> b = new CompletableFuture<>();
        private final CompletableFuture<List<Integer>> all = Futures.all(List.of(a, b));

        @Actor
        public void one(LLL_Result r) {
            r.r1 = a.completeExceptionally(new IllegalStateException("boom"));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = b.complete(2);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            Watch.call(all::get);
            Throwable cause = all.exceptionNow();
            r.r3 = cause.getClass().getSimpleName() + " " + cause.getMessage();
        }
    }

    /** One of the two is the reason. */
    @JCStressTest
    @Outcome(id = "true, true, [ab]", expect = Expect.ACCEPTABLE, desc = "one of them")
    @State
    public static class AllAgainstTwoFailures {
        private final CompletableFuture<Integer> a = new CompletableFuture<>();
        private final CompletableFuture<Integer> b = new CompletableFuture<>();
        private final CompletableFuture<List<Integer>> all = Futures.all(List.of(a, b));

        @Actor
        public void one(LLL_Result r) {
            r.r1 = a.completeExceptionally(new IllegalStateException("a"));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = b.completeExceptionally(new IllegalStateException("b"));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            Watch.call(all::get);
            r.r3 = all.exceptionNow().getMessage();
        }
    }

    /** Both outcomes in order, whoever ends first, and their threads' writes are seen. */
    @Quick
    @JCStressTest
    @Outcome(id = "ok failed seen 7, true, true", expect = Expect.ACCEPTABLE, desc = "both")
    @State
    public static class AllSettledWhileTheyEnd {
        private final CompletableFuture<Integer> a = new CompletableFuture<>();
        private final CompletableFuture<Integer> b = new CompletableFuture<>();
        private int written;

        @Actor
        public void one(LLL_Result r) {
            String seen = Watch.call(() -> {
                List<String> outcomes = new ArrayList<>();
                Futures.allSettled(List.of(a, b)).get().forEach(one -> outcomes.add(one.isSuccess() ? "ok" : "failed"));
                return String.join(" ", outcomes);
            });
            r.r1 = seen + " seen " + written;
        }

        @Actor
        public void two(LLL_Result r) {
            written = 7;
            r.r2 = a.complete(1);
            r.r3 = b.completeExceptionally(new IllegalStateException("boom"));
        }
    }

    /** A failure is ignored while there is a value, before or after it. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, true, 2", expect = Expect.ACCEPTABLE, desc = "the value")
    @State
    public static class AnyAgainstFailureAndValue {
        private final CompletableFuture<Integer> a = new CompletableFuture<>();
        private final CompletableFuture<Integer> b = new CompletableFuture<>();
        private final CompletableFuture<Integer> any = Futures.any(List.of(a, b));

        @Actor
        public void one(LLL_Result r) {
            r.r1 = a.completeExceptionally(new IllegalStateException("boom"));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = b.complete(2);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(any::get);
        }
    }

    /** All failed: one error with both causes, in order. */
    @JCStressTest
    @Outcome(id = "\\[a, b\\], true, true", expect = Expect.ACCEPTABLE, desc = "both causes")
    @State
    public static class AnyWhileBothFail {
        private final CompletableFuture<Integer> a = new CompletableFuture<>();
        private final CompletableFuture<Integer> b = new CompletableFuture<>();

        @Actor
        public void one(LLL_Result r) {
            CompletableFuture<Integer> any = Futures.any(List.of(a, b));
            Watch.call(any::get);
            r.r1 = ((AllFailedException) any.exceptionNow())
                    .causes().stream().map(Throwable::getMessage).toList().toString();
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = a.completeExceptionally(new IllegalStateException("a"));
            r.r3 = b.completeExceptionally(new IllegalStateException("b"));
        }
    }

    /** More than a few members: the value is found wherever it is. */
    @JCStressTest
    @Outcome(id = "7, ok", expect = Expect.ACCEPTABLE, desc = "the value")
    @State
    public static class AnyOfManyWhileTheyEnd {
        private final List<CompletableFuture<Integer>> many = new ArrayList<>();

        public AnyOfManyWhileTheyEnd() {
            for (int i = 0; i < 20; i++) {
                many.add(new CompletableFuture<>());
            }
        }

        @Actor
        public void one(LL_Result r) {
            r.r1 = Watch.call(() -> Futures.any(many).get());
        }

        @Actor
        public void two(LL_Result r) {
            for (int i = 0; i < 20; i++) {
                if (i == 11) {
                    many.get(i).complete(7);
                } else {
                    many.get(i).completeExceptionally(new IllegalStateException("boom"));
                }
            }
            r.r2 = "ok";
        }
    }

    /** One wins, and a loser that was not done yet is cancelled. */
    @JCStressTest
    @Outcome(
            id = {"true, (true|false), 1", "(true|false), true, 2"},
            expect = Expect.ACCEPTABLE,
            desc = "one wins")
    @State
    public static class RaceAgainstTwoThreads {
        private final CompletableFuture<Integer> a = new CompletableFuture<>();
        private final CompletableFuture<Integer> b = new CompletableFuture<>();
        private final CompletableFuture<Integer> race = Futures.race(List.of(a, b), Losers.CANCEL);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = a.complete(1);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = b.complete(2);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(race::get);
        }
    }

    /** Whoever sees the result sees the loser cancelled. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "told")
    @State
    public static class LosersAreToldBeforeTheResult {
        private final CompletableFuture<Integer> a = new CompletableFuture<>();
        private final CompletableFuture<Integer> b = new CompletableFuture<>();
        private final CompletableFuture<Integer> race = Futures.race(List.of(a, b), Losers.CANCEL);

        @Actor
        public void one(LL_Result r) {
            r.r1 = a.complete(1);
        }

        @Actor
        public void two(LL_Result r) {
            Watch.awaitSpinning(race::isDone);
            r.r2 = b.isCancelled();
        }
    }

    /** Cancelled or decided, and under CANCEL no member stays behind. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, (true|false), cancelled all ended", expect = Expect.ACCEPTABLE, desc = "cancelled")
    @Outcome(id = "false, true, 1 all ended", expect = Expect.ACCEPTABLE, desc = "decided")
    @State
    public static class CancelAgainstComplete {
        private final CompletableFuture<Integer> a = new CompletableFuture<>();
        private final CompletableFuture<Integer> b = new CompletableFuture<>();
        private final CompletableFuture<Integer> race = Futures.race(List.of(a, b), Losers.CANCEL);

        @Actor
        public void one(LLL_Result r) {
            r.r1 = race.cancel(false);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = a.complete(1);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(race::get) + (a.isDone() && b.isDone() ? " all ended" : " one left");
        }
    }

    /** Under CANCEL a cancelled aggregate cancels its members, so whoever waits for one is told. */
    @JCStressTest
    @Outcome(id = "true, cancelled", expect = Expect.ACCEPTABLE, desc = "told")
    @State
    public static class CancelAgainstAJoinOfAMember {
        private final CompletableFuture<Integer> a = new CompletableFuture<>();
        private final CompletableFuture<Integer> b = new CompletableFuture<>();
        private final CompletableFuture<Integer> race = Futures.race(List.of(a, b), Losers.CANCEL);

        @Actor
        public void one(LL_Result r) {
            r.r1 = race.cancel(false);
        }

        @Actor
        public void two(LL_Result r) {
            r.r2 = Watch.call(b::get);
        }
    }

    /** Under LEAVE a cancelled aggregate touches nobody. */
    @JCStressTest
    @Outcome(id = "true, true, 1", expect = Expect.ACCEPTABLE, desc = "left alone")
    @State
    public static class CancelLeavesTheMembers {
        private final CompletableFuture<Integer> a = new CompletableFuture<>();
        private final CompletableFuture<Integer> b = new CompletableFuture<>();
        private final CompletableFuture<List<Integer>> all = Futures.all(List.of(a, b));

        @Actor
        public void one(LLL_Result r) {
            r.r1 = all.cancel(true);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = a.complete(1);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(a::get);
        }
    }

    /** In time or too late, one of the two, and the stage itself is left alone. */
    @Quick
    @JCStressTest
    @Outcome(
            id = {"1, true, 1", "timeout, true, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "one of the two")
    @State
    public static class WithinAgainstItsTimer {
        private final CompletableFuture<Integer> a = new CompletableFuture<>();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> Futures.within(a, Duration.ofNanos(20_000)).get());
        }

        @Actor
        public void two(LLL_Result r) {
            Bodies.spin(40);
            r.r2 = a.complete(1);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(a::get);
        }
    }

    /** The list comes, with the value or with a timeout in its place. */
    @JCStressTest
    @Outcome(
            id = {"ok, true", "failed, true"},
            expect = Expect.ACCEPTABLE,
            desc = "one of the two")
    @State
    public static class SettledWithinAgainstItsTimer {
        private final CompletableFuture<Integer> a = new CompletableFuture<>();

        @Actor
        public void one(LL_Result r) {
            r.r1 = Watch.call(() -> Futures.settledWithin(List.of(a), Duration.ofNanos(20_000))
                            .get()
                            .get(0)
                            .isSuccess()
                    ? "ok"
                    : "failed");
        }

        @Actor
        public void two(LL_Result r) {
            Bodies.spin(40);
            r.r2 = a.complete(1);
        }
    }

    /** Each is delivered once. */
    @JCStressTest
    @Outcome(
            id = {"\\[0, 1\\], true, true", "\\[1, 0\\], true, true"},
            expect = Expect.ACCEPTABLE,
            desc = "once each")
    @State
    public static class ForEachCompletedWhileTheyComplete {
        private final CompletableFuture<Integer> a = new CompletableFuture<>();
        private final CompletableFuture<Integer> b = new CompletableFuture<>();

        @Actor
        public void one(LLL_Result r) {
            List<Integer> seen = new ArrayList<>();
            Watch.run(() -> Futures.<Integer>forEachCompleted(List.of(a, b), (index, outcome) -> seen.add(index)));
            r.r1 = seen.toString();
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = a.complete(1);
            r.r3 = b.complete(2);
        }
    }
}
