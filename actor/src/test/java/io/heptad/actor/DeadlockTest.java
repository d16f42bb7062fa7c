package io.heptad.actor;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Actors that would wait for each other for ever: one of them is told, with the path, and the others go on. */
@Watched
class DeadlockTest {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SOON = Duration.ofSeconds(10);

    /** Something to do inside an actor. */
    private interface Job {
        void run() throws Exception;
    }

    private record Do(Job job, Reply<String> reply) {}

    private static Actor<Do> actor(String name, int mailbox) {
        return Actor.of(name, mailbox, BLOCK, "", (state, message, context) -> {
            message.job().run();
            message.reply().ok(context.self().name());
            return state;
        });
    }

    private static String call(Actor<Do> actor, Job job) throws Exception {
        return actor.<String>call(reply -> new Do(job, reply), LONG);
    }

    private static CompletableFuture<String> ask(Actor<Do> actor, Job job) {
        return actor.ask(reply -> new Do(job, reply), LONG);
    }

    private static final Job NOTHING = () -> {};

    @AfterEach
    void nothingOfAWaitStaysBehind() {
        Call.until(() -> Waits.entered() == 0);
    }

    private static void assertCircle(Throwable thrown, String... names) {
        assertThat(thrown).isInstanceOfSatisfying(ActorDeadlockException.class, circle -> {
            assertThat(circle.path()).containsExactly(names);
            assertThat(circle).hasMessage("actors would wait for each other for ever: " + String.join(" -> ", names));
        });
    }

    @Test
    void anActorThatCallsItselfIsTold() throws Exception {
        Actor<Do> a = actor("a", 10);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        String answer = call(a, () -> thrown.set(catchIn(() -> call(a, NOTHING))));

        assertThat(answer).isEqualTo("a");
        assertCircle(thrown.get(), "a", "a");
        assertThat(a.stats().accepted()).isEqualTo(1);
    }

    private static Throwable catchIn(Job job) {
        try {
            job.run();
            return null;
        } catch (Throwable thrown) {
            return thrown;
        }
    }

    @Test
    void theOneThatClosesTheCircleIsToldAndTheOthersGetTheirAnswers() throws Exception {
        Actor<Do> a = actor("a", 10);
        Actor<Do> b = actor("b", 10);
        Actor<Do> c = actor("c", 10);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        String answer = call(a, () -> call(b, () -> call(c, () -> thrown.set(catchIn(() -> call(a, NOTHING))))));

        assertThat(answer).isEqualTo("a");
        assertCircle(thrown.get(), "c", "a", "b", "c");
        assertThat(a.close(SOON)).isTrue();
        assertThat(a.stats().accepted()).isEqualTo(1); // the call that would have closed the circle was never sent
    }

    @Test
    void aRingOfAThousandIsNamed() throws Exception {
        List<Actor<Do>> ring =
                IntStream.range(0, 1_000).mapToObj(i -> actor("a" + i, 2)).toList();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        call(ring.get(0), () -> next(ring, 1, thrown));

        assertThat(thrown.get())
                .isInstanceOfSatisfying(
                        ActorDeadlockException.class,
                        circle -> assertThat(circle.path()).hasSize(1_001).startsWith("a999", "a0", "a1"));
    }

    private static void next(List<Actor<Do>> ring, int i, AtomicReference<Throwable> thrown) throws Exception {
        if (i == ring.size()) {
            thrown.set(catchIn(() -> call(ring.get(0), NOTHING)));
        } else {
            call(ring.get(i), () -> next(ring, i + 1, thrown));
        }
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void ofTwoThatCallEachOtherAtTheSameMomentOneIsTold() throws Exception {
        Actor<Do> a = actor("a", 10);
        Actor<Do> b = actor("b", 10);
        for (int round = 0; round < 500; round++) {
            CyclicBarrier together = new CyclicBarrier(2);
            List<Throwable> thrown = new CopyOnWriteArrayList<>();
            CompletableFuture<String> first = ask(a, () -> {
                together.await();
                record(thrown, () -> call(b, NOTHING));
            });
            CompletableFuture<String> second = ask(b, () -> {
                together.await();
                record(thrown, () -> call(a, NOTHING));
            });
            assertThat(first.get()).isEqualTo("a");
            assertThat(second.get()).isEqualTo("b");
            assertThat(thrown).hasSize(1);
            assertThat(thrown.get(0)).isInstanceOf(ActorDeadlockException.class);
        }
    }

    private static void record(List<Throwable> thrown, Job job) {
        Throwable caught = catchIn(job);
        if (caught != null) {
            thrown.add(caught);
        }
    }

    @Test
    void twoThatSendToEachOthersFullMailboxesAreFound() throws Exception {
        Actor<Do> a = actor("a", 1);
        Actor<Do> b = actor("b", 1);
        CyclicBarrier full = new CyclicBarrier(2);
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        CompletableFuture<String> first = ask(a, () -> flood(b, full, thrown));
        CompletableFuture<String> second = ask(b, () -> flood(a, full, thrown));

        assertThat(first.get()).isEqualTo("a");
        assertThat(second.get()).isEqualTo("b");
        assertThat(thrown).hasSize(1);
        assertThat(thrown.get(0))
                .isInstanceOfSatisfying(
                        ActorDeadlockException.class,
                        circle -> assertThat(circle.path()).hasSize(3).contains("a", "b"));
        assertThat(a.close(SOON)).isTrue();
        assertThat(b.close(SOON)).isTrue();
    }

    private static void flood(Actor<Do> other, CyclicBarrier full, List<Throwable> thrown) throws Exception {
        Reply<String> nobody = new Reply<>() {
            @Override
            public boolean ok(String value) {
                return false;
            }

            @Override
            public boolean fail(Throwable cause) {
                return false;
            }
        };
        full.await(); // both are inside, so neither takes what the other sends
        other.send(new Do(NOTHING, nobody)); // fills it
        full.await();
        record(thrown, () -> other.send(new Do(NOTHING, nobody)));
    }

    @Test
    void aSendAndACallMakeACircleToo() throws Exception {
        Actor<Do> a = actor("a", 1);
        Actor<Do> b = actor("b", 1);
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        String answer = call(a, () -> {
            CompletableFuture<String> filling = ask(a, NOTHING); // a is full now
            record(thrown, () -> call(b, () -> record(thrown, () -> call(a, NOTHING))));
            assertThat(filling).isNotDone();
        });

        assertThat(answer).isEqualTo("a");
        assertThat(thrown).singleElement().isInstanceOf(ActorDeadlockException.class); // whoever came last
    }

    @Test
    void closingEachOtherDoesNotHang() throws Exception {
        Actor<Do> a = actor("a", 10);
        Actor<Do> b = actor("b", 10);
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        List<Boolean> closed = new CopyOnWriteArrayList<>();
        call(a, () -> record(thrown, () -> call(b, () -> closed.add(a.close(LONG)))));

        assertThat(a.close(SOON)).isTrue();
        assertThat(b.close(SOON)).isTrue();
        assertThat(closed).hasSize(1);
        assertThat(closed.get(0)).isEqualTo(!thrown.isEmpty()); // the close did not wait, or the call was told
    }

    // The innocent

    @Test
    void aChainThatEndsIsNoCircle() throws Exception {
        Actor<Do> a = actor("a", 10);
        Actor<Do> b = actor("b", 10);
        Actor<Do> c = actor("c", 10);

        assertThat(call(a, () -> call(b, () -> call(c, NOTHING)))).isEqualTo("a");
        assertThat(call(c, () -> call(b, () -> call(a, NOTHING)))).isEqualTo("c");
    }

    @Test
    void oneThatWasPromisedAnAnswerByAnotherThreadIsNotAccused() throws Exception {
        AtomicReference<Reply<String>> kept = new AtomicReference<>();
        Actor<Do> a = actor("a", 10);
        Actor<Do> b = Actor.of("b", 10, BLOCK, "", (state, message, context) -> {
            if (message.job() == NOTHING) {
                kept.set(message.reply()); // answered later, by another thread
            } else {
                message.job().run();
                message.reply().ok("b");
            }
            return state;
        });
        CompletableFuture<String> waiting = ask(a, () -> call(b, NOTHING));
        Call.until(() -> kept.get() != null && Waits.entered() == 1);
        CompletableFuture<String> calling = ask(b, () -> call(a, NOTHING)); // a will answer once b's other asker did
        Call.until(() -> Waits.entered() == 2);
        kept.get().ok("at last");

        assertThat(waiting.get()).isEqualTo("a");
        assertThat(calling.get()).isEqualTo("b");
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void whoCallsInOneDirectionOnlyIsNeverAccused() throws Exception {
        List<Actor<Do>> actors =
                IntStream.range(0, 4).mapToObj(i -> actor("a" + i, 2)).toList();
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        List<Call<Object>> callers = new ArrayList<>();
        for (int caller = 0; caller < 4; caller++) {
            callers.add(Call.start(caller % 2 == 0, () -> {
                for (int i = 0; i < 500; i++) {
                    record(
                            thrown,
                            () -> call(
                                    actors.get(0),
                                    () -> call(actors.get(1), () -> {
                                        call(actors.get(2), () -> call(actors.get(3), NOTHING));
                                        call(actors.get(3), NOTHING);
                                    })));
                }
                return "done";
            }));
        }

        callers.forEach(caller -> assertThat(caller.outcome()).isEqualTo("done"));
        assertThat(thrown).isEmpty();
    }

    @Test
    void aCircleInTheSendersOwnThreadIsFound() throws Exception {
        Actor<Do> a = inline("a");
        Actor<Do> b = inline("b");
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        String answer = call(a, () -> call(b, () -> thrown.set(catchIn(() -> call(a, NOTHING)))));

        assertThat(answer).isEqualTo("a");
        assertThat(thrown.get()).isInstanceOf(ActorDeadlockException.class);
    }

    private static Actor<Do> inline(String name) {
        return Actor.named(name, Do.class)
                .mailbox(10, REJECT)
                .state(() -> "", (String state, Do message, ActorContext<Do> context) -> {
                    message.job().run();
                    message.reply().ok(context.self().name());
                    return state;
                })
                .executor(Runnable::run)
                .start();
    }

    @Test
    void aPathIsACopy() {
        List<String> path = new ArrayList<>(List.of("a", "b", "a"));
        ActorDeadlockException circle = new ActorDeadlockException(path);
        path.clear();

        assertThat(circle.path()).containsExactly("a", "b", "a");
        assertThatThrownBy(() -> circle.path().clear()).isInstanceOf(UnsupportedOperationException.class);
    }
}
