package io.heptad.actor;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.DROP_NEWEST;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages for later, and that none comes when its time is over. */
@Watched
class TimersTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Duration DELAY = Duration.ofMillis(100);

    private final ManualAlarm alarms = new ManualAlarm();
    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final List<String> dead = new CopyOnWriteArrayList<>();
    private final AtomicReference<Cancellable> timer = new AtomicReference<>();
    private final AtomicReference<ActorContext<String>> context = new AtomicReference<>();
    private final Held held = new Held();

    private Actor<String> open(int mailbox, FullPolicy whenFull, Supervision supervision) {
        return Actor.named("timed", String.class)
                .mailbox(mailbox, whenFull)
                .state(() -> 0, (count, word, context) -> {
                    this.context.set(context);
                    handled.add(word);
                    switch (word) {
                        case "set" -> timer.set(context.sendAfter(DELAY, "rang"));
                        case "stop" -> context.stop();
                        case "hold" -> held.here();
                        case "fail" -> throw new IllegalStateException("fail");
                        default -> {}
                    }
                    return count + 1;
                })
                .supervision(supervision)
                .deadLetters(dead::add)
                .alarms(alarms)
                .start();
    }

    private void awaitHandled(String... words) {
        Call.until(() -> handled.equals(List.of(words)));
    }

    @Test
    void sendsTheMessageWhenTheTimeHasCome() throws Exception {
        Actor<String> actor = open(10, BLOCK, Supervision.resume());
        actor.send("set");
        awaitHandled("set");
        assertThat(actor.stats().timers()).isEqualTo(1);

        alarms.advance(DELAY.minusNanos(1));
        assertThat(actor.stats().accepted()).isEqualTo(1);
        alarms.advance(Duration.ofNanos(1));

        awaitHandled("set", "rang");
        assertThat(actor.stats().timers()).isZero();
        assertThat(timer.get().cancel()).isFalse();
    }

    @Test
    void aTimerThatIsTakenBackNeverGoesOff() throws Exception {
        Actor<String> actor = open(10, BLOCK, Supervision.resume());
        actor.send("set");
        Call.until(() -> timer.get() != null);

        assertThat(timer.get().cancel()).isTrue();
        assertThat(timer.get().cancel()).isFalse();
        assertThat(alarms.pending()).isZero();
        alarms.advance(SOON);
        assertThat(actor.stats().timers()).isZero();
        assertThat(actor.close(SOON)).isTrue();
        assertThat(handled).containsExactly("set");
    }

    @ParameterizedTest
    @ValueSource(strings = {"stop", "close", "closeNow"})
    void aStoppedActorHasNoTimersAndNoneGoesOff(String how) throws Exception {
        Actor<String> actor = open(10, BLOCK, Supervision.resume());
        actor.send("set");
        Call.until(() -> timer.get() != null);
        switch (how) {
            case "stop" -> actor.send("stop");
            case "close" -> actor.close();
            default -> assertThat(actor.closeNow()).isEmpty();
        }
        Call.until(() -> ((Owner<?, ?>) actor.target()).isStopped());

        assertThat(actor.stats().timers()).isZero();
        assertThat(alarms.pending()).isZero();
        alarms.advance(SOON);
        assertThat(handled).doesNotContain("rang");
        assertThat(dead).isEmpty();
        assertThat(timer.get().cancel()).isFalse();
        assertThatThrownBy(() -> context.get().sendAfter(DELAY, "late")).isInstanceOf(ClosedException.class);
        assertThat(alarms.pending()).isZero();
    }

    @Test
    void aTimerOfTheSystemDoesNotOutliveItsActor() throws Exception {
        Actor<String> actor = Actor.named("idle", String.class)
                .mailbox(10, BLOCK)
                .state(() -> 0, (count, word, context) -> {
                    handled.add(word);
                    if (word.equals("set")) {
                        Cancellable set = context.sendAfter(DELAY, "idle");
                        timer.set(set);
                        context.stop();
                    }
                    return count;
                })
                .deadLetters(dead::add)
                .start();
        actor.send("set");
        Actor<String> later = Actor.of("later", 10, BLOCK, 0, (count, word, context) -> {
            handled.add(word);
            Object ignored = count == 0 ? context.sendAfter(Duration.ofMillis(300), "300 ms later") : null;
            return count + 1;
        });
        later.send("begin");

        Call.until(() -> handled.contains("300 ms later"));
        assertThat(handled).containsExactlyInAnyOrder("set", "begin", "300 ms later");
        assertThat(dead).isEmpty();
        assertThat(actor.stats().timers()).isZero();
    }

    @Test
    void aRestartTakesTheTimersBackSoThatThereIsOneAgain() throws Exception {
        Actor<String> actor = open(10, BLOCK, Supervision.restart(3, SOON));
        actor.send("set");
        actor.send("fail");
        actor.send("set");
        awaitHandled("set", "fail", "set");

        assertThat(actor.stats().timers()).isEqualTo(1);
        assertThat(alarms.pending()).isEqualTo(1);
        alarms.advance(DELAY);
        awaitHandled("set", "fail", "set", "rang");
        alarms.advance(SOON);
        assertThat(actor.close(SOON)).isTrue();
        assertThat(handled).hasSize(4);
    }

    @Test
    void aFailureThatIsResumedLeavesTheTimersAlone() throws Exception {
        Actor<String> actor = open(10, BLOCK, Supervision.resume());
        actor.send("set");
        actor.send("fail");
        awaitHandled("set", "fail");
        alarms.advance(DELAY);

        awaitHandled("set", "fail", "rang");
    }

    /** Stuck, its mailbox of one full, and the timer has gone off. */
    private Thread rangWhileFull(Actor<String> actor) throws InterruptedException {
        actor.send("set");
        awaitHandled("set");
        actor.send("hold");
        held.awaitBegun();
        actor.send("full");
        Thread ringing = alarms.ring(DELAY).get(0);
        return ringing;
    }

    @Test
    void waitsForRoomWhenTheMailboxBlocks() throws Exception {
        Actor<String> actor = open(1, BLOCK, Supervision.resume());
        Thread ringing = rangWhileFull(actor);
        Call.until(() -> actor.stats().waitingSenders() == 1);
        assertThat(actor.stats().timers()).isEqualTo(1);
        held.release();
        ringing.join();

        awaitHandled("set", "hold", "full", "rang");
        assertThat(actor.stats().timers()).isZero();
        assertThat(dead).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"REJECT", "DROP_NEWEST"})
    void whatTheMailboxDoesNotTakeIsADeadLetter(FullPolicy policy) throws Exception {
        assertThat(List.of(REJECT, DROP_NEWEST)).contains(policy);
        Actor<String> actor = open(1, policy, Supervision.resume());
        rangWhileFull(actor).join();

        assertThat(dead).containsExactly("rang");
        assertThat(actor.stats().rejected() + actor.stats().droppedNewest()).isEqualTo(1);
        held.release();
        assertThat(actor.close(SOON)).isTrue();
        assertThat(handled).containsExactly("set", "hold", "full");
    }

    @Test
    void aTimerThatWaitsForRoomIsGoneWhenTheActorStops() throws Exception {
        Actor<String> actor = open(1, BLOCK, Supervision.resume());
        Thread ringing = rangWhileFull(actor);
        Call.until(() -> actor.stats().waitingSenders() == 1);
        context.get().stop();
        held.release();
        ringing.join();

        assertThat(actor.close(SOON)).isTrue();
        assertThat(dead).containsExactly("full"); // it was in the mailbox; what the timer carried never was
        assertThat(actor.stats().timers()).isZero();
    }

    @Test
    void aTimerThatWaitsForRoomIsGoneAfterARestart() throws Exception {
        Actor<String> actor = open(1, BLOCK, Supervision.restart(3, SOON));
        actor.send("set");
        awaitHandled("set");
        actor.send("hold");
        held.awaitBegun();
        actor.send("fail");
        Call<Object> first = Call.start(true, () -> actor.send("hold"));
        Call.until(() -> actor.stats().waitingSenders() == 1);
        Thread ringing = alarms.ring(DELAY).get(0);
        Call.until(() -> actor.stats().waitingSenders() == 2);
        held.step(); // "fail" is handled, "hold" let in and in hand: the timer would be next
        ringing.join();
        held.release();

        assertThat(first.outcome()).isEqualTo(true);
        assertThat(actor.close(SOON)).isTrue();
        assertThat(handled).containsSubsequence("set", "hold", "fail", "hold");
        assertThat(actor.stats().timers()).isZero();
    }

    @Test
    void aTimerThatWaitsForRoomIsSentAwayBeforeThereIsANewState() throws Exception {
        AtomicReference<Thread> ringing = new AtomicReference<>();
        AtomicReference<Boolean> gone = new AtomicReference<>();
        Actor<String> actor = Actor.named("timed", String.class)
                .mailbox(1, BLOCK)
                .state(
                        () -> {
                            Thread waits = ringing.get();
                            gone.set(waits == null ? null : ended(waits));
                            return 0;
                        },
                        (count, word, context) -> {
                            handled.add(word);
                            switch (word) {
                                case "set" -> timer.set(context.sendAfter(DELAY, "rang"));
                                case "fail" -> {
                                    held.here();
                                    throw new IllegalStateException("fail");
                                }
                                default -> {}
                            }
                            return count + 1;
                        })
                .supervision(Supervision.restart(3, SOON))
                .alarms(alarms)
                .start();
        actor.send("set");
        Call.until(() -> timer.get() != null);
        actor.send("fail");
        held.awaitBegun();
        actor.send("full");
        ringing.set(alarms.ring(DELAY).get(0));
        Call.until(() -> actor.stats().waitingSenders() == 1);
        held.release();
        Call.until(() -> gone.get() != null);

        assertThat(gone).hasValue(true);
        assertThat(actor.close(SOON)).isTrue();
        assertThat(handled).containsExactly("set", "fail", "full");
    }

    private static boolean ended(Thread thread) {
        try {
            return thread.join(Duration.ofSeconds(5));
        } catch (InterruptedException hung) {
            throw new AssertionError(hung);
        }
    }

    @Test
    void aDelayOfNothingComesBehindWhatIsThere() throws Exception {
        Actor<Integer> actor = Actor.of("now", 10, BLOCK, 0, (count, number, context) -> {
            handled.add(String.valueOf(number));
            if (number == 0) {
                context.self().send(1);
                Object first = context.sendAfter(Duration.ZERO, 2);
                Object second = context.sendAfter(Duration.ofSeconds(-1), 3);
            }
            return count + 1;
        });
        actor.send(0);

        Call.until(() -> handled.size() == 4);
        assertThat(handled.subList(0, 2)).containsExactly("0", "1");
        assertThat(handled).contains("2", "3");
    }

    @Test
    void refusesNulls() throws Exception {
        Actor<String> actor = open(10, BLOCK, Supervision.resume());
        actor.send("a");
        awaitHandled("a");

        assertThatThrownBy(() -> context.get().sendAfter(null, "b")).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> context.get().sendAfter(DELAY, null)).isInstanceOf(NullPointerException.class);
        assertThat(alarms.pending()).isZero();
    }

    @Test
    void anAlarmThatGoesOffThoughItsTimerWasTakenBackSendsNothing() throws Exception {
        AtomicReference<Runnable> rings = new AtomicReference<>();
        Actor<String> actor = Actor.named("timed", String.class)
                .mailbox(10, BLOCK)
                .state(() -> 0, (count, word, context) -> {
                    handled.add(word);
                    Object ignored = count == 0 ? timer.getAndSet(context.sendAfter(DELAY, "rang")) : null;
                    return count + 1;
                })
                .alarms((nanos, then) -> {
                    rings.set(then);
                    return () -> {}; // too late: it is on its way
                })
                .start();
        actor.send("set");
        Call.until(() -> timer.get() != null);
        assertThat(timer.get().cancel()).isTrue();
        rings.get().run();

        assertThat(actor.close(SOON)).isTrue();
        assertThat(handled).containsExactly("set");
        assertThat(actor.stats().timers()).isZero();
    }

    @Test
    void anActorThatNeverHadATimerGetsNoneAfterItsEnd() throws Exception {
        Actor<String> actor = open(10, BLOCK, Supervision.resume());
        actor.send("a");
        assertThat(actor.close(SOON)).isTrue();

        assertThatThrownBy(() -> context.get().sendAfter(DELAY, "late")).isInstanceOf(ClosedException.class);
        assertThat(alarms.pending()).isZero();
        assertThat(actor.stats().timers()).isZero();
    }
}
