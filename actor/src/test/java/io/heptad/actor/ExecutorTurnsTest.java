package io.heptad.actor;

import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The turns of an actor, one by one: given, refused, taken all the same, given up; and who runs it meanwhile. */
@Watched
class ExecutorTurnsTest {
    private static final Duration NO_LIMIT = Duration.ofSeconds(Long.MAX_VALUE);

    private interface Handler {
        void handle(String word, ActorContext<String> context) throws Exception;
    }

    private static final Handler NOTHING = (word, context) -> {};

    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final List<String> dead = new CopyOnWriteArrayList<>();
    private final List<Runnable> line = new ArrayList<>();
    private final ManualAlarm alarms = new ManualAlarm();
    private final Held held = new Held();

    private Actor.Builder<Integer, String> builder(Executor executor, Handler handler) {
        return Actor.named("words", String.class)
                .mailbox(1_000, REJECT)
                .state(() -> 0, (Integer count, String word, ActorContext<String> context) -> {
                    handled.add(word);
                    handler.handle(word, context);
                    return count + 1;
                })
                .deadLetters(dead::add)
                .executor(executor)
                .alarms(alarms);
    }

    private static void send(Actor<String> actor, String word, int times) throws InterruptedException {
        for (int i = 0; i < times; i++) {
            assertThat(actor.send(word)).isTrue();
        }
    }

    private static double refusals(Actor<?> actor) {
        return actor.metrics().stream()
                .filter(metric -> metric.name().equals("heptad.actor.refusals"))
                .mapToDouble(metric -> metric.value().getAsDouble())
                .sum();
    }

    @AfterEach
    void letGo() {
        held.release();
    }

    // Taken, whatever the executor says

    @Test
    void workThatWasRunIsNotRefusedThoughTheExecutorThrows() throws Exception {
        Actor<String> actor = builder(
                        work -> {
                            work.run();
                            throw new IllegalStateException("after the fact");
                        },
                        NOTHING)
                .start();
        send(actor, "a", 1);

        assertThat(handled).containsExactly("a");
        assertThat(refusals(actor)).isZero();
        assertThat(alarms.pending()).isZero();
    }

    @Test
    void workThatRunsAfterItWasRefusedIsNotAskedForAgain() throws Exception {
        Actor<String> actor = builder(
                        work -> {
                            line.add(work);
                            if (line.size() == 1) {
                                throw new RejectedExecutionException("taken all the same");
                            }
                        },
                        NOTHING)
                .start();
        send(actor, "a", 1);
        line.get(0).run();
        assertThat(handled).containsExactly("a");
        alarms.advance(Duration.ofSeconds(2));
        assertThat(line).hasSize(1);

        send(actor, "b", 1);
        line.get(1).run();
        assertThat(handled).containsExactly("a", "b");
    }

    @Test
    void anActorThatRunsAfterAllIsNotGivenUp() throws Exception {
        Actor<String> actor = builder(
                        work -> {
                            line.add(work);
                            throw new RejectedExecutionException("taken all the same");
                        },
                        (word, context) -> held.here())
                .start();
        send(actor, "a", 1);
        alarms.advance(Duration.ofMillis(900));
        assertThat(line).hasSize(10);
        Call<Object> late = Call.start(false, () -> {
            line.get(9).run();
            return "ran";
        });
        held.awaitBegun();
        send(actor, "b", 1);

        alarms.advance(Duration.ofMillis(200)); // now it would have been given up

        assertThat(dead).isEmpty();
        assertThat(actor.depth()).isEqualTo(1);
        held.release();
        assertThat(late.outcome()).isEqualTo("ran");
        assertThat(handled).containsExactly("a", "b");
    }

    @Test
    void aTurnThatAnotherThreadTookIsOverThoughTheExecutorThrows() throws Exception {
        AtomicReference<Runnable> first = new AtomicReference<>();
        Actor<String> actor = builder(
                        work -> {
                            if (!first.compareAndSet(null, work)) {
                                Thread.ofPlatform().daemon().start(work);
                                held.awaitBegun();
                                throw new RejectedExecutionException("after the fact");
                            }
                        },
                        (word, context) -> {
                            if (word.equals("hold")) {
                                held.here();
                            }
                        })
                .start();
        send(actor, "w", 64);
        send(actor, "hold", 1);
        send(actor, "behind", 1);
        first.get().run();

        assertThat(handled).hasSize(65).doesNotContain("behind");
        assertThat(refusals(actor)).isZero();
        held.release();
        Call.until(() -> handled.contains("behind"));
    }

    // Who runs it

    @Test
    void whoHasGivenItsThreadBackIsNotBusyAndWhoGoesOnInItIs() throws Exception {
        List<Boolean> busy = new CopyOnWriteArrayList<>();
        AtomicInteger turns = new AtomicInteger(2);
        Actor<String> actor = builder(
                        work -> {
                            if (turns.getAndDecrement() <= 0) {
                                throw new RejectedExecutionException("no third");
                            }
                            line.add(work);
                        },
                        (word, context) -> busy.add(context.self().stats().busy()))
                .start();
        send(actor, "w", 200);
        line.remove(0).run();
        assertThat(handled).hasSize(64);
        assertThat(line).hasSize(1);
        assertThat(actor.stats().busy()).isFalse();
        line.remove(0).run();

        assertThat(handled).hasSize(200);
        assertThat(busy).hasSize(200).containsOnly(true);
        assertThat(actor.stats().busy()).isFalse();
    }

    @Test
    void anActorThatIsGivenUpIsRunByWhoeverGivesItUpUntilNothingIsLeft() throws Exception {
        AtomicReference<Actor<String>> self = new AtomicReference<>();
        List<Object> seen = new CopyOnWriteArrayList<>();
        Actor<String> actor = builder(
                        work -> {
                            throw new RejectedExecutionException("shut down");
                        },
                        NOTHING)
                .deadLetters(word -> {
                    dead.add(word);
                    seen.add(self.get().stats().busy());
                    if (word.equals("a")) {
                        seen.add(self.get().offer("b"));
                    } else {
                        try {
                            seen.add(self.get().close(NO_LIMIT)); // would wait for itself
                        } catch (InterruptedException hung) {
                            throw new AssertionError(hung);
                        }
                    }
                })
                .onStop(count -> seen.add("stopped"))
                .start();
        self.set(actor);
        send(actor, "a", 1);
        alarms.advance(Duration.ofSeconds(2));

        assertThat(dead).containsExactly("a", "b");
        assertThat(seen).containsExactly(true, true, true, false, "stopped");
        assertThat(actor.stats().busy()).isFalse();
    }

    @Test
    void anInterruptFromBeforeTheTurnIsKeptForWhatComesAfterIt() throws Exception {
        List<Boolean> seen = new CopyOnWriteArrayList<>();
        Actor<String> actor = builder(
                        line::add,
                        (word, context) -> seen.add(Thread.currentThread().isInterrupted()))
                .start();
        send(actor, "w", 2);
        Thread.currentThread().interrupt();
        line.remove(0).run();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(seen).containsExactly(false, false);
        send(actor, "w", 1);
        line.remove(0).run();
        assertThat(Thread.interrupted()).isFalse();
    }

    // What goes wrong outside the handler

    @Test
    void aRefusalIsReportedOnceHoweverOftenItIsTried() throws Exception {
        List<Throwable> reported = new CopyOnWriteArrayList<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> reported.add(failure));
        try {
            Actor<String> actor = builder(
                            work -> {
                                throw new RejectedExecutionException("shut down");
                            },
                            NOTHING)
                    .start();
            send(actor, "a", 1);
            alarms.advance(Duration.ofSeconds(2));

            assertThat(refusals(actor)).isEqualTo(10);
            assertThat(dead).containsExactly("a");
            assertThat(reported).singleElement().isInstanceOf(RejectedExecutionException.class);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    /** Runs the next turn; what is reported in it. */
    private List<Class<?>> reportedInATurn() {
        List<Class<?>> reported = new ArrayList<>();
        Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> reported.add(failure.getClass()));
        try {
            line.remove(0).run();
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(null);
        }
        return reported;
    }

    /** Alarms of which the first so many that are taken back break. */
    private Alarm breaking(int times) {
        AtomicInteger left = new AtomicInteger(times);
        return (nanos, then) -> {
            Runnable back = alarms.in(nanos, then);
            return () -> {
                back.run();
                if (left.getAndDecrement() > 0) {
                    throw new InternalError("pretended");
                }
            };
        };
    }

    @Test
    void anActorWhoseTurnBreaksOffGoesOnInAnother() throws Exception {
        Actor<String> actor = Actor.named("words", String.class)
                .mailbox(10, REJECT)
                .state(() -> 0, (Integer count, String word, ActorContext<String> context) -> {
                    handled.add(word);
                    if (word.equals("fail")) {
                        Cancellable ignored = context.sendAfter(Duration.ofHours(1), "never");
                        throw new IllegalStateException("and the timer is to be taken back");
                    }
                    return count + 1;
                })
                .supervision(Supervision.restart(1, Duration.ofHours(1)))
                .executor(line::add)
                .alarms(breaking(1))
                .start();
        send(actor, "fail", 1);
        send(actor, "b", 1);
        assertThat(reportedInATurn()).containsExactly(IllegalStateException.class, InternalError.class);
        assertThat(handled).containsExactly("fail");
        assertThat(actor.stats().busy()).isFalse();
        assertThat(actor.depth()).isEqualTo(1);

        alarms.advance(Duration.ofMillis(1));
        line.remove(0).run();
        assertThat(handled).containsExactly("fail", "b");
        assertThat(line).isEmpty();
    }

    @Test
    void anActorThatBreaksOffWhileItEndsStopsAllTheSame() throws Exception {
        List<Integer> stopped = new ArrayList<>();
        Actor<String> actor = builder(line::add, (word, context) -> {
                    Cancellable ignored = context.sendAfter(Duration.ofHours(1), "never");
                })
                .alarms(breaking(Integer.MAX_VALUE))
                .onStop(stopped::add)
                .start();
        CompletableFuture<Object> asked = actor.ask(reply -> "a", Duration.ofHours(1));
        line.remove(0).run();
        actor.close();

        assertThat(reportedInATurn()).containsExactly(InternalError.class);
        assertThat(actor.close(NO_LIMIT)).isTrue();
        assertThat(asked.exceptionNow()).isInstanceOf(ClosedException.class);
        assertThat(stopped).containsExactly(1);
        assertThat(actor.stats().busy()).isFalse();
        assertThat(alarms.pending()).isZero();
    }

    @Test
    void anActorThatBreaksOffWhileItIsGivenUpIsGivenUpInAnotherTurn() throws Exception {
        Actor<String> actor = builder(
                        work -> {
                            throw new RejectedExecutionException("shut down");
                        },
                        NOTHING)
                .alarms(breaking(1))
                .start();
        CompletableFuture<Object> ignored = actor.ask(reply -> "a", Duration.ofHours(1));
        send(actor, "b", 1);
        alarms.advance(
                Duration.ofMillis(200)); // by now the alarm of the ask is far away, and is taken back when it ends
        alarms.advance(Duration.ofSeconds(1));
        assertThat(dead).isEmpty();
        assertThat(actor.stats().busy()).isFalse();

        alarms.advance(Duration.ofSeconds(2));
        assertThat(dead).containsExactly("b");
        assertThat(actor.depth()).isZero();
    }
}
