package io.heptad.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures that others had, in pipes of other makes, and what happens here instead. */
@Watched
class PipelineKnownFailuresTest {
    private final Queue<Object> sink = new ConcurrentLinkedQueue<>();
    private final List<FailedItem> failures = new CopyOnWriteArrayList<>();

    private static void putAll(Pipeline<Integer> pipeline, int from, int to) throws InterruptedException {
        for (int i = from; i < to; i++) {
            pipeline.put(i);
        }
    }

    @Test
    void aFailureThatRacesWithTheCompletionIsNeverSkipped() throws InterruptedException {
        for (int run = 0; run < 100; run++) {
            Pipeline<Integer> pipeline = Pipeline.of("race", Integer.class)
                    .then(
                            "map",
                            5,
                            item -> {
                                if (item == 2) {
                                    throw new IllegalStateException("second");
                                }
                                return item;
                            },
                            options -> options.ordered().onError(OnError.STOP).capacity(7))
                    .start();
            try {
                putAll(pipeline, 1, 8);
            } catch (io.heptad.core.ClosedException stopped) {
                assertThat(stopped).hasRootCauseMessage("second");
            }
            DrainReport report = pipeline.close(Wait.LONG);
            assertThat(report.drained()).as("run %d", run).isFalse();
            assertThat(report.failure())
                    .hasValueSatisfying(cause -> assertThat(cause).hasMessage("second"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void itEndsThoughTheLastItemsAllFailAndThoughEveryOneDoes(boolean ordered) throws InterruptedException {
        for (int first : new int[] {8, 1}) { // the first that fails
            Queue<Integer> out = new ConcurrentLinkedQueue<>();
            Pipeline<Integer> pipeline = Pipeline.of("skips", Integer.class)
                    .then(
                            "map",
                            3,
                            item -> {
                                if (item >= first) {
                                    throw new IllegalStateException("skipped");
                                }
                                return item;
                            },
                            options -> ordered ? options.ordered() : options)
                    .into(out::add)
                    .start();
            putAll(pipeline, 1, 11);
            DrainReport report = pipeline.close(Wait.LONG);
            assertThat(report.drained()).isTrue();
            assertThat(report.stats().failed()).isEqualTo(11 - first);
            assertThat(out)
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(1, first).boxed().toList());
        }
    }

    @Test
    void itsFunctionIsCalledOncePerItemWhetherTheResultWasThereOrHadToBeWaitedFor() throws InterruptedException {
        int items = 20_000;
        AtomicIntegerArray calls = new AtomicIntegerArray(items);
        Pipeline<Integer> pipeline = Pipeline.of("half", Integer.class)
                .then(
                        "map",
                        4,
                        item -> {
                            calls.incrementAndGet(item);
                            CompletableFuture<Integer> result = item % 2 == 0
                                    ? CompletableFuture.completedFuture(item)
                                    : CompletableFuture.supplyAsync(() -> item, Thread::startVirtualThread);
                            return result.get();
                        },
                        options -> options.ordered().capacity(16))
                .into(sink::add)
                .start();
        putAll(pipeline, 0, items);
        assertThat(pipeline.close(Duration.ofSeconds(15)).drained()).isTrue();

        assertThat(IntStream.range(0, items).allMatch(item -> calls.get(item) == 1))
                .isTrue();
        assertThat(sink)
                .containsExactlyElementsOf(IntStream.range(0, items).boxed().toList());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 50})
    void aFunctionThatThrowsOnTheSpotStopsItAndLeavesNoThread(int bad) throws InterruptedException {
        List<Thread> threads = new CopyOnWriteArrayList<>();
        Pipeline<Integer> pipeline = Pipeline.of("spot", Integer.class)
                .then(
                        "map",
                        2,
                        item -> {
                            if (item == bad) {
                                throw new IllegalStateException("on the spot");
                            }
                            return item;
                        },
                        options -> options.onError(OnError.STOP))
                .threads(task -> {
                    Thread thread = Thread.ofVirtual().unstarted(task);
                    threads.add(thread);
                    return thread;
                })
                .start();
        try {
            putAll(pipeline, 1, 51);
        } catch (io.heptad.core.ClosedException stopped) {
            assertThat(bad).isEqualTo(1);
        }
        DrainReport report = pipeline.close(Duration.ofSeconds(5));

        assertThat(report.failure())
                .hasValueSatisfying(cause -> assertThat(cause).hasMessage("on the spot"));
        for (Thread thread : threads) {
            assertThat(thread.join(Wait.LONG)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aMixOfImmediateAndDelayedResultsNeverStallsIt(int workers) throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("mix", Integer.class)
                .then(
                        "map",
                        workers,
                        item -> item % 5 == 0
                                ? CompletableFuture.supplyAsync(() -> item, Thread::startVirtualThread)
                                        .get()
                                : item)
                .into(sink::add)
                .start();
        putAll(pipeline, 0, 10_000);
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        assertThat(sink).hasSize(10_000).doesNotHaveDuplicates();
        if (workers == 1) {
            assertThat(sink)
                    .containsExactlyElementsOf(
                            IntStream.range(0, 10_000).boxed().toList());
        }
    }

    @Test
    void whatIsInsideWhenItIsEndedIsHandedBackOnceEachAndNeverDelivered() throws InterruptedException {
        Valve valve = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("cancel", Integer.class)
                .then("work", 1, valve.<Integer>work(), options -> options.capacity(5))
                .into(sink::add)
                .start();
        pipeline.put(-1);
        valve.untilItHolds(1);
        putAll(pipeline, 0, 5);

        DrainReport report = pipeline.close(Duration.ZERO);
        valve.open();
        assertThat(report.residue()).singleElement().satisfies(one -> {
            assertThat(one.waiting()).containsExactly(0, 1, 2, 3, 4);
            assertThat(one.begun()).containsExactly(-1);
        });
        assertThat(sink).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void asManyRunAtOnceAsThereAreWorkersWhateverTheDepthOfTheQueue(int workers) throws InterruptedException {
        for (int capacity : new int[] {1, workers, 50}) {
            Valve valve = new Valve();
            Pipeline<Integer> pipeline = Pipeline.of("limit", Integer.class)
                    .then("work", workers, valve.<Integer>work(), options -> options.capacity(capacity))
                    .start();
            Wait.Call source = new Wait.Call(() -> {
                putAll(pipeline, 0, 1_000);
                return "done";
            });
            valve.untilItHolds(workers);
            for (int i = 0; i < 999; i++) {
                valve.letGo(1);
            }
            valve.letGo(1);
            assertThat(source.end()).isEqualTo("done");
            assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
            assertThat(valve.peak()).isEqualTo(workers);
        }
    }

    @Test
    void aBatchGoesOnOnlyWhenTheNextStageHasRoomForIt() throws InterruptedException {
        Semaphore slow = new Semaphore(0);
        AtomicInteger batches = new AtomicInteger();
        Pipeline<Integer> pipeline = Pipeline.of("batches", Integer.class)
                .then("batch", 1, item -> Collections.nCopies(20, item))
                .then("store", 1, batch -> {
                    slow.acquire();
                    return batches.incrementAndGet();
                })
                .into(sink::add)
                .start();
        putAll(pipeline, 0, 4);
        Wait.until().until(() -> pipeline.stats().stages().get(0).blocked() == 1);
        PipelineStats full = pipeline.stats();
        assertThat(full.inFlight()).isEqualTo(4); // one in work, one in its queue, one in hand, one before it
        assertThat(sink).isEmpty();

        slow.release();
        Wait.until().until(() -> sink.size() == 1);
        Wait.until().until(() -> pipeline.depth() == 0);
        assertThat(pipeline.stats().out()).isOne();
        slow.release(10);
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        assertThat(batches).hasValue(4);
    }

    @Test
    void producersThatGiveUpLeaveTheirPlacesToThoseBehindThem() throws InterruptedException {
        Valve valve = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("line", Integer.class)
                .then("work", 1, valve.<Integer>work())
                .into(sink::add)
                .start();
        pipeline.put(0);
        valve.untilItHolds(1);
        pipeline.put(1);
        List<Wait.Call> producers = new CopyOnWriteArrayList<>();
        for (int i = 2; i < 5; i++) {
            int item = i;
            producers.add(new Wait.Call(() -> pipeline.put(item)));
            Wait.untilParked(producers.getLast().thread);
        }
        producers.get(0).thread.interrupt();
        producers.get(1).thread.interrupt();
        producers.get(0).end();
        producers.get(1).end();
        Wait.Call late = new Wait.Call(() -> pipeline.put(5));
        Wait.untilParked(late.thread);

        valve.open();
        assertThat(producers.get(2).end()).isEqualTo(true);
        assertThat(late.end()).isEqualTo(true);
        assertThat(pipeline.put(6)).isTrue();
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        assertThat(sink).containsExactly(0, 1, 4, 5, 6);
        assertThat(failures).isEmpty();
    }
}
