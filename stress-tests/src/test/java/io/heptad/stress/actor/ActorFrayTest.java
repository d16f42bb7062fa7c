package io.heptad.stress.actor;

import static io.heptad.stress.Schedules.DEADLOCK;
import static io.heptad.stress.Schedules.assertNoneFails;
import static io.heptad.stress.Schedules.check;
import static io.heptad.stress.Schedules.failure;
import static io.heptad.stress.Schedules.start;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.actor.Actor;
import io.heptad.actor.ActorDeadlockException;
import io.heptad.core.ClosedException;
import io.heptad.core.FullPolicy;
import io.heptad.stress.Schedules.Block;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Actors whose activations run in platform threads: no schedule strands a message, runs two handlers at once, leaves an asker
 * waiting or lets two wait for each other. Guards are also taken away, and a schedule is found that shows it.
 */
class ActorFrayTest {
    private static final Duration LONG = Duration.ofSeconds(Long.MAX_VALUE);

    private static final Executor THREADS = work -> new Thread(work).start();

    /** An actor that runs what it is sent; shipped or weakened. */
    private interface Runner {
        CompletableFuture<String> ask(Function<Runner, String> job);

        String call(Function<Runner, String> job) throws Exception;

        boolean close() throws InterruptedException;
    }

    private record Shipped(Actor<Message> actor) implements Runner {
        record Message(Function<Runner, String> job, io.heptad.actor.Reply<String> reply) {}

        static Runner of(String name) {
            return new Shipped(Actor.named(name, Message.class)
                    .mailbox(4, FullPolicy.REJECT)
                    .state(() -> 0, (Integer count, Message message, io.heptad.actor.ActorContext<Message> context) -> {
                        message.reply().ok(message.job().apply(new Shipped(context.self())));
                        return count + 1;
                    })
                    .executor(THREADS)
                    .start());
        }

        @Override
        public CompletableFuture<String> ask(Function<Runner, String> job) {
            return actor.ask(reply -> new Message(job, reply), LONG);
        }

        @Override
        public String call(Function<Runner, String> job) throws Exception {
            return actor.<String>call(reply -> new Message(job, reply), LONG);
        }

        @Override
        public boolean close() throws InterruptedException {
            return actor.close(LONG);
        }
    }

    private record Sleepy(io.heptad.mutant.actor.restswithoutanotherlook.Actor<Message> actor) implements Runner {
        record Message(
                Function<Runner, String> job, io.heptad.mutant.actor.restswithoutanotherlook.Reply<String> reply) {}

        static Runner of(String name) {
            return new Sleepy(io.heptad.mutant.actor.restswithoutanotherlook.Actor.named(name, Message.class)
                    .mailbox(4, FullPolicy.REJECT)
                    .state(
                            () -> 0,
                            (Integer count,
                                    Message message,
                                    io.heptad.mutant.actor.restswithoutanotherlook.ActorContext<Message> context) -> {
                                message.reply().ok(message.job().apply(new Sleepy(context.self())));
                                return count + 1;
                            })
                    .executor(THREADS)
                    .start());
        }

        @Override
        public CompletableFuture<String> ask(Function<Runner, String> job) {
            return actor.ask(reply -> new Message(job, reply), LONG);
        }

        @Override
        public String call(Function<Runner, String> job) throws Exception {
            return actor.<String>call(reply -> new Message(job, reply), LONG);
        }

        @Override
        public boolean close() throws InterruptedException {
            return actor.close(LONG);
        }
    }

    private record Blind(io.heptad.mutant.actor.looksbeforeitisseen.Actor<Message> actor) implements Runner {
        record Message(Function<Runner, String> job, io.heptad.mutant.actor.looksbeforeitisseen.Reply<String> reply) {}

        static Runner of(String name) {
            return new Blind(io.heptad.mutant.actor.looksbeforeitisseen.Actor.named(name, Message.class)
                    .mailbox(4, FullPolicy.REJECT)
                    .state(
                            () -> 0,
                            (Integer count,
                                    Message message,
                                    io.heptad.mutant.actor.looksbeforeitisseen.ActorContext<Message> context) -> {
                                message.reply().ok(message.job().apply(new Blind(context.self())));
                                return count + 1;
                            })
                    .executor(THREADS)
                    .start());
        }

        @Override
        public CompletableFuture<String> ask(Function<Runner, String> job) {
            return actor.ask(reply -> new Message(job, reply), LONG);
        }

        @Override
        public String call(Function<Runner, String> job) throws Exception {
            return actor.<String>call(reply -> new Message(job, reply), LONG);
        }

        @Override
        public boolean close() throws InterruptedException {
            return actor.close(LONG);
        }
    }

    /** A job in which another may come in; two of them at once would be seen. */
    @SuppressWarnings("ThreadPriorityCheck") // steps in which another thread may come in
    private static Function<Runner, String> alone(AtomicInteger inside) {
        return self -> {
            check(inside.incrementAndGet() == 1, "two at once");
            Thread.yield();
            inside.decrementAndGet();
            return "ran";
        };
    }

    private static Block threeCall(Supplier<Runner> made) {
        return () -> {
            Runner actor = made.get();
            AtomicInteger inside = new AtomicInteger();
            Thread first = start(() -> check(actor.call(alone(inside)).equals("ran"), "no answer"));
            Thread second = start(() -> check(actor.call(alone(inside)).equals("ran"), "no answer"));
            check(actor.call(alone(inside)).equals("ran"), "no answer");
            first.join();
            second.join();
            check(actor.close(), "not stopped");
        };
    }

    private static Block aCallMeetsTheEnd(Supplier<Runner> made) {
        return () -> {
            Runner actor = made.get();
            AtomicInteger inside = new AtomicInteger();
            Thread caller = start(() -> {
                try {
                    check(actor.call(alone(inside)).equals("ran"), "no answer");
                } catch (ClosedException e) {
                    // it came too late
                }
            });
            check(actor.close(), "not stopped");
            caller.join();
        };
    }

    private static Block aCancelMeetsAnAnswer(Supplier<Runner> made) {
        return () -> {
            Runner actor = made.get();
            AtomicInteger inside = new AtomicInteger();
            CompletableFuture<String> asked = actor.ask(alone(inside));
            CompletableFuture<String> other = actor.ask(alone(inside));
            asked.cancel(true);
            try {
                check(asked.get().equals("ran"), "no answer");
            } catch (CancellationException e) {
                // in time
            }
            check(other.get().equals("ran"), "no answer");
            check(actor.close(), "not stopped");
        };
    }

    private static Block eachCallsTheOther(Function<String, Runner> made) {
        return () -> {
            Runner a = made.apply("a");
            Runner b = made.apply("b");
            AtomicInteger told = new AtomicInteger();
            CompletableFuture<String> first = a.ask(self -> calling(b, told));
            CompletableFuture<String> second = b.ask(self -> calling(a, told));
            check(!first.get().isEmpty() && !second.get().isEmpty(), "no answer");
            check(told.get() <= 1, "both were told");
        };
    }

    private static String calling(Runner other, AtomicInteger told) {
        try {
            return other.call(self -> "answer");
        } catch (IllegalStateException circle) {
            told.incrementAndGet();
            return circle.getClass().getSimpleName().equals(ActorDeadlockException.class.getSimpleName()) ? "told" : "";
        } catch (ExecutionException | InterruptedException e) {
            return "";
        } catch (Exception e) {
            return "";
        }
    }

    @Test
    void everyCallIsAnsweredOneByOne() {
        assertNoneFails(threeCall(() -> Shipped.of("a")));
    }

    @Test
    void aCallThatMeetsTheEndIsAnsweredOrTold() {
        assertNoneFails(aCallMeetsTheEnd(() -> Shipped.of("a")));
    }

    @Test
    void aCancelLosesNobodyElse() {
        assertNoneFails(aCancelMeetsAnAnswer(() -> Shipped.of("a")));
    }

    @Test
    void ofTwoThatCallEachOtherOneIsTold() {
        assertNoneFails(eachCallsTheOther(Shipped::of));
    }

    @Test
    void findsAMessageThatIsStrandedWithoutAnotherLook() {
        assertThat(failure(threeCall(() -> Sleepy.of("a")))).hasToString(DEADLOCK);
    }

    @Test
    void findsACircleThatNobodySees() {
        assertThat(failure(eachCallsTheOther(Blind::of))).hasToString(DEADLOCK);
    }
}
