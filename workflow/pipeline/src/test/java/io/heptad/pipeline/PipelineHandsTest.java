package io.heptad.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.FullPolicy;
import io.heptad.pool.WorkerPool;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A worker between two stages: what it has in its hands, whatever the user's code does at the door of the next one. */
@Watched
class PipelineHandsTest {
    private final Queue<Object> sink = new ConcurrentLinkedQueue<>();
    private final Queue<Object> dropped = new ConcurrentLinkedQueue<>();

    @Test
    void aKeyFunctionThatInterruptsItsWorkerLosesNoItem() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("stray", Integer.class)
                .then("one", 1, item -> item)
                .then(
                        "two",
                        1,
                        item -> item,
                        options -> options.orderedBy(item -> {
                            Thread.currentThread().interrupt(); // the worker of the stage before
                            return item;
                        }))
                .into(sink::add)
                .start();
        for (int i = 0; i < 3; i++) {
            pipeline.put(i);
        }

        DrainReport report = pipeline.close(Wait.LONG);

        assertThat(report.drained()).isTrue();
        assertThat(report.stats().inFlight()).isZero();
        assertThat(sink).containsExactly(0, 1, 2);
    }

    @Test
    void aFlatStageIsDoneWithAnItemThoughTheNextOneDroppedWhatItMadeOfIt() throws InterruptedException {
        Valve valve = new Valve();
        Pipeline<Integer> pipeline = Pipeline.of("flat", Integer.class)
                .<Integer>thenFlat("one", 1, item -> List.of(1, 2, 3, 4))
                .then(
                        "two",
                        1,
                        valve.<Integer>work(),
                        options -> options.whenFull(FullPolicy.DROP_NEWEST).onDrop(dropped::add))
                .into(sink::add)
                .start();
        pipeline.put(0);
        Wait.until().until(() -> pipeline.stats().stages().get(0).out() == 4);
        valve.open();

        DrainReport report = pipeline.close(Wait.LONG);

        assertThat(report.drained()).isTrue();
        assertThat(dropped).isNotEmpty();
        assertThat(sink.size() + dropped.size()).isEqualTo(4);
        assertThat(report.stats().inFlight()).isZero();
    }

    @Test
    void aDrainDoesNotWaitForAHookThatIsToldOfADrop() throws InterruptedException {
        Valve valve = new Valve();
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch hold = new CountDownLatch(1);
        Pipeline<Integer> pipeline = Pipeline.of("hook", Integer.class)
                .then("one", 1, item -> item, options -> options.capacity(4))
                .then(
                        "two",
                        1,
                        valve.<Integer>work(),
                        options -> options.whenFull(FullPolicy.DROP_NEWEST).onDrop(item -> {
                            told.countDown();
                            awaitThoughInterrupted(hold);
                        }))
                .into(sink::add)
                .start();
        pipeline.put(1);
        valve.untilItHolds(1);
        pipeline.put(2);
        pipeline.put(3);
        told.await();

        Wait.Call drain = new Wait.Call(() -> pipeline.close(Duration.ZERO));
        try {
            assertThat(drain.end())
                    .isInstanceOfSatisfying(
                            DrainReport.class,
                            report -> assertThat(report.stats().dropped()).isEqualTo(1));
        } finally {
            hold.countDown();
        }
    }

    @Test
    void aFlatStageThatWasLetInIsBusyWithTheNextResult() throws InterruptedException {
        Valve valve = new Valve();
        CountDownLatch hold = new CountDownLatch(1);
        Iterator<Integer> results = Stream.of(1, 2, 3, 4)
                .map(result -> {
                    if (result == 4) {
                        awaitThoughInterrupted(hold);
                    }
                    return result;
                })
                .iterator();
        Iterable<Integer> once = () -> results;
        Pipeline<Integer> pipeline = Pipeline.of("flat", Integer.class)
                .<Integer>thenFlat("one", 1, item -> once)
                .then("two", 1, valve.<Integer>work())
                .into(sink::add)
                .start();
        pipeline.put(0);
        Wait.until().until(() -> pipeline.stats().stages().get(0).blocked() == 1);
        valve.letGo(1);
        Wait.until().until(() -> pipeline.stats().stages().get(0).out() == 3);

        assertThat(pipeline.stats().stages().get(0).blocked()).isZero();
        assertThat(pipeline.stats().stages().get(0).busy()).isEqualTo(1);

        hold.countDown();
        valve.open();
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
    }

    private static void awaitThoughInterrupted(CountDownLatch latch) {
        boolean waiting = true;
        while (waiting) {
            try {
                latch.await();
                waiting = false;
            } catch (InterruptedException e) {
                // a drain's: this hook does not care
            }
        }
    }

    @Test
    void aSinkThatEndsAfterTheDrainHasItsItemHandedBackAndNotCountedOut() throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch hold = new CountDownLatch(1);
        List<Thread> threads = new CopyOnWriteArrayList<>();
        Pipeline<Integer> pipeline = Pipeline.of("late", Integer.class)
                .then("one", 1, item -> item)
                .into(item -> {
                    inside.countDown();
                    awaitThoughInterrupted(hold);
                    sink.add(item);
                })
                .threads(kept(threads))
                .start();
        pipeline.put(1);
        inside.await();

        DrainReport report = pipeline.close(Duration.ZERO);
        hold.countDown();
        assertThat(threads.get(0).join(Wait.LONG)).isTrue();

        assertThat(report.residue())
                .singleElement()
                .satisfies(one -> assertThat(one.begun()).containsExactly(1));
        assertThat(pipeline.stats().out()).isZero();
        assertThat(pipeline.stats().inFlight()).isOne();
        assertThat(pipeline.close(Wait.LONG).residue()).isEqualTo(report.residue());
    }

    @Test
    void aKeyFunctionThatEndsAfterTheDrainSettlesNothingWhetherItGivesAKeyOrThrows() throws InterruptedException {
        for (boolean throwing : List.of(true, false)) {
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch hold = new CountDownLatch(1);
            Queue<FailedItem> failures = new ConcurrentLinkedQueue<>();
            List<Thread> threads = new CopyOnWriteArrayList<>();
            Pipeline<Integer> pipeline = Pipeline.of("late", Integer.class)
                    .then("one", 1, item -> item)
                    .then(
                            "two",
                            1,
                            item -> item,
                            options -> options.orderedBy(item -> {
                                inside.countDown();
                                awaitThoughInterrupted(hold);
                                if (throwing) {
                                    throw new IllegalStateException("no key");
                                }
                                return item;
                            }))
                    .into(sink::add)
                    .onFailure(failures::add)
                    .threads(kept(threads))
                    .start();
            pipeline.put(1);
            inside.await();

            DrainReport report = pipeline.close(Duration.ZERO);
            hold.countDown();
            for (Thread thread : threads) {
                assertThat(thread.join(Wait.LONG)).isTrue();
            }

            assertThat(report.residue())
                    .singleElement()
                    .satisfies(one -> assertThat(one.begun()).containsExactly(1));
            assertThat(failures).isEmpty();
            PipelineStats end = pipeline.stats();
            assertThat(end.inFlight()).isOne();
            assertThat(end.failed() + end.stages().get(0).out()).isZero();
        }
    }

    @Test
    void aWorkerThatHasTakenAnItemWhenItIsOverDoesNotBeginWithIt() throws InterruptedException {
        List<Thread> threads = new CopyOnWriteArrayList<>();
        AtomicBoolean there = new AtomicBoolean();
        CountDownLatch taken = new CountDownLatch(1);
        Pipeline<Integer> pipeline = Pipeline.of("late", Integer.class)
                .then("one", 1, item -> {
                    sink.add("begun with " + item);
                    return item;
                })
                .ticker(() -> {
                    if (threads.contains(Thread.currentThread()) && there.getAndSet(false)) {
                        awaitInterrupt(taken); // it turns busy: it has the item, and has not begun
                    }
                    return 0;
                })
                .threads(kept(threads))
                .start();
        Wait.untilParked(threads.get(0));
        there.set(true);
        pipeline.put(1);
        taken.await();
        DrainReport report = pipeline.close(Duration.ZERO); // the halt interrupts

        assertThat(report.left()).isOne();
        assertThat(report.residue().getFirst().items()).containsExactly(1);
        assertThat(threads.get(0).join(Wait.LONG)).isTrue();
        assertThat(sink).isEmpty();
    }

    @Test
    void aFlatStageThatLooksForResultsUntilAfterTheDrainGivesNoneToTheSinkAndIsNotCountedDone()
            throws InterruptedException {
        for (List<Integer> results : List.of(List.<Integer>of(), List.of(7))) {
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch hold = new CountDownLatch(1);
            List<Thread> threads = new CopyOnWriteArrayList<>();
            Iterable<Integer> late = () -> {
                inside.countDown();
                awaitThoughInterrupted(hold);
                return results.iterator();
            };
            Pipeline<Integer> pipeline = Pipeline.of("late", Integer.class)
                    .<Integer>thenFlat("one", 1, item -> late)
                    .into(sink::add)
                    .threads(kept(threads))
                    .start();
            pipeline.put(1);
            inside.await();

            DrainReport report = pipeline.close(Duration.ZERO);
            hold.countDown();
            assertThat(threads.get(0).join(Wait.LONG)).isTrue();

            assertThat(report.residue())
                    .singleElement()
                    .satisfies(one -> assertThat(one.begun()).containsExactly(1));
            assertThat(sink).isEmpty();
            assertThat(pipeline.stats().inFlight()).isOne();
            assertThat(pipeline.stats().out()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"passed", "delivered", "made into several", "failed", "without a key"})
    void aDrainDoesNotWaitForAListenerThatIsToldThatAnItemHas(String what) throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch hold = new CountDownLatch(1);
        Pipeline.Builder<Integer, Integer> builder = Pipeline.of("told", Integer.class);
        builder = switch (what) {
            case "passed" -> builder.then("one", 1, item -> item).then("two", 1, item -> item);
            case "without a key" ->
                builder.then("one", 1, item -> item)
                        .then("two", 1, item -> item, options -> options.orderedBy(item -> 12 / item));
            case "made into several" -> builder.thenFlat("one", 1, item -> List.of(item, item));
            case "failed" -> builder.then("one", 1, item -> 12 / item);
            default -> builder.then("one", 1, item -> item);
        };
        Pipeline<Integer> pipeline = builder.into(sink::add)
                .journey(step -> {
                    if (step.stage().equals("one")) {
                        told.countDown();
                        awaitThoughInterrupted(hold);
                    }
                })
                .start();
        pipeline.put(0);
        told.await();

        Wait.Call drain = new Wait.Call(() -> pipeline.close(Duration.ZERO));
        try {
            assertThat(drain.end()).isInstanceOf(DrainReport.class);
        } finally {
            hold.countDown();
        }
    }

    @Test
    void anItemThatStillWaitsForASlotWhenTheHaltInterruptsItHasNotBegun() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 10, FullPolicy.BLOCK);
        CountDownLatch leave = new CountDownLatch(1);
        pool.submit(() -> leave.await());
        List<Thread> threads = new CopyOnWriteArrayList<>();
        Pipeline<Integer> pipeline = Pipeline.of("slots", Integer.class)
                .then("one", 1, item -> item, options -> options.pool(pool))
                .then("two", 1, item -> item)
                .into(sink::add)
                .threads(task -> {
                    Thread thread = threads.isEmpty() ? new Thread(task) : new InterruptedAfter(threads.get(0), task);
                    thread.setDaemon(true);
                    threads.add(thread);
                    return thread;
                })
                .start();
        pipeline.put(1);
        Wait.until().until(() -> pool.stats().waiting() == 1);

        DrainReport report = pipeline.close(Duration.ZERO);

        assertThat(report.residue()).singleElement().satisfies(one -> {
            assertThat(one.stage()).isEqualTo("one");
            assertThat(one.begun()).isEmpty();
            assertThat(one.waiting()).containsExactly(1);
        });
        assertThat(report.stats().inFlight()).isOne();
        leave.countDown();
        assertThat(pool.close(Wait.LONG)).isTrue();
    }

    /** Holds up who interrupts it until another thread, which was interrupted before, has ended. */
    private static final class InterruptedAfter extends Thread {
        private final Thread other;

        InterruptedAfter(Thread other, Runnable task) {
            super(task);
            this.other = other;
        }

        @Override
        public void interrupt() {
            try {
                other.join();
            } catch (InterruptedException hung) {
                throw new AssertionError(hung);
            }
            super.interrupt();
        }
    }

    private static void awaitInterrupt(CountDownLatch begun) {
        begun.countDown();
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException halted) {
            Thread.currentThread().interrupt(); // for the worker
        }
    }

    private static ThreadFactory kept(List<Thread> threads) {
        return task -> {
            Thread thread = Thread.ofPlatform().daemon().unstarted(task);
            threads.add(thread);
            return thread;
        };
    }
}
