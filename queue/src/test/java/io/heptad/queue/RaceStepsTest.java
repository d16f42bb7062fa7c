package io.heptad.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The races of the ring, one step at a time: the test itself plays the thread that stops half-way, by calling the steps
 * of a take (claim, remove, admit) one by one, or by holding the lock. Each test dies if its guard is taken away.
 */
@Watched
class RaceStepsTest {
    private static final Duration MOMENT = Duration.ofMillis(50);

    private static BoundedQueue<String> full(int capacity) throws InterruptedException {
        BoundedQueue<String> queue = BoundedQueue.of(capacity, FullPolicy.BLOCK);
        for (int i = 0; i < capacity; i++) {
            queue.put("x" + i);
        }
        return queue;
    }

    private static Call<Boolean> parkedPut(BoundedQueue<String> queue, String item) {
        int before = queue.stats().waitingProducers();
        Call<Boolean> put = Call.platform(() -> queue.put(item));
        Call.until(() -> queue.stats().waitingProducers() == before + 1);
        return put;
    }

    private static Call<String> parkedTake(BoundedQueue<String> queue) {
        int before = queue.stats().waitingConsumers();
        Call<String> take = Call.platform(queue::take);
        Call.until(() -> queue.stats().waitingConsumers() == before + 1);
        return take;
    }

    private static void isStillBusyAfterAMoment(Call<?> call) throws InterruptedException {
        assertThat(call.thread().join(MOMENT)).as("ended: %s", call.isDone()).isFalse();
    }

    // 1: a flagged head proves no space for newcomers

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void nobodyOvertakesAParkedProducerThroughSpaceThatATakerHasJustMade(int capacity) throws InterruptedException {
        BoundedQueue<String> queue = full(capacity);
        Call<Boolean> parked = parkedPut(queue, "parked");
        long claimed = queue.claim();
        queue.remove(claimed); // and the taker stops here, before it gets to the lock

        assertThat(queue.offer("newcomer")).isFalse();

        assertThat(parked.outcome()).isEqualTo(true);
        queue.slow().admitParked();
        List<String> got = queue.closeNow();
        assertThat(got).hasSize(capacity).endsWith("parked").doesNotContain("newcomer");
    }

    @Test
    void aNewcomerThatWaitsGetsInLineBehindTheParkedProducer() throws InterruptedException {
        BoundedQueue<String> queue = full(1);
        Call<Boolean> first = parkedPut(queue, "first");
        queue.remove(queue.claim());
        Call<Boolean> second = Call.platform(() -> queue.put("second"));
        assertThat(first.outcome()).isEqualTo(true);
        Call.until(() -> queue.stats().waitingProducers() == 1);

        assertThat(queue.take()).isEqualTo("first");
        assertThat(second.outcome()).isEqualTo(true);
        assertThat(queue.take()).isEqualTo("second");
    }

    // 2: takers let parked producers in before they park themselves

    @Test
    void aTakerThatFindsNothingTakesFromAParkedProducerRatherThanParkBesideIt() throws InterruptedException {
        BoundedQueue<String> queue = full(1);
        Call<Boolean> parked = parkedPut(queue, "parked");
        queue.remove(queue.claim()); // the ring is empty now, and a producer is parked

        Call<String> second = Call.platform(queue::take);

        assertThat(second.outcome()).isEqualTo("parked");
        assertThat(parked.outcome()).isEqualTo(true);
        assertThat(queue.isFlagged()).isFalse();
    }

    @Test
    void aPollThatFindsNothingTakesFromAParkedProducer() throws InterruptedException {
        BoundedQueue<String> queue = full(1);
        Call<Boolean> parked = parkedPut(queue, "parked");
        queue.remove(queue.claim());

        assertThat(queue.poll()).isEqualTo("parked");
        assertThat(parked.outcome()).isEqualTo(true);
        assertThat(queue.isFlagged()).isFalse();
    }

    @Test
    void aFlagIsRaisedOnlyWhileItsReasonHolds() throws InterruptedException {
        BoundedQueue<String> queue = BoundedQueue.of(2, FullPolicy.BLOCK);
        queue.put("x0"); // say, between a consumer's last look and its flag
        assertThat(queue.raiseConsumerFlag()).isFalse();
        assertThat(queue.raiseProducerFlag()).isFalse();
        queue.put("x1");
        queue.take(); // between a producer's last look and its flag
        assertThat(queue.raiseProducerFlag()).isFalse();

        assertThat(queue.isFlagged()).isFalse();
    }

    // 3: a taker releases its slot before it goes for the lock

    @Test
    void aLockHolderWaitsForASlotWhoseTakerNeedsNoLock() throws InterruptedException {
        BoundedQueue<String> queue = full(2);
        Call<Boolean> first = parkedPut(queue, "first");
        long claimed = queue.claim(); // this taker stops before it gives its slot free
        Call<String> other = Call.platform(queue::take); // takes x1, and under the lock needs the slot of x0
        isStillBusyAfterAMoment(other);
        assertThat(queue.slow().lockItself().isLocked()).isTrue();

        assertThat(queue.remove(claimed)).isEqualTo("x0");

        assertThat(other.outcome()).isEqualTo("x1");
        assertThat(first.outcome()).isEqualTo(true);
        assertThat(queue.take()).isEqualTo("first");
    }

    // 4: the last to leave lowers the flag

    @Test
    void theLastProducerToGiveUpLowersTheFlag() throws InterruptedException {
        BoundedQueue<String> queue = full(2);
        Call<Boolean> first = parkedPut(queue, "first");
        Call<Boolean> second = parkedPut(queue, "second");
        first.interrupt();
        first.outcome();
        assertThat(queue.isFlagged()).isTrue();

        second.interrupt();
        second.outcome();

        assertThat(queue.isFlagged()).isFalse();
        assertThat(queue.put("x2", Duration.ofMillis(1))).isFalse();
        assertThat(queue.isFlagged()).isFalse();
    }

    @Test
    void theLastConsumerToGiveUpLowersTheFlag() throws InterruptedException {
        BoundedQueue<String> queue = BoundedQueue.of(2, FullPolicy.BLOCK);
        Call<String> first = parkedTake(queue);
        Call<String> second = parkedTake(queue);
        second.interrupt();
        second.outcome();
        assertThat(queue.isFlagged()).isTrue();

        first.interrupt();
        first.outcome();

        assertThat(queue.isFlagged()).isFalse();
        assertThat(queue.poll(Duration.ofMillis(1))).isNull();
        assertThat(queue.isFlagged()).isFalse();
    }

    // 5: grant against interrupt and timeout

    @Test
    void aConsumerThatIsServedWhileItLeavesKeepsTheItemAndTheInterrupt() throws InterruptedException {
        BoundedQueue<String> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
        Call<String> take = parkedTake(queue);
        queue.slow().lockItself().lock();
        try {
            take.interrupt();
            Call.until(() -> queue.slow().lockItself().hasQueuedThread(take.thread())); // on its way out
            assertThat(queue.offer("a")).isTrue();
        } finally {
            queue.slow().lockItself().unlock();
        }

        assertThat(take.outcome()).isEqualTo("a");
        assertThat(take.interruptedAfter()).isTrue();
        assertThat(queue.stats().taken()).isEqualTo(1);
        assertThat(queue.isFlagged()).isFalse();
    }

    @Test
    void aProducerThatIsAdmittedWhileItLeavesKeepsItsPlaceAndTheInterrupt() throws InterruptedException {
        BoundedQueue<String> queue = full(1);
        Call<Boolean> put = parkedPut(queue, "parked");
        queue.slow().lockItself().lock();
        try {
            put.interrupt();
            Call.until(() -> queue.slow().lockItself().hasQueuedThread(put.thread()));
            assertThat(queue.poll()).isEqualTo("x0");
        } finally {
            queue.slow().lockItself().unlock();
        }

        assertThat(put.outcome()).isEqualTo(true);
        assertThat(put.interruptedAfter()).isTrue();
        assertThat(queue.closeNow()).containsExactly("parked");
    }

    @Test
    void aConsumerThatIsServedAsItsTimeRunsOutKeepsTheItem() {
        BoundedQueue<String> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
        Call<String> poll = Call.platform(() -> queue.poll(Duration.ofMillis(200)));
        Call.until(() -> queue.stats().waitingConsumers() == 1);
        queue.slow().lockItself().lock();
        try {
            Call.until(() -> queue.slow().lockItself().hasQueuedThread(poll.thread()));
            assertThat(queue.offer("a")).isTrue();
        } finally {
            queue.slow().lockItself().unlock();
        }

        assertThat(poll.outcome()).isEqualTo("a");
    }

    @Test
    void aWaiterThatIsSentAwayWhileItLeavesIsToldOfTheEndAndKeepsTheInterrupt() throws InterruptedException {
        BoundedQueue<String> queue = full(1);
        Call<Boolean> put = parkedPut(queue, "parked");
        queue.slow().lockItself().lock();
        try {
            put.interrupt();
            Call.until(() -> queue.slow().lockItself().hasQueuedThread(put.thread()));
            queue.close();
        } finally {
            queue.slow().lockItself().unlock();
        }

        assertThat(put.outcome()).isInstanceOf(io.heptad.core.ClosedException.class);
        assertThat(put.interruptedAfter()).isTrue();
        assertThat(queue.closeNow()).containsExactly("x0");
    }

    // 6: at least two slots

    @Test
    void aPlaceIsNotFilledAgainBeforeItsTakerHasReadTheItem() throws InterruptedException {
        BoundedQueue<String> queue = full(1);
        long claimed = queue.claim(); // claimed, not yet read

        assertThat(queue.offer("next")).isTrue(); // the depth is 0, so there is room

        assertThat(queue.remove(claimed)).isEqualTo("x0");
        assertThat(queue.take()).isEqualTo("next");
    }

    @Test
    void aPlaceThatIsNeededAgainIsAwaitedUntilItsTakerHasReadTheItem() throws InterruptedException {
        BoundedQueue<String> queue = full(2);
        long claimed = queue.claim();
        Call<Boolean> offer = Call.platform(() -> queue.offer("next"));
        isStillBusyAfterAMoment(offer);

        assertThat(queue.remove(claimed)).isEqualTo("x0");

        assertThat(offer.outcome()).isEqualTo(true);
        assertThat(queue.closeNow()).containsExactly("x1", "next");
    }

    // 7 is in BlockingCallsTest: an offer takes no notice of interrupts

    // 8: hand-overs count

    @Test
    void whatIsHandedOverIsAcceptedAndTaken() {
        BoundedQueue<String> queue = BoundedQueue.of(3, FullPolicy.BLOCK);
        List<Call<String>> takes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            takes.add(parkedTake(queue));
        }
        for (int i = 0; i < 3; i++) {
            queue.offer("a" + i);
        }
        queue.offer("b");

        QueueStats stats = queue.stats();
        assertThat(stats.accepted()).isEqualTo(4);
        assertThat(stats.taken()).isEqualTo(3);
        assertThat(stats.depth()).isEqualTo(1);
        for (int i = 0; i < 3; i++) {
            assertThat(takes.get(i).outcome()).isEqualTo("a" + i);
        }
    }

    // 9: close waits for the lock

    @Test
    void closeWaitsForWhoeverIsLettingProducersIn() throws InterruptedException {
        BoundedQueue<String> queue = full(2);
        Call<Boolean> parked = parkedPut(queue, "parked");
        long claimed = queue.claim();
        Call<Object> mover = Call.platform(
                () -> { // holds the lock, waits for the slot of x0
                    queue.slow().admitParked();
                    return "moved";
                });
        Call.until(() -> queue.slow().lockItself().isLocked());
        Call<Object> close = Call.platform(() -> {
            queue.close();
            return "closed";
        });
        Call.until(() -> queue.slow().lockItself().hasQueuedThread(close.thread()));
        assertThat(queue.isClosed()).isFalse();

        queue.remove(claimed);

        assertThat(mover.outcome()).isEqualTo("moved");
        assertThat(close.outcome()).isEqualTo("closed");
        assertThat(parked.outcome()).isEqualTo(true);
        assertThat(queue.isClosed()).isTrue();
        assertThat(queue.closeNow()).containsExactly("x1", "parked");
    }

    // Eviction

    @Test
    void anEvictionShowsNoGapInTheDepth() throws InterruptedException {
        BoundedQueue<String> queue = BoundedQueue.of(3, FullPolicy.DROP_OLDEST);
        for (int i = 0; i < 3; i++) {
            queue.put("x" + i);
        }
        AtomicLong lowest = new AtomicLong(3);
        AtomicLong highest = new AtomicLong(3);
        AtomicInteger readings = new AtomicInteger();
        Call<Object> reader = Call.platform(() -> {
            while (!queue.isClosed()) {
                long depth = queue.depth();
                lowest.accumulateAndGet(depth, Math::min);
                highest.accumulateAndGet(depth, Math::max);
                readings.incrementAndGet();
            }
            return "read";
        });
        int puts = 0;
        while (puts < 20_000 || readings.get() < 20_000) {
            queue.put("y" + puts++);
        }
        queue.close();

        assertThat(reader.outcome()).isEqualTo("read");
        assertThat(lowest).hasValue(3);
        assertThat(highest).hasValue(3);
        assertThat(queue.stats().evicted()).isEqualTo(puts);
        assertThat(queue.closeNow()).containsExactly("y" + (puts - 3), "y" + (puts - 2), "y" + (puts - 1));
    }

    @Test
    void anEvictionIsOneStepForAllOthersWhereverItStops() throws InterruptedException {
        List<String> dropped = new CopyOnWriteArrayList<>();
        BoundedQueue<String> queue = BoundedQueue.<String>builder(3, FullPolicy.DROP_OLDEST)
                .onDrop(dropped::add)
                .build();
        for (int i = 0; i < 3; i++) {
            queue.put("x" + i);
        }
        long claimed = queue.claim(); // a taker of x0 stops, and its slot of four is the one that x4 needs
        queue.put("x3");
        Call<Boolean> evictor = Call.platform(() -> queue.put("x4"));
        Call.until(() -> queue.isFlagged()); // x1 is out, x4 is not in
        assertThat(queue.depth()).isEqualTo(3);
        Call<Boolean> newcomer = Call.platform(() -> queue.offer("newcomer"));
        Call<Object> closer = Call.platform(() -> {
            queue.close();
            return "closed";
        });
        isStillBusyAfterAMoment(evictor);
        assertThat(newcomer.isDone()).isFalse();
        assertThat(closer.isDone()).isFalse();
        assertThat(queue.poll()).isEqualTo("x2");
        assertThat(queue.poll()).isEqualTo("x3");
        assertThat(queue.depth()).isEqualTo(1);
        Call<String> third = Call.platform(queue::poll);
        isStillBusyAfterAMoment(third);

        assertThat(queue.remove(claimed)).isEqualTo("x0");

        assertThat(evictor.outcome()).isEqualTo(true);
        assertThat(third.outcome()).isEqualTo("x4");
        assertThat(closer.outcome()).isEqualTo("closed");
        assertThat(dropped).containsExactly("x1");
        assertThat(queue.stats().evicted()).isEqualTo(1);
    }

    @Test
    void aTakerThatWinsTheOldestSparesItFromEviction() throws InterruptedException {
        List<String> dropped = new CopyOnWriteArrayList<>();
        BoundedQueue<String> queue = BoundedQueue.<String>builder(1, FullPolicy.DROP_OLDEST)
                .onDrop(dropped::add)
                .build();
        AtomicLong taken = new AtomicLong();
        Call<Object> consumer = Call.platform(() -> {
            queue.consumeAll(item -> taken.incrementAndGet());
            return "drained";
        });
        for (int i = 0; i < 20_000; i++) {
            assertThat(queue.put("y" + i)).isTrue();
        }
        queue.close();

        assertThat(consumer.outcome()).isEqualTo("drained");
        assertThat(taken.get() + dropped.size()).isEqualTo(20_000);
        assertThat(queue.stats().evicted()).isEqualTo(dropped.size());
        assertThat(queue.stats().taken()).isEqualTo(taken.get());
    }

    // Batches and closeNow

    @Test
    void aBatchLetsAsManyParkedProducersInAsItTook() throws InterruptedException {
        BoundedQueue<String> queue = full(3);
        List<Call<Boolean>> parked = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            parked.add(parkedPut(queue, "p" + i));
        }

        assertThat(queue.takeBatch(2)).containsExactly("x0", "x1");

        assertThat(queue.depth()).isEqualTo(3);
        assertThat(queue.stats().waitingProducers()).isEqualTo(3);
        assertThat(parked.get(0).outcome()).isEqualTo(true);
        assertThat(parked.get(1).outcome()).isEqualTo(true);
        assertThat(queue.takeBatch(100)).containsExactly("x2", "p0", "p1");
        assertThat(queue.takeBatch(100)).containsExactly("p2", "p3", "p4");
        assertThat(queue.isFlagged()).isFalse();
    }

    @Test
    void aBatchTakesNoMoreThanIsReadyAndIsOneStep() throws InterruptedException {
        BoundedQueue<String> queue = full(3);

        assertThat(queue.takeBatch(2)).containsExactly("x0", "x1");
        assertThat(queue.takeBatch(2)).containsExactly("x2");
        assertThat(queue.takeBatch(2, Duration.ZERO)).isEmpty();
    }

    @Test
    void closeNowLeavesToATakerWhatItHasClaimed() throws InterruptedException {
        BoundedQueue<String> queue = full(3);
        Call<Boolean> parked = parkedPut(queue, "parked");
        long claimed = queue.claim();

        assertThat(queue.closeNow()).containsExactly("x1", "x2");

        assertThat(queue.remove(claimed)).isEqualTo("x0");
        assertThat(parked.outcome()).isInstanceOf(io.heptad.core.ClosedException.class);
        assertThat(queue.stats().returned()).isEqualTo(2);
        assertThat(queue.stats().taken()).isEqualTo(1);
        assertThat(queue.isDrained()).isTrue();
    }
}
