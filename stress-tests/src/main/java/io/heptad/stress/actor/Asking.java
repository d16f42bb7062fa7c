package io.heptad.stress.actor;

import io.heptad.actor.Actor;
import io.heptad.actor.Reply;
import io.heptad.core.FullPolicy;
import io.heptad.stress.Quick;
import io.heptad.stress.Watch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** Questions against whatever ends them. */
public class Asking {

    private Asking() {}

    /** The handler keeps the reply for later, and the actor stops: the asker is told so, before, during or after. Row G60. */
    @Quick
    @JCStressTest
    @Outcome(id = "closed, ok, 0 pending", expect = Expect.ACCEPTABLE, desc = "told")
    @State
    public static class AskAgainstStop {
        private final Actor<Reply<String>> actor = Actor.<Reply<String>>named("a", type())
                .mailbox(2, FullPolicy.REJECT)
                .state(() -> "", (state, reply, context) -> state)
                .executor(Runnable::run)
                .start();

        @SuppressWarnings("unchecked")
        private static Class<Reply<String>> type() {
            return (Class<Reply<String>>) (Class<?>) Reply.class;
        }

        @org.openjdk.jcstress.annotations.Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> actor.<String>ask(reply -> reply, Duration.ofSeconds(Long.MAX_VALUE))
                    .get());
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(actor::close);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = actor.stats().pendingAsks() + " pending";
        }
    }

    /** A caller gets its answer, or learns that the actor was closed first. */
    @JCStressTest
    @Outcome(id = "answer, ok, 0 pending", expect = Expect.ACCEPTABLE, desc = "answered")
    @Outcome(id = "closed, ok, 0 pending", expect = Expect.ACCEPTABLE, desc = "told")
    @State
    public static class CallAgainstClose {
        private final Actor<Reply<String>> actor = Actor.of("a", 2, FullPolicy.BLOCK, "", (state, reply, context) -> {
            reply.ok("answer");
            return state;
        });

        @org.openjdk.jcstress.annotations.Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> actor.<String>call(reply -> reply, Duration.ofSeconds(Long.MAX_VALUE)));
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(actor::close);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = actor.stats().pendingAsks() + " pending";
        }
    }

    /** An asker that gives up meets the handler that answers: one of them is first, and nothing is left. Row G59. */
    @JCStressTest
    @Outcome(id = "answer, false, 0 pending", expect = Expect.ACCEPTABLE, desc = "answered")
    @Outcome(id = "cancelled, true, 0 pending", expect = Expect.ACCEPTABLE, desc = "given up")
    @State
    public static class AnswerAgainstCancel {
        private Runnable work = () -> {};
        private final Actor<Reply<String>> actor = Actor.<Reply<String>>named("a", type())
                .mailbox(2, FullPolicy.REJECT)
                .state(() -> "", (state, reply, context) -> {
                    reply.ok("answer");
                    return state;
                })
                .executor(start -> work = start)
                .start();
        private final CompletableFuture<String> asked = actor.ask(reply -> reply, Duration.ofSeconds(Long.MAX_VALUE));

        @SuppressWarnings("unchecked")
        private static Class<Reply<String>> type() {
            return (Class<Reply<String>>) (Class<?>) Reply.class;
        }

        @org.openjdk.jcstress.annotations.Actor
        public void one() {
            work.run();
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLL_Result r) {
            r.r2 = asked.cancel(true);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r1 = Watch.call(asked::get);
            r.r3 = actor.stats().pendingAsks() + " pending";
        }
    }

    /** A time that runs out meets the answer: one of them is first, and no timer is left. Row G59. */
    @JCStressTest
    @Outcome(id = "(answer|timeout), true, 0 pending", expect = Expect.ACCEPTABLE, desc = "one of the two")
    @State
    public static class AnswerAgainstTimeout {
        private final Actor<Reply<String>> actor = Actor.of("a", 2, FullPolicy.BLOCK, "", (state, reply, context) -> {
            reply.ok("answer");
            return state;
        });

        @org.openjdk.jcstress.annotations.Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() ->
                    actor.<String>ask(reply -> reply, Duration.ofNanos(20_000)).get());
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> actor.close(Duration.ofSeconds(3)));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r1 = r.r1.equals("closed") ? "answer" : r.r1; // it was asked too late
            r.r3 = actor.stats().pendingAsks() + " pending";
        }
    }

    /** An ask that is given up in the line is skipped, or it was handled; counted once. */
    @JCStressTest
    @Outcome(id = "true, 1 expired, 0 handled", expect = Expect.ACCEPTABLE, desc = "skipped")
    @Outcome(id = "true, 0 expired, 1 handled", expect = Expect.ACCEPTABLE, desc = "handled in vain")
    @State
    public static class CancelAgainstItsTurn {
        private Runnable work = () -> {};
        private final Actor<Reply<String>> actor = Actor.<Reply<String>>named("a", type())
                .mailbox(2, FullPolicy.REJECT)
                .state(() -> "", (state, reply, context) -> state)
                .executor(start -> work = start)
                .start();
        private final CompletableFuture<String> asked = actor.ask(reply -> reply, Duration.ofSeconds(Long.MAX_VALUE));

        @SuppressWarnings("unchecked")
        private static Class<Reply<String>> type() {
            return (Class<Reply<String>>) (Class<?>) Reply.class;
        }

        @org.openjdk.jcstress.annotations.Actor
        public void one() {
            work.run();
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLL_Result r) {
            r.r1 = asked.cancel(true);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r2 = actor.stats().expired() + " expired";
            r.r3 = actor.stats().handled() + " handled";
        }
    }

    /** Two actors that call each other: one is told, the other gets its answer. */
    @Quick
    @JCStressTest
    @Outcome(id = "circle, answer, true", expect = Expect.ACCEPTABLE, desc = "the first is told")
    @Outcome(id = "answer, circle, true", expect = Expect.ACCEPTABLE, desc = "the second is told")
    @Outcome(id = "answer, answer, true", expect = Expect.ACCEPTABLE, desc = "one after the other")
    @State
    public static class CallAgainstCall {
        private final Actor<Object>[] both = newArray();
        private final String[] ends = new String[2];

        public CallAgainstCall() {
            for (int i = 0; i < 2; i++) {
                int me = i;
                both[i] = Actor.of("a" + i, 4, FullPolicy.BLOCK, "", (state, message, context) -> {
                    if (message instanceof Reply<?> reply) {
                        answer(reply);
                    } else {
                        ends[me] = end(both[1 - me]);
                    }
                    return state;
                });
            }
        }

        @SuppressWarnings({"unchecked", "rawtypes"})
        private static Actor<Object>[] newArray() {
            return new Actor[2];
        }

        @SuppressWarnings("unchecked")
        private static void answer(Reply<?> reply) {
            ((Reply<Object>) reply).ok("answer");
        }

        private static String end(Actor<Object> other) {
            try {
                return String.valueOf(other.<Object>call(reply -> reply, Duration.ofSeconds(Long.MAX_VALUE)));
            } catch (Throwable thrown) {
                String word = Watch.word(thrown);
                return word.equals("ActorDeadlockException") ? "circle" : word;
            }
        }

        @org.openjdk.jcstress.annotations.Actor
        public void one(LLL_Result r) {
            both[0].offer("call the other");
        }

        @org.openjdk.jcstress.annotations.Actor
        public void two(LLL_Result r) {
            both[1].offer("call the other");
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> {
                while (both[0].stats().handled() < 1 || both[1].stats().handled() < 1 || busy()) {
                    Thread.onSpinWait();
                    if (Thread.interrupted()) {
                        throw new InterruptedException();
                    }
                }
                return both[0].close(Duration.ofSeconds(3)) && both[1].close(Duration.ofSeconds(3));
            });
            r.r1 = String.valueOf(ends[0]);
            r.r2 = String.valueOf(ends[1]);
        }

        private boolean busy() {
            return ends[0] == null || ends[1] == null;
        }
    }
}
