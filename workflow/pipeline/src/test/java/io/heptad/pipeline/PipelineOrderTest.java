package io.heptad.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ordered stages, and stages ordered by key. */
@Watched
class PipelineOrderTest {
    private final List<Object> sink = new CopyOnWriteArrayList<>();
    private final List<FailedItem> failures = new CopyOnWriteArrayList<>();

    private static void putAll(Pipeline<Integer> pipeline, int from, int to) throws InterruptedException {
        for (int i = from; i < to; i++) {
            assertThat(pipeline.put(i)).isTrue();
        }
    }

    private static List<Integer> numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 7})
    void anOrderedStagePassesOnInTheOrderOfArrival(int workers) throws InterruptedException {
        List<Integer> out = new ArrayList<>();
        Pipeline<Integer> pipeline = Pipeline.of("sorted", Integer.class)
                .then("work", workers, PipelineOrderTest::uneven, options -> options.ordered())
                .into(out::add) // one at a time, so a plain list will do
                .start();
        putAll(pipeline, 0, 3_000);

        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        assertThat(out).isEqualTo(numbers(0, 3_000));
    }

    private static int uneven(int item) {
        for (int i = 0; i < item * 7 % 11; i++) {
            Thread.yield();
        }
        return item;
    }

    @Test
    void aFailedItemReleasesItsPlace() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("gaps", Integer.class)
                .then(
                        "work",
                        4,
                        item -> {
                            if (item % 3 == 0) {
                                throw new IllegalStateException("gap");
                            }
                            return uneven(item);
                        },
                        options -> options.ordered())
                .into(sink::add)
                .onFailure(failures::add)
                .start();
        putAll(pipeline, 0, 900);

        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        assertThat(sink).hasSize(600).isSortedAccordingTo((a, b) -> (int) a - (int) b);
        assertThat(failures).hasSize(300);
    }

    @Test
    void soDoesOneThatFailsInTheSinkOrIsTheLast() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("gaps", Integer.class)
                .then("work", 3, item -> item, options -> options.ordered())
                .into(item -> {
                    if (item == 0 || item == 9) {
                        throw new IllegalStateException("sink");
                    }
                    sink.add(item);
                })
                .onFailure(failures::add)
                .start();
        putAll(pipeline, 0, 10);

        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        assertThat(sink).containsExactlyElementsOf(numbers(1, 9));
        assertThat(failures).extracting(FailedItem::item).containsExactly(0, 9);
    }

    @Test
    void theWindowBoundsHowManyAreBegunAheadOfASlowOne() throws InterruptedException {
        CountDownLatch slow = new CountDownLatch(1);
        AtomicInteger begun = new AtomicInteger();
        Pipeline<Integer> pipeline = Pipeline.of("window", Integer.class)
                .then(
                        "work",
                        3,
                        item -> {
                            begun.incrementAndGet();
                            if (item == 0) {
                                assertThat(slow.await(10, TimeUnit.SECONDS)).isTrue();
                            }
                            return item;
                        },
                        options -> options.ordered().window(5).capacity(2))
                .into(sink::add)
                .start();
        putAll(pipeline, 0, 7); // five begun, two in the queue
        Wait.until()
                .until(() ->
                        begun.get() == 5 && pipeline.stats().stages().get(0).busy() == 1);
        assertThat(pipeline.put(7, java.time.Duration.ofMillis(2))).isFalse();
        assertThat(begun).hasValue(5);
        assertThat(sink).isEmpty();

        slow.countDown();
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        assertThat(sink).containsExactlyElementsOf(numbers(0, 7));
    }

    @Test
    void anOrderedFlatStageKeepsTheResultsOfAnItemTogether() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("flat", Integer.class)
                .thenFlat("lines", 4, item -> Collections.nCopies(uneven(item) % 4, item), options -> options.ordered())
                .then("count", 1, (Integer item) -> item)
                .into(sink::add)
                .start();
        putAll(pipeline, 0, 400);

        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        List<Integer> expected = new ArrayList<>();
        numbers(0, 400).forEach(item -> expected.addAll(Collections.nCopies(item % 4, item)));
        assertThat(sink).containsExactlyElementsOf(expected);
    }

    @Test
    void itemsOfOneKeyAreWorkedOnOneAfterAnotherInTheOrderOfArrival() throws InterruptedException {
        Map<Integer, List<Integer>> perKey = new ConcurrentHashMap<>();
        Map<Integer, AtomicInteger> inside = new ConcurrentHashMap<>();
        AtomicInteger together = new AtomicInteger();
        Pipeline<Integer> pipeline = Pipeline.of("customers", Integer.class)
                .then(
                        "work",
                        4,
                        item -> {
                            AtomicInteger mine = inside.computeIfAbsent(item % 5, key -> new AtomicInteger());
                            together.accumulateAndGet(mine.incrementAndGet(), Math::max);
                            perKey.computeIfAbsent(item % 5, key -> new ArrayList<>())
                                    .add(uneven(item));
                            mine.decrementAndGet();
                            if (item % 17 == 0) {
                                throw new IllegalStateException("the next of its key must not wait for it");
                            }
                            return item;
                        },
                        options -> options.orderedBy(item -> item % 5))
                .into(sink::add)
                .onFailure(failures::add)
                .start();
        putAll(pipeline, 0, 2_000);

        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        assertThat(together).hasValue(1);
        assertThat(perKey).hasSize(5);
        perKey.forEach((key, items) -> assertThat(items).isSorted().hasSize(400));
        assertThat(failures).hasSize(118);
        assertThat(sink).hasSize(2_000 - 118).doesNotContainNull();
    }

    @Test
    void aSlowKeyHoldsNobodyElseBackUntilTheWindowIsFull() throws InterruptedException {
        CountDownLatch slow = new CountDownLatch(1);
        Pipeline<String> pipeline = Pipeline.of("customers", String.class)
                .then(
                        "work",
                        2,
                        item -> {
                            if (item.equals("a0")) {
                                assertThat(slow.await(10, TimeUnit.SECONDS)).isTrue();
                            }
                            return item;
                        },
                        options -> options.orderedBy(item -> item.charAt(0)).window(4))
                .into(sink::add)
                .start();
        for (String item : List.of("a0", "a1", "b0", "a2", "b1", "c0")) {
            pipeline.put(item);
        }
        Wait.until().until(() -> sink.size() == 3);
        assertThat(sink).containsExactly("b0", "b1", "c0");

        pipeline.put("a3"); // three stand in line now: that is all
        Wait.until().until(() -> pipeline.depth() == 0);
        pipeline.put("d0");
        pipeline.put("d1");
        assertThat(pipeline.put("d2", java.time.Duration.ofMillis(2))).isFalse();
        assertThat(sink).hasSize(3);

        slow.countDown();
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        assertThat(sink.subList(3, sink.size())).contains("a0", "a1", "a2", "a3", "d0", "d1");
        assertThat(sink.stream().filter(item -> item.toString().startsWith("a")))
                .containsExactly("a0", "a1", "a2", "a3");
    }

    @Test
    void anItemWithoutAKeyFailsInTheStageThatNeedsItOrInThePut() throws InterruptedException {
        Pipeline<Integer> second = Pipeline.of("keys", Integer.class)
                .then("one", 1, item -> item)
                .then(
                        "two",
                        1,
                        item -> item,
                        options -> options.orderedBy(item -> {
                            if (item == 1) {
                                throw new IllegalStateException("no key");
                            }
                            return item == 2 ? null : item;
                        }))
                .into(sink::add)
                .onFailure(failures::add)
                .start();
        putAll(second, 0, 4);
        PipelineStats end = second.close(Wait.LONG).stats();
        assertThat(sink).containsExactly(0, 3);
        assertThat(failures)
                .extracting(FailedItem::stage, FailedItem::item)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("two", 1), org.assertj.core.groups.Tuple.tuple("two", 2));
        assertThat(end.in()).isEqualTo(end.out() + end.failed());
        assertThat(end.stages().get(0).out()).isEqualTo(4);
        assertThat(end.stages().get(1).in()).isEqualTo(4);
        assertThat(end.stages().get(1).failed()).isEqualTo(2);

        Pipeline<Integer> first = Pipeline.of("keys", Integer.class)
                .then("one", 1, item -> item, options -> options.orderedBy(item -> item / 0))
                .start();
        assertThatThrownBy(() -> first.put(1)).isInstanceOf(ArithmeticException.class);
        assertThat(first.close(Wait.LONG).stats().in()).isZero();
    }

    private record Rough(int value) {
        @Override
        public int hashCode() {
            if (value == 3) {
                throw new IllegalStateException("no hash");
            }
            return value;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Rough rough && rough.value == value;
        }
    }

    @Test
    void aKeyWhoseHashCodeThrowsStopsThePipelineInsteadOfHangingIt() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("rough", Integer.class)
                .then(
                        "one",
                        2,
                        item -> item,
                        options -> options.orderedBy(Rough::new).capacity(10))
                .into(sink::add)
                .start();
        int accepted = 0;
        try {
            for (int i = 0; i < 8; i++) {
                pipeline.put(i);
                accepted++;
            }
        } catch (io.heptad.core.ClosedException stopped) {
            assertThat(stopped).hasRootCauseMessage("no hash");
        }
        DrainReport report = pipeline.close(Wait.LONG);
        assertThat(report.failure())
                .hasValueSatisfying(cause -> assertThat(cause).hasMessage("no hash"));
        assertThat(report.left()).isEqualTo(report.stats().inFlight());
        assertThat(sink.size() + report.left()).isEqualTo(accepted);
        assertThat(report.residue().getFirst().begun()).contains(3);
    }

    /** A key whose hashCode is asked for when its item comes, twice, and then when its item has ended: that one throws. */
    private static final class RoughInTheEnd {
        private int asked;

        @Override
        public int hashCode() {
            if (++asked > 2) {
                throw new IllegalStateException("no hash any more");
            }
            return 1;
        }

        @Override
        public boolean equals(Object other) {
            return other == this;
        }
    }

    @Test
    void soDoesOneThatThrowsOnceItsItemHasGoneOn() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("rough", Integer.class)
                .then("one", 1, item -> item, options -> options.orderedBy(item -> new RoughInTheEnd()))
                .into(sink::add)
                .start();
        pipeline.put(0);
        DrainReport report = pipeline.close(Wait.LONG);

        assertThat(report.failure())
                .hasValueSatisfying(cause -> assertThat(cause).hasMessage("no hash any more"));
        assertThat(sink).containsExactly(0);
        assertThat(report.left()).isEqualTo(report.stats().inFlight()).isZero();
    }
}
