package io.heptad.actor;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Executors of users: those that work, and those that refuse, throw, forget or do everything twice. */
@Watched
class ExecutorTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Duration NO_LIMIT = Duration.ofSeconds(Long.MAX_VALUE);

    private record Word(String word, Reply<String> reply) {}

    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final List<String> dead = new CopyOnWriteArrayList<>();
    private final List<Integer> stopped = new CopyOnWriteArrayList<>();
    private final ManualAlarm alarms = new ManualAlarm();
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger insideAtMost = new AtomicInteger();

    private Actor<Word> open(Executor executor) {
        return open(executor, alarms);
    }

    private Actor<Word> open(Executor executor, Alarm alarms) {
        return Actor.named("words", Word.class)
                .mailbox(100_000, REJECT)
                .state(() -> 0, (Integer count, Word word, ActorContext<Word> context) -> {
                    insideAtMost.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    handled.add(word.word());
                    if (word.reply() != null) {
                        word.reply().ok(word.word());
                    }
                    inside.decrementAndGet();
                    return count + 1;
                })
                .onStop(stopped::add)
                .deadLetters(word -> dead.add(word.word()))
                .executor(executor)
                .alarms(alarms)
                .start();
    }

    private static void send(Actor<Word> actor, String word) throws InterruptedException {
        assertThat(actor.send(new Word(word, null))).isTrue();
    }

    private static CompletableFuture<String> ask(Actor<Word> actor, String word) {
        return actor.ask(reply -> new Word(word, reply), NO_LIMIT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"pool", "forkJoin", "virtual", "inline"})
    void anyExecutorRunsOneMessageAtATime(String kind) throws Exception {
        ExecutorService service = switch (kind) {
            case "pool" -> Executors.newFixedThreadPool(3);
            case "forkJoin" -> new ForkJoinPool(3, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);
            default -> Executors.newVirtualThreadPerTaskExecutor();
        };
        Actor<Word> actor = open(kind.equals("inline") ? Runnable::run : service, Alarm.SYSTEM);
        List<Call<Object>> senders = IntStream.range(0, 4)
                .mapToObj(sender -> Call.<Object>start(sender == 0, () -> {
                    for (int i = 0; i < 1_000; i++) {
                        send(actor, "w");
                    }
                    return "done";
                }))
                .toList();
        senders.forEach(sender -> assertThat(sender.outcome()).isEqualTo("done"));

        assertThat(actor.close(SOON)).isTrue();
        assertThat(handled).hasSize(4_000);
        assertThat(insideAtMost).hasValue(1);
        assertThat(stopped).containsExactly(4_000);
        service.shutdown();
    }

    @Test
    void doesNotGoWithAMailboxThatBlocks() {
        var builder = Actor.named("words", String.class)
                .mailbox(10, BLOCK)
                .state(() -> 0, (Integer count, String word, ActorContext<String> context) -> count);

        assertThatThrownBy(() -> builder.executor(Runnable::run))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("executor")
                .hasMessageContaining("blocks");
        assertThatThrownBy(() -> builder.executor(null)).isInstanceOf(NullPointerException.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"REJECT", "DROP_NEWEST", "DROP_OLDEST"})
    void goesWithAllOthers(FullPolicy policy) throws Exception {
        Actor<String> actor = Actor.named("words", String.class)
                .mailbox(10, policy)
                .state(() -> 0, (Integer count, String word, ActorContext<String> context) -> count + 1)
                .executor(Runnable::run)
                .start();
        actor.send("a");

        assertThat(actor.stats().handled()).isEqualTo(1);
    }

    @Test
    void aRefusalIsTriedAgainAndLosesNothing() throws Exception {
        AtomicInteger refusals = new AtomicInteger(3);
        Actor<Word> actor = open(work -> {
            if (refusals.getAndDecrement() > 0) {
                throw new RejectedExecutionException("busy");
            }
            Thread.startVirtualThread(work);
        });
        send(actor, "a");
        send(actor, "b");
        assertThat(alarms.pending()).isEqualTo(1);
        assertThat(handled).isEmpty();
        alarms.advance(Duration.ofMillis(1));
        assertThat(handled).isEmpty();
        alarms.advance(Duration.ofMillis(10));

        Call.until(() -> handled.equals(List.of("a", "b")));
        assertThat(alarms.pending()).isZero();
        assertThat(counted(actor, "refusals")).isEqualTo(3);
        assertThat(dead).isEmpty();
    }

    private static double counted(Actor<?> actor, String figure) {
        return actor.metrics().stream()
                .filter(metric -> metric.name().equals("heptad.actor." + figure))
                .mapToDouble(metric -> metric.value().getAsDouble())
                .sum();
    }

    @Test
    void anExecutorThatKeepsRefusingIsGivenUpAndNothingWaitsForEver() throws Exception {
        AtomicBoolean refuses = new AtomicBoolean(true);
        Actor<Word> actor = open(work -> {
            if (refuses.get()) {
                throw new RejectedExecutionException("shut down");
            }
            Thread.startVirtualThread(work);
        });
        CompletableFuture<String> asked = ask(actor, "a");
        send(actor, "b");
        alarms.advance(Duration.ofMillis(900));
        assertThat(asked).isNotDone();
        alarms.advance(Duration.ofMillis(200));

        assertThat(asked.exceptionNow())
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("shut down");
        assertThat(dead).containsExactly("a", "b");
        assertThat(actor.stats().undelivered()).isEqualTo(2);
        assertThat(actor.stats().depth()).isZero();
        assertThat(alarms.pending()).isZero();

        refuses.set(false); // it is open still, and the next message tries anew
        assertThat(actor.<String>call(reply -> new Word("c", reply), SOON)).isEqualTo("c");
        assertThat(handled).containsExactly("c");
    }

    @Test
    void anActorWhoseExecutorIsGoneStopsAllTheSame() throws Exception {
        Actor<Word> actor = open(work -> {
            throw new RejectedExecutionException("shut down");
        });
        CompletableFuture<String> asked = ask(actor, "a");
        actor.close();
        alarms.advance(Duration.ofSeconds(2));

        assertThat(actor.close(SOON)).isTrue();
        assertThat(asked).isCompletedExceptionally();
        assertThat(stopped).containsExactly(0);
    }

    @Test
    void aPoolThatIsShutDownDoesNotKeepAnAskWaiting() throws Exception {
        ExecutorService service = Executors.newFixedThreadPool(1);
        Actor<Word> actor = open(service, Alarm.SYSTEM);
        assertThat(ask(actor, "a").get()).isEqualTo("a");
        service.shutdown();
        assertThat(service.awaitTermination(10, TimeUnit.SECONDS)).isTrue();

        CompletableFuture<String> asked = ask(actor, "b");
        Call.until(asked::isDone);
        assertThat(asked.exceptionNow()).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void oneThatTakesTheWorkAndThrowsRunsItOnce() throws Exception {
        Actor<Word> actor = open(work -> {
            Thread.startVirtualThread(work);
            throw new IllegalStateException("after the fact");
        });
        for (int i = 0; i < 200; i++) {
            send(actor, "w" + i);
        }

        Call.until(() -> handled.size() == 200);
        assertThat(insideAtMost).hasValue(1);
        assertThat(handled).doesNotHaveDuplicates();
        assertThat(dead).isEmpty();
    }

    @Test
    void oneThatRunsEverythingTwiceRunsNothingTwice() throws Exception {
        Actor<Word> actor = open(work -> {
            Thread.startVirtualThread(work);
            Thread.startVirtualThread(work);
        });
        for (int i = 0; i < 2_000; i++) {
            send(actor, "w" + i);
        }

        assertThat(actor.close(SOON)).isTrue();
        assertThat(handled).hasSize(2_000).doesNotHaveDuplicates();
        assertThat(insideAtMost).hasValue(1);
        assertThat(stopped).hasSize(1);
    }

    @Test
    void workThatIsRunLongAfterItIsOverDoesNothing() throws Exception {
        List<Runnable> kept = new CopyOnWriteArrayList<>();
        Actor<Word> actor = open(work -> {
            kept.add(work);
            work.run();
        });
        send(actor, "a");
        assertThat(actor.close(SOON)).isTrue();
        kept.forEach(Runnable::run);

        assertThat(handled).containsExactly("a");
        assertThat(stopped).containsExactly(1);
    }

    @Test
    void asManyInARowThenOthersGetTheThread() throws Exception {
        List<Runnable> line = new ArrayList<>();
        Actor<Word> busy = open(line::add);
        Actor<Word> other = open(line::add);
        for (int i = 0; i < 200; i++) {
            send(busy, "busy");
        }
        send(other, "other");
        while (!line.isEmpty()) {
            line.remove(0).run();
        }

        assertThat(handled).hasSize(201);
        assertThat(handled.indexOf("other")).isBetween(1, 100);
    }

    @Test
    void aTurnThatTheExecutorWillNotGiveGoesOnWhereItIs() throws Exception {
        AtomicReference<Runnable> first = new AtomicReference<>();
        Actor<Word> actor = open(work -> {
            if (!first.compareAndSet(null, work)) {
                throw new RejectedExecutionException("only once");
            }
        });
        for (int i = 0; i < 200; i++) {
            send(actor, "w");
        }
        first.get().run();

        assertThat(handled).hasSize(200);
        assertThat(alarms.pending()).isZero();
    }

    @Test
    void anInterruptOfTheExecutorsThreadIsKeptForItAndNoMessageSeesIt() throws Exception {
        List<Boolean> seen = new CopyOnWriteArrayList<>();
        CountDownLatch inHand = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        List<Runnable> line = new ArrayList<>();
        Actor<String> actor = Actor.named("words", String.class)
                .mailbox(10, REJECT)
                .state(() -> 0, (Integer count, String word, ActorContext<String> context) -> {
                    seen.add(Thread.currentThread().isInterrupted());
                    inHand.countDown();
                    boolean done = false;
                    while (!done) {
                        try {
                            leave.await();
                            done = true;
                        } catch (InterruptedException meanwhile) {
                            Thread.currentThread().interrupt();
                            leave.countDown();
                            done = true;
                        }
                    }
                    return count + 1;
                })
                .executor(line::add)
                .start();
        actor.send("a");
        actor.send("b");
        Call<Object> thread = Call.start(false, () -> {
            line.remove(0).run();
            return "ran";
        });
        inHand.await();
        thread.interrupt();

        assertThat(thread.outcome()).isEqualTo("ran");
        assertThat(thread.interruptedAfter()).isTrue();
        assertThat(seen).containsExactly(false, false);
    }

    @Test
    void anErrorOfTheExecutorIsARefusalToo() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Actor<Word> actor = open(work -> {
            if (calls.getAndIncrement() == 0) {
                throw new OutOfMemoryError("no thread");
            }
            work.run();
        });
        send(actor, "a");
        alarms.advance(Duration.ofMillis(1));

        assertThat(handled).containsExactly("a");
    }
}
