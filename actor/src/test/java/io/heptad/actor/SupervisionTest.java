package io.heptad.actor;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of an actor whose handler throws. */
@Watched
class SupervisionTest {
    private static final Duration SOON = Duration.ofSeconds(10);

    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final List<String> dead = new CopyOnWriteArrayList<>();
    private final List<String> stopped = new CopyOnWriteArrayList<>();
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicLong now = new AtomicLong();
    private final Held held = new Held();

    /** The state is the word that was handled last, behind the number of the state. */
    private String handle(String state, String word, ActorContext<String> context) throws Exception {
        switch (word) {
            case "hold" -> held.here();
            case "exception" -> throw new IOException("bad");
            case "error" -> throw new AssertionError("bad");
            case "deep" -> deeper(1);
            case "null" -> {
                return null;
            }
            default -> {}
        }
        handled.add(state + word);
        return state.substring(0, 2) + word;
    }

    private static int deeper(int depth) {
        return deeper(depth + 1) + depth;
    }

    private Actor<String> open(Supervision supervision) {
        return Actor.named("words", String.class)
                .mailbox(100, BLOCK)
                .state(() -> made.incrementAndGet() + ":", this::handle)
                .supervision(supervision)
                .onStop(stopped::add)
                .deadLetters(dead::add)
                .ticker(now::get)
                .start();
    }

    @ParameterizedTest
    @ValueSource(strings = {"exception", "error", "deep", "null"})
    void resumesWithTheStateFromBefore(String failing) throws Exception {
        Actor<String> actor = open(Supervision.resume());
        actor.send("a");
        actor.send(failing);
        actor.send("b");

        assertThat(actor.close(SOON)).isTrue();
        assertThat(handled).containsExactly("1:a", "1:ab");
        assertThat(actor.stats().failed()).isEqualTo(1);
        assertThat(actor.stats().handled()).isEqualTo(2);
        assertThat(actor.stats().restarts()).isZero();
        assertThat(stopped).containsExactly("1:b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"exception", "error", "deep", "null"})
    void restartsWithANewState(String failing) throws Exception {
        Actor<String> actor = open(Supervision.restart(1, Duration.ofSeconds(1)));
        actor.send("a");
        actor.send(failing);
        actor.send("b");

        assertThat(actor.close(SOON)).isTrue();
        assertThat(handled).containsExactly("1:a", "2:b");
        assertThat(actor.stats().restarts()).isEqualTo(1);
        assertThat(stopped).containsExactly("2:b");
        assertThat(dead).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"exception", "error", "deep", "null"})
    void stopsAndLeavesTheRestToTheDeadLetters(String failing) throws Exception {
        Actor<String> actor = open(Supervision.stop());
        actor.send("hold");
        held.awaitBegun();
        for (String word : List.of(failing, "b", "c")) {
            actor.send(word);
        }
        held.release();

        assertThat(actor.close(SOON)).isTrue();
        assertThat(handled).containsExactly("1:hold");
        assertThat(dead).containsExactly("b", "c");
        assertThat(stopped).containsExactly("1:hold");
        assertThatThrownBy(() -> actor.send("d")).isInstanceOf(ClosedException.class);
        assertThat(actor.stats().undelivered()).isEqualTo(2);
    }

    @Test
    void oneRestartTooManyWithinTheTimeStopsIt() throws Exception {
        Actor<String> actor = open(Supervision.restart(2, Duration.ofSeconds(10)));
        fail(actor, 1);
        now.addAndGet(Duration.ofSeconds(6).toNanos());
        fail(actor, 2);
        now.addAndGet(Duration.ofSeconds(6).toNanos());
        fail(actor, 3); // the first is out of the window by now
        assertThat(actor.stats().restarts()).isEqualTo(3);
        actor.send("exception");

        Call.until(() -> ((Owner<?, ?>) actor.target()).isStopped());
        assertThat(actor.stats().restarts()).isEqualTo(3);
        assertThat(made).hasValue(4);
        assertThat(stopped).containsExactly("4:");
    }

    private static void fail(Actor<String> actor, int times) throws InterruptedException {
        actor.send("exception");
        Call.until(() -> actor.stats().restarts() == times);
    }

    @Test
    void messagesBehindAFailureAreHandledInTheirOrderThoughOneOfThemFailsToo() throws Exception {
        Actor<String> actor = open(Supervision.restart(5, Duration.ofMinutes(1)));
        actor.send("hold");
        held.awaitBegun();
        for (String word : List.of("exception", "error", "m3", "m4")) {
            actor.send(word);
        }
        held.release();

        assertThat(actor.close(SOON)).isTrue();
        assertThat(handled).containsExactly("1:hold", "3:m3", "3:m3m4");
        assertThat(actor.stats().restarts()).isEqualTo(2);
        assertThat(dead).isEmpty();
    }

    @Test
    void aStateThatCannotBeMadeAgainStopsIt() throws Exception {
        Actor<String> actor = Actor.named("words", String.class)
                .mailbox(10, REJECT)
                .state(
                        () -> {
                            if (made.incrementAndGet() == 2) {
                                throw new IllegalStateException("no second state");
                            }
                            return made + ":";
                        },
                        this::handle)
                .supervision(Supervision.restart(5, Duration.ofMinutes(1)))
                .onStop(stopped::add)
                .start();
        actor.send("exception");

        Call.until(() -> ((Owner<?, ?>) actor.target()).isStopped());
        assertThat(actor.stats().restarts()).isZero();
        assertThat(stopped).containsExactly("1:");
    }

    @Test
    void aFirstStateThatCannotBeMadeIsTheStartersMatter() {
        var builder = Actor.named("words", String.class)
                .mailbox(10, REJECT)
                .state(
                        () -> {
                            throw new IllegalStateException("no state");
                        },
                        (String state, String word, ActorContext<String> context) -> state);
        assertThatThrownBy(builder::start).hasMessage("no state");
        var none = Actor.named("words", String.class)
                .mailbox(10, REJECT)
                .state(() -> (String) null, (state, word, context) -> state);
        assertThatThrownBy(none::start).isInstanceOf(NullPointerException.class);
    }

    @Test
    void theFailureIsReportedToTheUncaughtHandlerWhichMayThrow() throws Exception {
        List<Throwable> reported = new CopyOnWriteArrayList<>();
        Actor<String> actor = Actor.named("words", String.class)
                .mailbox(10, REJECT)
                .state(() -> "1:", this::handle)
                .executor(work -> Thread.ofVirtual()
                        .uncaughtExceptionHandler((thread, failure) -> {
                            reported.add(failure);
                            throw new IllegalStateException("handler");
                        })
                        .start(work))
                .start();
        actor.send("exception");
        actor.send("b");

        assertThat(actor.close(SOON)).isTrue();
        assertThat(reported).singleElement().isInstanceOf(IOException.class);
        assertThat(handled).containsExactly("1:b");
    }

    @Test
    void aFailureAfterTheAnswerDoesNotChangeTheAnswer() throws Exception {
        Actor<Reply<String>> actor = Actor.of("late", 10, BLOCK, "", (state, reply, context) -> {
            reply.ok("answer");
            throw new IOException("after");
        });
        CompletableFuture<String> asked = actor.ask(reply -> reply, SOON);

        assertThat(actor.close(SOON)).isTrue();
        assertThat(asked.join()).isEqualTo("answer");
        assertThat(actor.stats().failed()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void refusesBadNumbersAndNamesThem(int bad) {
        assertThatThrownBy(() -> Supervision.restart(bad, SOON))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("max must be at least 1, but is " + bad);
        assertThatThrownBy(() -> Supervision.restart(1, Duration.ofSeconds(bad)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("within");
        assertThatThrownBy(() -> Supervision.restart(1, null)).isInstanceOf(NullPointerException.class);
    }
}
