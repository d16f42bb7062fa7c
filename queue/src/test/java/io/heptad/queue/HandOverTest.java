package io.heptad.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Threads;
import io.heptad.contract.Watched;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Items go from hand to hand: straight to who waits, in the order of waiting, one for one. */
@Watched
class HandOverTest {
    private static List<Call<Boolean>> parkedPuts(BoundedQueue<String> queue, boolean virtual, String... items) {
        List<Call<Boolean>> calls = new ArrayList<>();
        for (String item : items) {
            int before = queue.stats().waitingProducers();
            calls.add(Call.start(virtual, () -> queue.put(item)));
            Call.until(() -> queue.stats().waitingProducers() == before + 1);
        }
        return calls;
    }

    private static List<Call<String>> parkedTakes(BoundedQueue<String> queue, boolean virtual, int count) {
        List<Call<String>> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int before = queue.stats().waitingConsumers();
            calls.add(Call.start(virtual, queue::take));
            Call.until(() -> queue.stats().waitingConsumers() == before + 1);
        }
        return calls;
    }

    @Test
    void passesEveryItemOnceAndInTheOrderOfItsProducer() throws InterruptedException {
        int producers = 8;
        int each = 10_000;
        BoundedQueue<int[]> queue = BoundedQueue.of(64, FullPolicy.BLOCK);
        List<Call<List<int[]>>> consumers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            consumers.add(Call.platform(() -> {
                List<int[]> got = new ArrayList<>();
                queue.consumeAll(got::add);
                return got;
            }));
        }
        List<Call<Object>> puts = new ArrayList<>();
        for (int i = 0; i < producers; i++) {
            int producer = i;
            puts.add(Call.platform(() -> {
                for (int number = 0; number < each; number++) {
                    queue.put(new int[] {producer, number});
                }
                return "done";
            }));
        }
        puts.forEach(put -> assertThat(put.outcome()).isEqualTo("done"));
        queue.close();

        boolean[][] seen = new boolean[producers][each];
        int total = 0;
        for (Call<List<int[]>> consumer : consumers) {
            int[] last = new int[producers];
            Arrays.fill(last, -1);
            @SuppressWarnings("unchecked")
            List<int[]> got = (List<int[]>) consumer.outcome();
            for (int[] item : got) {
                assertThat(seen[item[0]][item[1]]).isFalse();
                seen[item[0]][item[1]] = true;
                assertThat(item[1]).isGreaterThan(last[item[0]]);
                last[item[0]] = item[1];
                total++;
            }
        }
        assertThat(total).isEqualTo(80_000);
        assertThat(queue.stats().taken()).isEqualTo(80_000);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void handsAnItemStraightToTheConsumerThatHasWaitedLongest(boolean virtual) throws InterruptedException {
        BoundedQueue<String> queue = BoundedQueue.of(2, FullPolicy.BLOCK);
        List<Call<String>> takes = parkedTakes(queue, virtual, 3);

        queue.put("a");

        assertThat(queue.depth()).isZero();
        assertThat(takes.get(0).outcome()).isEqualTo("a");
        assertThat(queue.stats().waitingConsumers()).isEqualTo(2);
        queue.offer("b");
        queue.put("c", Duration.ZERO);
        assertThat(queue.depth()).isZero();
        assertThat(takes.get(1).outcome()).isEqualTo("b");
        assertThat(takes.get(2).outcome()).isEqualTo("c");
        queue.put("d");
        assertThat(queue.depth()).isEqualTo(1);
    }

    @Test
    void theDepthIsZeroWhileTheConsumerKeepsUpAndGrowsWhenItDoesNot() throws InterruptedException {
        BoundedQueue<Integer> queue = BoundedQueue.of(100, FullPolicy.BLOCK);
        AtomicInteger seen = new AtomicInteger();
        long deepest = 0;
        for (int i = 0; i < 1_000; i++) {
            Call<Integer> ready = Call.start(true, queue::take);
            Call.until(() -> queue.stats().waitingConsumers() == 1);
            queue.put(i);
            deepest = Math.max(deepest, queue.depth());
            assertThat(ready.outcome()).isEqualTo(i);
            seen.incrementAndGet();
        }
        assertThat(deepest).isZero();
        assertThat(seen).hasValue(1_000);

        for (int i = 1; i <= 50; i++) {
            queue.put(i);
            assertThat(queue.depth()).isEqualTo(i);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTakeLetsExactlyOneParkedProducerIn(boolean virtual) throws InterruptedException {
        BoundedQueue<String> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
        queue.put("x");
        List<Call<Boolean>> puts = parkedPuts(queue, virtual, "y1", "y2", "y3", "y4", "y5");

        assertThat(queue.take()).isEqualTo("x");

        assertThat(puts.get(0).outcome()).isEqualTo(true);
        assertThat(queue.depth()).isEqualTo(1);
        assertThat(queue.stats().waitingProducers()).isEqualTo(4);
        assertThat(puts).filteredOn(Call::isDone).hasSize(1);
        for (String next : List.of("y1", "y2", "y3", "y4", "y5")) {
            assertThat(queue.take()).isEqualTo(next);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void strandsNoItemAndLetsNobodyOvertakeWhereThePrintedQueueDoes(boolean virtual) throws InterruptedException {
        BoundedQueue<String> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
        queue.put("x");
        List<Call<Boolean>> put = parkedPuts(queue, virtual, "y");

        Call<String> first = Call.start(virtual, queue::take);
        Call<String> second = Call.start(virtual, queue::take);

        assertThat(List.of(first.outcome(), second.outcome())).containsExactlyInAnyOrder("x", "y");
        assertThat(put.get(0).outcome()).isEqualTo(true);
        assertThat(queue.depth()).isZero();
        assertThat(queue.stats().waitingConsumers()).isZero();
        assertThat(queue.stats().waitingProducers()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keepsTheOrderOfParkedProducersAndOfWhoComesLater(boolean virtual) throws InterruptedException {
        BoundedQueue<String> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
        queue.put("x");
        List<Call<Boolean>> puts = parkedPuts(queue, virtual, "y", "z");
        List<String> out = new ArrayList<>();

        out.add(queue.take());
        assertThat(queue.offer("pushes in")).isFalse();
        out.add(queue.take());
        out.add(queue.take());

        assertThat(out).containsExactly("x", "y", "z");
        puts.forEach(put -> assertThat(put.outcome()).isEqualTo(true));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aProducerThatGivesUpLeavesTheOthersTheirOrder(boolean virtual) throws InterruptedException {
        BoundedQueue<String> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
        queue.put("x");
        List<Call<Boolean>> puts = parkedPuts(queue, virtual, "y1", "y2", "y3");

        puts.get(1).interrupt();

        assertThat(puts.get(1).outcome()).isInstanceOf(InterruptedException.class);
        assertThat(queue.take()).isEqualTo("x");
        assertThat(queue.take()).isEqualTo("y1");
        assertThat(queue.take()).isEqualTo("y3");
        assertThat(queue.poll()).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anInterruptedConsumerLeavesNoGhostThatSwallowsTheNextItem(boolean virtual) throws InterruptedException {
        BoundedQueue<String> queue = BoundedQueue.of(2, FullPolicy.BLOCK);
        List<Call<String>> takes = parkedTakes(queue, virtual, 2);
        takes.get(0).interrupt();
        assertThat(takes.get(0).outcome()).isInstanceOf(InterruptedException.class);

        queue.put("x");

        assertThat(takes.get(1).outcome()).isEqualTo("x");
    }

    @Test
    void aParkedConsumerUsesNoProcessor() throws Exception {
        BoundedQueue<String> queue = BoundedQueue.of(2, FullPolicy.BLOCK);
        Call<String> take = parkedTakes(queue, false, 1).get(0);
        Call.until(() -> take.thread().getState() == Thread.State.WAITING);
        long before = Threads.cpuNanos(take.thread());
        take.thread().join(Duration.ofMillis(200));

        assertThat(Threads.cpuNanos(take.thread()) - before)
                .isLessThan(Duration.ofMillis(5).toNanos());
        assertThat(take.thread().getState()).isEqualTo(Thread.State.WAITING);
        queue.put("x");
        assertThat(take.outcome()).isEqualTo("x");
    }

    @Test
    void neverHoldsMoreThanOneHoweverManyProducersAreWoken() throws InterruptedException {
        BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
        AtomicLong deepest = new AtomicLong();
        List<Call<Object>> producers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            producers.add(Call.platform(() -> {
                for (int item = 0; item < 500; item++) {
                    queue.put(item);
                    deepest.accumulateAndGet(queue.depth(), Math::max);
                }
                return "done";
            }));
        }
        for (int i = 0; i < 4_000; i++) {
            queue.take();
            deepest.accumulateAndGet(queue.depth(), Math::max);
        }
        producers.forEach(producer -> assertThat(producer.outcome()).isEqualTo("done"));

        assertThat(deepest.get()).isLessThanOrEqualTo(1);
        assertThat(queue.depth()).isZero();
    }

    @Test
    void slownessTravelsToTheProducer() throws InterruptedException {
        // Stepped time: each tick the producer wants to put ten, and the consumer takes one.
        BoundedQueue<Integer> queue = BoundedQueue.of(5, FullPolicy.BLOCK);
        List<Integer> put = new CopyOnWriteArrayList<>();
        Call<Object> producer = Call.platform(() -> {
            for (int item = 0; item < 100; item++) {
                queue.put(item);
                put.add(item);
            }
            return "done";
        });
        for (int tick = 0; tick < 50; tick++) {
            int held = tick + 5;
            Call.until(() -> put.size() == held && queue.stats().waitingProducers() == 1);
            assertThat(queue.depth()).isEqualTo(5);
            assertThat(queue.take()).isEqualTo(tick);
        }
        Call.until(() -> put.size() == 55);
        queue.closeNow();
        assertThat(producer.outcome()).isInstanceOf(io.heptad.core.ClosedException.class);
    }
}
