package io.heptad.actor;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.DROP_NEWEST;
import static io.heptad.core.FullPolicy.DROP_OLDEST;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Questions and answers: in time, late, refused, cancelled, and asked of an actor that stops. */
@Watched
class AskTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Duration NOT_LONG = Duration.ofMillis(20);
    private static final Duration NO_LIMIT = Duration.ofSeconds(Long.MAX_VALUE);

    /** A question with something to carry. */
    private record Question(String word, byte[] load, Reply<String> reply) {}

    private final Held held = new Held();
    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final AtomicReference<Reply<String>> kept = new AtomicReference<>();
    private Actor<Question> actor;

    /** Answers with the word, but: "hold" waits first, "keep" keeps the reply for later, the others throw. */
    private String answer(String state, Question question, ActorContext<Question> context) throws Exception {
        handled.add(question.word());
        switch (question.word()) {
            case "hold" -> held.here();
            case "keep" -> {
                kept.set(question.reply());
                return state;
            }
            case "checked" -> throw new IOException("disk");
            case "error" -> throw new AssertionError("broken");
            case "refuse" -> question.reply().fail(new IOException("no"));
            case "twice" -> {
                assertThat(question.reply().ok("first")).isTrue();
                assertThat(question.reply().ok("second")).isFalse();
                assertThat(question.reply().fail(new IOException())).isFalse();
            }
            case "stop" -> {
                context.stop();
                return state;
            }
            default -> {}
        }
        question.reply().ok(question.word());
        return state;
    }

    private Actor<Question> open(int mailbox, FullPolicy whenFull) {
        actor = Actor.of("oracle", mailbox, whenFull, "", this::answer);
        return actor;
    }

    private CompletableFuture<String> ask(String word, Duration timeout) {
        return actor.ask(reply -> new Question(word, new byte[0], reply), timeout);
    }

    private String call(String word, Duration timeout) throws Exception {
        return actor.<String>call(reply -> new Question(word, new byte[0], reply), timeout);
    }

    /** Stuck in one question. */
    private CompletableFuture<String> hold() {
        CompletableFuture<String> first = ask("hold", SOON);
        held.awaitBegun();
        return first;
    }

    private static Throwable failure(CompletableFuture<?> future) {
        Call.until(future::isDone);
        return future.exceptionNow();
    }

    @AfterEach
    void letGo() {
        held.release();
    }

    @Test
    void answersInTheirOrder() throws Exception {
        open(10, BLOCK);
        CompletableFuture<String> first = ask("a", SOON);
        CompletableFuture<String> second = ask("b", NO_LIMIT);

        assertThat(call("c", SOON)).isEqualTo("c");
        assertThat(call("d", NO_LIMIT)).isEqualTo("d");
        assertThat(List.of(first.join(), second.join())).containsExactly("a", "b");
        assertThat(handled).containsExactly("a", "b", "c", "d");
        assertThat(actor.stats().pendingAsks()).isZero();
    }

    @Test
    void theFirstAnswerCounts() throws Exception {
        open(10, BLOCK);

        assertThat(call("twice", SOON)).isEqualTo("first");
        assertThat(actor.close(SOON)).isTrue();
        assertThat(actor.stats().failed()).isZero();
    }

    @Test
    void theAskerGetsWhatTheHandlerThrew() throws Exception {
        open(10, BLOCK);

        assertThat(failure(ask("checked", SOON)))
                .isInstanceOf(IOException.class)
                .hasMessage("disk");
        assertThat(failure(ask("error", SOON)))
                .isInstanceOf(AssertionError.class)
                .hasMessage("broken");
        assertThat(failure(ask("refuse", SOON))).isInstanceOf(IOException.class).hasMessage("no");
        assertThatThrownBy(() -> call("checked", SOON))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> call("error", SOON))
                .isInstanceOf(AssertionError.class)
                .hasMessage("broken");
        assertThat(call("a", SOON)).isEqualTo("a");
        assertThat(actor.stats().failed()).isEqualTo(4);
    }

    @Test
    void anAskThatIsLateFailsAndIsSkippedWhenItsTurnComes() throws Exception {
        open(10, BLOCK);
        CompletableFuture<String> first = hold();
        CompletableFuture<String> late = ask("late", NOT_LONG);
        CompletableFuture<String> patient = ask("patient", SOON);

        assertThat(failure(late))
                .isInstanceOf(TimeoutException.class)
                .hasMessage("no answer from oracle within PT0.02S");
        held.release();

        assertThat(first.join()).isEqualTo("hold");
        assertThat(patient.join()).isEqualTo("patient");
        assertThat(handled).containsExactly("hold", "patient");
        assertThat(actor.stats().expired()).isEqualTo(1);
    }

    @Test
    void anAskWithoutTimeIsNotSent() throws Exception {
        open(10, BLOCK);

        assertThat(ask("a", Duration.ZERO).exceptionNow()).isInstanceOf(TimeoutException.class);
        assertThat(ask("a", Duration.ofSeconds(-1)).exceptionNow()).isInstanceOf(TimeoutException.class);
        assertThatThrownBy(() -> call("a", Duration.ZERO)).isInstanceOf(TimeoutException.class);
        assertThat(actor.stats().accepted()).isZero();
        assertThat(actor.stats().pendingAsks()).isZero();
    }

    @Test
    void anAskThatItsOwnerCancelsOrCompletesIsSkipped() throws Exception {
        open(10, BLOCK);
        hold();
        CompletableFuture<String> cancelled = ask("cancelled", SOON);
        CompletableFuture<String> completed = ask("completed", SOON);
        CompletableFuture<String> timed = ask("timed", NO_LIMIT).orTimeout(1, TimeUnit.MILLISECONDS);
        assertThat(cancelled.cancel(true)).isTrue();
        assertThat(completed.complete("mine")).isTrue();
        assertThat(failure(timed)).isInstanceOf(TimeoutException.class);
        assertThat(actor.stats().pendingAsks()).isEqualTo(1); // the one in hand
        held.release();

        assertThat(actor.close(SOON)).isTrue();
        assertThat(handled).containsExactly("hold");
        assertThat(actor.stats().expired()).isEqualTo(3);
        assertThatThrownBy(cancelled::join).isInstanceOf(CancellationException.class);
    }

    @Test
    void cancellingADependentStageDoesNotReachTheQuestion() throws Exception {
        open(10, BLOCK);
        hold();
        CompletableFuture<String> asked = ask("a", SOON);
        assertThat(asked.thenApply(String::length).cancel(true)).isTrue();
        held.release();

        assertThat(asked.join()).isEqualTo("a");
    }

    @ParameterizedTest
    @EnumSource
    void anAskOfAFullActorFailsAtOnceAndDropsNobody(FullPolicy policy) throws Exception {
        open(1, policy);
        CompletableFuture<String> first = hold();
        CompletableFuture<String> second = ask("second", SOON);

        assertThat(ask("third", SOON).exceptionNow())
                .isInstanceOfSatisfying(
                        FullException.class, full -> assertThat(full.capacity()).isEqualTo(1));
        assertThat(actor.stats().pendingAsks()).isEqualTo(2);
        held.release();
        assertThat(List.of(first.join(), second.join())).containsExactly("hold", "second");
        assertThat(actor.stats().rejected()).isEqualTo(1);
    }

    @Test
    void aCallWaitsForRoomAndForItsAnswerWithinItsTime() throws Exception {
        open(1, BLOCK);
        hold();
        CompletableFuture<String> second = ask("second", SOON);
        Call<String> third = Call.start(true, () -> call("third", SOON));
        Call.until(() -> actor.stats().waitingSenders() == 1);
        assertThatThrownBy(() -> call("fourth", NOT_LONG)).isInstanceOf(TimeoutException.class);
        held.release();

        assertThat(third.outcome()).isEqualTo("third");
        assertThat(second.join()).isEqualTo("second");
        assertThat(actor.close(SOON)).isTrue();
        assertThat(handled).containsExactly("hold", "second", "third");
        assertThat(actor.stats().timedOut()).isEqualTo(1);
    }

    @Test
    void aCallWhoseAnswerComesWhileItIsInterruptedReturnsItAndKeepsTheInterrupt() throws Exception {
        ManualAlarm alarms = new ManualAlarm();
        actor = Actor.named("oracle", Question.class)
                .mailbox(10, BLOCK)
                .state(() -> "", this::answer)
                .alarms((nanos, then) -> {
                    Runnable back = alarms.in(nanos, then);
                    return () -> {
                        back.run();
                        Reply<String> reply = kept.getAndSet(null);
                        if (reply != null) {
                            reply.ok("first"); // inside of the call that gives up
                        }
                    };
                })
                .start();
        CompletableFuture<String> other = ask("keep", Duration.ofHours(1));
        Call.until(() -> kept.getAndSet(null) != null);
        alarms.advance(Duration.ofMillis(200)); // now its alarm is far away, and is taken back with the last ask
        Call<String> call = Call.platform(
                () -> actor.call((Reply<String> reply) -> new Question("keep", new byte[0], reply), NO_LIMIT));
        Call.until(() -> kept.get() != null && call.thread().getState() == Thread.State.WAITING);
        assertThat(other.cancel(true)).isTrue();
        call.interrupt();

        assertThat(call.outcome()).isEqualTo("first");
        assertThat(call.interruptedAfter()).isTrue();
    }

    @Test
    void aCallOfAFullActorThatDoesNotBlockIsRefused() throws Exception {
        for (FullPolicy policy : List.of(REJECT, DROP_NEWEST, DROP_OLDEST)) {
            open(1, policy);
            hold();
            CompletableFuture<String> second = ask("second", SOON);

            assertThatThrownBy(() -> call("third", SOON)).as("%s", policy).isInstanceOf(FullException.class);
            held.step();
            assertThat(second.join()).isEqualTo("second");
        }
    }

    @Test
    void aCallThatGivesUpWhileItWaitsInLineIsSkipped() throws Exception {
        open(10, BLOCK);
        hold();
        assertThatThrownBy(() -> call("late", NOT_LONG))
                .isInstanceOf(TimeoutException.class)
                .hasMessage("no answer from oracle within PT0.02S");
        Call<String> interrupted = Call.start(false, () -> call("interrupted", NO_LIMIT));
        Call.until(() -> actor.depth() == 2);
        interrupted.interrupt();
        assertThat(interrupted.outcome()).isInstanceOf(InterruptedException.class);
        held.release();

        assertThat(actor.close(SOON)).isTrue();
        assertThat(handled).containsExactly("hold");
        assertThat(actor.stats().expired()).isEqualTo(2);
        assertThat(Waits.entered()).isZero();
    }

    @Test
    void aReplyMayComeAfterTheHandlerHasReturned() throws Exception {
        open(10, BLOCK);
        CompletableFuture<String> asked = ask("keep", SOON);
        Call.until(() -> kept.get() != null);
        assertThat(call("a", SOON)).isEqualTo("a");
        assertThat(asked).isNotDone();
        assertThat(actor.stats().pendingAsks()).isEqualTo(1);

        assertThat(kept.get().ok("later")).isTrue();
        assertThat(asked.join()).isEqualTo("later");
        assertThat(actor.stats().pendingAsks()).isZero();
    }

    @Test
    void aReplyToAnAskThatHasTimedOutIsTooLate() throws Exception {
        open(10, BLOCK);
        CompletableFuture<String> asked = ask("keep", NOT_LONG);

        assertThat(failure(asked)).isInstanceOf(TimeoutException.class);
        assertThat(kept.get().ok("later")).isFalse();
        assertThat(kept.get().fail(new IOException())).isFalse();
    }

    @Test
    void aNullIsAnAnswerButNoFailure() throws Exception {
        Actor<Reply<Void>> unit = Actor.of("unit", 10, BLOCK, "", (state, reply, context) -> {
            assertThatThrownBy(() -> reply.fail(null)).isInstanceOf(NullPointerException.class);
            reply.ok(null);
            return state;
        });

        assertThat(unit.<Void>ask(reply -> reply, SOON).get(10, TimeUnit.SECONDS))
                .isNull();
        assertThat(unit.<Void>call(reply -> reply, SOON)).isNull();
    }

    @Test
    void aFunctionThatThrowsAsksNothing() {
        open(10, BLOCK);

        assertThatThrownBy(() -> actor.<String>ask(
                        reply -> {
                            throw new IllegalStateException("no message");
                        },
                        SOON))
                .hasMessage("no message");
        assertThatThrownBy(() -> actor.<String>call(
                        reply -> {
                            throw new IllegalStateException("no message");
                        },
                        SOON))
                .hasMessage("no message");
        assertThat(actor.stats().pendingAsks()).isZero();
        assertThat(actor.stats().accepted()).isZero();
    }

    // The actor stops (G60)

    @Test
    void anAskThatIsAnsweredBeforeItIsSentLeavesNothingBehind() throws Exception {
        open(10, BLOCK);
        hold();
        CompletableFuture<String> asked = actor.ask(
                reply -> {
                    reply.ok("at once");
                    return new Question("skipped", new byte[0], reply);
                },
                Duration.ofHours(1));
        assertThat(asked).isCompletedWithValue("at once");
        assertThat(actor.stats().pendingAsks()).isEqualTo(1); // that of the message that is held
        held.release();

        assertThat(actor.close(SOON)).isTrue();
        assertThat(handled).containsExactly("hold");
        assertThat(actor.stats().expired()).isEqualTo(1);
    }

    @Test
    void anAskOfAStoppedActorFails() throws Exception {
        open(10, BLOCK);
        assertThat(actor.close(SOON)).isTrue();

        assertThat(ask("a", NO_LIMIT).exceptionNow())
                .isInstanceOf(ClosedException.class)
                .hasMessage("oracle is closed");
        assertThatThrownBy(() -> call("a", NO_LIMIT)).isInstanceOf(ClosedException.class);
        assertThat(actor.stats().pendingAsks()).isZero();
    }

    @Test
    void anAskThatIsStillInTheMailboxFailsWhenTheActorStops() throws Exception {
        open(10, BLOCK);
        CompletableFuture<String> first = hold();
        CompletableFuture<String> stopping = ask("stop", NO_LIMIT);
        CompletableFuture<String> behind = ask("behind", NO_LIMIT);
        Call<String> caller = Call.start(true, () -> call("caller", NO_LIMIT));
        Call.until(() -> actor.depth() == 3);
        held.release();

        assertThat(first.join()).isEqualTo("hold");
        assertThat(failure(behind)).isInstanceOf(ClosedException.class);
        assertThat(failure(stopping)).isInstanceOf(ClosedException.class);
        assertThat(caller.outcome()).isInstanceOf(ClosedException.class);
        assertThat(handled).containsExactly("hold", "stop");
    }

    @Test
    void anAskWhoseReplyWasKeptFailsWhenTheActorStops() throws Exception {
        open(10, BLOCK);
        CompletableFuture<String> asked = ask("keep", NO_LIMIT);
        assertThat(actor.close(SOON)).isTrue();

        assertThat(failure(asked)).isInstanceOf(ClosedException.class);
        assertThat(kept.get().ok("later")).isFalse();
    }

    @Test
    void anAskThatIsGivenBackFails() throws Exception {
        open(10, BLOCK);
        CompletableFuture<String> first = hold();
        CompletableFuture<String> second = ask("second", NO_LIMIT);
        CompletableFuture<String> late = ask("late", NOT_LONG);
        failure(late);

        assertThat(actor.closeNow()).extracting(Question::word).containsExactly("second");
        assertThat(failure(second)).isInstanceOf(ClosedException.class);
        held.release();
        assertThat(first.join()).isEqualTo("hold");
        assertThat(actor.stats().expired()).isEqualTo(1);
    }

    // Nothing of it stays behind (G59)

    @Test
    void aHundredThousandAsksThatTimedOutLeaveNothingBehind() throws Exception {
        AtomicInteger seen = new AtomicInteger();
        Actor<Question> silent = Actor.of("silent", 200_000, REJECT, "", (state, question, context) -> {
            seen.incrementAndGet();
            return state;
        });
        List<WeakReference<byte[]>> loads = new ArrayList<>();
        List<CompletableFuture<String>> asked = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            byte[] load = new byte[64];
            if (i % 1_000 == 0) {
                loads.add(new WeakReference<>(load));
            }
            asked.add(silent.ask(reply -> new Question("a", load, reply), Duration.ofMillis(50)));
        }

        asked.forEach(each -> assertThat(failure(each)).isInstanceOf(TimeoutException.class));
        assertThat(silent.stats().pendingAsks()).isZero();
        Call.until(() -> ((Owner<?, ?>) silent.target()).asks().alarms() == 0);
        Call.until(() -> silent.depth() == 0);
        asked.clear();
        Call.until(() -> {
            System.gc();
            return loads.stream().allMatch(load -> load.get() == null);
        });
        assertThat(silent.stats().expired() + seen.get()).isEqualTo(100_000);
    }

    @Test
    void aHundredThousandAnsweredAsksWithAnHourToGoLeaveNothingBehind() throws Exception {
        Actor<Reply<byte[]>> giver = Actor.of("giver", 100, REJECT, "", (state, reply, context) -> {
            reply.ok(new byte[10_000]);
            return state;
        });
        List<WeakReference<byte[]>> answers = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            byte[] answer =
                    giver.<byte[]>ask(reply -> reply, Duration.ofHours(1)).get();
            if (i % 1_000 == 0) {
                answers.add(new WeakReference<>(answer));
            }
        }

        assertThat(giver.stats().pendingAsks()).isZero();
        Call.until(() -> ((Owner<?, ?>) giver.target()).asks().alarms() == 0);
        Call.until(() -> {
            System.gc();
            return answers.stream().allMatch(answer -> answer.get() == null);
        });
    }

    @Test
    void theMessageOfALateAskIsLetGoOfBeforeItsTurn() throws Exception {
        open(10, BLOCK);
        hold();
        WeakReference<byte[]> load = late();

        Call.until(() -> {
            System.gc();
            return load.get() == null;
        });
        assertThat(actor.depth()).isEqualTo(1);
    }

    private WeakReference<byte[]> late() {
        byte[] load = new byte[100];
        CompletableFuture<String> asked = actor.ask(reply -> new Question("late", load, reply), NOT_LONG);
        failure(asked);
        return new WeakReference<>(load);
    }

    @Test
    void aDependentStageThatBlocksDoesNotMakeOtherTimeoutsLate() throws Exception {
        open(10, BLOCK);
        hold();
        CountDownLatch leave = new CountDownLatch(1);
        CompletableFuture<String> first = ask("first", NOT_LONG);
        CompletableFuture<Void> blocked = first.handle((none, late) -> {
            try {
                leave.await();
            } catch (InterruptedException stop) {
                throw new CompletionException(stop);
            }
            return null;
        });
        CompletableFuture<String> second = ask("second", NOT_LONG);
        CompletableFuture<String> third = ask("third", Duration.ofMillis(60));

        assertThat(failure(second)).isInstanceOf(TimeoutException.class);
        assertThat(failure(third)).isInstanceOf(TimeoutException.class);
        assertThat(blocked).isNotDone();
        leave.countDown();
    }

    @Test
    void oneAlarmServesAllAsksAndIsTakenBackWithTheLast() throws Exception {
        ManualAlarm alarms = new ManualAlarm();
        actor = Actor.named("oracle", Question.class)
                .mailbox(10, BLOCK)
                .state(() -> "", this::answer)
                .alarms(alarms)
                .start();
        CompletableFuture<String> kept1 = ask("keep", Duration.ofHours(2));
        CompletableFuture<String> kept2 = ask("keep", Duration.ofHours(1));
        Call.until(() -> actor.stats().handled() == 2);
        assertThat(alarms.pending()).isEqualTo(1);
        alarms.advance(Duration.ofMillis(100)); // the first tick: nothing is due
        assertThat(alarms.pending()).isEqualTo(1);
        assertThat(kept1).isNotDone();
        kept1.cancel(true);
        assertThat(alarms.pending()).isEqualTo(1);
        kept2.cancel(true);

        assertThat(alarms.pending()).isZero();
    }

    private static final class Counted implements Alarm {
        private final ManualAlarm alarms = new ManualAlarm();
        private final List<Long> set = new CopyOnWriteArrayList<>();

        @Override
        public Runnable in(long nanos, Runnable then) {
            set.add(nanos);
            return alarms.in(nanos, then);
        }
    }

    private Counted counting() {
        Counted counted = new Counted();
        actor = Actor.named("oracle", Question.class)
                .mailbox(10, BLOCK)
                .state(() -> "", this::answer)
                .alarms(counted)
                .start();
        return counted;
    }

    @Test
    void aCallerWatchesTheTimeItselfAndSetsNoAlarm() throws Exception {
        Counted counted = counting();
        Call<String> call = Call.platform(() -> call("keep", SOON));
        Call.until(() -> kept.get() != null);
        assertThat(kept.get().ok("later")).isTrue();

        assertThat(call.outcome()).isEqualTo("later");
        assertThat(counted.set).isEmpty();
    }

    @Test
    void asksThatAreAnsweredInTimeSetOneAlarmTogether() throws Exception {
        Counted counted = counting();
        for (int i = 0; i < 200; i++) {
            assertThat(ask("a", Duration.ofHours(1)).get()).isEqualTo("a");
        }

        assertThat(counted.set).hasSize(1);
        counted.alarms.advance(Duration.ofMillis(100));
        assertThat(counted.alarms.pending()).isZero();
    }

    @Test
    void anAskThatIsDueBeforeAllOthersHasTheAlarmInItsTime() throws Exception {
        Counted counted = counting();
        CompletableFuture<String> patient = ask("keep", Duration.ofHours(1));
        CompletableFuture<String> hasty = ask("keep", Duration.ofMillis(5));
        CompletableFuture<String> between = ask("keep", Duration.ofMinutes(1));

        assertThat(counted.set).hasSize(2);
        assertThat(counted.set.get(1)).isLessThanOrEqualTo(Duration.ofMillis(5).toNanos());
        assertThat(counted.alarms.pending()).isEqualTo(1);
        assertThat(List.of(patient, hasty, between)).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void theAlarmOfTheAsksIsTakenBackWhenTheActorStops() throws Exception {
        Counted counted = counting();
        CompletableFuture<String> kept1 = ask("keep", Duration.ofHours(1));
        CompletableFuture<String> kept2 = ask("keep", Duration.ofHours(1));
        assertThat(actor.close(SOON)).isTrue();

        assertThat(List.of(failure(kept1), failure(kept2))).allMatch(ClosedException.class::isInstance);
        assertThat(counted.alarms.pending()).isZero();
        assertThat(actor.stats().pendingAsks()).isZero();
    }

    // Dropped for others

    @Test
    void anAskThatIsDroppedForALaterMessageIsTold() throws Exception {
        List<String> dead = new CopyOnWriteArrayList<>();
        actor = Actor.named("oracle", Question.class)
                .mailbox(1, DROP_OLDEST)
                .state(() -> "", this::answer)
                .deadLetters(question -> dead.add(question.word()))
                .start();
        hold();
        CompletableFuture<String> dropped = ask("dropped", SOON);
        assertThat(actor.send(new Question("keep", new byte[0], null))).isTrue();

        assertThat(dropped.exceptionNow())
                .isInstanceOf(FullException.class)
                .hasMessageContaining("dropped for a later message");
        assertThat(dead).containsExactly("dropped");
        assertThat(actor.stats().evicted()).isEqualTo(1);
        assertThat(actor.stats().pendingAsks()).isEqualTo(1); // the one in hand
    }

    @Test
    void anAskThatHadEndedWhenItMadeRoomIsExpiredAndNotDropped() throws Exception {
        List<String> dead = new CopyOnWriteArrayList<>();
        actor = Actor.named("oracle", Question.class)
                .mailbox(1, DROP_OLDEST)
                .state(() -> "", this::answer)
                .deadLetters(question -> dead.add(question.word()))
                .start();
        hold();
        assertThat(ask("ended", SOON).cancel(true)).isTrue();
        assertThat(actor.send(new Question("keep", new byte[0], null))).isTrue();

        assertThat(dead).isEmpty();
        assertThat(actor.stats().evicted()).isZero();
        assertThat(actor.stats().expired()).isEqualTo(1);
    }

    @Test
    void anAskThatEndsBecauseAnotherFailedIsNoDeadLetter() throws Exception {
        List<String> dead = new CopyOnWriteArrayList<>();
        actor = Actor.named("oracle", Question.class)
                .mailbox(10, BLOCK)
                .state(() -> "", this::answer)
                .deadLetters(question -> dead.add(question.word()))
                .start();
        hold();
        CompletableFuture<String> stops = ask("stop", SOON);
        CompletableFuture<String> first = ask("first", SOON);
        CompletableFuture<String> second = ask("second", SOON);
        CompletableFuture<Boolean> cancelled = first.handle((none, failed) -> second.cancel(true));
        held.release();

        assertThat(actor.close(SOON)).isTrue();
        assertThat(cancelled.join()).isTrue();
        assertThat(stops).isCompletedExceptionally();
        assertThat(dead).containsExactly("first");
        assertThat(actor.stats().undelivered()).isEqualTo(1);
        assertThat(actor.stats().expired()).isEqualTo(1);
    }

    // Whose failure it is

    @Test
    void aHandlerThatMetTheEndOfAnotherIsNotTakenForClosedItself() {
        Actor<Reply<String>> relay = Actor.of("relay", 10, BLOCK, "", (state, reply, context) -> {
            throw new ClosedException("store");
        });

        assertThatThrownBy(() -> relay.<String>call(reply -> reply, SOON))
                .isInstanceOfSatisfying(
                        ClosedException.class,
                        closed -> assertThat(closed.shape()).isEqualTo("store"));
    }

    @Test
    void whoCallsAnActorThatStopsSeesItsOwnStack() throws Exception {
        open(10, BLOCK);
        Call<String> caller = Call.start(false, () -> call("stop", NO_LIMIT));

        assertThat(caller.outcome())
                .isInstanceOfSatisfying(
                        ClosedException.class,
                        closed -> assertThat(closed.getStackTrace())
                                .anyMatch(frame -> frame.getClassName().startsWith(AskTest.class.getName())));
    }

    @Test
    void anAskThatEndsAnywhereAmongOthersLeavesThemToTheirEnd() throws Exception {
        for (int ends = 0; ends < 3; ends++) {
            open(10, BLOCK);
            List<CompletableFuture<String>> kept = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                kept.add(ask("keep", NO_LIMIT));
            }
            assertThat(kept.remove(ends).cancel(true)).isTrue();
            kept.add(ask("keep", NO_LIMIT));
            assertThat(actor.stats().pendingAsks()).isEqualTo(3);
            assertThat(actor.close(SOON)).isTrue();

            assertThat(kept).allMatch(ask -> failure(ask) instanceof ClosedException);
            assertThat(actor.stats().pendingAsks()).isZero();
        }
    }
}
