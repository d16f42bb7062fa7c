package io.heptad.pipeline;

import static io.heptad.core.FullPolicy.BLOCK;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.FullPolicy;
import io.heptad.core.Metric;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a pipeline says of itself. */
@Watched
class PipelineFiguresTest {
    private static void putAll(Pipeline<Integer> pipeline, int from, int to) throws InterruptedException {
        for (int i = from; i < to; i++) {
            pipeline.put(i);
        }
    }

    // in == out + failed + dropped + inFlight

    @ParameterizedTest
    @EnumSource(names = {"BLOCK", "DROP_NEWEST", "DROP_OLDEST"})
    void theBooksBalanceInEverySnapshot(FullPolicy policy) throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("books", Integer.class)
                .then("one", 2, item -> item, options -> options.capacity(3))
                .then(
                        "two",
                        3,
                        item -> {
                            if (item % 10 == 0) {
                                throw new IllegalStateException("every tenth");
                            }
                            return item;
                        },
                        options -> options.capacity(4).whenFull(policy).ordered())
                .then("three", 2, item -> item, options -> options.capacity(2))
                .start();
        int room = 3 + 2 + 4 + 6 + 2 + 2;
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong readings = new AtomicLong();
        ConcurrentLinkedQueue<PipelineStats> wrong = new ConcurrentLinkedQueue<>();
        Thread reader = Thread.ofPlatform().daemon().start(() -> {
            PipelineStats last = pipeline.stats();
            while (!done.get()) {
                PipelineStats now = pipeline.stats();
                boolean balanced = now.in() == now.out() + now.failed() + now.dropped() + now.inFlight()
                        && now.inFlight() >= 0
                        && now.inFlight() <= room
                        && now.in() >= last.in()
                        && now.out() >= last.out()
                        && now.failed() >= last.failed();
                for (int i = 0; i < 3; i++) {
                    StageStats stage = now.stages().get(i);
                    balanced &= stage.in() >= stage.out() + stage.failed() + stage.dropped()
                            && stage.depth() <= stage.capacity()
                            && stage.busy() + stage.blocked() <= stage.workers()
                            && stage.busyTime().compareTo(last.stages().get(i).busyTime()) >= 0
                            && stage.busyShare() >= 0
                            && stage.busyShare() <= 1;
                    balanced &= i == 0 || stage.in() <= now.stages().get(i - 1).in();
                }
                if (!balanced) {
                    wrong.add(now);
                }
                last = now;
                readings.incrementAndGet();
            }
        });
        Wait.until().until(() -> readings.get() > 0);
        putAll(pipeline, 0, 20_000);
        PipelineStats end = pipeline.close(Wait.LONG).stats();
        done.set(true);
        reader.join();

        assertThat(wrong).isEmpty();
        assertThat(end.in()).isEqualTo(20_000);
        assertThat(end.in()).isEqualTo(end.out() + end.failed() + end.dropped());
        for (StageStats stage : end.stages()) {
            assertThat(stage.in()).isEqualTo(stage.out() + stage.failed() + stage.dropped());
        }
        if (policy == BLOCK) {
            assertThat(end.failed()).isEqualTo(2_000);
            assertThat(end.dropped()).isZero();
        }
    }

    @Test
    void whatTheCountsSayIsInsideIsWhatLiesInQueuesAndHands() throws InterruptedException {
        Valve first = new Valve();
        Valve second = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("hands", Integer.class)
                .then("one", 3, first.<Integer>work(), options -> options.capacity(4))
                .then("two", 2, second.<Integer>work(), options -> options.capacity(1))
                .start();
        putAll(pipeline, 0, 7);
        first.untilItHolds(3);
        assertThat(pipeline.stats().inFlight()).isEqualTo(7);
        first.letGo(4);
        second.untilItHolds(2);
        Wait.until()
                .until(() ->
                        first.held() == 2 && pipeline.stats().stages().get(0).blocked() == 1);

        PipelineStats now = pipeline.stats();
        long lies = now.stages().stream()
                .mapToLong(stage -> stage.depth() + stage.busy() + stage.blocked())
                .sum();
        assertThat(now.inFlight()).isEqualTo(7).isEqualTo(lies);
        first.open();
        second.open();
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
    }

    // The bottleneck

    @ParameterizedTest
    @ValueSource(strings = {"parse", "validate", "deliver"})
    void theStageThatIsSlowIsNamed(String slow) throws InterruptedException {
        CountDownLatch leave = new CountDownLatch(1);
        Pipeline.Builder<Integer, Integer> builder = Pipeline.of("uploads", Integer.class);
        for (String name : List.of("parse", "validate", "deliver")) {
            builder = builder.then(name, 3, item -> {
                if (name.equals(slow)) {
                    leave.await(2, TimeUnit.MILLISECONDS);
                }
                return item;
            });
        }
        Pipeline<Integer> pipeline = builder.start();
        assertThat(pipeline.stats().bottleneck()).isEmpty();
        Thread source = Thread.startVirtualThread(() -> {
            try {
                putAll(pipeline, 0, 2_000);
            } catch (InterruptedException impossible) {
                throw new AssertionError(impossible);
            }
        });
        Wait.until().until(() -> pipeline.stats().in() > 100);

        AtomicInteger named = new AtomicInteger();
        AtomicInteger others = new AtomicInteger();
        long from = pipeline.stats().in();
        while (named.get() + others.get() < 200) {
            pipeline.stats().bottleneck().ifPresent(stage -> {
                (stage.name().equals(slow) ? named : others).incrementAndGet();
            });
        }
        assertThat(pipeline.stats().in()).as("it was under load all the time").isGreaterThanOrEqualTo(from);
        assertThat(others).hasValueLessThan(10);
        leave.countDown();
        assertThat(source.join(Wait.LONG)).isTrue();
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
    }

    @Test
    void theMostDownstreamFullQueueWhoseWorkersAreBusyIsTheBottleneck() {
        StageStats blocked = stage("a", 4, 0, 4, 10, 10);
        StageStats busy = stage("b", 4, 4, 0, 10, 8);
        StageStats idle = stage("c", 4, 1, 0, 10, 7);
        assertThat(named(blocked, busy, idle)).isEqualTo("b");
        assertThat(named(busy, blocked)).isEqualTo("b"); // the blocked one waits for the sink of another
        assertThat(named(idle)).isNull();
        assertThat(named(stage("d", 1, 1, 0, 1, 1))).isEqualTo("d");
        assertThat(named(stage("d", 1, 1, 0, 1, 0))).isNull();
        assertThat(named(stage("waits for slots", 4, 0, 0, 10, 10))).isEqualTo("waits for slots");
    }

    private static StageStats stage(String name, int workers, int busy, int blocked, int capacity, int depth) {
        return new StageStats(name, workers, busy, blocked, capacity, depth, 0, 0, 0, Duration.ZERO, Duration.ZERO);
    }

    private static String named(StageStats... stages) {
        return new PipelineStats(List.of(stages), 0, 0, 0, 0, 0)
                .bottleneck()
                .map(StageStats::name)
                .orElse(null);
    }

    @Test
    void busyAndBlockedAreToldByTheTimeOfTheLastReadingsNotByTheInstant() throws InterruptedException {
        AtomicLong now = new AtomicLong(5);
        Valve first = new Valve();
        Valve second = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("shares", Integer.class)
                .then("one", 1, first.<Integer>work(), options -> options.capacity(1))
                .then("two", 1, second.<Integer>work(), options -> options.capacity(1))
                .ticker(now::get)
                .start();
        pipeline.put(1);
        first.untilItHolds(1);
        now.addAndGet(seconds(1));
        StageStats busy = pipeline.stats().stages().get(0);
        assertThat(busy.busyTime()).isEqualTo(Duration.ofSeconds(1));
        assertThat(busy.busyShare()).isEqualTo(1);

        first.letGo(3); // 1 in work at two, 2 in its queue, 3 in hand
        second.untilItHolds(1);
        pipeline.put(2);
        Wait.until().until(() -> first.entered() == 2);
        pipeline.put(3);
        Wait.until().until(() -> pipeline.stats().stages().get(0).blocked() == 1);
        now.addAndGet(seconds(9));
        StageStats blocked = pipeline.stats().stages().get(0);
        assertThat(blocked.busyTime()).isEqualTo(Duration.ofSeconds(1));
        assertThat(blocked.blockedShare()).isGreaterThan(0.85);
        assertThat(blocked.busyShare()).isLessThan(0.15);
        assertThat(pipeline.stats().stages().get(1).busyShare()).isGreaterThan(0.85);

        second.open();
        first.open();
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
    }

    private static long seconds(int seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }

    // Ages

    @Test
    void theStageWithTheOldestItemIsKnownAndItsAge() throws InterruptedException {
        AtomicLong now = new AtomicLong(Long.MAX_VALUE - seconds(2));
        Valve first = new Valve();
        Valve second = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("ages", Integer.class)
                .then("one", 1, first.<Integer>work())
                .then("two", 1, second.<Integer>work())
                .ticker(now::get)
                .start();
        assertThat(pipeline.stats().oldest()).isEmpty();
        pipeline.put(1);
        first.untilItHolds(1);
        first.letGo(1);
        second.untilItHolds(1);
        now.addAndGet(seconds(3));
        pipeline.put(2);
        first.untilItHolds(1);
        now.addAndGet(seconds(4));

        PipelineStats stats = pipeline.stats();
        assertThat(stats.oldest()).hasValueSatisfying(stage -> {
            assertThat(stage.name()).isEqualTo("two");
            assertThat(stage.oldestAge()).isEqualTo(Duration.ofSeconds(7));
        });
        assertThat(stats.stages().get(0).oldestAge()).isEqualTo(Duration.ofSeconds(4));

        second.open();
        first.open();
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        assertThat(pipeline.stats().oldest()).isEmpty();
    }

    @Test
    void aTickerThatThrowsCostsAnAgeNeverAnItem() throws InterruptedException {
        AtomicBoolean broken = new AtomicBoolean();
        List<Integer> out = new ArrayList<>();
        Pipeline<Integer> pipeline = Pipeline.of("clock", Integer.class)
                .then("one", 1, item -> item)
                .then("two", 1, item -> item)
                .into(out::add)
                .ticker(() -> {
                    if (broken.get()) {
                        throw new IllegalStateException("no time");
                    }
                    return System.nanoTime();
                })
                .start();
        broken.set(true);
        putAll(pipeline, 0, 100);
        pipeline.stats();
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        assertThat(out).hasSize(100);
    }

    // Metrics

    @Test
    void theMetricsOfAStageCarryItsName() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("uploads", Integer.class)
                .then("parse", 4, item -> item)
                .then("deliver", 7, item -> item)
                .start();
        putAll(pipeline, 0, 50);
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();

        List<Metric> deliver = pipeline.metrics().stream()
                .filter(metric -> "deliver".equals(metric.tags().get("stage")))
                .toList();
        assertThat(deliver).hasSize(12).allSatisfy(metric -> {
            assertThat(metric.name()).startsWith("heptad.pipeline.stage.");
            assertThat(metric.tags()).containsEntry("name", "uploads");
        });
        assertThat(value(deliver, "workers")).isEqualTo(7);
        assertThat(value(deliver, "in")).isEqualTo(50);
        assertThat(value(deliver, "out")).isEqualTo(50);
        assertThat(PipelineTest.counter(pipeline, "in")).isEqualTo(50);
        assertThat(PipelineTest.counter(pipeline, "out")).isEqualTo(50);
        assertThat(PipelineTest.counter(pipeline, "inflight")).isZero();
        Set<Object> keys = pipeline.metrics().stream()
                .map(metric -> List.of(metric.name(), metric.tags()))
                .collect(Collectors.toSet());
        assertThat(keys).hasSameSizeAs(pipeline.metrics());
    }

    private static double value(List<Metric> metrics, String figure) {
        return metrics.stream()
                .filter(metric -> metric.name().equals("heptad.pipeline.stage." + figure))
                .findFirst()
                .orElseThrow()
                .value()
                .getAsDouble();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoWaitsForItsTurnToTakeIsNotBusy(boolean byKey) throws InterruptedException {
        Valve valve = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("takers", Integer.class)
                .then(
                        "one",
                        3,
                        valve.<Integer>work(),
                        options -> byKey ? options.orderedBy(item -> item) : options.ordered())
                .start();
        putAll(pipeline, 0, 3);
        valve.untilItHolds(3);
        assertThat(pipeline.stats().stages().get(0).busy()).isEqualTo(3);
        valve.letGo(3);

        Wait.until().until(() -> pipeline.stats().stages().get(0).busy() == 0);
        assertThat(pipeline.stats().bottleneck()).isEmpty();
        valve.open();
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
    }

    @Test
    void whatNobodyHasTakenAgesByTheClockOfThePipelineToo() throws InterruptedException {
        AtomicLong now = new AtomicLong();
        CountDownLatch begin = new CountDownLatch(1);
        Pipeline<Integer> pipeline = Pipeline.of("ages", Integer.class)
                .then("one", 1, item -> item)
                .ticker(now::get)
                .threads(task -> Thread.ofPlatform().daemon().unstarted(() -> {
                    try {
                        begin.await();
                    } catch (InterruptedException hung) {
                        throw new AssertionError(hung);
                    }
                    task.run();
                }))
                .start();
        pipeline.put(1);
        now.addAndGet(seconds(5));

        assertThat(pipeline.stats().stages().get(0).oldestAge()).isEqualTo(Duration.ofSeconds(5));
        begin.countDown();
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
    }

    @Test
    void anItemThatAnotherWorkerPassedOnAgesNowhere() throws InterruptedException {
        AtomicLong now = new AtomicLong();
        CountDownLatch slow = new CountDownLatch(1);
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger out = new AtomicInteger();
        Pipeline<Integer> pipeline = Pipeline.of("ages", Integer.class)
                .then(
                        "one",
                        2,
                        item -> {
                            begun.incrementAndGet();
                            if (item == 0) {
                                slow.await();
                            }
                            return item;
                        },
                        options -> options.ordered())
                .into(item -> out.incrementAndGet())
                .ticker(now::get)
                .start();
        putAll(pipeline, 0, 2);
        Wait.until()
                .until(() ->
                        begun.get() == 2 && pipeline.stats().stages().get(0).busy() == 1);
        slow.countDown();
        Wait.until()
                .until(() -> out.get() == 2 && pipeline.stats().stages().get(0).busy() == 0);
        now.addAndGet(seconds(5));

        assertThat(pipeline.stats().stages().get(0).oldestAge()).isZero();
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
    }
}
