package io.heptad.actor;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.DROP_OLDEST;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Threads;
import io.heptad.contract.Watched;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.core.Metric;
import io.heptad.core.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an actor shows of itself: stats, metrics, ages, events; and what an idle one costs. */
@Watched
class FiguresTest {
    private static final Duration SOON = Duration.ofSeconds(10);

    private final Held held = new Held();

    private Actor<Integer> open(int mailbox, FullPolicy whenFull, Ticker ticker) {
        return Actor.named("figures", Integer.class)
                .mailbox(mailbox, whenFull)
                .state(() -> 0, (count, number, context) -> {
                    held.here();
                    return count + 1;
                })
                .ticker(ticker)
                .start();
    }

    private Actor<Integer> stuck(int mailbox, FullPolicy whenFull, Ticker ticker) throws InterruptedException {
        Actor<Integer> actor = open(mailbox, whenFull, ticker);
        actor.send(-1);
        held.awaitBegun();
        return actor;
    }

    @AfterEach
    void letGo() {
        held.release();
    }

    @Test
    void aHeldActorWithFortyBehindShowsForty() throws Exception {
        Actor<Integer> actor = stuck(100, BLOCK, Ticker.system());
        for (int i = 0; i < 40; i++) {
            actor.send(i);
        }

        assertThat(actor.depth()).isEqualTo(40);
        assertThat(actor.stats().depth()).isEqualTo(40);
        assertThat(actor.stats().busy()).isTrue();
        assertThat(values(actor)).containsEntry("heptad.actor.depth", 40.0).containsEntry("heptad.actor.busy", 1.0);
        assertThat(actor).hasToString("figures[40/100 BLOCK]");
        actor.close();
        assertThat(actor).hasToString("figures[40/100 BLOCK closed]");
    }

    private static Map<String, Double> values(Actor<?> actor) {
        return actor.metrics().stream()
                .collect(Collectors.toMap(Metric::name, metric -> metric.value().getAsDouble()));
    }

    @Test
    void everyFigureOfTheStatsIsAMetric() throws Exception {
        Actor<Integer> actor = stuck(2, REJECT, Ticker.system());
        actor.send(1);
        actor.send(2);
        assertThatThrownBy(() -> actor.send(3)).isInstanceOf(FullException.class);
        ActorStats stats = actor.stats();

        assertThat(values(actor))
                .containsEntry("heptad.actor.depth", (double) stats.depth())
                .containsEntry("heptad.actor.capacity", (double) stats.capacity())
                .containsEntry("heptad.actor.accepted", 3.0)
                .containsEntry("heptad.actor.rejected", 1.0)
                .containsEntry("heptad.actor.handled", 0.0)
                .containsKeys(
                        "heptad.actor.oldest.age",
                        "heptad.actor.waiting.senders",
                        "heptad.actor.pending.asks",
                        "heptad.actor.timers",
                        "heptad.actor.failed",
                        "heptad.actor.expired",
                        "heptad.actor.dropped",
                        "heptad.actor.timeouts",
                        "heptad.actor.undelivered",
                        "heptad.actor.returned",
                        "heptad.actor.restarts",
                        "heptad.actor.refusals",
                        "heptad.actor.callback.failures");
        assertThat(actor.metrics()).isSameAs(actor.metrics());
    }

    @Test
    void atRestTheFiguresAddUp() throws Exception {
        Actor<Integer> actor = Actor.of("sums", 8, DROP_OLDEST, 0, (count, number, context) -> {
            if (number % 7 == 0) {
                throw new IllegalStateException("seven");
            }
            return count + 1;
        });
        AtomicBoolean done = new AtomicBoolean();
        Call<Object> reader = Call.start(false, () -> {
            long handled = 0;
            while (!done.get()) {
                ActorStats stats = actor.stats();
                long ended = stats.handled() + stats.failed() + stats.expired() + stats.evicted();
                assertThat(ended).isLessThanOrEqualTo(stats.accepted() - stats.depth());
                assertThat(stats.depth()).isBetween(0, 8);
                assertThat(stats.handled()).isGreaterThanOrEqualTo(handled);
                handled = stats.handled();
            }
            return "done";
        });
        List<Call<Object>> senders = IntStream.range(0, 3)
                .mapToObj(sender -> Call.<Object>start(sender == 0, () -> {
                    for (int i = 0; i < 5_000; i++) {
                        actor.send(i);
                    }
                    return "done";
                }))
                .toList();
        senders.forEach(sender -> assertThat(sender.outcome()).isEqualTo("done"));
        done.set(true);

        assertThat(reader.outcome()).isEqualTo("done");
        assertThat(actor.close(SOON)).isTrue();
        ActorStats stats = actor.stats();
        assertThat(stats.accepted()).isEqualTo(15_000);
        assertThat(stats.handled() + stats.failed() + stats.evicted()).isEqualTo(15_000);
        assertThat(stats.depth()).isZero();
    }

    // Ages

    @Test
    void theFirstBehindTheMessageInHandHasAnExactAge() throws Exception {
        AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
        Actor<Integer> actor = stuck(100, BLOCK, now::get);
        assertThat(actor.oldestAge()).isZero();
        actor.send(1);
        now.addAndGet(1_000); // past the greatest number
        actor.send(2);

        assertThat(actor.oldestAge()).isEqualTo(Duration.ofNanos(1_000));
        assertThat(actor.stats().oldestAge()).isEqualTo(Duration.ofNanos(1_000));
    }

    @Test
    void whoeverReadsTheAgeLeavesAMarkForTheNext() throws Exception {
        AtomicLong now = new AtomicLong();
        Actor<Integer> actor = stuck(100, BLOCK, now::get);
        for (int i = 1; i <= 3; i++) {
            actor.send(i); // only the first finds nothing before it
        }
        held.step();
        held.awaitBegun(); // 1 is in hand, 2 and 3 were not timed
        assertThat(actor.oldestAge()).isZero();
        now.addAndGet(500);

        assertThat(actor.oldestAge()).isEqualTo(Duration.ofNanos(500));
        held.step();
        held.awaitBegun();
        assertThat(actor.oldestAge()).isEqualTo(Duration.ofNanos(500));
        held.step();
        held.awaitBegun();
        assertThat(actor.oldestAge()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClockThatThrowsCostsAnAgeAndNoMessage(boolean fromTheBeginning) throws Exception {
        AtomicBoolean broken = new AtomicBoolean(fromTheBeginning);
        Actor<Integer> actor = stuck(2, REJECT, () -> {
            if (broken.get()) {
                throw new IllegalStateException("clock");
            }
            return 5;
        });
        broken.set(true);
        actor.send(1);
        actor.send(2);

        assertThatThrownBy(() -> actor.send(3))
                .isInstanceOfSatisfying(
                        FullException.class,
                        full -> assertThat(full.retryAfter()).isEmpty());
        assertThat(actor.oldestAge()).isZero();
        held.release();
        assertThat(actor.close(SOON)).isTrue();
        assertThat(actor.stats().handled()).isEqualTo(3);
    }

    @Test
    void oneLetterInSixtyFourIsTimedThoughItFindsOthersBeforeIt() throws Exception {
        AtomicLong now = new AtomicLong();
        Actor<Integer> actor = stuck(100, BLOCK, now::get);
        for (int i = 1; i <= 70; i++) {
            actor.send(i);
        }
        held.step();
        held.awaitBegun(); // the first of them, the only other one that was timed
        now.addAndGet(500);

        assertThat(actor.oldestAge()).isEqualTo(Duration.ofNanos(500));
    }

    @Test
    void aClockMayShowTheLeastNumberThereIs() throws Exception {
        AtomicLong now = new AtomicLong(Long.MIN_VALUE);
        Actor<Integer> actor = stuck(100, BLOCK, now::get);
        actor.send(1);
        now.set(Long.MIN_VALUE + 1_001);

        assertThat(actor.oldestAge()).isEqualTo(Duration.ofNanos(1_000));
    }

    @Test
    void aRefusalSaysWhenToComeBackByWhatHasLeftSinceItWasFullForTheFirstTime() throws Exception {
        AtomicLong now = new AtomicLong();
        Actor<Integer> actor = stuck(2, REJECT, now::get);
        actor.send(1);
        actor.send(2); // full, though nobody was refused
        now.addAndGet(Duration.ofSeconds(1).toNanos());
        held.step();
        held.awaitBegun();
        actor.send(3);

        assertThatThrownBy(() -> actor.send(4))
                .isInstanceOfSatisfying(
                        FullException.class,
                        full -> assertThat(full.retryAfter()).hasValue(Duration.ofSeconds(2)));
    }

    // What an idle one costs

    @Test
    void anIdleActorHasNoThread() throws Exception {
        List<Actor<Integer>> actors = new ArrayList<>();
        long before = Threads.alive();
        for (int i = 0; i < 1_000; i++) {
            Actor<Integer> actor = Actor.of("idle-" + i, 100, BLOCK, 0, (count, number, context) -> count + number);
            actors.add(actor);
            actor.send(1);
        }
        Call.until(() -> actors.stream()
                .allMatch(
                        actor -> actor.stats().handled() == 1 && !actor.stats().busy()));

        Call.until(() -> Threads.alive() - before < 50);
        assertThat(actors).allSatisfy(actor -> assertThat(actor.depth()).isZero());
    }

    @Test
    void whatMostNeverNeedIsNotMadeBefore() throws Exception {
        Actor<Integer> actor = Actor.of("idle", 100, BLOCK, 0, (count, number, context) -> count + number);
        actor.send(1);
        Call.until(() -> actor.stats().handled() == 1);
        Owner<?, ?> owner = (Owner<?, ?>) actor.target();

        assertThat(owner.mailbox.overflow()).isNull();
        assertThat(owner.mishapsSoFar()).isNull();
        assertThat(owner.pendingAsks() + owner.pendingTimers()).isZero();
    }

    @Test
    void aStoppedActorLetsGoOfWhatItHeld() throws Exception {
        Actor<Integer> actor = Actor.of("stopped", 100, BLOCK, 0, (count, number, context) -> count + number);
        actor.send(1);

        assertThat(actor.close(SOON)).isTrue();
        assertThat(actor.stats().busy()).isFalse();
        assertThat(actor.stats().pendingAsks()).isZero();
    }

    // Flight Recorder

    @Test
    void recordsFailuresRefusalsDropsAndWaits(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("actor.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.heptad.ActorFailed");
            recording.enable("io.heptad.MailboxRefused");
            recording.enable("io.heptad.MailboxDropped");
            recording.enable("io.heptad.MailboxFull").withoutThreshold();
            recording.enable("io.heptad.Depth").withPeriod(Duration.ofMillis(10));
            recording.start();
            Actor<Integer> failing = Actor.of("failing", 1, BLOCK, 0, (count, number, context) -> {
                throw new IllegalStateException("number " + number);
            });
            failing.send(7);
            Actor<Integer> full = stuck(1, BLOCK, Ticker.system());
            full.send(1);
            full.offer(2);
            Call<Object> waiting = Call.start(true, () -> full.send(3));
            Call.until(() -> full.stats().waitingSenders() == 1);
            Actor<Integer> dropping = Actor.of("dropping", 1, DROP_OLDEST, 0, (count, number, context) -> {
                held.here();
                return count;
            });
            dropping.send(0);
            held.awaitBegun();
            dropping.send(1);
            dropping.send(2);
            Call.until(() -> failing.stats().failed() == 1);
            held.release();
            assertThat(waiting.outcome()).isEqualTo(true);
            Call.until(() -> full.depth() == 0);
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);

        assertThat(of("io.heptad.ActorFailed", events)).singleElement().satisfies(event -> {
            assertThat(event.getString("actor")).isEqualTo("failing");
            assertThat(event.getString("failure")).isEqualTo("java.lang.IllegalStateException");
            assertThat(event.getString("message")).isEqualTo("number 7");
        });
        assertThat(of("io.heptad.MailboxRefused", events)).singleElement().satisfies(event -> {
            assertThat(event.getString("actor")).isEqualTo("figures");
            assertThat(event.getLong("capacity")).isEqualTo(1);
        });
        assertThat(of("io.heptad.MailboxDropped", events)).singleElement().satisfies(event -> {
            assertThat(event.getString("actor")).isEqualTo("dropping");
            assertThat(event.getString("which")).isEqualTo("oldest");
        });
        assertThat(of("io.heptad.MailboxFull", events)).singleElement().satisfies(event -> {
            assertThat(event.getString("actor")).isEqualTo("figures");
            assertThat(event.getString("outcome")).isEqualTo("accepted");
            assertThat(event.getDuration()).isPositive();
        });
        assertThat(of("io.heptad.Depth", events))
                .anySatisfy(event -> assertThat(event.getString("type")).isEqualTo("Actor"));
    }

    private static List<RecordedEvent> of(String name, List<RecordedEvent> events) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals(name))
                .toList();
    }

    @Test
    void aFailureWhoseMessageCannotBeReadIsRecordedAllTheSame(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("actor.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.heptad.ActorFailed");
            recording.start();
            Actor<Integer> failing = Actor.of("failing", 1, BLOCK, 0, (count, number, context) -> {
                throw new IllegalStateException() {
                    @Override
                    public String getMessage() {
                        throw new UnsupportedOperationException("no message");
                    }
                };
            });
            failing.send(7);
            assertThat(failing.close(SOON)).isTrue();
            recording.stop();
            recording.dump(file);
        }

        assertThat(of("io.heptad.ActorFailed", RecordingFile.readAllEvents(file)))
                .singleElement()
                .satisfies(event -> assertThat(event.getString("failure")).startsWith("io.heptad.actor.FiguresTest"));
    }

    @Test
    void recordsTheDepthOfAnActorFromItsFirstMessageToItsEnd(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("actor.jfr");
        Behavior<Integer, Integer> behavior = (count, number, context) -> {
            if (number < 0) {
                context.stop();
            }
            return count + 1;
        };
        List<Actor<Integer>> actors = new ArrayList<>();
        try (Recording recording = new Recording()) {
            recording.enable("io.heptad.Depth").with("period", "everyChunk");
            recording.start();
            for (String name : List.of("new depths", "open depths", "closed depths")) {
                actors.add(Actor.of(name, 3, BLOCK, 0, behavior));
            }
            actors.get(1).send(1);
            actors.get(2).send(1);
            assertThat(actors.get(2).close(SOON)).isTrue();
            Actor<Integer> brief = Actor.named("brief depths", Integer.class)
                    .mailbox(3, REJECT)
                    .state(() -> 0, behavior)
                    .executor(Runnable::run)
                    .start();
            brief.send(-1); // has stopped before its sender can say that it has begun
            assertThat(brief.close(SOON)).isTrue();
            actors.add(brief);
            recording.stop();
            recording.dump(file);
        }

        assertThat(of("io.heptad.Depth", RecordingFile.readAllEvents(file)).stream()
                        .map(event -> event.getString("shape"))
                        .filter(shape -> shape.endsWith(" depths")))
                .isNotEmpty()
                .containsOnly("open depths");
        assertThat(actors).hasSize(4); // none was collected meanwhile
    }
}
