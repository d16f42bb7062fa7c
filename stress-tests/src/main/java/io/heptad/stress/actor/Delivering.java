package io.heptad.stress.actor;

import io.heptad.actor.Actor;
import io.heptad.core.FullPolicy;
import io.heptad.stress.Quick;
import io.heptad.stress.Seen;
import io.heptad.stress.Watch;
import java.util.concurrent.CountDownLatch;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLLL_Result;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * Messages that are sent just as the actor goes idle, wakes or is full: each is handled, once, and one at a time. Most of
 * them run the activations in the sender's thread, so that nothing stands between two sends but the actor's own steps.
 */
public class Delivering {
    private Delivering() {}

    /** Each sender finds the actor idle, at work, or just going idle; when both have returned, both are handled. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, true, \\[1, 2\\], 1 at most", expect = Expect.ACCEPTABLE, desc = "both handled, one by one")
    @State
    public static class SendAgainstSend {
        private final Seen seen = new Seen();
        private final Actor<Integer> actor = Actor.named("a", Integer.class)
                .mailbox(2, FullPolicy.REJECT)
                .state(() -> "", (state, number, context) -> {
                    seen.handle(number);
                    return state;
                })
                .executor(Runnable::run)
                .start();

        @org.openjdk.jcstress.annotations.Actor
        public void one(LLLL_Result r) {
            r.r1 = actor.offer(1);
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLLL_Result r) {
            r.r2 = actor.offer(2);
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            r.r3 = seen.sorted();
            r.r4 = seen.most();
        }
    }

    /** As above, three at once, on the default executor: nobody sends after them, and all are handled. Row G58. */
    @JCStressTest
    @Outcome(id = "true, true, true, \\[1, 2, 3\\] 1 at most", expect = Expect.ACCEPTABLE, desc = "all handled")
    @State
    public static class ThreeSendsAgainstGoingIdle {
        private final Seen seen = new Seen();
        private final CountDownLatch handled = new CountDownLatch(3);
        private final Actor<Integer> actor = Actor.of("a", 1, FullPolicy.BLOCK, "", (state, number, context) -> {
            seen.handle(number);
            handled.countDown();
            return state;
        });

        @org.openjdk.jcstress.annotations.Actor
        public void one(LLLL_Result r) {
            r.r1 = Watch.call(() -> actor.send(1));
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLLL_Result r) {
            r.r2 = Watch.call(() -> actor.send(2));
        }

        @org.openjdk.jcstress.annotations.Actor
        public void three(LLLL_Result r) {
            r.r3 = Watch.call(() -> actor.send(3));
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            r.r4 = Watch.call(() -> {
                handled.await();
                return seen.sorted() + " " + seen.most();
            });
            actor.close();
        }
    }

    /** An executor that runs its work in two threads runs nothing twice, and nothing beside itself. */
    @JCStressTest
    @Outcome(id = "\\[1, 2\\], 1 at most", expect = Expect.ACCEPTABLE, desc = "once each, one by one")
    @State
    public static class TheSameWorkInTwoThreads {
        private Runnable work = () -> {};
        private final Seen seen = new Seen();
        private final Actor<Integer> actor = Actor.named("a", Integer.class)
                .mailbox(2, FullPolicy.REJECT)
                .state(() -> "", (state, number, context) -> {
                    seen.handle(number);
                    return state;
                })
                .executor(start -> work = start)
                .start();

        public TheSameWorkInTwoThreads() {
            actor.offer(1);
            actor.offer(2);
        }

        @org.openjdk.jcstress.annotations.Actor
        public void one() {
            work.run();
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two() {
            work.run();
        }

        @Arbiter
        public void arbiter(LL_Result r) {
            r.r1 = seen.all();
            r.r2 = seen.most();
        }
    }

    /** One place, two offers: one of them gets it. */
    @JCStressTest
    @Outcome(id = "true, false, \\[1\\]", expect = Expect.ACCEPTABLE, desc = "the first")
    @Outcome(id = "false, true, \\[2\\]", expect = Expect.ACCEPTABLE, desc = "the second")
    @State
    public static class OfferAgainstOffer {
        private final Actor<Integer> actor = Actor.named("a", Integer.class)
                .mailbox(1, FullPolicy.REJECT)
                .state(() -> "", (state, number, context) -> state)
                .executor(never -> {})
                .start();

        @org.openjdk.jcstress.annotations.Actor
        public void one(LLL_Result r) {
            r.r1 = actor.offer(1);
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLL_Result r) {
            r.r2 = actor.offer(2);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = actor.closeNow();
        }
    }

    /** A sender that stands in line just as there is room is let in. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, ok, \\[0, 1, 2\\]", expect = Expect.ACCEPTABLE, desc = "let in")
    @State
    public static class BlockedSendAgainstHandling {
        private final Seen seen = new Seen();
        private final CountDownLatch leave = new CountDownLatch(1);
        private final CountDownLatch handled = new CountDownLatch(3);
        private final Actor<Integer> actor = Actor.of("a", 1, FullPolicy.BLOCK, "", (state, number, context) -> {
            leave.await();
            seen.handle(number);
            handled.countDown();
            return state;
        });

        public BlockedSendAgainstHandling() {
            actor.offer(0);
            Watch.awaitSpinning(() -> actor.offer(1)); // 0 is in hand by then
        }

        @org.openjdk.jcstress.annotations.Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> actor.send(2));
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLL_Result r) {
            leave.countDown();
            r.r2 = "ok";
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> {
                handled.await();
                return seen.all();
            });
            actor.close();
        }
    }

    /** Two that wait for one place after the other: both are let in. */
    @JCStressTest
    @Outcome(id = "true, true, ok, \\[0, 1, 2, 3\\]", expect = Expect.ACCEPTABLE, desc = "both let in")
    @State
    public static class TwoBlockedSendsAgainstHandling {
        private final Seen seen = new Seen();
        private final CountDownLatch leave = new CountDownLatch(1);
        private final CountDownLatch handled = new CountDownLatch(4);
        private final Actor<Integer> actor = Actor.of("a", 1, FullPolicy.BLOCK, "", (state, number, context) -> {
            leave.await();
            seen.handle(number);
            handled.countDown();
            return state;
        });

        public TwoBlockedSendsAgainstHandling() {
            actor.offer(0);
            Watch.awaitSpinning(() -> actor.offer(1));
        }

        @org.openjdk.jcstress.annotations.Actor
        public void one(LLLL_Result r) {
            r.r1 = Watch.call(() -> actor.send(2));
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLLL_Result r) {
            r.r2 = Watch.call(() -> actor.send(3));
        }

        @org.openjdk.jcstress.annotations.Actor
        public void three(LLLL_Result r) {
            leave.countDown();
            r.r3 = "ok";
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            r.r4 = Watch.call(() -> {
                handled.await();
                return seen.sorted();
            });
            actor.close();
        }
    }

    /** DROP_OLDEST, one place: both are accepted, and every message is handled or a dead letter, once. */
    @JCStressTest
    @Outcome(id = "true, true, \\[0, 1, 2\\]", expect = Expect.ACCEPTABLE, desc = "one fate each")
    @State
    public static class EvictingSends {
        private final Seen seen = new Seen();
        private Runnable work = () -> {};
        private final Actor<Integer> actor = Actor.named("a", Integer.class)
                .mailbox(1, FullPolicy.DROP_OLDEST)
                .state(() -> "", (state, number, context) -> {
                    seen.handle(number);
                    return state;
                })
                .deadLetters(seen::handle)
                .executor(start -> work = start)
                .start();

        public EvictingSends() {
            actor.offer(0);
        }

        @org.openjdk.jcstress.annotations.Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> actor.send(1));
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> actor.send(2));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            work.run();
            r.r3 = seen.sorted();
        }
    }

    /** A sender that makes room for its message meets the actor that takes the oldest: one fate for each message. */
    @JCStressTest
    @Outcome(id = "true, \\[0, 1\\]", expect = Expect.ACCEPTABLE, desc = "one fate each")
    @State
    public static class EvictingSendAgainstHandling {
        private final Seen seen = new Seen();
        private Runnable work = () -> {};
        private final Actor<Integer> actor = Actor.named("a", Integer.class)
                .mailbox(1, FullPolicy.DROP_OLDEST)
                .state(() -> "", (state, number, context) -> {
                    seen.handle(number);
                    return state;
                })
                .deadLetters(seen::handle)
                .executor(start -> work = start)
                .start();

        public EvictingSendAgainstHandling() {
            actor.offer(0);
        }

        @org.openjdk.jcstress.annotations.Actor
        public void one(LL_Result r) {
            r.r1 = Watch.call(() -> actor.send(1));
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two() {
            work.run();
        }

        @Arbiter
        public void arbiter(LL_Result r) {
            work.run();
            r.r2 = seen.sorted();
        }
    }
}
