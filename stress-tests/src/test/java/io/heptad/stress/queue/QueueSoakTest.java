package io.heptad.stress.queue;

import static io.heptad.stress.OneCarrier.WAITERS;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.core.ClosedException;
import io.heptad.core.FullPolicy;
import io.heptad.queue.BoundedQueue;
import io.heptad.stress.OneCarrier;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Every call of the queue that may wait, on one carrier. */
class QueueSoakTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);

    private int consumers() {
        return queue.stats().waitingConsumers();
    }

    private int producers() {
        return queue.stats().waitingProducers();
    }

    private Void putAll() throws InterruptedException {
        for (int i = 0; i < WAITERS; i++) {
            queue.put(i);
        }
        return null;
    }

    private Void takeAll() throws InterruptedException {
        for (int i = 0; i < WAITERS; i++) {
            queue.take();
        }
        return null;
    }

    private void everyItemWasTakenOnce(List<Object> taken) {
        assertThat(taken)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, WAITERS).boxed().toList());
    }

    @Test
    void takesAreServed() throws Exception {
        everyItemWasTakenOnce(OneCarrier.soak(this::consumers, queue::take, this::putAll));
    }

    @Test
    void timedPollsAreServed() throws Exception {
        everyItemWasTakenOnce(OneCarrier.soak(this::consumers, () -> queue.poll(LONG), this::putAll));
    }

    @Test
    void batchesAreServed() throws Exception {
        assertThat(OneCarrier.soak(this::consumers, () -> queue.takeBatch(1).get(0), this::putAll))
                .hasSize(WAITERS)
                .doesNotHaveDuplicates();
    }

    @Test
    void putsAreLetIn() throws Exception {
        queue.put(-1);
        assertThat(OneCarrier.soak(this::producers, () -> queue.put(7), this::takeAll))
                .containsOnly(true);
    }

    @Test
    void timedPutsAreLetIn() throws Exception {
        queue.put(-1);
        assertThat(OneCarrier.soak(this::producers, () -> queue.put(7, LONG), this::takeAll))
                .containsOnly(true);
    }

    @Test
    void closeSendsAllConsumersAway() throws Exception {
        assertThat(OneCarrier.soak(this::consumers, closed(queue::take), this::close))
                .containsOnly("closed");
    }

    @Test
    void closeSendsAllProducersAway() throws Exception {
        queue.put(-1);
        assertThat(OneCarrier.soak(this::producers, closed(() -> queue.put(7)), this::close))
                .containsOnly("closed");
    }

    private Void close() {
        queue.close();
        return null;
    }

    private static Callable<Object> closed(Callable<?> call) {
        return () -> {
            try {
                return call.call();
            } catch (ClosedException e) {
                return "closed";
            }
        };
    }
}
