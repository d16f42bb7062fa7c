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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** send and offer, one more than the mailbox holds. */
@Watched
class SendTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Duration NOT_LONG = Duration.ofMillis(20);
    private static final Duration NO_LIMIT = Duration.ofSeconds(Long.MAX_VALUE);

    private final Held held = new Held();
    private final List<Integer> handled = new CopyOnWriteArrayList<>();
    private final List<Integer> dead = new CopyOnWriteArrayList<>();
    private Actor<Integer> actor;

    /** An actor that is stuck in message 0, with 1 to so many behind it. */
    private Actor<Integer> full(int mailbox, FullPolicy whenFull) throws InterruptedException {
        actor = Actor.named("letters", Integer.class)
                .mailbox(mailbox, whenFull)
                .state(() -> "state", (state, number, context) -> {
                    held.here();
                    handled.add(number);
                    return state;
                })
                .deadLetters(dead::add)
                .start();
        assertThat(actor.send(0)).isTrue();
        held.awaitBegun();
        for (int i = 1; i <= mailbox; i++) {
            assertThat(actor.send(i)).isTrue();
        }
        return actor;
    }

    /** All that was handled, once so many were. */
    private List<Integer> outcome(int messages) throws InterruptedException {
        held.release();
        Call.until(() -> handled.size() >= messages);
        assertThat(actor.close(SOON)).isTrue();
        return handled;
    }

    @AfterEach
    void letGo() {
        held.release();
    }

    private Call<Object> waitingSend(boolean virtual, int number, Duration timeout) {
        int before = actor.stats().waitingSenders();
        Call<Object> send = Call.start(virtual, () -> actor.send(number, timeout));
        Call.until(() -> actor.stats().waitingSenders() == before + 1);
        return send;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFullMailboxOfAHundredTakesNoMore(boolean virtual) throws Exception {
        full(100, BLOCK);
        Call<Object> late = waitingSend(virtual, 101, NO_LIMIT);
        assertThat(actor.offer(102)).isFalse();
        assertThat(actor.send(103, NOT_LONG)).isFalse();
        assertThat(actor.depth()).isEqualTo(100);
        assertThat(actor.stats().rejected()).isEqualTo(1);

        assertThat(outcome(102)).isEqualTo(IntStream.rangeClosed(0, 101).boxed().toList());
        assertThat(late.outcome()).isEqualTo(true);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void sendersThatWaitAreLetInOneByOneInTheirOrder(boolean virtual) throws Exception {
        full(1, BLOCK);
        Call<Object> second = waitingSend(virtual, 2, NO_LIMIT);
        Call<Object> third = waitingSend(!virtual, 3, SOON);

        held.step();
        assertThat(second.outcome()).isEqualTo(true);
        assertThat(actor.stats().waitingSenders()).isEqualTo(1);
        assertThat(third.isDone()).isFalse();

        assertThat(outcome(4)).containsExactly(0, 1, 2, 3);
        assertThat(third.outcome()).isEqualTo(true);
    }

    @Test
    void nobodyOvertakesASenderThatWaits() throws Exception {
        full(2, BLOCK);
        Call<Object> third = waitingSend(true, 3, NO_LIMIT);

        assertThat(actor.offer(4)).isFalse();
        held.step();
        assertThat(third.outcome()).isEqualTo(true);
        assertThat(actor.offer(5)).isFalse();
        assertThat(outcome(4)).containsExactly(0, 1, 2, 3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSenderThatGivesUpLeavesNothingBehind(boolean virtual) throws Exception {
        full(1, BLOCK);
        Call<Object> interrupted = waitingSend(virtual, 2, NO_LIMIT);
        interrupted.interrupt();
        assertThat(interrupted.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(actor.send(3, NOT_LONG)).isFalse();
        assertThat(actor.send(3, Duration.ZERO)).isFalse();
        assertThat(actor.send(3, Duration.ofSeconds(-1))).isFalse();

        assertThat(actor.stats().waitingSenders()).isZero();
        assertThat(actor.stats().timedOut()).isEqualTo(3);
        assertThat(Waits.entered()).isZero();
        assertThat(outcome(2)).containsExactly(0, 1);
    }

    @ParameterizedTest
    @EnumSource
    void anInterruptOnEntryIsSeenUnderEveryPolicyByAllButOffer(FullPolicy policy) throws Exception {
        actor = Actor.of("letters", 5, policy, "", (state, number, context) -> state);
        Call<Object> send = Call.start(true, () -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> actor.send(1)).isInstanceOf(InterruptedException.class);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> actor.send(1, SOON)).isInstanceOf(InterruptedException.class);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> actor.call(reply -> 1, SOON)).isInstanceOf(InterruptedException.class);
            Thread.currentThread().interrupt();
            return actor.offer(1);
        });

        assertThat(send.outcome()).isEqualTo(true);
        assertThat(send.interruptedAfter()).isTrue();
        assertThat(actor.close(SOON)).isTrue();
        assertThat(actor.stats().accepted()).isEqualTo(1);
    }

    @Test
    void aSenderThatIsLetInWhileItGivesUpIsInAndKeepsItsInterrupt() throws Exception {
        full(1, BLOCK);
        Call<Object> sender = waitingSend(false, 2, NO_LIMIT);
        Mailbox<Integer> mailbox = ((Owner<?, Integer>) actor.target()).mailbox;
        Overflow<Integer> line = mailbox.overflowing();
        line.lock.lock();
        try {
            sender.interrupt();
            Call.until(() -> line.lock.hasQueuedThread(sender.thread()));
            assertThat(mailbox.take()).isNotNull();
        } finally {
            line.lock.unlock();
        }

        assertThat(sender.outcome()).isEqualTo(true);
        assertThat(sender.interruptedAfter()).isTrue();
        assertThat(outcome(2)).containsExactly(0, 2);
    }

    @Test
    void closingSendsAwayWhoWaits() throws Exception {
        full(1, BLOCK);
        Call<Object> waiting = waitingSend(false, 2, NO_LIMIT);
        actor.close();

        assertThat(waiting.outcome()).isInstanceOf(ClosedException.class);
        assertThat(outcome(2)).containsExactly(0, 1);
    }

    @ParameterizedTest
    @EnumSource
    void aClosedActorTakesNothing(FullPolicy policy) throws Exception {
        actor = Actor.of("letters", 5, policy, "", (state, number, context) -> state);
        actor.close();

        assertThatThrownBy(() -> actor.send(1))
                .isInstanceOf(ClosedException.class)
                .hasMessage("letters is closed");
        assertThatThrownBy(() -> actor.send(1, NOT_LONG)).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> actor.offer(1)).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> actor.call(reply -> 1, SOON)).isInstanceOf(ClosedException.class);
        assertThat(actor.ask(reply -> 1, SOON).exceptionNow()).isInstanceOf(ClosedException.class);
    }

    @Test
    void aSendToItsOwnFullMailboxIsRefusedAndDoesNotHang() throws Exception {
        AtomicReference<Throwable> refused = new AtomicReference<>();
        AtomicReference<Boolean> offered = new AtomicReference<>();
        actor = Actor.of("self", 1, BLOCK, "", (state, number, context) -> {
            if (number == 0) {
                context.self().send(1); // there is room
                try {
                    context.self().send(2);
                } catch (FullException full) {
                    refused.set(full);
                }
                offered.set(context.self().offer(3));
                assertThatThrownBy(() -> context.self().send(2, NO_LIMIT)).isInstanceOf(FullException.class);
            }
            handled.add(number);
            return state;
        });
        actor.send(0);

        assertThat(outcome(2)).containsExactly(0, 1);
        assertThat(refused.get()).isInstanceOf(FullException.class).hasMessageContaining("would wait for itself");
        assertThat(offered).hasValue(false);
    }

    @Test
    void whoDoesNotWaitIsToldThatThereIsNoRoomEvenInItsOwnFullMailbox() throws Exception {
        AtomicReference<Object> outcome = new AtomicReference<>();
        actor = Actor.of("self", 1, BLOCK, "", (state, number, context) -> {
            if (number == 0) {
                context.self().send(1);
                outcome.set(context.self().send(2, Duration.ZERO));
            }
            handled.add(number);
            return state;
        });
        actor.send(0);

        assertThat(outcome(2)).containsExactly(0, 1);
        assertThat(outcome).hasValue(false);
        assertThat(actor.stats().timedOut()).isEqualTo(1);
    }

    @Test
    void whatThePolicyDropsGoesToTheDeadLetters() throws Exception {
        full(2, DROP_NEWEST);
        assertThat(actor.send(3)).isFalse();
        assertThat(actor.send(4, SOON)).isFalse();

        assertThat(dead).containsExactly(3, 4);
        assertThat(actor.stats().droppedNewest()).isEqualTo(2);
        assertThat(outcome(3)).containsExactly(0, 1, 2);
    }

    @Test
    void theOldestMakesRoomAndGoesToTheDeadLetters() throws Exception {
        full(2, DROP_OLDEST);
        assertThat(actor.send(3)).isTrue();
        assertThat(actor.send(4)).isTrue();

        assertThat(dead).containsExactly(1, 2);
        assertThat(actor.stats().evicted()).isEqualTo(2);
        assertThat(outcome(3)).containsExactly(0, 3, 4);
    }

    @Test
    void aRefusalSaysWhoIsFull() throws Exception {
        full(2, REJECT);

        assertThatThrownBy(() -> actor.send(3)).isInstanceOfSatisfying(FullException.class, full -> {
            assertThat(full.shape()).isEqualTo("letters");
            assertThat(full.capacity()).isEqualTo(2);
            assertThat(full.depth()).isEqualTo(2);
        });
        assertThatThrownBy(() -> actor.send(3, SOON)).isInstanceOf(FullException.class);
        assertThat(actor.stats().rejected()).isEqualTo(2);
        assertThat(dead).isEmpty();
        assertThat(outcome(3)).containsExactly(0, 1, 2);
    }

    @Test
    void refusesNullsAndNamesBadNumbers() {
        Behavior<String, Integer> behavior = (state, number, context) -> state;
        assertThatThrownBy(() -> Actor.of(" ", 1, BLOCK, "", behavior))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("name must not be blank, but is \" \"");
        assertThatThrownBy(() -> Actor.of("a", 0, BLOCK, "", behavior))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("mailbox must be at least 1, but is 0");
        assertThatThrownBy(() -> Actor.of(null, 1, BLOCK, "", behavior)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Actor.of("a", 1, null, "", behavior)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Actor.of("a", 1, BLOCK, null, behavior)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Actor.of("a", 1, BLOCK, "", null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Actor.named("a", null)).isInstanceOf(NullPointerException.class);
        actor = Actor.of("a", 1, BLOCK, "", behavior);
        assertThatThrownBy(() -> actor.send(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> actor.offer(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> actor.send(1, null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> actor.ask(null, SOON)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> actor.ask(reply -> null, SOON)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> actor.ask(reply -> 1, null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> actor.call(null, SOON)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> actor.close(null)).isInstanceOf(NullPointerException.class);
        assertThat(actor.depth()).isZero();
        assertThat(actor.stats().pendingAsks()).isZero();
    }
}
