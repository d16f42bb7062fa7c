package io.heptad.stress.actor;

import io.heptad.actor.Actor;
import io.heptad.actor.ActorContext;
import io.heptad.core.FullPolicy;
import io.heptad.stress.Quick;
import io.heptad.stress.Seen;
import io.heptad.stress.Watch;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLLL_Result;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** Everybody against the end of an actor. */
public class Stopping {

    private Stopping() {}

    /** Accepted and handled, or refused and not. */
    @Quick
    @JCStressTest
    @Outcome(id = "true, ok, \\[1\\], 1 stop", expect = Expect.ACCEPTABLE, desc = "accepted")
    @Outcome(id = "closed, ok, \\[\\], 1 stop", expect = Expect.ACCEPTABLE, desc = "refused")
    @State
    public static class SendAgainstClose {
        private final Seen seen = new Seen();
        private final Actor<Integer> actor = Actor.named("a", Integer.class)
                .mailbox(2, FullPolicy.REJECT)
                .state(() -> "", (state, number, context) -> {
                    seen.handle(number);
                    return state;
                })
                .onStop(last -> seen.stop())
                .executor(Runnable::run)
                .start();

        @org.openjdk.jcstress.annotations.Actor
        public void one(LLLL_Result r) {
            r.r1 = Watch.call(() -> actor.send(1));
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLLL_Result r) {
            r.r2 = Watch.run(actor::close);
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            r.r3 = seen.all();
            r.r4 = seen.stops();
        }
    }

    /** Accepted and handed back, or accepted and handled, or refused: in one place each. */
    @JCStressTest
    @Outcome(id = "true, \\[0, 1\\], \\[\\], 1 stop", expect = Expect.ACCEPTABLE, desc = "handed back")
    @Outcome(id = "true, \\[1\\], \\[0\\], 1 stop", expect = Expect.ACCEPTABLE, desc = "one handled")
    @Outcome(id = "true, \\[0\\], \\[1\\], 1 stop", expect = Expect.ACCEPTABLE, desc = "one handled")
    @Outcome(id = "true, \\[\\], \\[0, 1\\], 1 stop", expect = Expect.ACCEPTABLE, desc = "handled")
    @Outcome(id = "closed, \\[0\\], \\[\\], 1 stop", expect = Expect.ACCEPTABLE, desc = "refused")
    @Outcome(id = "closed, \\[\\], \\[0\\], 1 stop", expect = Expect.ACCEPTABLE, desc = "refused, one handled")
    @State
    public static class OfferAgainstCloseNow {
        private final Seen seen = new Seen();
        private final Actor<Integer> actor = Actor.named("a", Integer.class)
                .mailbox(4, FullPolicy.BLOCK)
                .state(() -> "", (state, number, context) -> {
                    seen.handle(number);
                    return state;
                })
                .onStop(last -> seen.stop())
                .start();

        public OfferAgainstCloseNow() {
            actor.offer(0);
        }

        @org.openjdk.jcstress.annotations.Actor
        public void one(LLLL_Result r) {
            r.r1 = Watch.call(() -> actor.offer(1));
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLLL_Result r) {
            r.r2 = Watch.call(actor::closeNow);
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            Watch.call(() -> actor.close(Duration.ofSeconds(3)));
            r.r3 = seen.all();
            r.r4 = seen.stops();
        }
    }

    /** What one hands back the other does not handle. */
    @JCStressTest
    @Outcome(id = "\\[0, 1\\], \\[\\]", expect = Expect.ACCEPTABLE, desc = "handed back")
    @Outcome(id = "\\[1\\], \\[0\\]", expect = Expect.ACCEPTABLE, desc = "shared")
    @Outcome(id = "\\[0\\], \\[1\\]", expect = Expect.ACCEPTABLE, desc = "shared")
    @Outcome(id = "\\[\\], \\[0, 1\\]", expect = Expect.ACCEPTABLE, desc = "handled")
    @State
    public static class HandlingAgainstCloseNow {
        private final Seen seen = new Seen();
        private Runnable work = () -> {};
        private final Actor<Integer> actor = Actor.named("a", Integer.class)
                .mailbox(4, FullPolicy.REJECT)
                .state(() -> "", (state, number, context) -> {
                    seen.handle(number);
                    return state;
                })
                .executor(start -> work = start)
                .start();

        public HandlingAgainstCloseNow() {
            actor.offer(0);
            actor.offer(1);
        }

        @org.openjdk.jcstress.annotations.Actor
        public void one() {
            work.run();
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(org.openjdk.jcstress.infra.results.LL_Result r) {
            r.r1 = String.valueOf(actor.closeNow());
        }

        @Arbiter
        public void arbiter(org.openjdk.jcstress.infra.results.LL_Result r) {
            work.run();
            r.r2 = seen.all();
        }
    }

    /** Whoever closes, the hook runs once. */
    @JCStressTest
    @Outcome(id = "true, true, 1 stop", expect = Expect.ACCEPTABLE, desc = "once")
    @State
    public static class CloseAgainstClose {
        private final Seen seen = new Seen();
        private final Actor<Integer> actor = Actor.named("a", Integer.class)
                .mailbox(4, FullPolicy.BLOCK)
                .state(() -> "", (state, number, context) -> state)
                .onStop(last -> seen.stop())
                .start();

        @org.openjdk.jcstress.annotations.Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> actor.close(Duration.ofSeconds(3)));
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> actor.close(Duration.ofSeconds(3)));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> actor.close(Duration.ofSeconds(3)) ? seen.stops() : "not stopped");
        }
    }

    /** A sender that waits for room is sent away, or let in and handled. */
    @JCStressTest
    @Outcome(id = "closed, ok, \\[0, 1\\]", expect = Expect.ACCEPTABLE, desc = "sent away")
    @Outcome(id = "true, ok, \\[0, 1, 2\\]", expect = Expect.ACCEPTABLE, desc = "let in before")
    @State
    public static class BlockedSendAgainstClose {
        private final Seen seen = new Seen();
        private final CountDownLatch leave = new CountDownLatch(1);
        private final Actor<Integer> actor = Actor.of("a", 1, FullPolicy.BLOCK, "", (state, number, context) -> {
            leave.await();
            seen.handle(number);
            return state;
        });

        public BlockedSendAgainstClose() {
            actor.offer(0);
            Watch.awaitSpinning(() -> actor.offer(1));
        }

        @org.openjdk.jcstress.annotations.Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> actor.send(2));
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(actor::close);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            leave.countDown();
            r.r3 = Watch.call(() -> actor.close(Duration.ofSeconds(3)) ? seen.all() : "not stopped");
        }
    }

    /** After stop() nothing is handled; what was accepted is a dead letter. Row G63. */
    @JCStressTest
    @Outcome(id = "true, ok, \\[0\\], \\[1\\] 1 stop", expect = Expect.ACCEPTABLE, desc = "a dead letter")
    @Outcome(id = "true, ok, \\[0, 1\\], \\[\\] 1 stop", expect = Expect.ACCEPTABLE, desc = "handled before")
    @Outcome(id = "closed, ok, \\[0\\], \\[\\] 1 stop", expect = Expect.ACCEPTABLE, desc = "refused")
    @State
    public static class SendAgainstStop {
        private final Seen seen = new Seen();
        private final Seen dead = new Seen();
        private volatile ActorContext<Integer> inside;
        private final Actor<Integer> actor = Actor.named("a", Integer.class)
                .mailbox(2, FullPolicy.REJECT)
                .state(() -> "", (state, number, context) -> {
                    inside = context;
                    seen.handle(number);
                    return state;
                })
                .onStop(last -> seen.stop())
                .deadLetters(dead::handle)
                .executor(Runnable::run)
                .start();

        public SendAgainstStop() {
            actor.offer(0);
        }

        @org.openjdk.jcstress.annotations.Actor
        public void one(LLLL_Result r) {
            r.r1 = Watch.call(() -> actor.send(1));
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLLL_Result r) {
            r.r2 = Watch.run(inside::stop);
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            r.r3 = seen.all();
            r.r4 = dead.all() + " " + seen.stops();
        }
    }

    /** A timer that goes off as the actor stops delivers before, or never; none is left. Row G62. */
    @JCStressTest
    @Outcome(id = "ok, ok, \\[0(, 1)?\\], 0 timers", expect = Expect.ACCEPTABLE, desc = "before, or never")
    @Outcome(id = "closed, ok, \\[0\\], 0 timers", expect = Expect.ACCEPTABLE, desc = "set too late")
    @State
    public static class TimerAgainstStop {
        private final Seen seen = new Seen();
        private volatile ActorContext<Integer> inside;
        private final Actor<Integer> actor = Actor.named("a", Integer.class)
                .mailbox(2, FullPolicy.REJECT)
                .state(() -> "", (state, number, context) -> {
                    inside = context;
                    seen.handle(number);
                    return state;
                })
                .executor(Runnable::run)
                .start();

        public TimerAgainstStop() {
            actor.offer(0);
        }

        @org.openjdk.jcstress.annotations.Actor
        public void one(LLLL_Result r) {
            r.r1 = Watch.run(() -> inside.sendAfter(Duration.ZERO, 1));
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLLL_Result r) {
            r.r2 = Watch.run(actor::close);
        }

        @Arbiter
        public void arbiter(LLLL_Result r) {
            Watch.call(() -> actor.close(Duration.ofSeconds(3)));
            r.r3 = seen.all();
            r.r4 = actor.stats().timers() + " timers";
        }
    }

    /** A timer that is taken back as it goes off: taken back and never seen, or too late and seen. */
    @JCStressTest
    @Outcome(id = "true, \\[0\\]", expect = Expect.ACCEPTABLE, desc = "taken back")
    @Outcome(id = "false, \\[0, 1\\]", expect = Expect.ACCEPTABLE, desc = "too late")
    @State
    public static class TimerAgainstCancel {
        private final Seen seen = new Seen();
        private final CountDownLatch rang = new CountDownLatch(1);
        private volatile ActorContext<Integer> inside;
        private final Actor<Integer> actor = Actor.named("a", Integer.class)
                .mailbox(2, FullPolicy.REJECT)
                .state(() -> "", (state, number, context) -> {
                    inside = context;
                    seen.handle(number);
                    if (number == 1) {
                        rang.countDown();
                    }
                    return state;
                })
                .executor(Runnable::run)
                .start();

        public TimerAgainstCancel() {
            actor.offer(0);
        }

        @org.openjdk.jcstress.annotations.Actor
        public void one(org.openjdk.jcstress.infra.results.LL_Result r) {
            boolean taken = inside.sendAfter(Duration.ZERO, 1).cancel();
            r.r1 = taken;
        }

        @Arbiter
        public void arbiter(org.openjdk.jcstress.infra.results.LL_Result r) {
            if (r.r1.equals(false)) {
                Watch.run(rang::await);
            }
            r.r2 = seen.all();
        }
    }
}
