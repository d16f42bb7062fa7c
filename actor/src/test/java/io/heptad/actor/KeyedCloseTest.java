package io.heptad.actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The end of keyed actors: nothing accepted vanishes, no future stays open, nobody waits for ever. */
@Watched
class KeyedCloseTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final Map<String, List<Integer>> store = new ConcurrentHashMap<>();
    private final KeyedActors<String, Note> rooms = open(2, 4);

    private KeyedActors<String, Note> open(int perKey, int total) {
        return KeyedActors.named("rooms", String.class, Note.class)
                .mailbox(perKey, FullPolicy.BLOCK)
                .totalQueued(total)
                .state(key -> List.<Integer>of(), Note::handle)
                .onPassivate(store::put)
                .start();
    }

    @Test
    void whatWasAcceptedIsHandledAndEveryStateIsStored() throws Exception {
        Note.Hold a = Note.hold(rooms, "a");
        Note.Hold b = Note.hold(rooms, "b");
        rooms.send("a", new Note.Put(1));
        rooms.send("a", new Note.Put(2));
        rooms.send("b", new Note.Put(3));
        CompletableFuture<List<Integer>> asked = rooms.ask("b", Note.Read::new, LONG);

        rooms.close();
        rooms.close();

        assertThat(rooms.close(Duration.ZERO)).isFalse();
        assertThatThrownBy(() -> rooms.send("a", new Note.Put(9)))
                .isInstanceOfSatisfying(
                        ClosedException.class,
                        closed -> assertThat(closed.shape()).isEqualTo("rooms"));
        assertThatThrownBy(() -> rooms.offer("new", new Note.Put(9))).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> rooms.call("a", Note.Read::new, LONG)).isInstanceOf(ClosedException.class);
        assertThat(rooms.ask("new", Note.Read::new, LONG).exceptionNow()).isInstanceOf(ClosedException.class);
        a.release();
        b.release();
        assertThat(rooms.close(LONG)).isTrue();
        assertThat(store).isEqualTo(Map.of("a", List.of(1, 2), "b", List.of(3)));
        assertThat(asked.get()).containsExactly(3);
        assertThat(rooms.stats().keys()).isZero();
        assertThat(rooms.closeNow()).isEmpty();
    }

    @Test
    void withNothingInsideItEndsAtOnce() throws Exception {
        assertThat(rooms.close(Duration.ZERO)).isTrue();
    }

    @Test
    void idleOwnersAreStoredToo() throws Exception {
        for (int i = 0; i < 100; i++) {
            rooms.send("k" + i, new Note.Put(i));
        }
        Note.until().until(() -> rooms.stats().handled() == 100);
        assertThat(rooms.close(LONG)).isTrue();
        assertThat(store).hasSize(100);
    }

    @Test
    void closeNowGivesBackWhatWaitsInOrderAndFailsItsAsks() throws Exception {
        Note.Hold a = Note.hold(rooms, "a");
        rooms.send("a", new Note.Put(1));
        CompletableFuture<List<Integer>> asked = rooms.ask("a", Note.Read::new, LONG);
        Sent<Boolean> waits = Sent.waiting(() -> rooms.send("a", new Note.Put(2)));

        List<Note> left = rooms.closeNow();

        assertThat(left).hasSize(2).startsWith(new Note.Put(1));
        assertThat(asked.exceptionNow()).isInstanceOf(ClosedException.class);
        assertThat(waits.failure()).isInstanceOf(ClosedException.class);
        assertThat(rooms.depth()).isZero();
        assertThat(store).as("the one in hand is not cut short").isEmpty();
        a.release();
        assertThat(rooms.close(LONG)).isTrue();
        assertThat(store).containsOnlyKeys("a");
        assertThat(rooms.stats().returned()).isEqualTo(2);
        assertThat(rooms.stats().handled()).isEqualTo(1);
    }

    @Test
    void whoeverWaitsForAKeyOrForAllKeysIsSentAway() throws Exception {
        Note.Hold a = Note.hold(rooms, "a");
        rooms.send("a", new Note.Put(1));
        rooms.send("a", new Note.Put(2));
        Note.Hold b = Note.hold(rooms, "b");
        rooms.send("b", new Note.Put(3));
        rooms.send("b", new Note.Put(4));
        Sent<Boolean> atItsKey = Sent.waiting(() -> rooms.send("a", new Note.Put(5)));
        Sent<Boolean> forAll = Sent.waiting(() -> rooms.send("new", new Note.Put(6)));
        Sent<Object> calls = Sent.waiting(() -> rooms.call("b", Note.Read::new, LONG));

        rooms.close();

        assertThat(atItsKey.failure()).isInstanceOf(ClosedException.class);
        assertThat(forAll.failure()).isInstanceOf(ClosedException.class);
        assertThat(calls.failure()).isInstanceOf(ClosedException.class);
        assertThat(rooms.stats().keys()).isEqualTo(2);
        a.release();
        b.release();
        assertThat(rooms.close(LONG)).isTrue();
        assertThat(store).isEqualTo(Map.of("a", List.of(1, 2), "b", List.of(3, 4)));
    }

    @Test
    void keysThatStandInLineToBeLiveAreServedBeforeTheEnd() throws Exception {
        KeyedActors<String, Note> one = KeyedActors.named("one", String.class, Note.class)
                .mailbox(2, FullPolicy.REJECT)
                .totalQueued(10)
                .state(key -> List.<Integer>of(), Note::handle)
                .maxLive(1)
                .onPassivate(store::put)
                .start();
        Note.Hold held = Note.hold(one, "a");
        one.send("b", new Note.Put(1));
        one.send("c", new Note.Put(2));
        one.close();
        held.release();
        assertThat(one.close(LONG)).isTrue();
        assertThat(store).isEqualTo(Map.of("a", List.of(), "b", List.of(1), "c", List.of(2)));
    }

    @Test
    void mayBeClosedFromInsideAHandlerWhichDoesNotWaitForItself() throws Exception {
        AtomicReference<Boolean> ended = new AtomicReference<>();
        AtomicReference<List<Note>> left = new AtomicReference<>();
        Note.Hold held = Note.hold(rooms, "a");
        rooms.send("a", new Note.Do(context -> {
            ended.set(rooms.close(LONG));
            left.set(rooms.closeNow());
        }));
        rooms.send("a", new Note.Put(1));
        held.release();
        assertThat(rooms.close(LONG)).isTrue();
        assertThat(ended).hasValue(false);
        assertThat(left.get()).containsExactly(new Note.Put(1));
        assertThat(store).containsOnlyKeys("a");
    }

    @Test
    void anAskWhoseTargetEndsBeforeDuringOrAfterItNeverStaysOpen() throws Exception {
        AtomicReference<Reply<? super Object>> kept = new AtomicReference<>();
        CompletableFuture<Object> handledAndKept =
                rooms.ask("a", reply -> new Note.Do(context -> kept.set(reply)), LONG);
        Note.until().until(() -> kept.get() != null);
        Note.Hold held = Note.hold(rooms, "a");
        CompletableFuture<List<Integer>> inLine = rooms.ask("a", Note.Read::new, LONG);

        rooms.closeNow();
        CompletableFuture<List<Integer>> after = rooms.ask("a", Note.Read::new, LONG);

        assertThat(inLine.exceptionNow()).isInstanceOf(ClosedException.class);
        assertThat(after.exceptionNow()).isInstanceOf(ClosedException.class);
        held.release();
        assertThat(rooms.close(LONG)).isTrue();
        Note.until().until(handledAndKept::isDone);
        assertThat(handledAndKept.exceptionNow()).isInstanceOf(ClosedException.class);
        assertThat(kept.get().ok("too late")).isFalse();
    }

    @Test
    void aTimerThatIsSetNeverGoesOffAfterTheEnd() throws Exception {
        AtomicBoolean wentOff = new AtomicBoolean();
        ManualTime time = new ManualTime();
        KeyedActors<String, Note> timed = KeyedActors.named("timed", String.class, Note.class)
                .mailbox(2, FullPolicy.REJECT)
                .totalQueued(10)
                .state(key -> List.<Integer>of(), Note::handle)
                .ticker(time)
                .alarms(time)
                .start();
        AtomicReference<ActorContext<Note>> context = new AtomicReference<>();
        timed.send("a", new Note.Later(Duration.ofSeconds(1), new Note.Do(it -> wentOff.set(true))));
        timed.send("a", new Note.Do(context::set));
        assertThat(timed.close(LONG)).isTrue();
        time.advance(Duration.ofMinutes(1));
        assertThat(wentOff).isFalse();
        assertThat(timed.stats().timers()).isZero();
        assertThat(time.pending()).isZero();
        assertThatThrownBy(() -> context.get().sendAfter(Duration.ZERO, new Note.Put(1)))
                .isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> context.get().stop()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void everySendThatRacesWithTheCloseIsRefusedOrHandledOrGivenBack() throws Exception {
        for (int round = 0; round < 200; round++) {
            AtomicInteger handled = new AtomicInteger();
            KeyedActors<Integer, Integer> sums = KeyedActors.named("sums", Integer.class, Integer.class)
                    .mailbox(2, FullPolicy.BLOCK)
                    .totalQueued(3)
                    .state(key -> 0, (Behavior<Integer, Integer>) (sum, more, context) -> {
                        handled.incrementAndGet();
                        return sum + more;
                    })
                    .idleAfter(Duration.ZERO)
                    .start();
            List<Sent<Integer>> senders = new ArrayList<>();
            for (int sender = 0; sender < 3; sender++) {
                int me = sender;
                senders.add(Sent.of(() -> {
                    int accepted = 0;
                    try {
                        for (int i = 0; ; i++) {
                            accepted += sums.send((me + i) % 2, 1) ? 1 : 0;
                        }
                    } catch (ClosedException end) {
                        return accepted;
                    }
                }));
            }
            int atLeast = round % 20;
            Note.until().until(() -> handled.get() >= atLeast);
            List<Integer> left = round % 2 == 0 ? sums.closeNow() : List.of();
            assertThat(sums.close(LONG)).isTrue();
            int accepted = 0;
            for (Sent<Integer> sender : senders) {
                accepted += sender.value();
            }
            assertThat(handled.get() + left.size()).isEqualTo(accepted);
            assertThat(sums.stats().keys()).isZero();
            assertThat(sums.depth()).isZero();
        }
    }

    @Test
    void aCloseThatIsInterruptedHasClosed() throws Exception {
        Note.Hold held = Note.hold(rooms, "a");
        Sent<Boolean> closes = Sent.waiting(() -> rooms.close(LONG));
        closes.interrupt();
        assertThat(closes.failure()).isInstanceOf(InterruptedException.class);
        assertThatThrownBy(() -> rooms.send("a", new Note.Put(1))).isInstanceOf(ClosedException.class);
        held.release();
        assertThat(rooms.close(LONG)).isTrue();
        assertThat(held.begun().await(0, TimeUnit.SECONDS)).isTrue();
    }
}
