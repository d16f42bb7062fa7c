package io.heptad.stress.actor;

import io.heptad.actor.Behavior;
import io.heptad.actor.KeyedActors;
import io.heptad.actor.Reply;
import io.heptad.core.FullPolicy;
import io.heptad.stress.Bodies;
import io.heptad.stress.Quick;
import io.heptad.stress.Sums;
import io.heptad.stress.Watch;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** Owners that come and go: one at any instant, each message handled once, and nothing left of a key. */
public class KeyOwning {
    private KeyOwning() {}

    /** An owner goes as soon as nothing waits, and messages come all the time. */
    @Quick
    @JCStressTest
    @Outcome(
            id = "true true true, true true true, sum 6, 1 at most, gone",
            expect = Expect.ACCEPTABLE,
            desc = "all handled")
    @State
    public static class SendAgainstPassivation {
        private final Sums sums = new Sums();
        private final KeyedActors<String, Integer> actors = KeyedActors.named("k", String.class, Integer.class)
                .mailbox(8, FullPolicy.BLOCK)
                .totalQueued(16)
                .state(sums::load, (Behavior<Integer, Integer>) (sum, more, context) -> sums.add(sum, more))
                .idleAfter(Duration.ZERO)
                .onPassivate(sums::store)
                .start();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = sends();
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = sends();
        }

        private String sends() {
            String ends = "";
            for (int i = 0; i < 3; i++) {
                Bodies.spin((int) System.nanoTime() & 511); // sometimes the owner has gone meanwhile
                ends += (i == 0 ? "" : " ") + Watch.call(() -> actors.send("a", 1));
            }
            return ends;
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> sums.left(
                    () -> actors.close(Duration.ofSeconds(3)),
                    actors::depth,
                    () -> actors.stats().keys()));
        }
    }

    /** An owner goes by its alarm, and a message comes just then. */
    @JCStressTest
    @Outcome(id = "true true, true true, sum 4, 1 at most, gone", expect = Expect.ACCEPTABLE, desc = "all handled")
    @State
    public static class SendAgainstTheAlarm {
        private final Sums sums = new Sums();
        private final KeyedActors<String, Integer> actors = KeyedActors.named("k", String.class, Integer.class)
                .mailbox(8, FullPolicy.BLOCK)
                .totalQueued(16)
                .state(sums::load, (Behavior<Integer, Integer>) (sum, more, context) -> sums.add(sum, more))
                .idleAfter(Duration.ofNanos(1))
                .onPassivate(sums::store)
                .start();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> actors.send("a", 1));
            Bodies.spin(400);
            r.r1 += " " + Watch.call(() -> actors.send("a", 1));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> actors.send("a", 1));
            Bodies.spin(900);
            r.r2 += " " + Watch.call(() -> actors.send("a", 1));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> sums.left(
                    () -> actors.close(Duration.ofSeconds(3)),
                    actors::depth,
                    () -> actors.stats().keys()));
        }
    }

    /** A message comes as the owner, which stays, goes idle. */
    @JCStressTest
    @Outcome(id = "true true, true true, sum 4, 1 at most, gone", expect = Expect.ACCEPTABLE, desc = "all handled")
    @State
    public static class SendAgainstRest {
        private final Sums sums = new Sums();
        private final KeyedActors<String, Integer> actors = KeyedActors.named("k", String.class, Integer.class)
                .mailbox(8, FullPolicy.BLOCK)
                .totalQueued(16)
                .state(sums::load, (Behavior<Integer, Integer>) (sum, more, context) -> sums.add(sum, more))
                .onPassivate(sums::store)
                .start();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> actors.send("a", 1)) + " " + Watch.call(() -> actors.send("a", 1));
            handled(4);
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> actors.send("a", 1)) + " " + Watch.call(() -> actors.send("a", 1));
            handled(4);
        }

        private void handled(int all) {
            String ignored =
                    Watch.run(() -> Watch.awaitSpinning(() -> actors.stats().handled() >= all));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> sums.left(
                    () -> actors.close(Duration.ofSeconds(3)),
                    actors::depth,
                    () -> actors.stats().keys()));
        }
    }

    /** What was accepted is handled and stored; what comes later is refused. */
    @JCStressTest
    @Outcome(id = "true true, ok, sum 2, 1 at most, gone", expect = Expect.ACCEPTABLE, desc = "before the close")
    @Outcome(id = "true closed, ok, sum 1, 1 at most, gone", expect = Expect.ACCEPTABLE, desc = "close in between")
    @Outcome(id = "closed closed, ok, sum 0, 0 at most, gone", expect = Expect.ACCEPTABLE, desc = "after the close")
    @State
    public static class SendAgainstClose {
        private final Sums sums = new Sums();
        private final KeyedActors<String, Integer> actors = KeyedActors.named("k", String.class, Integer.class)
                .mailbox(8, FullPolicy.BLOCK)
                .totalQueued(16)
                .state(sums::load, (Behavior<Integer, Integer>) (sum, more, context) -> sums.add(sum, more))
                .idleAfter(Duration.ZERO)
                .onPassivate(sums::store)
                .start();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> actors.send("a", 1)) + " " + Watch.call(() -> actors.send("a", 1));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.run(() -> {
                actors.close();
                if (!actors.close(Duration.ofSeconds(3))) {
                    throw new IllegalStateException("not ended");
                }
            });
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> sums.left(
                    () -> actors.close(Duration.ofSeconds(3)),
                    actors::depth,
                    () -> actors.stats().keys()));
        }
    }

    /** The first message of a key loads as all is given back: it is handled, given back or refused. */
    @JCStressTest
    @Outcome(id = "true, 0 back, sum 1, 1 at most, gone", expect = Expect.ACCEPTABLE, desc = "handled")
    @Outcome(id = "true, 1 back, sum 0, (0|1) at most, gone", expect = Expect.ACCEPTABLE, desc = "given back")
    @Outcome(id = "closed, 0 back, sum 0, 0 at most, gone", expect = Expect.ACCEPTABLE, desc = "refused")
    @State
    public static class LoadAgainstCloseNow {
        private final Sums sums = new Sums();
        private final KeyedActors<String, Integer> actors = KeyedActors.named("k", String.class, Integer.class)
                .mailbox(8, FullPolicy.BLOCK)
                .totalQueued(16)
                .state(sums::load, (Behavior<Integer, Integer>) (sum, more, context) -> sums.add(sum, more))
                .idleAfter(Duration.ZERO)
                .onPassivate(sums::store)
                .start();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> actors.send("a", 1));
        }

        @Actor
        public void two(LLL_Result r) {
            Bodies.spin((int) System.nanoTime() & 255);
            r.r2 = Watch.call(() -> actors.closeNow().size() + " back");
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> sums.left(
                    () -> actors.close(Duration.ofSeconds(3)),
                    actors::depth,
                    () -> actors.stats().keys()));
        }
    }

    /** The owner stops: the question is answered by it, or by the next, or left behind and told so. Never open. */
    @JCStressTest
    @Outcome(id = "(0|closed), true, sum 0, 1 at most, gone", expect = Expect.ACCEPTABLE, desc = "answered or told")
    @State
    public static class AskAgainstStop {
        /** What is asked, and what stops an owner. */
        sealed interface Question {
            record Sum(Reply<? super Integer> reply) implements Question {}

            record Stop() implements Question {}
        }

        private final Sums sums = new Sums();
        private final KeyedActors<String, Question> actors = KeyedActors.named("k", String.class, Question.class)
                .mailbox(8, FullPolicy.BLOCK)
                .totalQueued(16)
                .state(sums::load, (Behavior<Integer, Question>) (sum, question, context) -> {
                    switch (question) {
                        case Question.Sum ask -> ask.reply().ok(sum);
                        case Question.Stop stop -> context.stop();
                    }
                    return sum;
                })
                .onPassivate(sums::store)
                .start();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() ->
                    actors.ask("a", Question.Sum::new, Duration.ofSeconds(3)).get());
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> actors.send("a", new Question.Stop()));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> sums.left(
                    () -> actors.close(Duration.ofSeconds(3)),
                    actors::depth,
                    () -> actors.stats().keys()));
        }
    }

    /** An ask is cancelled as its turn comes: its room is free, once. */
    @JCStressTest
    @Outcome(id = "(0|cancelled), true true, sum 0, 1 at most, gone", expect = Expect.ACCEPTABLE, desc = "either")
    @State
    public static class CancelledAskAgainstItsTurn {
        /** What is asked, and what stops an owner. */
        sealed interface Query {
            record Sum(Reply<? super Integer> reply) implements Query {}

            record Stop() implements Query {}
        }

        private final Sums sums = new Sums();
        private final KeyedActors<String, Query> actors = KeyedActors.named("k", String.class, Query.class)
                .mailbox(1, FullPolicy.BLOCK)
                .totalQueued(1)
                .state(sums::load, (Behavior<Integer, Query>) (sum, question, context) -> {
                    switch (question) {
                        case Query.Sum ask -> ask.reply().ok(sum);
                        case Query.Stop stop -> context.stop();
                    }
                    return sum;
                })
                .onPassivate(sums::store)
                .start();
        private volatile CompletableFuture<Integer> ask;

        @Actor
        public void one(LLL_Result r) {
            CompletableFuture<Integer> mine = actors.ask("a", Query.Sum::new, Duration.ofSeconds(3));
            ask = mine;
            r.r1 = Watch.call(mine::get);
        }

        @Actor
        public void two(LLL_Result r) {
            Watch.awaitSpinning(() -> ask != null);
            ask.cancel(true);
            r.r2 = Watch.call(() -> actors.send("a", new Query.Stop())) + " "
                    + Watch.call(() -> actors.send("a", new Query.Stop()));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> sums.left(
                    () -> actors.close(Duration.ofSeconds(3)),
                    actors::depth,
                    () -> actors.stats().keys()));
        }
    }

    /** One place among the live, two keys: each comes when the other has gone, and both are handled. */
    @JCStressTest
    @Outcome(
            id = "true true true, true true true, sum 6, 1 at most, gone",
            expect = Expect.ACCEPTABLE,
            desc = "one by one")
    @State
    public static class KeysForOnePlace {
        private final Sums sums = new Sums();
        private final KeyedActors<String, Integer> actors = KeyedActors.named("k", String.class, Integer.class)
                .mailbox(8, FullPolicy.BLOCK)
                .totalQueued(16)
                .state(sums::load, (Behavior<Integer, Integer>) (sum, more, context) -> sums.add(sum, more))
                .maxLive(1)
                .onPassivate(sums::store)
                .start();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = sends("a");
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = sends("b");
        }

        private String sends(String key) {
            String ends = Watch.call(() -> actors.send(key, 1)) + " " + Watch.call(() -> actors.send(key, 1)) + " "
                    + Watch.call(() -> actors.send(key, 1));
            String ignored =
                    Watch.run(() -> Watch.awaitSpinning(() -> actors.stats().handled() >= 6));
            return ignored.equals("ok") ? ends : ignored;
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> sums.left(
                    () -> actors.close(Duration.ofSeconds(3)),
                    actors::depth,
                    () -> actors.stats().keys()));
        }
    }

    /** Calls that wait for the one place of their key, and for their answers. */
    @JCStressTest
    @Outcome(id = "[0, 0], [0, 0], sum 0, 1 at most, gone", expect = Expect.ACCEPTABLE, desc = "answered")
    @State
    public static class CallsOfOneKey {
        /** What is asked, and what stops an owner. */
        sealed interface Inquiry {
            record Sum(Reply<? super Integer> reply) implements Inquiry {}

            record Stop() implements Inquiry {}
        }

        private final Sums sums = new Sums();
        private final KeyedActors<String, Inquiry> actors = KeyedActors.named("k", String.class, Inquiry.class)
                .mailbox(1, FullPolicy.BLOCK)
                .totalQueued(1)
                .state(sums::load, (Behavior<Integer, Inquiry>) (sum, question, context) -> {
                    switch (question) {
                        case Inquiry.Sum ask -> ask.reply().ok(sum);
                        case Inquiry.Stop stop -> context.stop();
                    }
                    return sum;
                })
                .onPassivate(sums::store)
                .start();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = calls();
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = calls();
        }

        private String calls() {
            return Watch.call(() -> List.of(
                    actors.<Integer>call("a", Inquiry.Sum::new, Duration.ofSeconds(3)),
                    actors.<Integer>call("a", Inquiry.Sum::new, Duration.ofSeconds(3))));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> sums.left(
                    () -> actors.close(Duration.ofSeconds(3)),
                    actors::depth,
                    () -> actors.stats().keys()));
        }
    }
}
