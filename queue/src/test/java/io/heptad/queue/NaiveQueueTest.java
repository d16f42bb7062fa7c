package io.heptad.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.FullPolicy;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Three faults of the usual sample, shown on it, and shown absent from {@link BoundedQueue} in the same situation. */
@Watched
class NaiveQueueTest {
    @Test
    void theSampleStrandsAnItemBesideAParkedConsumerAndThenLetsAnotherOvertake() {
        NaiveQueue<String> queue = new NaiveQueue<>(1, true);
        queue.put("x");
        CompletableFuture<Boolean> y = queue.put("y");
        CompletableFuture<String> first = queue.take(); // frees the place, wakes the producer of y …
        CompletableFuture<String> second = queue.take(); // … but this one parks before it goes on
        queue.turn();

        assertThat(first).isCompletedWithValue("x");
        assertThat(y).isCompletedWithValue(true);
        assertThat(second).isNotDone();
        assertThat(queue.depth()).as("y is inside").isEqualTo(1);
        assertThat(queue.waitingConsumers())
                .as("and a consumer waits for it in vain")
                .isEqualTo(1);

        queue.put("z");
        assertThat(second).as("z overtakes y").isCompletedWithValue("z");
        assertThat(queue.depth()).isEqualTo(1);
    }

    @Test
    void theSampleWithIfInPlaceOfWhileHoldsTwoWhereItsCapacityIsOne() {
        NaiveQueue<String> queue = new NaiveQueue<>(1, false);
        queue.put("x");
        queue.put("y");
        queue.take(); // wakes the producer of y
        queue.put("newcomer"); // takes the place before y does
        queue.turn();

        assertThat(queue.depth()).isEqualTo(2);

        NaiveQueue<String> checking = new NaiveQueue<>(1, true);
        checking.put("x");
        checking.put("y");
        checking.take();
        checking.put("newcomer");
        checking.turn();
        assertThat(checking.depth()).isEqualTo(1);
    }

    @Test
    void hereTheParkedItemIsInsideBeforeTheTakeReturns() throws InterruptedException {
        BoundedQueue<String> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
        queue.put("x");
        Call<Boolean> y = Call.platform(() -> queue.put("y"));
        Call.until(() -> queue.stats().waitingProducers() == 1);

        assertThat(queue.poll()).isEqualTo("x");
        assertThat(queue.depth())
                .as("y is inside, whether or not its producer is awake")
                .isEqualTo(1);
        assertThat(queue.offer("newcomer")).isFalse();
        assertThat(queue.poll()).isEqualTo("y");
        assertThat(queue.poll()).isNull();

        assertThat(y.outcome()).isEqualTo(true);
        assertThat(queue.stats().waitingProducers() + queue.stats().waitingConsumers())
                .isZero();
    }
}
