package io.heptad.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens on a full queue, policy by policy, and what the hook and the counters say about it. */
@Watched
class FullPolicyTest {
    private static final Duration SHORT = Duration.ofMillis(1);

    private final List<String> dropped = new ArrayList<>();

    private BoundedQueue<String> full(int capacity, FullPolicy policy) throws InterruptedException {
        BoundedQueue<String> queue = BoundedQueue.<String>builder(capacity, policy)
                .name("letters")
                .onDrop(dropped::add)
                .build();
        for (int i = 0; i < capacity; i++) {
            assertThat(queue.put("x" + i)).isTrue();
        }
        return queue;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 1_000})
    void everyCapacityIsExact(int capacity) throws InterruptedException {
        for (FullPolicy policy : FullPolicy.values()) {
            BoundedQueue<String> queue = full(capacity, policy);
            for (int round = 0; round < 3 * capacity; round++) {
                assertThat(queue.depth()).isEqualTo(capacity);
                assertThat(queue.offer("no")).isFalse();
                assertThat(queue.poll()).isNotNull();
                assertThat(queue.depth()).isEqualTo(capacity - 1);
                assertThat(queue.offer("yes")).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE, BoundedQueue.MAX_CAPACITY + 1, Integer.MAX_VALUE})
    void refusesACapacityOutOfRangeAndNamesIt(int capacity) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BoundedQueue.of(capacity, FullPolicy.BLOCK))
                .withMessage("capacity must be from 1 to 1073741824, but is " + capacity);
    }

    @Test
    void refusesABlankNameAndNulls() {
        BoundedQueue.Builder<String> builder = BoundedQueue.builder(1, FullPolicy.BLOCK);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.name(" "))
                .withMessage("name must not be blank, but is \" \"");
        assertThatThrownBy(() -> builder.name(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> builder.onDrop(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> builder.ticker(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> BoundedQueue.of(1, null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void rejectsAtOnceAndSaysHowFullItIsAndWhenToComeBack() throws InterruptedException {
        AtomicLong now = new AtomicLong();
        BoundedQueue<Integer> queue = BoundedQueue.<Integer>builder(4, FullPolicy.REJECT)
                .name("letters")
                .ticker(now::get)
                .build();
        for (int i = 0; i < 4; i++) {
            queue.put(i);
        }
        FullException unknown = catchThrowableOfType(FullException.class, () -> queue.put(4));
        assertThat(unknown.retryAfter()).isEmpty();
        for (int i = 0; i < 4; i++) { // four in a second
            now.addAndGet(Duration.ofMillis(250).toNanos());
            queue.take();
            queue.put(i);
        }

        FullException refusal = catchThrowableOfType(FullException.class, () -> queue.put(4));

        assertThat(refusal.shape()).isEqualTo("letters");
        assertThat(refusal.capacity()).isEqualTo(4);
        assertThat(refusal.depth()).isEqualTo(4);
        assertThat(refusal.retryAfter()).contains(Duration.ofSeconds(1));
        assertThat(queue.stats().rejected()).isEqualTo(2);
        assertThat(queue.depth()).isEqualTo(4);
    }

    @Test
    void aTimedPutFollowsAPolicyThatNeverWaits() throws InterruptedException {
        BoundedQueue<String> rejecting = full(1, FullPolicy.REJECT);
        assertThatThrownBy(() -> rejecting.put("y", Duration.ofHours(1))).isInstanceOf(FullException.class);

        BoundedQueue<String> newest = full(1, FullPolicy.DROP_NEWEST);
        assertThat(newest.put("y", Duration.ofHours(1))).isFalse();
        assertThat(newest.poll()).isEqualTo("x0");

        BoundedQueue<String> oldest = full(1, FullPolicy.DROP_OLDEST);
        assertThat(oldest.put("z", Duration.ofHours(1))).isTrue();
        assertThat(oldest.poll()).isEqualTo("z");

        assertThat(dropped).containsExactly("y", "x0");
        assertThat(rejecting.stats().timedOut()
                        + newest.stats().timedOut()
                        + oldest.stats().timedOut())
                .isZero();
    }

    @Test
    void dropsTheNewestAndHandsItToTheHook() throws InterruptedException {
        BoundedQueue<String> queue = full(2, FullPolicy.DROP_NEWEST);

        assertThat(queue.put("y")).isFalse();

        assertThat(dropped).containsExactly("y");
        QueueStats stats = queue.stats();
        assertThat(stats.droppedNewest()).isEqualTo(1);
        assertThat(stats.accepted()).isEqualTo(2);
        assertThat(queue.closeNow()).containsExactly("x0", "x1");
        assertThat(dropped).containsExactly("y");
    }

    @Test
    void dropsTheOldestAndHandsItToTheHook() throws InterruptedException {
        BoundedQueue<String> queue = full(2, FullPolicy.DROP_OLDEST);

        assertThat(queue.put("y")).isTrue();

        assertThat(dropped).containsExactly("x0");
        QueueStats stats = queue.stats();
        assertThat(stats.evicted()).isEqualTo(1);
        assertThat(stats.accepted()).isEqualTo(3);
        assertThat(stats.taken()).isZero();
        assertThat(queue.closeNow()).containsExactly("x1", "y");
        assertThat(queue.stats().returned()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(FullPolicy.class)
    void anOfferNeverWaitsNorDropsAndCountsAsRejected(FullPolicy policy) throws InterruptedException {
        BoundedQueue<String> queue = full(3, policy);

        assertThat(queue.offer("y")).isFalse();

        assertThat(dropped).isEmpty();
        assertThat(queue.stats().rejected()).isEqualTo(1);
        assertThat(queue.stats().droppedNewest() + queue.stats().evicted()).isZero();
        assertThat(queue.closeNow()).containsExactly("x0", "x1", "x2");
        assertThatThrownBy(() -> queue.offer("z"))
                .isInstanceOfSatisfying(
                        ClosedException.class,
                        closed -> assertThat(closed.shape()).isEqualTo("letters"));
        assertThat(queue.stats().rejected()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(FullPolicy.class)
    void aClosedQueueRefusesAndDropsNothing(FullPolicy policy) throws InterruptedException {
        BoundedQueue<String> queue = full(2, policy);
        queue.close();

        assertThatThrownBy(() -> queue.put("y")).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> queue.put("y", SHORT)).isInstanceOf(ClosedException.class);

        assertThat(dropped).isEmpty();
        assertThat(queue.take()).isEqualTo("x0");
        assertThat(queue.take()).isEqualTo("x1");
        assertThatThrownBy(queue::take).isInstanceOf(ClosedException.class);
    }

    @ParameterizedTest
    @EnumSource(FullPolicy.class)
    void anInterruptOnEntryIsToldUnderEveryPolicy(FullPolicy policy) throws InterruptedException {
        BoundedQueue<String> queue = full(1, policy);
        Call<Boolean> put = Call.platform(() -> {
            Thread.currentThread().interrupt();
            return queue.put("y");
        });

        assertThat(put.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(dropped).isEmpty();
        assertThat(queue.closeNow()).containsExactly("x0");
    }

    @ParameterizedTest
    @EnumSource(
            value = FullPolicy.class,
            names = {"DROP_NEWEST", "DROP_OLDEST"})
    void countsEveryDropUnderEightThreads(FullPolicy policy) {
        Set<Integer> lost = ConcurrentHashMap.newKeySet();
        BoundedQueue<Integer> queue =
                BoundedQueue.<Integer>builder(100, policy).onDrop(lost::add).build();
        List<Call<Object>> producers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int from = i * 125;
            producers.add(Call.platform(() -> {
                for (int item = from; item < from + 125; item++) {
                    queue.put(item);
                }
                return "done";
            }));
        }
        producers.forEach(producer -> assertThat(producer.outcome()).isEqualTo("done"));

        assertThat(queue.depth()).isEqualTo(100);
        assertThat(lost).hasSize(900);
        QueueStats stats = queue.stats();
        assertThat(policy == FullPolicy.DROP_OLDEST ? stats.evicted() : stats.droppedNewest())
                .isEqualTo(900);
        assertThat(lost).doesNotContainAnyElementsOf(queue.closeNow());
    }

    @ParameterizedTest
    @EnumSource(
            value = FullPolicy.class,
            names = {"DROP_NEWEST", "DROP_OLDEST"})
    void aHookThatThrowsIsCountedAndReportedAndHarmsNobody(FullPolicy policy) throws InterruptedException {
        for (Throwable failure : List.of(new IllegalStateException("hook"), new StackOverflowError("hook"))) {
            BoundedQueue<String> queue = BoundedQueue.<String>builder(1, policy)
                    .onDrop(item -> HandOver.throwIt(failure))
                    .build();
            AtomicReference<Throwable> reported = new AtomicReference<>();
            AtomicInteger results = new AtomicInteger();
            Thread producer = Thread.ofPlatform()
                    .uncaughtExceptionHandler((thread, thrown) -> {
                        reported.set(thrown);
                        throw new IllegalStateException("the handler too");
                    })
                    .start(() -> {
                        try {
                            results.addAndGet(queue.put("a") ? 1 : 0);
                            results.addAndGet(queue.put("b") ? 10 : 0);
                        } catch (InterruptedException impossible) {
                            throw new AssertionError(impossible);
                        }
                    });
            producer.join();

            assertThat(reported.get()).isSameAs(failure);
            assertThat(results).hasValue(policy == FullPolicy.DROP_OLDEST ? 11 : 1);
            assertThat(failures(queue)).isEqualTo(1);
            assertThat(queue.poll()).isEqualTo(policy == FullPolicy.DROP_OLDEST ? "b" : "a");
            assertThat(queue.slow().lockItself().isLocked()).isFalse();
        }
    }

    private static double failures(BoundedQueue<?> queue) {
        return queue.metrics().stream()
                .filter(metric -> metric.name().equals("heptad.queue.callback.failures"))
                .mapToDouble(metric -> metric.value().getAsDouble())
                .sum();
    }

    /** Throws what the compiler would have declared. */
    private static final class HandOver {
        @SuppressWarnings("unchecked")
        static <X extends Throwable> void throwIt(Throwable failure) throws X {
            throw (X) failure;
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = FullPolicy.class,
            names = {"DROP_NEWEST", "DROP_OLDEST"})
    void theHookRunsUnderNoLock(FullPolicy policy) throws InterruptedException {
        AtomicReference<BoundedQueue<String>> queue = new AtomicReference<>();
        AtomicInteger calls = new AtomicInteger();
        queue.set(BoundedQueue.<String>builder(1, policy)
                .onDrop(item -> {
                    assertThat(queue.get().slow().lockItself().isHeldByCurrentThread())
                            .isFalse();
                    Call<QueueStats> other = Call.platform(() -> queue.get().stats());
                    assertThat(((QueueStats) other.outcome()).droppedNewest()
                                    + ((QueueStats) other.outcome()).evicted())
                            .as("counted before the hook")
                            .isEqualTo(1);
                    calls.incrementAndGet();
                })
                .build());
        queue.get().put("a");
        queue.get().put("b");

        assertThat(calls).hasValue(1);
        assertThat(failures(queue.get())).isZero();
    }

    @Test
    void tenThousandRefusalsParkNobodyAndKeepNothing() throws InterruptedException {
        BoundedQueue<String> queue = full(2, FullPolicy.REJECT);
        int refusals = 0;
        for (int i = 0; i < 10_000; i++) {
            try {
                queue.put("y");
            } catch (FullException full) {
                refusals++;
            }
        }

        assertThat(refusals).isEqualTo(10_000);
        assertThat(queue.stats().rejected()).isEqualTo(10_000);
        assertThat(queue.stats().waitingProducers()).isZero();
        assertThat(queue.closeNow()).containsExactly("x0", "x1");
    }
}
