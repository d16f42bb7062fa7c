package io.heptad.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.heptad.contract.Seeded;
import io.heptad.contract.Watched;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.core.Metric;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The figures: what they say, that they add up, and how old the oldest item is. */
@Watched
class FiguresTest {
    private final AtomicLong now = new AtomicLong(1_000_000_000_000L);

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private <E> BoundedQueue<E> sparse(int capacity, FullPolicy policy) {
        return BoundedQueue.<E>builder(capacity, policy).ticker(now::get).build();
    }

    private <E> BoundedQueue<E> exact(int capacity, FullPolicy policy) {
        return BoundedQueue.<E>builder(capacity, policy)
                .ticker(now::get)
                .exactAge()
                .build();
    }

    private static Map<String, Double> read(BoundedQueue<?> queue) {
        return queue.metrics().stream()
                .collect(Collectors.toMap(
                        metric -> metric.name().substring("heptad.queue.".length()),
                        metric -> metric.value().getAsDouble()));
    }

    @Test
    void saysWhatHappenedToEveryItem() throws InterruptedException {
        BoundedQueue<Integer> queue = exact(3, FullPolicy.DROP_OLDEST);
        for (int i = 0; i < 5; i++) {
            queue.put(i);
        }
        queue.offer(5);
        queue.take();
        pass(Duration.ofSeconds(2));

        assertThat(queue.stats()).isEqualTo(new QueueStats(3, 2, 0, 0, 5, 1, 1, 0, 2, 0, 0, Duration.ofSeconds(2)));
        assertThat(queue.closeNow()).containsExactly(3, 4);
        assertThat(queue.stats()).isEqualTo(new QueueStats(3, 0, 0, 0, 5, 1, 1, 0, 2, 2, 0, Duration.ZERO));
    }

    @Test
    void theMetricsSayTheSame() throws InterruptedException {
        BoundedQueue<Integer> queue = exact(3, FullPolicy.DROP_OLDEST);
        for (int i = 0; i < 5; i++) {
            queue.put(i);
        }
        queue.offer(5);
        queue.take();
        pass(Duration.ofMillis(2_500));

        assertThat(read(queue))
                .containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                        Map.entry("capacity", 3.0),
                        Map.entry("depth", 2.0),
                        Map.entry("producers.waiting", 0.0),
                        Map.entry("consumers.waiting", 0.0),
                        Map.entry("oldest.age", 2.5),
                        Map.entry("accepted", 5.0),
                        Map.entry("taken", 1.0),
                        Map.entry("rejected", 1.0),
                        Map.entry("dropped", 2.0),
                        Map.entry("evicted", 2.0),
                        Map.entry("returned", 0.0),
                        Map.entry("timeouts", 0.0),
                        Map.entry("callback.failures", 0.0)));
        assertThat(queue.metrics()).isSameAs(queue.metrics());
        assertThat(queue.metrics()).extracting(Metric::tags).containsOnly(Map.of("name", "queue"));
    }

    @Test
    void countsWhoWaits() throws InterruptedException {
        BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
        Call<Integer> take = Call.platform(queue::take);
        Call.until(() -> read(queue).get("consumers.waiting") == 1);
        queue.put(0);
        take.outcome();
        queue.put(1);
        Call<Boolean> put = Call.platform(() -> queue.put(2));
        Call.until(() -> read(queue).get("producers.waiting") == 1);
        assertThat(queue.stats().waitingConsumers()).isZero();
        queue.close();
        put.outcome();

        assertThat(read(queue)).containsEntry("producers.waiting", 0.0).containsEntry("consumers.waiting", 0.0);
    }

    /** What the users of a queue have counted for themselves, each at the end of a call that did it. */
    private static final class Counted {
        final AtomicLong begun = new AtomicLong();
        final AtomicLong accepted = new AtomicLong();
        final AtomicLong refused = new AtomicLong();
        final AtomicLong dropped = new AtomicLong();
        final AtomicLong taken = new AtomicLong();

        /** One producer, one consumer: either may have done one thing more than it has counted. */
        private static void isAboutAsCounted(String figure, long read, long before, long after) {
            assertThat(read).as(figure).isBetween(before, after + 1);
        }
    }

    @ParameterizedTest
    @EnumSource(FullPolicy.class)
    void everyReadingIsAsItsUsersCountAndNoCounterFalls(FullPolicy policy) throws InterruptedException {
        Counted counted = new Counted();
        BoundedQueue<Integer> queue = BoundedQueue.<Integer>builder(3, policy)
                .onDrop(item -> counted.dropped.incrementAndGet())
                .build();
        AtomicBoolean done = new AtomicBoolean();
        Call<Object> producer = Call.platform(() -> {
            while (!done.get()) {
                counted.begun.incrementAndGet();
                try {
                    if (queue.put(1)) {
                        counted.accepted.incrementAndGet();
                    }
                } catch (FullException full) {
                    counted.refused.incrementAndGet();
                    Thread.yield();
                }
            }
            return "done";
        });
        Call.until(() -> policy == FullPolicy.BLOCK
                ? queue.stats().waitingProducers() == 1
                : counted.refused.get() + counted.dropped.get() > 0);
        Call<Object> consumer = Call.platform(() -> {
            queue.consumeAll(item -> counted.taken.incrementAndGet());
            return "done";
        });
        QueueStats last = queue.stats();
        for (int i = 0; i < 5_000 || counted.taken.get() < 100; i++) {
            long accepted = counted.accepted.get();
            long refused = counted.refused.get();
            long dropped = counted.dropped.get();
            long taken = counted.taken.get();
            QueueStats next = queue.stats();
            boolean oldest = policy == FullPolicy.DROP_OLDEST;
            Counted.isAboutAsCounted("taken", next.taken(), taken, counted.taken.get());
            Counted.isAboutAsCounted("rejected", next.rejected(), refused, counted.refused.get());
            Counted.isAboutAsCounted(
                    "dropped", oldest ? next.evicted() : next.droppedNewest(), dropped, counted.dropped.get());
            assertThat(oldest ? next.droppedNewest() : next.evicted()).isZero();
            assertThat(next.accepted()).as("accepted").isBetween(accepted, counted.begun.get());
            assertThat(next.depth()).isBetween(0, 3);
            assertThat(next.accepted()).isGreaterThanOrEqualTo(last.accepted());
            assertThat(next.taken()).isGreaterThanOrEqualTo(last.taken());
            assertThat(next.evicted()).isGreaterThanOrEqualTo(last.evicted());
            assertThat(next.rejected()).isGreaterThanOrEqualTo(last.rejected());
            assertThat(next.droppedNewest()).isGreaterThanOrEqualTo(last.droppedNewest());
            last = next;
        }
        done.set(true);
        assertThat(producer.outcome()).isEqualTo("done");
        queue.close();
        assertThat(consumer.outcome()).isEqualTo("done");

        QueueStats end = queue.stats();
        assertThat(end.accepted()).isEqualTo(counted.accepted.get()).isPositive();
        assertThat(end.taken()).isEqualTo(counted.taken.get());
        assertThat(end.rejected()).isEqualTo(counted.refused.get());
        assertThat(end.droppedNewest() + end.evicted()).isEqualTo(counted.dropped.get());
        assertThat(end.depth()).isZero();
    }

    @Test
    void knowsTheExactAgeOfTheOldest() throws InterruptedException {
        BoundedQueue<Integer> queue = exact(5, FullPolicy.BLOCK);
        for (int i = 0; i < 200; i++) {
            for (int item = 0; item < 5; item++) {
                queue.put(item);
                pass(Duration.ofSeconds(1));
            }
            for (int item = 0; item < 5; item++) {
                assertThat(queue.oldestAge()).isEqualTo(Duration.ofSeconds(5 - item));
                queue.take();
            }
            assertThat(queue.oldestAge()).isZero();
        }
    }

    @Test
    void countsTheExactAgeOfAnEvictingOrAParkedPutFromItsAcceptance() throws InterruptedException {
        BoundedQueue<Integer> evicting = exact(2, FullPolicy.DROP_OLDEST);
        evicting.put(0);
        evicting.put(1);
        pass(Duration.ofSeconds(1));
        evicting.put(2);
        pass(Duration.ofSeconds(1));
        assertThat(evicting.oldestAge()).isEqualTo(Duration.ofSeconds(2));
        evicting.take();
        assertThat(evicting.oldestAge()).isEqualTo(Duration.ofSeconds(1));

        BoundedQueue<Integer> blocking = exact(1, FullPolicy.BLOCK);
        blocking.put(0);
        Call<Boolean> parked = Call.platform(() -> blocking.put(1));
        Call.until(() -> blocking.stats().waitingProducers() == 1);
        pass(Duration.ofSeconds(10));
        blocking.take();
        parked.outcome();
        pass(Duration.ofSeconds(3));
        assertThat(blocking.oldestAge()).isEqualTo(Duration.ofSeconds(3));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 64, 100, 1_000})
    void withoutExactAgeItIsALowerBoundAsGoodAsTheReadings(int capacity) {
        Seeded.run(random -> {
            BoundedQueue<Integer> queue = sparse(capacity, FullPolicy.BLOCK);
            long[] putAt = new long[20_000];
            long readAt = 0;
            int readStep = -1;
            for (int step = 0; step < putAt.length; step++) {
                pass(Duration.ofMillis(random.nextInt(100)));
                switch (random.nextInt(5)) {
                    case 0, 1 -> {
                        putAt[step] = now.get();
                        queue.offer(step);
                    }
                    case 2 -> queue.poll();
                    default -> {
                        Duration age = queue.oldestAge();
                        if (queue.depth() == 0) {
                            assertThat(age).isZero();
                        } else {
                            int oldest = (Integer) queue.peek();
                            assertThat(age.toNanos()).isLessThanOrEqualTo(now.get() - putAt[oldest]);
                            if (oldest < readStep) {
                                assertThat(age.toNanos()).isGreaterThanOrEqualTo(now.get() - readAt);
                            }
                        }
                        readAt = now.get();
                        readStep = step;
                    }
                }
            }
        });
    }

    @Test
    void aStuckQueueAgesFromTheFirstReadingOn() throws InterruptedException {
        BoundedQueue<Integer> queue = sparse(10, FullPolicy.BLOCK);
        queue.put(0);
        queue.take();
        queue.put(1);
        pass(Duration.ofSeconds(10));
        assertThat(queue.oldestAge()).isZero();
        pass(Duration.ofSeconds(10));
        assertThat(queue.oldestAge()).isEqualTo(Duration.ofSeconds(10));
        pass(Duration.ofHours(1));
        assertThat(queue.oldestAge()).isEqualTo(Duration.ofSeconds(3_610));
        queue.take();
        assertThat(queue.oldestAge()).isZero();
    }

    @Test
    void every512thItemIsTimedWithoutAnyReading() throws InterruptedException {
        BoundedQueue<Integer> queue = sparse(1_000, FullPolicy.BLOCK);
        queue.put(0);
        queue.take();
        for (int i = 1; i < 900; i++) {
            queue.put(i);
            pass(Duration.ofSeconds(1));
        }
        // The oldest is 899 s old; item 512, put 511 s later, is the first that was timed.
        assertThat(queue.oldestAge()).isEqualTo(Duration.ofSeconds(899 - 511));
    }

    @Test
    void manyReadingsCostLittleMemoryAndKeepTheOldest() throws InterruptedException {
        BoundedQueue<Integer> queue = sparse(10_000, FullPolicy.BLOCK);
        queue.put(0);
        queue.take();
        for (int i = 1; i < 60; i++) {
            queue.put(i);
            queue.oldestAge();
            pass(Duration.ofSeconds(1));
        }
        assertThat(queue.oldestAge()).isEqualTo(Duration.ofSeconds(59));
        for (int i = 0; i < 40; i++) {
            queue.take();
        }
        // 19 s is the truth; marks were thinned to every fourth second at worst
        assertThat(queue.oldestAge()).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(19));
    }

    @ParameterizedTest
    @EnumSource(names = {"BLOCK", "DROP_OLDEST"})
    void knowsTheAgeOfABacklogThatOnlyEverCameInThroughAFullQueue(FullPolicy policy) throws InterruptedException {
        int capacity = 2 * Ages.TIMED;
        BoundedQueue<Integer> queue = sparse(capacity, policy);
        for (int i = 0; i < 2 * capacity + 1; i++) {
            pass(Duration.ofSeconds(1));
            if (policy == FullPolicy.DROP_OLDEST || i < capacity) {
                queue.put(i);
            } else {
                int item = i;
                Thread producer = Thread.ofVirtual().start(() -> putOrFail(queue, item));
                while (queue.stats().waitingProducers() == 0) {
                    Thread.yield();
                }
                queue.take();
                producer.join();
            }
        }

        // the oldest came in capacity seconds ago, and one in TIMED is timed
        assertThat(queue.oldestAge())
                .isBetween(Duration.ofSeconds(capacity - Ages.TIMED), Duration.ofSeconds(capacity));
    }

    private static void putOrFail(BoundedQueue<Integer> queue, int item) {
        try {
            queue.put(item);
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    @Test
    void aTickerThatThrowsCostsTheAdviceAndNotTheRefusal() throws InterruptedException {
        AtomicBoolean broken = new AtomicBoolean();
        BoundedQueue<String> queue = BoundedQueue.<String>builder(1, FullPolicy.REJECT)
                .ticker(() -> {
                    if (broken.get()) {
                        throw new IllegalStateException("stopped");
                    }
                    return now.get();
                })
                .build();
        queue.put("in");
        broken.set(true);

        FullException refusal = catchThrowableOfType(FullException.class, () -> queue.put("out"));

        assertThat(refusal.retryAfter()).isEmpty();
    }

    @Test
    void aTickerThatThrowsCostsAnAgeAndNoItem() throws InterruptedException {
        for (boolean exact : List.of(false, true)) {
            AtomicBoolean broken = new AtomicBoolean();
            BoundedQueue.Builder<Integer> builder = BoundedQueue.<Integer>builder(2, FullPolicy.BLOCK)
                    .ticker(() -> {
                        if (broken.get()) {
                            throw new IllegalStateException("no time");
                        }
                        return Long.MIN_VALUE;
                    });
            BoundedQueue<Integer> queue = (exact ? builder.exactAge() : builder).build();
            queue.put(0);
            assertThat(queue.oldestAge()).isZero();
            broken.set(true);
            queue.put(1);
            Call<Boolean> parked = Call.platform(() -> queue.put(2));
            Call.until(() -> queue.stats().waitingProducers() == 1);
            assertThat(queue.oldestAge()).isZero();

            assertThat(queue.take()).isZero();
            assertThat(parked.outcome()).isEqualTo(true);
            assertThat(queue.take()).isEqualTo(1);
            assertThat(queue.take()).isEqualTo(2);
        }
    }

    @Test
    void showsItselfInWords() throws InterruptedException {
        BoundedQueue<Integer> queue = BoundedQueue.<Integer>builder(2, FullPolicy.REJECT)
                .name("letters")
                .build();
        queue.put(1);
        assertThat(queue).hasToString("letters[1/2 REJECT]");
        queue.close();
        assertThat(queue).hasToString("letters[1/2 REJECT closed]");
    }
}
