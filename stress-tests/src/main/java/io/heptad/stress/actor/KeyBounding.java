package io.heptad.stress.actor;

import io.heptad.actor.Behavior;
import io.heptad.actor.KeyedActors;
import io.heptad.core.FullPolicy;
import io.heptad.stress.Bodies;
import io.heptad.stress.Quick;
import io.heptad.stress.Watch;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/** The bound of a key, and the one over all keys. */
public class KeyBounding {
    private KeyBounding() {}

    /** One place for all keys, two keys: one gets it. */
    @JCStressTest
    @Outcome(
            id = {"true, false, 1 deep", "false, true, 1 deep"},
            expect = Expect.ACCEPTABLE,
            desc = "one is in")
    @State
    public static class OffersOfTwoKeysForOnePlace {
        private final KeyedActors<String, Integer> actors = KeyedActors.named("k", String.class, Integer.class)
                .mailbox(2, FullPolicy.REJECT)
                .totalQueued(1)
                .state(key -> 0, (Behavior<Integer, Integer>) (sum, more, context) -> sum)
                .executor(activation -> {}) // nobody takes out what comes in
                .start();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> actors.offer("a", 1));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> actors.offer("b", 1));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = actors.depth() + " deep"
                    + (actors.depth("a") + actors.depth("b") == actors.depth()
                                    && actors.stats().keys() == 1
                            ? ""
                            : ", " + actors.stats());
        }
    }

    /** One place of a key, two offers: one gets it. */
    @JCStressTest
    @Outcome(
            id = {"true, false, 1 deep", "false, true, 1 deep"},
            expect = Expect.ACCEPTABLE,
            desc = "one is in")
    @State
    public static class OffersOfOneKey {
        private final KeyedActors<String, Integer> actors = KeyedActors.named("k", String.class, Integer.class)
                .mailbox(1, FullPolicy.REJECT)
                .totalQueued(5)
                .state(key -> 0, (Behavior<Integer, Integer>) (sum, more, context) -> sum)
                .executor(activation -> {}) // nobody takes out what comes in
                .start();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> actors.offer("a", 1));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> actors.offer("a", 1));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = actors.depth("a") + " deep";
        }
    }

    /** The oldest makes room, of the own key or of another: as many stay as may. */
    @JCStressTest
    @Outcome(id = "true true, true true, 2 deep, 2 evicted", expect = Expect.ACCEPTABLE, desc = "two are left")
    @State
    public static class EvictionsOfTwoKeys {
        private final KeyedActors<String, Integer> actors = KeyedActors.named("k", String.class, Integer.class)
                .mailbox(2, FullPolicy.DROP_OLDEST)
                .totalQueued(2)
                .state(key -> 0, (Behavior<Integer, Integer>) (sum, more, context) -> sum)
                .executor(activation -> {}) // nobody takes out what comes in
                .start();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> actors.send("a", 1)) + " " + Watch.call(() -> actors.send("a", 2));
        }

        @Actor
        public void two(LLL_Result r) {
            r.r2 = Watch.call(() -> actors.send("b", 1)) + " " + Watch.call(() -> actors.send("b", 2));
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = actors.depth("a") + actors.depth("b") + " deep, "
                    + actors.stats().evicted() + " evicted";
        }
    }

    /** Whoever reads the depth of a key or of all sees what may be. */
    @JCStressTest
    @Outcome(id = "in bounds, .*", expect = Expect.ACCEPTABLE, desc = "never more, never less")
    @State
    public static class DepthAgainstSends {
        private final CountDownLatch go = new CountDownLatch(0);
        private final KeyedActors<String, Integer> actors = KeyedActors.named("k", String.class, Integer.class)
                .mailbox(1, FullPolicy.REJECT)
                .totalQueued(2)
                .state(key -> 0, (Behavior<Integer, Integer>) (sum, more, context) -> {
                    go.await();
                    return sum + more;
                })
                .start();

        @Actor
        public void one(LL_Result r) {
            for (int i = 0; i < 6; i++) {
                actors.offer(i % 2 == 0 ? "a" : "b", 1);
            }
        }

        @Actor
        public void two(LL_Result r) {
            String seen = "in bounds";
            for (int i = 0; i < 20; i++) {
                long all = actors.depth();
                int key = actors.depth("a");
                if (all < 0 || all > 2 || key < 0 || key > 1) {
                    seen = all + " of all, " + key + " of a key";
                }
            }
            r.r1 = seen;
        }

        @Arbiter
        public void arbiter(LL_Result r) {
            r.r2 = Watch.call(() -> {
                go.countDown();
                boolean ended = actors.close(Duration.ofSeconds(3));
                boolean left = actors.depth() > 0 || actors.stats().waitingSenders() > 0;
                return (ended && !left ? "" : "ended " + ended + ", " + actors.stats() + ", ")
                        + actors.stats().handled() + " handled";
            });
        }
    }

    /** A sender at the door of its key, and the room that the owner makes. */
    @JCStressTest
    @Outcome(id = "true true true, ok, 3 handled", expect = Expect.ACCEPTABLE, desc = "let in")
    @State
    public static class SendAtTheDoorAgainstRoom {
        private final CountDownLatch go = new CountDownLatch(1);
        private final KeyedActors<String, Integer> actors = KeyedActors.named("k", String.class, Integer.class)
                .mailbox(1, FullPolicy.BLOCK)
                .totalQueued(5)
                .state(key -> 0, (Behavior<Integer, Integer>) (sum, more, context) -> {
                    go.await();
                    return sum + more;
                })
                .start();

        @Actor
        public void one(LLL_Result r) {
            r.r1 = Watch.call(() -> actors.send("a", 1)) + " " + Watch.call(() -> actors.send("a", 1)) + " "
                    + Watch.call(() -> actors.send("a", 1));
        }

        @Actor
        public void two(LLL_Result r) {
            Watch.awaitSpinning(() -> actors.depth("a") == 1);
            Bodies.spin(200);
            r.r2 = Watch.run(go::countDown);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> {
                go.countDown();
                boolean ended = actors.close(Duration.ofSeconds(3));
                boolean left = actors.depth() > 0 || actors.stats().waitingSenders() > 0;
                return (ended && !left ? "" : "ended " + ended + ", " + actors.stats() + ", ")
                        + actors.stats().handled() + " handled";
            });
        }
    }

    /** A sender that waits for the bound over all keys, and the place that another key gives back. */
    @Quick
    @JCStressTest
    @Outcome(id = "true true true, true true true, 6 handled", expect = Expect.ACCEPTABLE, desc = "let in, and handled")
    @State
    public static class SendsOfTwoKeysForOnePlace {
        private final CountDownLatch go = new CountDownLatch(0);
        private final KeyedActors<String, Integer> actors = KeyedActors.named("k", String.class, Integer.class)
                .mailbox(3, FullPolicy.BLOCK)
                .totalQueued(1)
                .state(key -> 0, (Behavior<Integer, Integer>) (sum, more, context) -> {
                    go.await();
                    return sum + more;
                })
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
            String end =
                    Watch.run(() -> Watch.awaitSpinning(() -> actors.stats().handled() >= 6));
            return end.equals("ok") ? ends : end;
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> {
                go.countDown();
                boolean ended = actors.close(Duration.ofSeconds(3));
                boolean left = actors.depth() > 0 || actors.stats().waitingSenders() > 0;
                return (ended && !left ? "" : "ended " + ended + ", " + actors.stats() + ", ")
                        + actors.stats().handled() + " handled";
            });
        }
    }

    /** A sender that waits is interrupted as it is let in: it is inside, or it is not, and its place is not lost. */
    @JCStressTest
    @Outcome(id = "true, true, 3 handled", expect = Expect.ACCEPTABLE, desc = "let in")
    @Outcome(id = "interrupted, true, 2 handled", expect = Expect.ACCEPTABLE, desc = "gave up")
    @State
    public static class InterruptAgainstAPlaceForAll {
        private final CountDownLatch go = new CountDownLatch(1);
        private final KeyedActors<String, Integer> actors = KeyedActors.named("k", String.class, Integer.class)
                .mailbox(3, FullPolicy.BLOCK)
                .totalQueued(1)
                .state(key -> 0, (Behavior<Integer, Integer>) (sum, more, context) -> {
                    go.await();
                    return sum + more;
                })
                .start();
        private volatile Thread waits;
        private volatile boolean sent;

        @Actor
        public void one(LLL_Result r) {
            String first = Watch.call(() -> actors.send("a", 1)); // in hand, or it takes the place until it is
            Watch.awaitSpinning(() -> actors.depth() == 0);
            String second = Watch.call(() -> actors.send("a", 1)); // the place
            waits = Thread.currentThread();
            r.r1 = Watch.call(() -> actors.send("b", 1));
            Watch.clearedAfter(() -> sent);
            if (!first.equals("true") || !second.equals("true")) {
                r.r1 = first + " " + second;
            }
        }

        @Actor
        public void two(LLL_Result r) {
            Watch.awaitSpinning(() -> waits != null);
            Bodies.spin(300);
            go.countDown();
            Bodies.spin((int) System.nanoTime() & 255);
            waits.interrupt();
            sent = true;
            r.r2 = "true";
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> {
                go.countDown();
                boolean ended = actors.close(Duration.ofSeconds(3));
                boolean left = actors.depth() > 0 || actors.stats().waitingSenders() > 0;
                return (ended && !left ? "" : "ended " + ended + ", " + actors.stats() + ", ")
                        + actors.stats().handled() + " handled";
            });
        }
    }

    /** A sender that waits, at its key or for all, is let in or sent away when all is closed. */
    @JCStressTest
    @Outcome(id = "true, ok, 3 handled", expect = Expect.ACCEPTABLE, desc = "let in before the close")
    @Outcome(id = "closed, ok, 2 handled", expect = Expect.ACCEPTABLE, desc = "sent away")
    @State
    public static class WaitingSendAgainstClose {
        private final CountDownLatch go = new CountDownLatch(1);
        private final KeyedActors<String, Integer> actors = KeyedActors.named("k", String.class, Integer.class)
                .mailbox(1, FullPolicy.BLOCK)
                .totalQueued(1)
                .state(key -> 0, (Behavior<Integer, Integer>) (sum, more, context) -> {
                    go.await();
                    return sum + more;
                })
                .start();

        @Actor
        public void one(LLL_Result r) {
            String first = Watch.call(() -> actors.send("a", 1));
            Watch.awaitSpinning(() -> actors.depth() == 0);
            String second = Watch.call(() -> actors.send("a", 1));
            r.r1 = Watch.call(() -> actors.send((System.nanoTime() & 1) == 0 ? "a" : "b", 1));
            if (!first.equals("true") || !second.equals("true")) {
                r.r1 = first + " " + second;
            }
        }

        @Actor
        public void two(LLL_Result r) {
            Watch.awaitSpinning(() -> actors.stats().waitingSenders() == 1);
            r.r2 = Watch.run(() -> {
                go.countDown();
                Bodies.spin((int) System.nanoTime() & 127);
                actors.close();
            });
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> {
                go.countDown();
                boolean ended = actors.close(Duration.ofSeconds(3));
                boolean left = actors.depth() > 0 || actors.stats().waitingSenders() > 0;
                return (ended && !left ? "" : "ended " + ended + ", " + actors.stats() + ", ")
                        + actors.stats().handled() + " handled";
            });
        }
    }

    /** A sender that nobody will make room for comes, or waits already, as all is closed. */
    @JCStressTest
    @Outcome(id = "closed, ok, 2 handled", expect = Expect.ACCEPTABLE, desc = "sent away")
    @State
    public static class WaitingSendAgainstCloseOfAHeldKey {
        private final CountDownLatch go = new CountDownLatch(1);
        private final KeyedActors<String, Integer> actors = KeyedActors.named("k", String.class, Integer.class)
                .mailbox(1, FullPolicy.BLOCK)
                .totalQueued(1)
                .state(key -> 0, (Behavior<Integer, Integer>) (sum, more, context) -> {
                    go.await();
                    return sum + more;
                })
                .start();
        private volatile boolean full;

        @Actor
        public void one(LLL_Result r) {
            String first = Watch.call(() -> actors.send("a", 1));
            Watch.awaitSpinning(() -> actors.depth() == 0); // in hand
            String second = Watch.call(() -> actors.send("a", 1)); // the place
            full = true;
            r.r1 = Watch.call(() -> actors.send((System.nanoTime() & 1) == 0 ? "a" : "b", 1));
            if (!first.equals("true") || !second.equals("true")) {
                r.r1 = first + " " + second;
            }
        }

        @Actor
        public void two(LLL_Result r) {
            Watch.awaitSpinning(() -> full);
            Bodies.spin((int) System.nanoTime() & 127);
            r.r2 = Watch.run(actors::close);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> {
                go.countDown();
                boolean ended = actors.close(Duration.ofSeconds(3));
                boolean left = actors.depth() > 0 || actors.stats().waitingSenders() > 0;
                return (ended && !left ? "" : "ended " + ended + ", " + actors.stats() + ", ")
                        + actors.stats().handled() + " handled";
            });
        }
    }

    /** A sender whose time is out as it is let in: inside or not, and handled accordingly. */
    @JCStressTest
    @Outcome(id = "true, ok, 3 handled", expect = Expect.ACCEPTABLE, desc = "in time")
    @Outcome(id = "false, ok, 2 handled", expect = Expect.ACCEPTABLE, desc = "late")
    @State
    public static class TimedSendAgainstRoom {
        private final CountDownLatch go = new CountDownLatch(1);
        private final KeyedActors<String, Integer> actors = KeyedActors.named("k", String.class, Integer.class)
                .mailbox(1, FullPolicy.BLOCK)
                .totalQueued(3)
                .state(key -> 0, (Behavior<Integer, Integer>) (sum, more, context) -> {
                    go.await();
                    return sum + more;
                })
                .start();
        private volatile boolean waits;

        @Actor
        public void one(LLL_Result r) {
            String first = Watch.call(() -> actors.send("a", 1));
            Watch.awaitSpinning(() -> actors.depth() == 0);
            String second = Watch.call(() -> actors.send("a", 1));
            waits = true;
            r.r1 = Watch.call(() -> actors.send("a", 1, Duration.ofNanos(30_000)));
            if (!first.equals("true") || !second.equals("true")) {
                r.r1 = first + " " + second;
            }
        }

        @Actor
        public void two(LLL_Result r) {
            Watch.awaitSpinning(() -> waits);
            Bodies.spin((int) System.nanoTime() & 1023);
            r.r2 = Watch.run(go::countDown);
        }

        @Arbiter
        public void arbiter(LLL_Result r) {
            r.r3 = Watch.call(() -> {
                go.countDown();
                boolean ended = actors.close(Duration.ofSeconds(3));
                boolean left = actors.depth() > 0 || actors.stats().waitingSenders() > 0;
                return (ended && !left ? "" : "ended " + ended + ", " + actors.stats() + ", ")
                        + actors.stats().handled() + " handled";
            });
        }
    }
}
