package io.heptad.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Seeded;
import io.heptad.contract.Threads;
import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What went wrong in other queues and channels, named for what goes right here. */
@Watched
class KnownFailuresTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    private static <T> Call<T> parkedTake(BoundedQueue<T> queue, boolean virtual) {
        int before = queue.stats().waitingConsumers();
        Call<T> take = Call.start(virtual, queue::take);
        Call.until(() -> queue.stats().waitingConsumers() == before + 1);
        return take;
    }

    /** Runs both at the same moment. */
    private static void atOnce(Runnable one, Runnable other) {
        CyclicBarrier together = new CyclicBarrier(2);
        Call<Object> first = Call.platform(() -> {
            together.await();
            one.run();
            return "done";
        });
        try {
            together.await();
        } catch (Exception broken) {
            throw new AssertionError(broken);
        }
        other.run();
        assertThat(first.outcome()).isEqualTo("done");
    }

    @Test
    void aPollAfterAnInterruptedTakeReturnsAtOnce() throws InterruptedException {
        BoundedQueue<Integer> queue = BoundedQueue.of(4, FullPolicy.BLOCK);
        AtomicLong cpu = new AtomicLong();
        CountDownLatch parked = new CountDownLatch(1);
        Call<Object> taker = Call.platform(() -> {
            parked.countDown();
            try {
                return queue.take();
            } catch (InterruptedException expected) {
                long before = Threads.cpuNanos(Thread.currentThread());
                Integer got = queue.poll();
                cpu.set(Threads.cpuNanos(Thread.currentThread()) - before);
                return got == null ? "nothing" : got;
            }
        });
        parked.await();
        Call.until(() -> queue.stats().waitingConsumers() == 1);
        taker.interrupt();

        assertThat(taker.outcome()).isEqualTo("nothing");
        assertThat(cpu.get()).isLessThan(Duration.ofMillis(50).toNanos());
        assertThat(queue.poll()).isNull();
        for (int i = 0; i < 10; i++) {
            queue.put(i);
            assertThat(queue.take()).isEqualTo(i);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anItemThatArrivesWithAnInterruptIsTakenOrStillInsideNeverBothOrNeither(boolean virtual) {
        for (int round = 0; round < 1_000; round++) {
            BoundedQueue<String> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
            Call<String> take = parkedTake(queue, virtual);
            atOnce(take::interrupt, () -> assertThat(queue.offer("x")).isTrue());

            if (take.outcome() instanceof InterruptedException) {
                assertThat(queue.poll()).isEqualTo("x");
            } else {
                assertThat(take.outcome()).isEqualTo("x");
                assertThat(queue.poll()).isNull();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anItemOfAPutThatIsInterruptedWhileItIsLetInIsInsideOrNotAccepted(boolean virtual) throws InterruptedException {
        for (int round = 0; round < 1_000; round++) {
            BoundedQueue<String> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
            queue.put("x");
            Call<Boolean> put = Call.start(virtual, () -> queue.put("y"));
            Call.until(() -> queue.stats().waitingProducers() == 1);
            atOnce(put::interrupt, () -> assertThat(queue.poll()).isEqualTo("x"));

            assertThat(queue.closeNow())
                    .isEqualTo(put.outcome() instanceof InterruptedException ? List.of() : List.of("y"));
        }
    }

    @Test
    void aTimedPollNeitherOverstaysNorBurnsProcessorTime() throws InterruptedException {
        BoundedQueue<Integer> queue = BoundedQueue.of(4, FullPolicy.BLOCK);
        AtomicLong cpu = new AtomicLong();
        AtomicLong longest = new AtomicLong();
        AtomicLong wall = new AtomicLong();
        List<Call<Object>> consumers = IntStream.range(0, 4)
                .mapToObj(i -> Call.<Object>platform(() -> {
                    long cpuBefore = Threads.cpuNanos(Thread.currentThread());
                    long wallBefore = System.nanoTime();
                    while (!queue.isClosed()) {
                        long begun = System.nanoTime();
                        queue.poll(Duration.ofMillis(50));
                        longest.accumulateAndGet(System.nanoTime() - begun, Math::max);
                    }
                    cpu.addAndGet(Threads.cpuNanos(Thread.currentThread()) - cpuBefore);
                    wall.accumulateAndGet(System.nanoTime() - wallBefore, Math::max);
                    return "done";
                }))
                .toList();
        CountDownLatch never = new CountDownLatch(1);
        for (int i = 0; i < 3; i++) {
            assertThat(never.await(200, TimeUnit.MILLISECONDS)).isFalse(); // the producer's pace
            queue.put(i);
        }
        queue.close();
        consumers.forEach(consumer -> assertThat(consumer.outcome()).isEqualTo("done"));

        assertThat(Duration.ofNanos(longest.get())).isLessThan(Duration.ofMillis(50 + 500));
        assertThat(cpu.get()).isLessThan(wall.get() / 10);
    }

    @Test
    void whatHasADepthCanBePolledByTheOnlyConsumer() throws InterruptedException {
        BoundedQueue<Integer> queue = BoundedQueue.of(3, FullPolicy.BLOCK);
        Call<Object> producer = Call.platform(() -> {
            for (int i = 0; i < 50_000; i++) {
                queue.put(i);
            }
            return "done";
        });
        for (int next = 0; next < 50_000; ) {
            long depth = queue.depth();
            assertThat(depth).isBetween(0L, 3L);
            if (depth > 0) {
                assertThat(queue.poll()).isEqualTo(next);
                next++;
            }
        }
        assertThat(producer.outcome()).isEqualTo("done");
    }

    @ParameterizedTest
    @EnumSource(FullPolicy.class)
    void whatIsLeftAtTheEndIsGivenBackAndWhatWasDroppedWentToTheHookOnceEach(FullPolicy policy)
            throws InterruptedException {
        List<Integer> seen = new CopyOnWriteArrayList<>();
        BoundedQueue<Integer> queue =
                BoundedQueue.<Integer>builder(5, policy).onDrop(seen::add).build();
        boolean drops = policy == FullPolicy.DROP_NEWEST || policy == FullPolicy.DROP_OLDEST;
        int puts = drops ? 12 : 5;
        for (int i = 0; i < puts; i++) {
            queue.put(i);
        }

        List<Integer> back = queue.closeNow();

        assertThat(back).hasSize(5).isSorted();
        assertThat(seen).hasSize(puts - 5).doesNotContainAnyElementsOf(back);
        assertThat(queue.closeNow()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cancellingOneTakerNeverCostsAnotherItsItem(boolean virtual) throws InterruptedException {
        for (int round = 0; round < 500; round++) {
            BoundedQueue<String> queue = BoundedQueue.of(2, FullPolicy.BLOCK);
            Call<String> first = parkedTake(queue, virtual);
            Call<String> second = parkedTake(queue, virtual);
            atOnce(first::interrupt, () -> assertThat(queue.offer("a")).isTrue());

            if (first.outcome() instanceof InterruptedException) {
                assertThat(second.outcome()).isEqualTo("a");
            } else {
                assertThat(first.outcome()).isEqualTo("a");
                queue.put("b");
                assertThat(second.outcome()).isEqualTo("b");
            }
            assertThat(queue.isFlagged()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nobodyIsLeftParkedWhenCloseComesInBetween(boolean virtual) {
        Seeded.run(random -> {
            for (int round = 0; round < 250; round++) {
                boolean producing = round % 2 == 0;
                BoundedQueue<Integer> queue = BoundedQueue.of(2, FullPolicy.BLOCK);
                if (producing) {
                    queue.put(0);
                    queue.put(1);
                }
                List<Call<Object>> calls = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    calls.add(Call.start(virtual, () -> producing ? (Object) queue.put(2) : queue.poll(LONG)));
                }
                int arrived = random.nextInt(5);
                Call.until(
                        () -> queue.stats().waitingProducers() + queue.stats().waitingConsumers() >= arrived);
                queue.close();

                for (Call<Object> call : calls) {
                    if (producing) {
                        assertThat(call.outcome()).isInstanceOf(ClosedException.class);
                    } else {
                        assertThat(call.outcome()).isEqualTo("null");
                    }
                }
                assertThat(queue.depth()).isEqualTo(producing ? 2 : 0);
            }
        });
    }

    @Test
    void whatWasAcceptedBeforeTheCloseIsConsumedAfterIt() throws InterruptedException {
        for (boolean now : new boolean[] {false, true}) {
            BoundedQueue<Integer> queue = BoundedQueue.of(100, FullPolicy.BLOCK);
            List<Integer> all = IntStream.rangeClosed(1, 100).boxed().toList();
            for (int item : all) {
                queue.put(item);
            }
            queue.close();
            List<Integer> back = now ? queue.closeNow() : List.of();
            List<Integer> read = new ArrayList<>();
            queue.consumeAll(read::add);

            assertThat(now ? back : read).isEqualTo(all);
            assertThat(now ? read : back).isEmpty();
            assertThat(queue.isDrained()).isTrue();
        }
    }

    @Test
    void aQueueThatStillOwesAnItemIsNotDrained() {
        AtomicInteger late = new AtomicInteger();
        for (int round = 0; round < 2_000; round++) {
            BoundedQueue<String> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
            List<String> got = new ArrayList<>();
            AtomicInteger accepted = new AtomicInteger();
            Call<Object> consumer = Call.start(true, () -> {
                while (!queue.isDrained()) {
                    String item = queue.poll();
                    if (item != null) {
                        got.add(item);
                    }
                }
                return "drained";
            });
            atOnce(queue::close, () -> {
                try {
                    accepted.set(queue.offer("x") ? 1 : 0);
                } catch (ClosedException closed) {
                    late.incrementAndGet();
                }
            });

            assertThat(consumer.outcome()).isEqualTo("drained");
            assertThat(got).hasSize(accepted.get());
        }
        assertThat(late.get()).isLessThanOrEqualTo(2_000);
    }

    @Test
    void aLimitBeyondAllClocksIsNoLimit() {
        for (Duration forever : List.of(
                Duration.ofSeconds(Long.MAX_VALUE),
                Duration.ofSeconds(Long.MAX_VALUE, 999_999_999),
                Duration.ofNanos(Long.MAX_VALUE),
                Duration.ofNanos(Long.MAX_VALUE - 1),
                Duration.ofDays(106_000),
                Duration.ofMillis(Long.MAX_VALUE))) {
            BoundedQueue<String> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
            Call<String> poll = Call.platform(() -> queue.poll(forever));
            Call.until(() -> queue.stats().waitingConsumers() == 1);
            assertThat(queue.offer("a")).isTrue();
            assertThat(poll.outcome()).isEqualTo("a");

            assertThat(queue.offer("b")).isTrue();
            Call<Boolean> put = Call.platform(() -> queue.put("c", forever));
            Call.until(() -> queue.stats().waitingProducers() == 1);
            assertThat(queue.poll()).isEqualTo("b");
            assertThat(put.outcome()).isEqualTo(true);
        }
    }
}
