package io.heptad.actor;

import static io.heptad.core.FullPolicy.BLOCK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of an actor, by whatever way: what is handled, what is handed back, and the stop hook that runs once. */
@Watched
class StopTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Duration NOT_LONG = Duration.ofMillis(20);

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<String> dead = new CopyOnWriteArrayList<>();
    private final AtomicReference<ActorContext<String>> context = new AtomicReference<>();
    private final Held held = new Held();

    private Actor<String> open() {
        return Actor.named("letters", String.class)
                .mailbox(100, BLOCK)
                .state(() -> 0, (count, word, context) -> {
                    this.context.set(context);
                    events.add(word);
                    switch (word) {
                        case "hold" -> held.here();
                        case "stop" -> {
                            context.stop();
                            context.stop();
                            events.add("after stop");
                        }
                        case "close" -> {
                            context.self().close();
                            assertThat(context.self().close(SOON)).isFalse();
                        }
                        case "closeNow" -> events.add("back " + context.self().closeNow());
                        default -> {}
                    }
                    return count + 1;
                })
                .onStop(count -> events.add("stopped " + count))
                .deadLetters(dead::add)
                .start();
    }

    private Actor<String> stuck(String... behind) throws InterruptedException {
        Actor<String> actor = open();
        actor.send("hold");
        held.awaitBegun();
        for (String word : behind) {
            actor.send(word);
        }
        return actor;
    }

    private static void awaitStopped(Actor<?> actor) {
        Call.until(() -> ((Owner<?, ?>) actor.target()).isStopped());
    }

    @AfterEach
    void letGo() {
        held.release();
    }

    @Test
    void closeHandlesWhatIsInsideAndRunsTheHookOnce() throws Exception {
        Actor<String> actor = stuck("a", "b");
        actor.close();
        actor.close();
        assertThat(actor.close(NOT_LONG)).isFalse();
        assertThat(actor.close(Duration.ZERO)).isFalse();
        held.release();

        assertThat(actor.close(SOON)).isTrue();
        assertThat(actor.close(Duration.ZERO)).isTrue();
        assertThat(actor.closeNow()).isEmpty();
        assertThat(events).containsExactly("hold", "a", "b", "stopped 3");
        assertThat(dead).isEmpty();
    }

    @Test
    void anInterruptIsLeftAloneWhereNobodyWaitsForTheEnd() throws Exception {
        Actor<String> actor = stuck();
        assertThat(actor.close(NOT_LONG)).isFalse();
        assertThat(Waits.entered()).isZero();
        Thread.currentThread().interrupt();
        assertThat(actor.close(Duration.ZERO)).isFalse();
        assertThat(Thread.interrupted()).isTrue();
        held.release();
        assertThat(actor.close(SOON)).isTrue();

        Thread.currentThread().interrupt();
        assertThat(actor.close(SOON)).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(Waits.entered()).isZero();
    }

    @Test
    void closeNowGivesBackWhatIsInsideAndEndsTheMessageInHand() throws Exception {
        Actor<String> actor = stuck("a", "b");

        assertThat(actor.closeNow()).containsExactly("a", "b");
        assertThat(actor.closeNow()).isEmpty();
        assertThat(actor.depth()).isZero();
        held.release();
        assertThat(actor.close(SOON)).isTrue();
        assertThat(events).containsExactly("hold", "stopped 1");
        assertThat(dead).isEmpty();
        assertThat(actor.stats().returned()).isEqualTo(2);
    }

    @Test
    void nothingIsHandledAfterStop() throws Exception {
        Actor<String> actor = stuck("stop", "m3", "m4", "m5");
        held.release();
        awaitStopped(actor);

        assertThat(events).containsExactly("hold", "stop", "after stop", "stopped 2");
        assertThat(dead).containsExactly("m3", "m4", "m5");
        assertThatThrownBy(() -> actor.send("m6")).isInstanceOf(ClosedException.class);
        assertThat(actor.stats().undelivered()).isEqualTo(3);
    }

    @Test
    void aStopFromElsewhereLetsTheMessageInHandEnd() throws Exception {
        Actor<String> actor = stuck("a");
        context.get().stop();
        assertThatThrownBy(() -> actor.send("b")).isInstanceOf(ClosedException.class);
        held.release();
        awaitStopped(actor);
        context.get().stop();

        assertThat(events).containsExactly("hold", "stopped 1");
        assertThat(dead).containsExactly("a");
    }

    @Test
    void anIdleActorStopsToo() throws Exception {
        Actor<String> actor = open();
        actor.send("a");
        Call.until(() -> !actor.stats().busy() && actor.stats().handled() == 1);
        context.get().stop();
        awaitStopped(actor);
        Actor<String> never = open();

        assertThat(never.close(SOON)).isTrue();
        assertThat(events).containsExactly("a", "stopped 1", "stopped 0");
    }

    @Test
    void theHandlerMayCloseItsOwnActor() throws Exception {
        Actor<String> actor = stuck("close", "a");
        held.release();
        awaitStopped(actor);

        assertThat(events).containsExactly("hold", "close", "a", "stopped 3");
    }

    @Test
    void theHandlerMayTakeBackItsOwnMail() throws Exception {
        Actor<String> actor = stuck("closeNow", "a", "b");
        held.release();
        awaitStopped(actor);

        assertThat(events).containsExactly("hold", "closeNow", "back [a, b]", "stopped 2");
        assertThat(dead).isEmpty();
    }

    @Test
    void aHookThatThrowsIsCountedAndTheActorStopsAllTheSame() throws Exception {
        Actor<String> actor = Actor.named("letters", String.class)
                .mailbox(100, BLOCK)
                .state(() -> 0, (count, word, context) -> {
                    held.here();
                    context.stop();
                    return count;
                })
                .onStop(count -> {
                    events.add("stopped");
                    throw new IllegalStateException("hook");
                })
                .deadLetters(word -> {
                    dead.add(word);
                    throw new AssertionError("hook");
                })
                .start();
        actor.send("a");
        held.awaitBegun();
        actor.send("b");
        actor.send("c");
        held.release();

        assertThat(actor.close(SOON)).isTrue();
        assertThat(events).containsExactly("stopped");
        assertThat(dead).containsExactly("b", "c");
        assertThat(counted(actor, "callback.failures")).isEqualTo(3);
    }

    private static double counted(Actor<?> actor, String figure) {
        return actor.metrics().stream()
                .filter(metric -> metric.name().equals("heptad.actor." + figure))
                .mapToDouble(metric -> metric.value().getAsDouble())
                .sum();
    }

    @Test
    void aCloseThatIsInterruptedHasClosed() throws Exception {
        Actor<String> actor = stuck();
        Call<Object> closer = Call.start(true, () -> actor.close(Duration.ofSeconds(Long.MAX_VALUE)));
        Call.until(() -> Waits.entered() == 1);
        closer.interrupt();

        assertThat(closer.outcome()).isInstanceOf(InterruptedException.class);
        assertThatThrownBy(() -> actor.offer("a")).isInstanceOf(ClosedException.class);
        held.release();
        assertThat(actor.close(SOON)).isTrue();
    }

    @Test
    void theHookSeesNoMessageAndMaySendNone() throws Exception {
        AtomicReference<Throwable> refused = new AtomicReference<>();
        AtomicReference<Actor<String>> self = new AtomicReference<>();
        Actor<String> actor = Actor.named("letters", String.class)
                .mailbox(1, BLOCK)
                .state(() -> 0, (count, word, context) -> count)
                .onStop(count -> {
                    try {
                        self.get().send("late");
                    } catch (ClosedException | InterruptedException closed) {
                        refused.set(closed);
                    }
                })
                .start();
        self.set(actor);

        assertThat(actor.close(SOON)).isTrue();
        assertThat(refused.get()).isInstanceOf(ClosedException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"close", "closeNow", "stop"})
    void everyMessageHasOneFateHoweverItEnds(String how) throws Exception {
        for (int round = 0; round < 200; round++) {
            List<Integer> handled = new CopyOnWriteArrayList<>();
            List<Integer> left = new CopyOnWriteArrayList<>();
            List<Integer> stopped = new CopyOnWriteArrayList<>();
            AtomicReference<ActorContext<Integer>> inside = new AtomicReference<>();
            Actor<Integer> actor = Actor.named("fates", Integer.class)
                    .mailbox(4, BLOCK)
                    .state(() -> 0, (count, number, context) -> {
                        inside.set(context);
                        handled.add(number);
                        return count + 1;
                    })
                    .onStop(stopped::add)
                    .deadLetters(left::add)
                    .start();
            actor.send(-1);
            Call.until(() -> inside.get() != null);
            CyclicBarrier together = new CyclicBarrier(4);
            List<List<Integer>> accepted = new ArrayList<>();
            List<Call<Object>> senders = IntStream.range(0, 3)
                    .mapToObj(sender -> {
                        List<Integer> mine = new CopyOnWriteArrayList<>();
                        accepted.add(mine);
                        return Call.<Object>start(sender == 0, () -> {
                            together.await();
                            for (int i = 0; i < 20; i++) {
                                try {
                                    actor.send(sender * 100 + i);
                                    mine.add(sender * 100 + i);
                                } catch (ClosedException closed) {
                                    return "closed";
                                }
                            }
                            return "all";
                        });
                    })
                    .toList();
            together.await();
            List<Integer> back = new ArrayList<>();
            switch (how) {
                case "close" -> actor.close();
                case "closeNow" -> back.addAll(actor.closeNow());
                default -> inside.get().stop();
            }
            senders.forEach(sender -> assertThat(sender.outcome()).isIn("closed", "all"));
            awaitStopped(actor);

            List<Integer> all = new ArrayList<>(handled);
            all.addAll(left);
            all.addAll(back);
            List<Integer> sent = new ArrayList<>(List.of(-1));
            accepted.forEach(sent::addAll);
            assertThat(all).containsExactlyInAnyOrderElementsOf(sent);
            assertThat(stopped).containsExactly(handled.size());
            ActorStats stats = actor.stats();
            assertThat(stats.accepted())
                    .isEqualTo(stats.handled() + stats.undelivered() + stats.returned())
                    .isEqualTo(sent.size());
        }
    }
}
