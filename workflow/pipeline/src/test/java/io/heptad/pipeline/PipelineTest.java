package io.heptad.pipeline;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.DROP_NEWEST;
import static io.heptad.core.FullPolicy.DROP_OLDEST;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import io.heptad.pool.WorkerPool;
import io.heptad.queue.BoundedQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Items going through stages, and what the stages are. */
@Watched
class PipelineTest {
    private final List<FailedItem> failures = new CopyOnWriteArrayList<>();
    private final Queue<Object> sink = new ConcurrentLinkedQueue<>();

    private static void putAll(Pipeline<Integer> pipeline, int from, int to) throws InterruptedException {
        for (int i = from; i < to; i++) {
            assertThat(pipeline.put(i)).isTrue();
        }
    }

    private static DrainReport drained(Pipeline<?> pipeline) throws InterruptedException {
        DrainReport report = pipeline.close(Wait.LONG);
        assertThat(report.drained()).as("%s", report).isTrue();
        assertThat(report.residue()).isEmpty();
        PipelineStats end = report.stats();
        assertThat(end.inFlight()).isZero();
        assertThat(end.in()).isEqualTo(end.out() + end.failed() + end.dropped());
        for (StageStats stage : end.stages()) {
            assertThat(stage.in()).as("%s", stage).isEqualTo(stage.out() + stage.failed() + stage.dropped());
            assertThat(stage.busy() + stage.blocked() + stage.depth()).isZero();
        }
        return report;
    }

    // The stages

    @Test
    void eachStageRunsAsManyAtOnceAsItHasWorkersAndNotOneMore() throws InterruptedException {
        int[] sizes = {4, 10, 100};
        List<AtomicInteger> running = List.of(new AtomicInteger(), new AtomicInteger(), new AtomicInteger());
        List<AtomicInteger> peaks = List.of(new AtomicInteger(), new AtomicInteger(), new AtomicInteger());
        List<CountDownLatch> together =
                IntStream.of(sizes).mapToObj(CountDownLatch::new).toList();
        Pipeline.Builder<Integer, Integer> builder = Pipeline.of("uploads", Integer.class);
        for (int i = 0; i < 3; i++) {
            int stage = i;
            builder = builder.then(List.of("parse", "validate", "deliver").get(i), sizes[i], item -> {
                peaks.get(stage).accumulateAndGet(running.get(stage).incrementAndGet(), Math::max);
                together.get(stage).countDown(); // the first wait for each other, so the size is reached for certain
                assertThat(together.get(stage).await(10, TimeUnit.SECONDS)).isTrue();
                running.get(stage).decrementAndGet();
                return item;
            });
        }
        Pipeline<Integer> pipeline = builder.into(sink::add).start();

        putAll(pipeline, 0, 1_000);
        drained(pipeline);

        assertThat(peaks).extracting(AtomicInteger::get).containsExactly(4, 10, 100);
        assertThat(sink).hasSize(1_000).doesNotHaveDuplicates();
    }

    @Test
    void threeHundredOfTenThousandFailInTheSecondStageAndAllOthersComeOut() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("uploads", Integer.class)
                .then("parse", 4, item -> item)
                .then("validate", 10, item -> {
                    if (item % 100 < 3) {
                        throw new IllegalArgumentException("broken " + item);
                    }
                    return item;
                })
                .then("deliver", 20, item -> "delivered " + item)
                .into(sink::add)
                .onFailure(failures::add)
                .start();

        putAll(pipeline, 0, 10_000);
        PipelineStats end = drained(pipeline).stats();

        assertThat(end.out()).isEqualTo(9_700);
        assertThat(end.failed()).isEqualTo(300);
        assertThat(sink).hasSize(9_700).doesNotHaveDuplicates();
        assertThat(failures)
                .hasSize(300)
                .allSatisfy(failure -> assertThat(failure.stage()).isEqualTo("validate"));
        assertThat(failures).extracting(FailedItem::item).doesNotHaveDuplicates();
        assertThat(end.stages().get(1).failed()).isEqualTo(300);
        assertThat(end.stages().get(1).workers()).isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void aSlowStageHoldsBackTheSourceAndNothingIsLostWhenItResumes(int workers) throws InterruptedException {
        Valve third = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("uploads", Integer.class)
                .then("parse", workers, item -> item)
                .then("validate", workers, item -> item, options -> options.capacity(3))
                .then("deliver", workers, third.work(), options -> options.capacity(7))
                .into(sink::add)
                .start();
        int room = workers + 3 + 7 + 3 * workers;

        Wait.Call source = new Wait.Call(() -> {
            putAll(pipeline, 0, 500);
            return "done";
        });
        Wait.until().until(() -> pipeline.stats().inFlight() == room);
        Wait.untilParked(source.thread);
        assertThat(pipeline.stats().inFlight()).isEqualTo(room);
        assertThat(source.isUnderWay()).isTrue();

        third.open();
        assertThat(source.end()).isEqualTo("done");
        drained(pipeline);
        assertThat(sink).hasSize(500).doesNotHaveDuplicates();
        assertThat(third.peak()).isLessThanOrEqualTo(workers);
    }

    @Test
    void parallelWorkersMayChangeTheOrderButNotTheSet() throws InterruptedException {
        CountDownLatch second = new CountDownLatch(1);
        Pipeline<Integer> pipeline = Pipeline.of("race", Integer.class)
                .then("run", 2, item -> {
                    if (item == 0) {
                        assertThat(second.await(10, TimeUnit.SECONDS)).isTrue();
                    }
                    return item;
                })
                .into(item -> {
                    sink.add(item);
                    if (item == 1) {
                        second.countDown();
                    }
                })
                .start();
        putAll(pipeline, 0, 2);
        drained(pipeline);

        assertThat(sink).containsExactly(1, 0);
    }

    @Test
    void oneWorkerKeepsTheOrder() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("line", Integer.class)
                .then("one", 1, item -> item)
                .then("two", 1, item -> item)
                .into(sink::add)
                .start();
        putAll(pipeline, 0, 2_000);
        drained(pipeline);

        assertThat(sink)
                .containsExactlyElementsOf(IntStream.range(0, 2_000).boxed().toList());
    }

    @Test
    void aFlatStageMakesSeveralItemsOfOneOrNone() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("files", Integer.class)
                .thenFlat("lines", 3, count -> Collections.nCopies(count, "of " + count))
                .then("trim", 2, (String line) -> line)
                .into(sink::add)
                .start();
        putAll(pipeline, 0, 4);
        DrainReport report = pipeline.close(Wait.LONG);

        assertThat(report.drained()).isTrue();
        assertThat(sink).containsExactlyInAnyOrder("of 1", "of 2", "of 2", "of 3", "of 3", "of 3");
        assertThat(report.stats().in()).isEqualTo(4);
        assertThat(report.stats().out()).isEqualTo(6);
        assertThat(report.stats().inFlight()).isZero();
        assertThat(report.stats().stages().get(0).out()).isEqualTo(6);
    }

    @Test
    void aFlatStageReadsItsResultsOnlyAsTheNextStageHasRoom() throws InterruptedException {
        Valve valve = new Valve();
        AtomicInteger read = new AtomicInteger();
        Pipeline<Integer> pipeline = Pipeline.of("files", Integer.class)
                .thenFlat(
                        "lines",
                        1,
                        n -> () -> IntStream.range(0, n)
                                .peek(i -> read.incrementAndGet())
                                .iterator())
                .then("count", 1, valve.<Integer>work(), options -> options.capacity(2))
                .into(sink::add)
                .start();
        pipeline.put(100);
        Wait.until().until(() -> pipeline.stats().stages().get(0).blocked() == 1);
        assertThat(read).hasValue(4); // one in work, two in the queue, one in hand

        valve.open();
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        assertThat(sink).hasSize(100);
    }

    @Test
    void aFlatLastStageGivesItsResultsToTheSink() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("files", Integer.class)
                .thenFlat("lines", 2, count -> Collections.nCopies(count, count))
                .into(sink::add)
                .start();
        putAll(pipeline, 1, 4);
        assertThat(pipeline.close(Wait.LONG).stats().out()).isEqualTo(6);
        assertThat(sink).containsExactlyInAnyOrder(1, 2, 2, 3, 3, 3);
    }

    @Test
    void aFlatItemThatFailsMidwayHasPassedOnWhatWasReadBefore() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("files", Integer.class)
                .thenFlat(
                        "lines",
                        1,
                        n -> () -> IntStream.range(0, n)
                                .map(i -> {
                                    if (i == 2) {
                                        throw new IllegalStateException("torn");
                                    }
                                    return i;
                                })
                                .iterator())
                .then("count", 1, (Integer line) -> line)
                .into(sink::add)
                .onFailure(failures::add)
                .start();
        putAll(pipeline, 3, 4);
        pipeline.close(Wait.LONG);

        assertThat(sink).containsExactly(0, 1);
        assertThat(failures).singleElement().satisfies(failure -> {
            assertThat(failure.item()).isEqualTo(3);
            assertThat(failure.cause()).hasMessage("torn");
        });
    }

    // What a work may do

    @Test
    void aWorkThatThrowsAnErrorFailsItsItemAndKillsNoWorker() throws InterruptedException {
        List<Object> out = new CopyOnWriteArrayList<>(); // it would take a null
        Pipeline<Integer> pipeline = Pipeline.of("rough", Integer.class)
                .then("deep", 1, item -> switch (item) {
                    case 0 -> throw new AssertionError("error");
                    case 1 -> down(0);
                    case 2 -> throw new LinkageError("missing");
                    case 3 -> throw new OutOfMemoryError("pretended");
                    default -> item;
                })
                .into(out::add)
                .onFailure(failures::add)
                .start();
        putAll(pipeline, 0, 10);
        drained(pipeline);

        assertThat(out).containsExactly(4, 5, 6, 7, 8, 9);
        assertThat(failures).extracting(FailedItem::item).containsExactly(0, 1, 2, 3);
        assertThat(failures.get(1).cause()).isInstanceOf(StackOverflowError.class);
    }

    private static int down(int depth) {
        return down(depth + 1) + 1;
    }

    @Test
    void aWorkThatGivesNullFailsItsItemUnlessNobodyIsToGetIt() throws InterruptedException {
        Pipeline<Integer> passing = Pipeline.of("holes", Integer.class)
                .then("find", 1, item -> item == 1 ? null : item)
                .into(sink::add)
                .onFailure(failures::add)
                .start();
        putAll(passing, 0, 3);
        drained(passing);
        assertThat(sink).containsExactly(0, 2);
        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure.cause())
                        .isInstanceOf(NullPointerException.class)
                        .hasMessageContaining("find"));

        Pipeline<Integer> middle = Pipeline.of("middle", Integer.class)
                .then("find", 1, item -> item == 1 ? null : item)
                .then("print", 1, sink::add)
                .onFailure(failures::add)
                .start();
        putAll(middle, 0, 3);
        assertThat(drained(middle).stats().failed()).isOne();
        assertThat(sink).containsExactly(0, 2, 0, 2);
        assertThat(failures).extracting(FailedItem::stage).containsExactly("find", "find");

        Pipeline<Integer> ending =
                Pipeline.of("end", Integer.class).then("print", 1, item -> null).start();
        putAll(ending, 0, 3);
        assertThat(drained(ending).stats().out()).isEqualTo(3);
    }

    @Test
    void anInterruptThatAWorkLeavesBehindReachesNoOtherItemAndLosesNone() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("self", Integer.class)
                .then("one", 1, item -> {
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    Thread.currentThread().interrupt();
                    if (item % 3 == 0) {
                        throw new InterruptedException();
                    }
                    return item;
                })
                .then("two", 1, item -> item)
                .into(item -> {
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    sink.add(item);
                    Thread.currentThread().interrupt();
                })
                .onFailure(failures::add)
                .start();
        putAll(pipeline, 0, 300);
        drained(pipeline);

        assertThat(sink).hasSize(200);
        assertThat(failures)
                .hasSize(100)
                .allSatisfy(failure -> assertThat(failure.cause()).isInstanceOf(InterruptedException.class));
    }

    @Test
    void anInterruptOfAWorkersThreadFromOutsideLosesNothing() throws InterruptedException {
        Valve second = new Valve();
        List<Thread> threads = new CopyOnWriteArrayList<>();
        Pipeline<Integer> pipeline = Pipeline.of("stray", Integer.class)
                .then("one", 1, item -> item)
                .then("two", 1, second.work())
                .into(sink::add)
                .threads(task -> {
                    Thread thread = Thread.ofPlatform().daemon().unstarted(task);
                    threads.add(thread);
                    return thread;
                })
                .start();
        threads.forEach(Wait::untilParked);
        threads.forEach(Thread::interrupt); // both wait for an item
        pipeline.put(1);
        second.untilItHolds(1);
        pipeline.put(2);
        Wait.until().until(() -> pipeline.stats().stages().get(1).depth() == 1);
        pipeline.put(3);
        Wait.until().until(() -> pipeline.stats().stages().get(0).blocked() == 1);
        threads.get(0).interrupt(); // waits for room
        second.open();
        drained(pipeline);

        assertThat(sink).containsExactly(1, 2, 3);
    }

    // The callbacks

    @Test
    void aSinkThatThrowsFailsTheItemInTheLastStage() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("leaky", Integer.class)
                .then("one", 2, item -> item)
                .then("two", 2, item -> -item)
                .into(item -> {
                    if (item == -3) {
                        throw new StackOverflowError("sink");
                    }
                    sink.add(item);
                })
                .onFailure(failures::add)
                .start();
        putAll(pipeline, 0, 10);
        drained(pipeline);

        assertThat(sink).hasSize(9);
        assertThat(failures).singleElement().satisfies(failure -> {
            assertThat(failure.stage()).isEqualTo("two");
            assertThat(failure.item()).isEqualTo(3);
            assertThat(failure.cause()).isInstanceOf(StackOverflowError.class);
        });
    }

    @Test
    void hooksThatThrowAreCountedAndReportedAndHarmNobody() throws InterruptedException {
        Queue<Throwable> reported = new ConcurrentLinkedQueue<>();
        Pipeline<Integer> pipeline = Pipeline.of("hooks", Integer.class)
                .then(
                        "one",
                        1,
                        item -> {
                            if (item == 1) {
                                throw new IllegalStateException("the item");
                            }
                            return item;
                        },
                        options -> options.onDrop(item -> {}))
                .onFailure(failure -> {
                    throw new AssertionError("the route");
                })
                .journey(step -> {
                    throw new UnsupportedOperationException("the listener");
                })
                .threads(task -> {
                    Thread thread = Thread.ofVirtual().unstarted(task);
                    thread.setUncaughtExceptionHandler((where, what) -> reported.add(what));
                    return thread;
                })
                .start();
        putAll(pipeline, 0, 3);
        DrainReport report = drained(pipeline);

        assertThat(report.stats().out()).isEqualTo(2);
        assertThat(report.stats().failed()).isEqualTo(1);
        assertThat(reported).hasSize(4);
        assertThat(counter(pipeline, "callback.failures")).isEqualTo(4);
    }

    @Test
    void whereNobodyWantsToBeToldNoCallbackFails() throws InterruptedException {
        Valve valve = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("quiet", Integer.class)
                .then(
                        "one",
                        1,
                        item -> 12 / valve.<Integer>work().apply(item),
                        options -> options.capacity(1).whenFull(DROP_NEWEST))
                .start();
        pipeline.put(0); // fails
        valve.untilItHolds(1);
        pipeline.put(1);
        assertThat(pipeline.put(2, Duration.ofSeconds(1))).isFalse(); // dropped
        valve.open();
        PipelineStats end = drained(pipeline).stats();

        assertThat(end.failed()).isOne();
        assertThat(end.dropped()).isOne();
        assertThat(counter(pipeline, "callback.failures")).isZero();
        assertThat(counter(pipeline, "timeouts")).isZero(); // it was dropped, and nobody waited
    }

    static double counter(Pipeline<?> pipeline, String figure) {
        return pipeline.metrics().stream()
                .filter(metric -> metric.name().equals("heptad.pipeline." + figure))
                .mapToDouble(metric -> metric.value().getAsDouble())
                .sum();
    }

    @Test
    void theJourneyOfAnItemIsHeardOfStageByStageWithTheTimes() throws InterruptedException {
        AtomicReference<Long> now = new AtomicReference<>(Long.MAX_VALUE - 5_000_000_000L);
        List<JourneyStep> steps = new CopyOnWriteArrayList<>();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        Pipeline<String> pipeline = Pipeline.of("post", String.class)
                .then("stamp", 1, letter -> {
                    inside.countDown();
                    assertThat(leave.await(10, TimeUnit.SECONDS)).isTrue();
                    return letter.length();
                })
                .then("carry", 1, length -> {
                    if (length == 2) {
                        throw new IllegalStateException("lost");
                    }
                    return length;
                })
                .journey(steps::add)
                .ticker(now::get)
                .start();
        pipeline.put("a");
        assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
        now.updateAndGet(nanos -> nanos + 7_000_000_000L); // past the end of a long
        pipeline.put("bb");
        leave.countDown();
        drained(pipeline);

        assertThat(steps).hasSize(4);
        Map<Long, List<JourneyStep>> journeys = new ConcurrentHashMap<>();
        steps.forEach(step ->
                journeys.computeIfAbsent(step.journey(), n -> new ArrayList<>()).add(step));
        assertThat(journeys).hasSize(2);
        // the worker of the next stage may be the first to tell
        journeys.get(1L).sort(Comparator.comparing(JourneyStep::entered));
        assertThat(journeys.get(1L))
                .satisfiesExactly(
                        step -> {
                            assertThat(step.item()).isEqualTo("a");
                            assertThat(step.stage()).isEqualTo("stamp");
                            assertThat(Duration.between(step.entered(), step.left()))
                                    .isEqualTo(Duration.ofSeconds(7));
                            assertThat(step.outcome()).isEqualTo(JourneyStep.Outcome.PASSED);
                        },
                        step -> {
                            assertThat(step.item()).isEqualTo(1);
                            assertThat(step.stage()).isEqualTo("carry");
                            assertThat(step.entered())
                                    .isEqualTo(journeys.get(1L).get(0).left());
                        });
        assertThat(journeys.get(2L))
                .extracting(
                        JourneyStep::stage, JourneyStep::outcome) // at one reading of the clock: no order to sort by
                .containsExactlyInAnyOrder(
                        tuple("stamp", JourneyStep.Outcome.PASSED), tuple("carry", JourneyStep.Outcome.FAILED));
    }

    // Full

    @Test
    void aStageThatRejectsFailsWhatItHasNoRoomForAndNamesItself() throws InterruptedException {
        Valve second = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("tight", Integer.class)
                .then("one", 1, item -> item * 10)
                .then("two", 1, second.work(), options -> options.capacity(2).whenFull(REJECT))
                .into(sink::add)
                .onFailure(failures::add)
                .start();
        pipeline.put(0);
        second.untilItHolds(1);
        putAll(pipeline, 1, 6);
        Wait.until().until(() -> failures.size() == 3);
        second.open();
        PipelineStats end = drained(pipeline).stats();

        assertThat(sink).containsExactly(0, 10, 20);
        assertThat(failures).extracting(FailedItem::item).containsExactly(30, 40, 50);
        assertThat(failures).allSatisfy(failure -> {
            assertThat(failure.stage()).isEqualTo("two");
            assertThat(failure.cause()).isInstanceOf(FullException.class).hasMessageContaining("tight/two");
        });
        assertThat(end.failed()).isEqualTo(3);
        assertThat(counter(pipeline, "rejected")).isZero(); // no caller was refused
    }

    @Test
    void aStageThatDropsCountsTheDropsAndHandsThemToItsHook() throws InterruptedException {
        for (var policy : List.of(DROP_NEWEST, DROP_OLDEST)) {
            Valve second = new Valve();
            List<Integer> dropped = new CopyOnWriteArrayList<>();
            Queue<Integer> out = new ConcurrentLinkedQueue<>();
            Pipeline<Integer> pipeline = Pipeline.of("lossy", Integer.class)
                    .then("one", 1, item -> item)
                    .then(
                            "two",
                            1,
                            second.<Integer>work(),
                            options -> options.capacity(2).whenFull(policy).onDrop(dropped::add))
                    .into(out::add)
                    .start();
            pipeline.put(0);
            second.untilItHolds(1);
            putAll(pipeline, 1, 6);
            Wait.until().until(() -> dropped.size() == 3);
            second.open();
            PipelineStats end = drained(pipeline).stats();

            assertThat(end.dropped()).as("%s", policy).isEqualTo(3);
            assertThat(end.stages().get(1).dropped()).isEqualTo(3);
            assertThat(dropped).containsExactlyElementsOf(policy == DROP_NEWEST ? List.of(3, 4, 5) : List.of(1, 2, 3));
            assertThat(out).containsExactlyElementsOf(policy == DROP_NEWEST ? List.of(0, 1, 2) : List.of(0, 4, 5));
        }
    }

    @Test
    void aTimedPutThatFindsNoRoomSaysSoAndItsItemIsNotInside() throws InterruptedException {
        Valve valve = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("full", Integer.class)
                .then("one", 1, valve.<Integer>work())
                .into(sink::add)
                .start();
        pipeline.put(0);
        valve.untilItHolds(1);
        assertThat(pipeline.put(1, Duration.ZERO)).isTrue();

        assertThat(pipeline.put(2, Duration.ofMillis(5))).isFalse();
        assertThat(pipeline.put(3, Duration.ofSeconds(-1))).isFalse();
        assertThat(pipeline.offer(4)).isFalse();
        assertThat(counter(pipeline, "timeouts")).isEqualTo(2);
        assertThat(counter(pipeline, "rejected")).isEqualTo(1);

        Wait.Call patient = new Wait.Call(() -> pipeline.put(5, Duration.ofSeconds(Long.MAX_VALUE)));
        Wait.untilParked(patient.thread);
        valve.open();
        assertThat(patient.end()).isEqualTo(true);
        PipelineStats end = drained(pipeline).stats();
        assertThat(sink).containsExactly(0, 1, 5);
        assertThat(end.in()).isEqualTo(3); // who was refused at the door was never in, and has not failed
        assertThat(end.failed()).isZero();
    }

    @Test
    void interruptingABlockedProducerLeavesThePipelineWhole() throws InterruptedException {
        Valve valve = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("whole", Integer.class)
                .then("one", 1, valve.<Integer>work())
                .into(sink::add)
                .start();
        pipeline.put(0);
        valve.untilItHolds(1);
        pipeline.put(1);
        Wait.Call first = new Wait.Call(() -> pipeline.put(2));
        Wait.untilParked(first.thread);
        Wait.Call second = new Wait.Call(() -> pipeline.put(3));
        Wait.untilParked(second.thread);

        first.thread.interrupt();
        assertThat(first.end()).isInstanceOf(InterruptedException.class);
        assertThat(pipeline.stats().in()).isEqualTo(2);

        valve.open();
        assertThat(second.end()).isEqualTo(true);
        assertThat(pipeline.put(4)).isTrue();
        drained(pipeline);
        assertThat(sink).containsExactly(0, 1, 3, 4);
    }

    @Test
    void aPutThatIsInterruptedOnEntryChangesNothing() throws InterruptedException {
        Pipeline<Integer> pipeline =
                Pipeline.of("entry", Integer.class).then("one", 1, item -> item).start();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> pipeline.put(1)).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> pipeline.put(1, Duration.ofSeconds(1))).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThat(pipeline.offer(1)).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(drained(pipeline).stats().in()).isEqualTo(1);
    }

    @Test
    void aStageThatPutsIntoItsOwnFullPipelineIsToldInsteadOfWaitingForItself() throws InterruptedException {
        AtomicReference<Pipeline<Integer>> self = new AtomicReference<>();
        CountDownLatch started = new CountDownLatch(1);
        List<Object> told = new CopyOnWriteArrayList<>();
        Pipeline<Integer> pipeline = Pipeline.of("loop", Integer.class)
                .then("one", 1, item -> {
                    assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
                    if (item == 0) {
                        told.add(self.get().put(1)); // there is room
                        try {
                            self.get().put(2);
                        } catch (FullException full) {
                            told.add(full);
                        }
                        try {
                            self.get().put(3, Duration.ofSeconds(5));
                        } catch (FullException full) {
                            told.add(full);
                        }
                        told.add(self.get().put(4, Duration.ZERO)); // which does not wait
                    }
                    return item;
                })
                .into(sink::add)
                .start();
        self.set(pipeline);
        pipeline.put(0);
        started.countDown();
        Wait.until().until(() -> sink.size() == 2);
        drained(pipeline);

        assertThat(told).hasSize(4);
        assertThat(told.get(0)).isEqualTo(true);
        assertThat(told.get(3)).isEqualTo(false);
        assertThat(told.subList(1, 3))
                .allSatisfy(one -> assertThat((Throwable) one)
                        .isInstanceOf(FullException.class)
                        .hasMessageContaining("would wait for itself"));
    }

    // A pool shared with others

    @Test
    void stagesThatShareAPoolRunTogetherNoMoreThanItHasSlots() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 3, 100, BLOCK);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger peak = new AtomicInteger();
        Pipeline<Integer> pipeline = Pipeline.of("shared", Integer.class)
                .then("read", 5, item -> inPool(item, running, peak), options -> options.pool(pool))
                .then("write", 5, item -> inPool(item, running, peak), options -> options.pool(pool))
                .into(sink::add)
                .start();
        putAll(pipeline, 0, 400);
        drained(pipeline);

        assertThat(peak.get()).isBetween(1, 3);
        assertThat(sink).hasSize(400);
        assertThat(pool.stats().completed()).isEqualTo(800);
        assertThat(pool.stats().active()).isZero();
        assertThat(pool.close(Wait.LONG)).isTrue(); // it was the caller's
    }

    private static int inPool(int item, AtomicInteger running, AtomicInteger peak) {
        peak.accumulateAndGet(running.incrementAndGet(), Math::max);
        Thread.yield();
        running.decrementAndGet();
        return item;
    }

    @Test
    void aWorkerThatWaitsForASlotIsNeitherBusyNorBlocked() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 10, BLOCK);
        CountDownLatch leave = new CountDownLatch(1);
        pool.submit(() -> leave.await());
        Pipeline<Integer> pipeline = Pipeline.of("waits", Integer.class)
                .then("read", 2, item -> item, options -> options.pool(pool))
                .start();
        putAll(pipeline, 0, 4);
        Wait.until().until(() -> pool.stats().waiting() == 2);

        StageStats stage = pipeline.stats().stages().get(0);
        assertThat(stage.busy()).isZero();
        assertThat(stage.blocked()).isZero();
        assertThat(pipeline.stats().bottleneck())
                .hasValueSatisfying(one -> assertThat(one.name()).isEqualTo("read"));
        leave.countDown();
        drained(pipeline);
        pool.close();
    }

    @Test
    void aWorkerThatHasASlotIsBusy() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 10, BLOCK);
        Valve valve = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("works", Integer.class)
                .then("read", 2, valve.<Integer>work(), options -> options.pool(pool))
                .start();
        putAll(pipeline, 0, 2);
        valve.untilItHolds(1);
        Wait.until().until(() -> pool.stats().waiting() == 1);

        Wait.until().until(() -> pipeline.stats().stages().get(0).busy() == 1); // the other waits for the slot
        valve.open();
        drained(pipeline);
        pool.close();
    }

    @Test
    void aPoolThatIsClosedUnderneathFailsTheItemsAndHangsNothing() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 10, BLOCK);
        Valve valve = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("under", Integer.class)
                .then(
                        "read",
                        3,
                        valve.<Integer>work(),
                        options -> options.pool(pool).capacity(5))
                .into(sink::add)
                .onFailure(failures::add)
                .start();
        putAll(pipeline, 0, 8);
        valve.untilItHolds(1);
        Wait.until().until(() -> pool.stats().waiting() == 2);
        pool.closeNow(); // interrupts the one that runs
        drained(pipeline);

        assertThat(sink).isEmpty();
        assertThat(failures).hasSize(8);
        assertThat(failures.stream()
                        .filter(failure -> failure.cause() instanceof ClosedException)
                        .count())
                .isEqualTo(7);
    }

    @Test
    void aPoolThatRejectsFailsTheItemsThatItRefuses() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 1, REJECT);
        Valve valve = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("refused", Integer.class)
                .then("read", 3, valve.<Integer>work(), options -> options.pool(pool))
                .into(sink::add)
                .onFailure(failures::add)
                .start();
        putAll(pipeline, 0, 3);
        Wait.until().until(() -> failures.size() == 1);
        assertThat(failures.get(0).cause()).isInstanceOf(FullException.class).hasMessageContaining("db");
        valve.open();
        drained(pipeline);
        assertThat(sink).hasSize(2);
        pool.close();
    }

    // Building

    @Test
    void namesWhatIsWrongWithAStage() {
        Pipeline.Builder<Integer, Integer> builder = Pipeline.of("bad", Integer.class);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Pipeline.of(" ", Integer.class))
                .withMessageContaining("name");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.then("", 1, item -> item))
                .withMessageContaining("stage");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.then("a", 1, item -> item).then("a", 1, item -> item))
                .withMessageContaining("\"a\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.then("a", 0, item -> item))
                .withMessageContaining("workers")
                .withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.then("a", 4, item -> item, options -> options.window(3)))
                .withMessageContaining("window")
                .withMessageContaining("3");
        for (int capacity : new int[] {0, BoundedQueue.MAX_CAPACITY + 1}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> builder.then("a", 1, item -> item, options -> options.capacity(capacity)))
                    .withMessageContaining("capacity")
                    .withMessageContaining(String.valueOf(capacity));
        }
        assertThatThrownBy(builder::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("bad");
        assertThatNullPointerException().isThrownBy(() -> builder.then("a", 1, null));
        assertThatNullPointerException().isThrownBy(() -> builder.then("a", 1, item -> item, o -> o.onError(null)));
        assertThatNullPointerException().isThrownBy(() -> builder.then("a", 1, item -> item, o -> o.pool(null)));
        assertThatNullPointerException().isThrownBy(() -> builder.then("a", 1, item -> item, o -> o.orderedBy(null)));
        assertThatNullPointerException().isThrownBy(() -> builder.into(null));
        assertThatNullPointerException().isThrownBy(() -> builder.onFailure(null));
        assertThatNullPointerException().isThrownBy(() -> Pipeline.of("bad", null));
        Pipeline<Integer> pipeline = builder.then("a", 1, item -> item).start();
        assertThatNullPointerException().isThrownBy(() -> pipeline.put(null));
        assertThatNullPointerException().isThrownBy(() -> pipeline.offer(null));
        assertThatNullPointerException().isThrownBy(() -> pipeline.put(1, null));
        assertThatNullPointerException().isThrownBy(() -> pipeline.close(null));
        pipeline.close();
    }

    @Test
    void aStageBlocksAndIsAsDeepAsItHasWorkersUnlessToldOtherwise() throws InterruptedException {
        UnaryOperator<StageOptions<Integer>> small = options -> options.capacity(1);
        Pipeline<Integer> pipeline = Pipeline.of("plain", Integer.class)
                .then("a", 7, item -> item)
                .then("b", 3, item -> item, small)
                .start();
        assertThat(pipeline.capacity()).isEqualTo(7);
        assertThat(pipeline.whenFull()).isEqualTo(BLOCK);
        assertThat(pipeline.stats().stages()).extracting(StageStats::capacity).containsExactly(7, 1);
        assertThat(pipeline.toString()).contains("plain").contains("a 0/7").contains("b 0/1");
        drained(pipeline);
        assertThat(pipeline.isClosed()).isTrue();
    }

    @Test
    void oneBuilderStartsSeveralPipelinesThatKnowNothingOfEachOther() throws InterruptedException {
        Set<Object> seen = ConcurrentHashMap.newKeySet();
        Pipeline.Builder<Integer, Integer> stem =
                Pipeline.of("twin", Integer.class).then("a", 1, item -> item);
        Pipeline<Integer> one =
                stem.then("b", 1, item -> item + 1).into(seen::add).start();
        Pipeline<Integer> two =
                stem.then("b", 1, item -> item + 100).into(seen::add).start();
        one.put(0);
        two.put(0);
        drained(one);
        assertThat(two.isClosed()).isFalse();
        drained(two);
        assertThat(seen).containsExactlyInAnyOrder(1, 100);
    }

    @Test
    void aStageThatComputesMayHaveThreadsOfItsOwn() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("mixed", Integer.class)
                .then(
                        "compute",
                        2,
                        item -> Thread.currentThread().isVirtual(),
                        options -> options.threads(Thread.ofPlatform().daemon().factory()))
                .then(
                        "wait",
                        2,
                        virtual -> virtual + " " + Thread.currentThread().isVirtual())
                .into(sink::add)
                .start();
        putAll(pipeline, 0, 10);
        drained(pipeline);
        assertThat(sink).hasSize(10).containsOnly("false true");
    }

    @Test
    void withoutThreadsThereIsNoPipelineAndNothingIsLeftBehind() throws InterruptedException {
        Pipeline.Builder<Integer, Integer> builder =
                Pipeline.of("bare", Integer.class).then("a", 3, item -> item);
        AtomicInteger asked = new AtomicInteger();
        assertThatThrownBy(() -> builder.threads(task -> asked.incrementAndGet() < 3 ? new Thread(task) : null)
                        .start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a");

        List<Thread> made = new ArrayList<>();
        assertThatThrownBy(() -> builder.threads(task -> {
                            Thread thread = made.size() < 2 ? new Thread(task) : new Unstartable(task);
                            made.add(thread);
                            return thread;
                        })
                        .start())
                .isInstanceOf(OutOfMemoryError.class);
        for (Thread thread : made) {
            thread.join();
            assertThat(thread.isAlive()).isFalse();
        }
    }

    private static final class Unstartable extends Thread {
        Unstartable(Runnable task) {
            super(task);
        }

        @Override
        public void start() {
            throw new OutOfMemoryError("unable to create native thread");
        }
    }

    // What a flat stage may meet

    @Test
    void aNullInPlaceOfTheResultsOrAmongThemFailsItsItem() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("holes", Integer.class)
                .<Integer>thenFlat("last", 1, item -> switch (item) {
                    case 1 -> null;
                    case 2 -> Arrays.asList(20, null, 21);
                    default -> List.of(item);
                })
                .onFailure(failures::add)
                .start();
        putAll(pipeline, 0, 4);
        DrainReport report = pipeline.close(Wait.LONG);

        assertThat(report.drained()).isTrue();
        assertThat(failures).extracting(FailedItem::item).containsExactly(1, 2);
        assertThat(failures)
                .allSatisfy(failure -> assertThat(failure.cause())
                        .isInstanceOf(NullPointerException.class)
                        .hasMessageContaining("last"));
        assertThat(report.stats().out()).isEqualTo(3); // 0, 20 and 3
        assertThat(report.stats().inFlight()).isZero();
    }

    @Test
    void resultsThatTheNextStageHasNoRoomOrNoKeyForFailThereAndTheOthersGoOn() throws InterruptedException {
        Valve second = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("flat", Integer.class)
                .thenFlat("one", 1, item -> List.of(0, 1, 2, 3, 4, 5))
                .then(
                        "two",
                        1,
                        second.<Integer>work(),
                        options -> options.capacity(2).whenFull(REJECT).orderedBy(item -> 12 / item))
                .into(sink::add)
                .onFailure(failures::add)
                .start();
        pipeline.put(7);
        Wait.until().until(() -> pipeline.stats().stages().get(0).out() == 6);
        second.open();
        DrainReport report = pipeline.close(Wait.LONG);

        assertThat(report.drained()).isTrue();
        assertThat(failures).extracting(FailedItem::stage).containsOnly("two");
        assertThat(failures.getFirst().item()).isEqualTo(0);
        assertThat(failures.getFirst().cause()).isInstanceOf(ArithmeticException.class);
        assertThat(failures.stream().skip(1))
                .isNotEmpty()
                .allSatisfy(failure -> assertThat(failure.cause()).isInstanceOf(FullException.class));
        assertThat(sink.size() + failures.size()).isEqualTo(6);
        assertThat(report.stats().stages().get(1).in()).isEqualTo(6);
        assertThat(report.stats().stages().get(1).failed()).isEqualTo(failures.size());
        assertThat(report.stats().inFlight()).isZero();
    }

    // Where an item ends

    @Test
    void theJourneyOfAnItemThatIsDroppedEndsAtTheDoor() throws InterruptedException {
        List<JourneyStep> steps = new CopyOnWriteArrayList<>();
        Valve valve = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("lossy", Integer.class)
                .then(
                        "one",
                        1,
                        valve.<Integer>work(),
                        options -> options.capacity(1).whenFull(DROP_NEWEST))
                .journey(steps::add)
                .start();
        pipeline.put(0);
        valve.untilItHolds(1);
        pipeline.put(1);
        assertThat(pipeline.put(2)).isFalse();

        assertThat(steps).singleElement().satisfies(step -> {
            assertThat(step.item()).isEqualTo(2);
            assertThat(step.stage()).isEqualTo("one");
            assertThat(step.outcome()).isEqualTo(JourneyStep.Outcome.DROPPED);
        });
        assertThat(counter(pipeline, "callback.failures")).isZero(); // no hook: nobody was to be told
        valve.open();
        drained(pipeline);
    }

    @Test
    void theJourneyOfAnItemWithoutAKeyEndsAtTheStageThatNeedsIt() throws InterruptedException {
        List<JourneyStep> steps = new CopyOnWriteArrayList<>();
        Pipeline<Integer> pipeline = Pipeline.of("keys", Integer.class)
                .then("one", 1, item -> item)
                .then("two", 1, item -> item, options -> options.orderedBy(item -> 12 / item))
                .journey(steps::add)
                .start();
        pipeline.put(0);
        drained(pipeline);

        assertThat(steps)
                .extracting(JourneyStep::stage, JourneyStep::outcome)
                .containsExactly(tuple("one", JourneyStep.Outcome.PASSED), tuple("two", JourneyStep.Outcome.FAILED));
    }

    @Test
    void theJourneyOfAnItemLeavesAFlatStageOnceItsResultsHaveGoneOn() throws InterruptedException {
        List<JourneyStep> steps = new CopyOnWriteArrayList<>();
        Pipeline<Integer> pipeline = Pipeline.of("flat", Integer.class)
                .<Integer>thenFlat("one", 1, item -> List.of(1, 2, 3))
                .into(sink::add)
                .journey(step -> {
                    assertThat(sink).hasSize(3);
                    steps.add(step);
                })
                .start();
        pipeline.put(0);
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();

        assertThat(steps).singleElement().satisfies(step -> {
            assertThat(step.item()).isEqualTo(0);
            assertThat(step.stage()).isEqualTo("one");
            assertThat(step.outcome()).isEqualTo(JourneyStep.Outcome.PASSED);
        });
    }

    @Test
    void anInterruptOfAWorkerThatWaitsForASlotLosesNothing() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 10, BLOCK);
        CountDownLatch leave = new CountDownLatch(1);
        pool.submit(() -> leave.await());
        List<Thread> threads = new CopyOnWriteArrayList<>();
        Pipeline<Integer> pipeline = Pipeline.of("stray", Integer.class)
                .then("one", 1, item -> item, options -> options.pool(pool))
                .into(sink::add)
                .onFailure(failures::add)
                .threads(task -> {
                    Thread thread = Thread.ofPlatform().daemon().unstarted(task);
                    threads.add(thread);
                    return thread;
                })
                .start();
        pipeline.put(1);
        Wait.until().until(() -> pool.stats().waiting() == 1);
        threads.get(0).interrupt();
        Wait.until().until(() -> !threads.get(0).isInterrupted() && pool.stats().waiting() == 1);
        leave.countDown();
        drained(pipeline);

        assertThat(sink).containsExactly(1);
        assertThat(failures).isEmpty();
        pool.close();
    }
}
