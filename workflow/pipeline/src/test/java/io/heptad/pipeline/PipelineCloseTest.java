package io.heptad.pipeline;

import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Seeded;
import io.heptad.contract.Threads;
import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.core.Work;
import io.heptad.pool.WorkerPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a pipeline ends: by itself, in time, out of time, and by a failure. */
@Watched
class PipelineCloseTest {
    private final Queue<Object> sink = new ConcurrentLinkedQueue<>();
    private final List<FailedItem> failures = new CopyOnWriteArrayList<>();

    private static void putAll(Pipeline<Integer> pipeline, int from, int to) throws InterruptedException {
        for (int i = from; i < to; i++) {
            assertThat(pipeline.put(i)).isTrue();
        }
    }

    /** Every item of the accepted ones has exactly one fate. */
    private static void assertWhole(DrainReport report, int accepted, Queue<Object> sink, List<FailedItem> failures) {
        PipelineStats end = report.stats();
        assertThat(end.in()).as("%s", report).isEqualTo(accepted);
        assertThat(end.in()).isEqualTo(end.out() + end.failed() + end.dropped() + end.inFlight());
        assertThat(end.out()).isEqualTo(sink.size());
        assertThat(end.failed()).isEqualTo(failures.size());
        assertThat(report.left()).as("handed back, of %s", report).isEqualTo(end.inFlight());
    }

    // Close

    @Test
    void whatIsInsideWhenItIsClosedAllComesOut() throws InterruptedException {
        Valve valve = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("drain", Integer.class)
                .then("one", 5, item -> item, options -> options.capacity(20))
                .then("two", 5, valve.<Integer>work(), options -> options.capacity(20))
                .into(sink::add)
                .start();
        putAll(pipeline, 0, 50);

        pipeline.close();
        pipeline.close();
        assertThat(pipeline.isClosed()).isTrue();
        valve.open();
        DrainReport report = pipeline.close(Wait.LONG);

        assertThat(report.drained()).isTrue();
        assertThat(report.failure()).isEmpty();
        assertWhole(report, 50, sink, failures);
        assertThat(sink).hasSize(50);
    }

    @Test
    void aPutAfterTheCloseIsRefusedByName() throws InterruptedException {
        Pipeline<Integer> pipeline =
                Pipeline.of("shut", Integer.class).then("one", 1, item -> item).start();
        pipeline.close();
        assertThatThrownBy(() -> pipeline.put(1)).isInstanceOfSatisfying(ClosedException.class, closed -> {
            assertThat(closed.shape()).isEqualTo("shut");
            assertThat(closed).hasNoCause();
        });
        assertThatThrownBy(() -> pipeline.put(1, Duration.ZERO)).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> pipeline.offer(1)).isInstanceOf(ClosedException.class);
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        assertThat(pipeline.close(Duration.ZERO).drained()).isTrue();
        assertThat(pipeline.stats().in()).isZero();
    }

    @Test
    void aStageEndsOnlyWhenAllWorkersOfTheOneBeforeItHaveLeft() throws InterruptedException {
        Valve first = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("end", Integer.class)
                .then("one", 3, first.<Integer>work())
                .then("two", 1, item -> item)
                .into(sink::add)
                .start();
        putAll(pipeline, 0, 1); // one worker has an item, the other two leave at once
        first.untilItHolds(1);
        pipeline.close();
        assertThat(pipeline.close(Duration.ofSeconds(Long.MIN_VALUE)).left()).isOne(); // handed back, not lost

        Valve slow = new Valve();
        Pipeline<Integer> again = Pipeline.of("end", Integer.class)
                .then("one", 3, slow.<Integer>work())
                .then("two", 1, item -> item)
                .into(sink::add)
                .start();
        putAll(again, 0, 1);
        slow.untilItHolds(1);
        again.close();
        slow.open();
        assertThat(again.close(Wait.LONG).drained()).isTrue();
        assertThat(sink).containsExactly(0);
        first.open();
    }

    @Test
    void aCloseFromInsideAStageReturnsAtOnceAndEverythingGoesThrough() throws InterruptedException {
        AtomicReference<Pipeline<Integer>> self = new AtomicReference<>();
        CountDownLatch ready = new CountDownLatch(1);
        List<DrainReport> inside = new CopyOnWriteArrayList<>();
        Pipeline<Integer> pipeline = Pipeline.of("self", Integer.class)
                .then(
                        "one",
                        1,
                        item -> {
                            assertThat(ready.await(10, TimeUnit.SECONDS)).isTrue();
                            if (item == 0) {
                                self.get().close();
                                inside.add(self.get().close(Duration.ofHours(1)));
                            }
                            return item;
                        },
                        options -> options.capacity(5))
                .into(item -> {
                    try {
                        inside.add(self.get().close(Duration.ZERO));
                    } catch (InterruptedException impossible) {
                        throw new AssertionError(impossible);
                    }
                    sink.add(item);
                })
                .start();
        self.set(pipeline);
        putAll(pipeline, 0, 4);
        ready.countDown();
        DrainReport report = pipeline.close(Wait.LONG);

        assertThat(report.drained()).isTrue();
        assertThat(sink).containsExactly(0, 1, 2, 3);
        assertThat(inside).hasSize(5).allSatisfy(one -> {
            assertThat(one.drained()).isFalse();
            assertThat(one.left()).isZero();
        });
    }

    @Test
    void anInterruptedDrainLeavesItGoingOn() throws InterruptedException {
        Valve valve = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("patient", Integer.class)
                .then("one", 1, valve.<Integer>work())
                .into(sink::add)
                .start();
        putAll(pipeline, 0, 2);
        Wait.Call drain = new Wait.Call(() -> pipeline.close(Wait.LONG));
        Wait.untilParked(drain.thread);
        drain.thread.interrupt();
        assertThat(drain.end()).isInstanceOf(InterruptedException.class);
        assertThat(pipeline.isClosed()).isTrue();

        valve.open();
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        assertThat(sink).containsExactly(0, 1);
    }

    @Test
    void noThreadIsLeftAfterAThousandPipelines() throws InterruptedException {
        long before = Threads.alive();
        for (int i = 0; i < 1_000; i++) {
            Pipeline<Integer> pipeline = Pipeline.of("brief", Integer.class)
                    .then("one", 3, item -> item)
                    .then("two", 3, item -> item, options -> options.ordered())
                    .then("three", 3, item -> item, options -> options.orderedBy(item -> item))
                    .start();
            pipeline.put(1);
            if (i % 2 == 0) {
                assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
            } else {
                pipeline.close(Duration.ZERO);
            }
        }
        Wait.until().until(() -> Threads.alive() - before < 50);
    }

    // A drain whose time runs out

    @Test
    void aDrainWhoseTimeRunsOutHandsBackEachItemOnceWithItsStage() throws InterruptedException {
        Valve second = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("late", Integer.class)
                .then("one", 1, item -> item * 10, options -> options.capacity(2))
                .then("two", 2, second.<Integer>work(), options -> options.capacity(3))
                .then("three", 1, item -> item)
                .into(sink::add)
                .start();
        putAll(pipeline, 0, 8); // 2 in work, 3 in the queue, 1 in hand for it, 2 before stage one
        second.untilItHolds(2);
        Wait.until()
                .until(() -> pipeline.stats().stages().get(1).depth() == 3
                        && pipeline.stats().stages().get(0).blocked() == 1
                        && pipeline.depth() == 2);

        DrainReport report = pipeline.close(Duration.ofMillis(5));

        assertThat(report.drained()).isFalse();
        assertThat(report.failure()).isEmpty();
        assertThat(report.residue()).extracting(StageResidue::stage).containsExactly("one", "two");
        StageResidue one = report.residue().get(0);
        StageResidue two = report.residue().get(1);
        assertThat(one.begun()).isEmpty();
        assertThat(one.waiting()).containsExactly(6, 7);
        assertThat(two.begun()).containsExactlyInAnyOrder(0, 10);
        assertThat(two.waiting()).containsExactly(20, 30, 40, 50);
        assertThat(two.items()).hasSize(6);
        assertWhole(report, 8, sink, failures);
        assertThat(pipeline.close(Wait.LONG).residue()).isEqualTo(report.residue());
        second.open();
    }

    @ParameterizedTest
    @ValueSource(strings = {"no order", "one order", "an order by key"})
    void aWorkThatIgnoresTheEndDeliversNothingAfterItAndLeaves(String order) throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        Semaphore leave = new Semaphore(0);
        List<Thread> threads = new CopyOnWriteArrayList<>();
        Pipeline<Integer> pipeline = Pipeline.of("deaf", Integer.class)
                .then(
                        "one",
                        1,
                        item -> {
                            inside.countDown();
                            leave.acquireUninterruptibly();
                            return item;
                        },
                        options -> switch (order) {
                            case "one order" -> options.ordered();
                            case "an order by key" -> options.orderedBy(item -> item);
                            default -> options;
                        })
                .into(sink::add)
                .onFailure(failures::add)
                .threads(task -> {
                    Thread thread = Thread.ofVirtual().unstarted(task);
                    threads.add(thread);
                    return thread;
                })
                .start();
        pipeline.put(1);
        assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();

        DrainReport report = pipeline.close(Duration.ZERO);
        assertThat(report.residue())
                .singleElement()
                .satisfies(one -> assertThat(one.begun()).containsExactly(1));

        leave.release();
        assertThat(threads.get(0).join(Wait.LONG)).isTrue();
        assertThat(sink).isEmpty();
        assertThat(failures).isEmpty();
        assertWhole(report, 1, sink, failures);
        assertThat(pipeline.stats().inFlight()).isOne();
    }

    @Test
    void orderedStagesHandBackWhatWaitsForItsTurn() throws InterruptedException {
        Valve slow = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("turns", Integer.class)
                .then(
                        "one",
                        2,
                        item -> item == 0 ? slow.<Integer>work().apply(item) : item,
                        options -> options.capacity(2).ordered().window(4))
                .then("two", 1, item -> item)
                .into(sink::add)
                .start();
        putAll(pipeline, 0, 6); // 0 holds the turn, 1 to 3 wait for it, 4 and 5 are in the queue
        Wait.until().until(() -> pipeline.stats().stages().get(0).busy() == 1);
        Wait.until().until(() -> pipeline.depth() == 2);

        DrainReport report = pipeline.close(Duration.ZERO);
        assertThat(report.residue()).hasSize(2);
        assertThat(report.residue().get(0).begun()).containsExactly(0);
        assertThat(report.residue().get(0).waiting()).containsExactly(4, 5);
        assertThat(report.residue().get(1).waiting()).containsExactly(1, 2, 3); // done in stage one
        assertWhole(report, 6, sink, failures);
        slow.open();
    }

    @Test
    void stagesOrderedByKeyHandBackWhatStandsInLine() throws InterruptedException {
        Valve slow = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("keys", Integer.class)
                .then(
                        "one",
                        2,
                        slow.<Integer>work(),
                        options ->
                                options.capacity(2).orderedBy(item -> item % 2).window(4))
                .into(sink::add)
                .start();
        putAll(pipeline, 0, 1);
        slow.untilItHolds(1);
        pipeline.put(2);
        pipeline.put(4);
        pipeline.put(6);
        Wait.until().until(() -> pipeline.depth() == 0);
        pipeline.put(8);
        Wait.until().until(() -> pipeline.stats().stages().get(0).busy() == 1);

        DrainReport report = pipeline.close(Duration.ZERO);
        assertThat(report.residue()).singleElement().satisfies(one -> {
            assertThat(one.begun()).containsExactly(0);
            assertThat(one.waiting()).containsExactlyInAnyOrder(2, 4, 6, 8);
        });
        assertWhole(report, 5, sink, failures);
        slow.open();
    }

    @Test
    void anItemThatWaitsForASlotOfAPoolIsHandedBack() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 10, FullPolicy.BLOCK);
        CountDownLatch leave = new CountDownLatch(1);
        pool.submit(() -> leave.await());
        Pipeline<Integer> pipeline = Pipeline.of("slots", Integer.class)
                .then("one", 2, item -> item, options -> options.pool(pool))
                .into(sink::add)
                .start();
        putAll(pipeline, 0, 3);
        Wait.until().until(() -> pool.stats().waiting() == 2);
        DrainReport report = pipeline.close(Duration.ZERO);

        assertWhole(report, 3, sink, failures);
        assertThat(report.left()).isEqualTo(3);
        Wait.until().until(() -> pool.stats().waiting() == 0); // nobody stands in line for nothing
        leave.countDown();
        assertThat(pool.close(Wait.LONG)).isTrue();
    }

    // STOP

    @Test
    void aStopEndsTheSourceAtOnceAndHandsBackWhatWasInside() throws InterruptedException {
        Valve third = new Valve();
        Semaphore bad = new Semaphore(0);
        Pipeline<Integer> pipeline = Pipeline.of("stops", Integer.class)
                .then("one", 1, item -> item, options -> options.capacity(2))
                .then(
                        "two",
                        1,
                        item -> {
                            if (item == 4) {
                                bad.acquire();
                                throw new IllegalStateException("torn page");
                            }
                            return item;
                        },
                        options -> options.capacity(2).onError(OnError.STOP))
                .then("three", 2, third.<Integer>work(), options -> options.capacity(2))
                .into(sink::add)
                .onFailure(failures::add)
                .start();
        AtomicInteger accepted = new AtomicInteger();
        AtomicLong ended = new AtomicLong();
        Wait.Call source = new Wait.Call(() -> {
            try {
                for (int i = 0; ; i++) {
                    pipeline.put(i);
                    accepted.incrementAndGet();
                }
            } finally {
                ended.set(System.nanoTime());
            }
        });
        Wait.until().until(() -> pipeline.stats().stages().get(0).blocked() == 1 && pipeline.depth() == 2);
        Wait.untilParked(source.thread);

        long stopped = System.nanoTime();
        bad.release();
        assertThat(source.end()).isInstanceOfSatisfying(ClosedException.class, closed -> {
            assertThat(closed.shape()).isEqualTo("stops");
            assertThat(closed.getCause()).hasMessage("torn page");
        });
        assertThat(Duration.ofNanos(ended.get() - stopped)).isLessThan(Duration.ofMillis(100));
        DrainReport report = pipeline.close(Wait.LONG);

        assertThat(report.drained()).isFalse();
        assertThat(report.failure())
                .hasValueSatisfying(cause -> assertThat(cause).hasMessage("torn page"));
        assertThat(pipeline.failure()).isEqualTo(report.failure());
        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure.item()).isEqualTo(4));
        assertThat(sink).isEmpty();
        assertWhole(report, accepted.get(), sink, failures);
        List<Object> all = new ArrayList<>();
        report.residue().forEach(one -> all.addAll(one.items()));
        assertThat(all).doesNotHaveDuplicates().hasSize(accepted.get() - 1).doesNotContain(4);
        assertThatThrownBy(() -> pipeline.put(0))
                .isInstanceOf(ClosedException.class)
                .hasRootCauseMessage("torn page");
    }

    @Test
    void aStopIsDoneBeforeItsFailureIsToldHoweverSlowTheListener() throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        AtomicReference<Pipeline<Integer>> self = new AtomicReference<>();
        Pipeline<Integer> pipeline = Pipeline.of("told", Integer.class)
                .then(
                        "one",
                        1,
                        item -> {
                            throw new IllegalStateException("no");
                        },
                        options -> options.onError(OnError.STOP))
                .onFailure(failure -> {
                    assertThat(self.get().isClosed()).isTrue();
                    failures.add(failure);
                    told.countDown();
                })
                .start();
        self.set(pipeline);
        pipeline.put(1);
        assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).hasSize(1);
        assertThat(pipeline.close(Wait.LONG).failure()).isPresent();
    }

    @Test
    void anOverflowStopsTheSourceIfTheStageSaysSo() throws InterruptedException {
        Valve slow = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("over", Integer.class)
                .then("one", 1, item -> item)
                .then(
                        "two",
                        1,
                        slow.<Integer>work(),
                        options -> options.capacity(8).whenFull(REJECT).onError(OnError.STOP))
                .into(sink::add)
                .onFailure(failures::add)
                .start();
        AtomicInteger accepted = new AtomicInteger();
        Wait.Call source = new Wait.Call(() -> {
            for (int i = 0; ; i++) {
                pipeline.put(i);
                accepted.incrementAndGet();
            }
        });
        assertThat(source.end())
                .isInstanceOfSatisfying(
                        ClosedException.class,
                        closed -> assertThat(closed.getCause()).isInstanceOf(FullException.class));
        DrainReport report = pipeline.close(Wait.LONG);

        assertThat(report.failure())
                .hasValueSatisfying(cause -> assertThat(cause).isInstanceOf(FullException.class));
        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure.stage()).isEqualTo("two"));
        assertWhole(report, accepted.get(), sink, failures);
        slow.open();
    }

    @Test
    void failureWinsOverCompletionWheneverItComes() throws InterruptedException {
        for (int run = 0; run < 100; run++) {
            Pipeline<Integer> pipeline = Pipeline.of("wins", Integer.class)
                    .then("one", 5, item -> item)
                    .then(
                            "two",
                            5,
                            item -> {
                                if (item == 6) {
                                    throw new IllegalStateException("the last");
                                }
                                return item;
                            },
                            options -> options.onError(OnError.STOP))
                    .start();
            putAll(pipeline, 0, 7);
            DrainReport report = pipeline.close(Wait.LONG);
            assertThat(report.drained()).isFalse();
            assertThat(report.failure()).as("run %d", run).isPresent();
        }
    }

    // All of it at once

    @Test
    void whateverHappensEachAcceptedItemHasOneFate() {
        for (int run = 0; run < 60; run++) {
            Seeded.run(random -> {
                Queue<Object> out = new ConcurrentLinkedQueue<>();
                List<FailedItem> failed = new CopyOnWriteArrayList<>();
                int failing = random.nextInt(2, 60);
                boolean stops = random.nextInt(3) == 0;
                Pipeline.Builder<Integer, Integer> builder = Pipeline.of("any", Integer.class);
                for (String name : List.of("a", "b", "c")) {
                    int kind = random.nextInt(3);
                    int capacity = random.nextInt(1, 5);
                    builder = builder.then(
                            name,
                            random.nextInt(1, 5),
                            item -> {
                                if (item % failing == failing - 1 && name.equals("b")) {
                                    throw new IllegalStateException("broken");
                                }
                                return item;
                            },
                            options -> {
                                options.capacity(capacity).onError(stops ? OnError.STOP : OnError.SKIP);
                                return kind == 0
                                        ? options
                                        : kind == 1 ? options.ordered() : options.orderedBy(item -> item % 3);
                            });
                }
                Pipeline<Integer> pipeline =
                        builder.into(out::add).onFailure(failed::add).start();
                AtomicInteger accepted = new AtomicInteger();
                List<Thread> producers = Stream.of(0, 1)
                        .map(from -> Thread.startVirtualThread(() -> {
                            try {
                                for (int i = from; i < 400; i += 2) {
                                    pipeline.put(i);
                                    accepted.incrementAndGet();
                                }
                            } catch (ClosedException | InterruptedException over) {
                                // as it should
                            }
                        }))
                        .toList();
                int moment = random.nextInt(400);
                Wait.until()
                        .until(() -> accepted.get() >= moment
                                || pipeline.isClosed()
                                || producers.stream().noneMatch(Thread::isAlive));
                DrainReport report = pipeline.close(
                        random.nextBoolean() ? Duration.ZERO : Duration.ofNanos(random.nextInt(300_000)));
                for (Thread producer : producers) {
                    assertThat(producer.join(Wait.LONG)).isTrue();
                }
                Wait.until().until(() -> failed.size() == report.stats().failed()); // told after it is counted
                List<Object> begun = new ArrayList<>();
                List<Object> fates = new ArrayList<>();
                failed.forEach(failure -> fates.add(failure.item()));
                report.residue().forEach(one -> {
                    begun.addAll(one.begun());
                    fates.addAll(one.items());
                });
                out.stream().filter(item -> !begun.contains(item)).forEach(fates::add); // begun: with or without effect
                assertThat(report.stats().in()).isEqualTo(accepted.get());
                assertThat(report.left())
                        .as("%s", report)
                        .isEqualTo(report.stats().inFlight());
                assertThat(fates).doesNotHaveDuplicates().hasSize(accepted.get());
            });
        }
    }

    @Test
    void aDrainThatIsInterruptedOnEntryHasClosedAndEndedNothing() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("entry", Integer.class)
                .then("one", 1, item -> item)
                .into(sink::add)
                .start();
        pipeline.put(1);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> pipeline.close(Duration.ZERO)).isInstanceOf(InterruptedException.class);

        assertThat(pipeline.isClosed()).isTrue();
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        assertThat(sink).containsExactly(1);
    }

    @Test
    void workersThatWaitForRoomInAWindowLeaveWhenItIsOver() throws InterruptedException {
        for (boolean byKey : List.of(true, false)) {
            CountDownLatch slow = new CountDownLatch(1);
            AtomicInteger begun = new AtomicInteger();
            List<Thread> threads = new CopyOnWriteArrayList<>();
            Pipeline<Integer> pipeline = Pipeline.of("windows", Integer.class)
                    .then(
                            "one",
                            3,
                            item -> {
                                begun.incrementAndGet();
                                if (item == 0) {
                                    slow.await();
                                }
                                return item;
                            },
                            options -> (byKey ? options.orderedBy(item -> "one for all") : options.ordered())
                                    .window(3)
                                    .capacity(8))
                    .threads(task -> {
                        Thread thread = Thread.ofPlatform().daemon().unstarted(task);
                        threads.add(thread);
                        return thread;
                    })
                    .start();
            putAll(pipeline, 0, 8);
            int begunBehind = byKey ? 0 : 2; // by key the others stand in line
            Wait.until()
                    .until(() -> begun.get() == 1 + begunBehind
                            && pipeline.stats().stages().get(0).busy() == 1);
            threads.forEach(Wait::untilParked);
            assertThat(pipeline.depth()).isPositive();

            DrainReport report = pipeline.close(Duration.ZERO);

            assertThat(report.left()).isEqualTo(8);
            for (Thread thread : threads) {
                assertThat(thread.join(Wait.LONG)).isTrue();
            }
        }
    }

    @Test
    void whatWaitsForItsTurnInTheLastStageOrInAFlatOneIsHandedBackAsBegun() throws InterruptedException {
        for (boolean flat : List.of(true, false)) {
            Set<Integer> begun = ConcurrentHashMap.newKeySet();
            CountDownLatch slow = new CountDownLatch(1);
            Work<Integer, Integer> work = item -> {
                begun.add(item);
                if (item == 0) {
                    slow.await();
                }
                return item;
            };
            Pipeline.Builder<Integer, Integer> builder = Pipeline.of("turns", Integer.class);
            Pipeline<Integer> pipeline = flat
                    ? builder.<Integer>thenFlat(
                                    "one", 3, item -> List.of(work.apply(item)), options -> options.ordered())
                            .then("two", 1, item -> item)
                            .start()
                    : builder.then("one", 3, work, options -> options.ordered()).start();
            putAll(pipeline, 0, 3);
            Wait.until()
                    .until(() -> begun.size() == 3
                            && pipeline.stats().stages().get(0).busy() == 1);

            DrainReport report = pipeline.close(Duration.ZERO);

            assertThat(report.residue()).singleElement().satisfies(one -> {
                assertThat(one.stage()).isEqualTo("one");
                assertThat(one.begun()).containsExactlyInAnyOrder(0, 1, 2);
                assertThat(one.waiting()).isEmpty();
            });
            assertThat(report.stats().inFlight()).isEqualTo(3);
        }
    }

    @Test
    void whoeverIsToldOfAFailureThatStopsItIsNotInterruptedForThat() throws InterruptedException {
        List<Boolean> interrupted = new CopyOnWriteArrayList<>();
        Pipeline<Integer> pipeline = Pipeline.of("told", Integer.class)
                .then(
                        "one",
                        1,
                        item -> {
                            throw new IllegalStateException("no");
                        },
                        options -> options.onError(OnError.STOP))
                .onFailure(failure -> interrupted.add(Thread.currentThread().isInterrupted()))
                .start();
        pipeline.put(1);
        assertThat(pipeline.close(Wait.LONG).failure()).isPresent();

        assertThat(interrupted).containsExactly(false);
    }

    @Test
    void whatStandsInLineBehindAnItemThatStopsItIsHandedBack() throws InterruptedException {
        Semaphore bad = new Semaphore(0);
        Pipeline<Integer> pipeline = Pipeline.of("keys", Integer.class)
                .then(
                        "one",
                        2,
                        item -> {
                            bad.acquire();
                            throw new IllegalStateException("torn page");
                        },
                        options -> options.orderedBy(item -> "one for all")
                                .window(6)
                                .capacity(4)
                                .onError(OnError.STOP))
                .onFailure(failures::add)
                .start();
        putAll(pipeline, 0, 4);
        Wait.until().until(() -> pipeline.depth() == 0);
        bad.release();
        DrainReport report = pipeline.close(Wait.LONG);

        assertThat(failures).extracting(FailedItem::item).containsExactly(0);
        assertThat(report.residue()).singleElement().satisfies(one -> {
            assertThat(one.begun()).isEmpty();
            assertThat(one.waiting()).containsExactly(1, 2, 3);
        });
        assertWhole(report, 4, sink, failures);
    }
}
