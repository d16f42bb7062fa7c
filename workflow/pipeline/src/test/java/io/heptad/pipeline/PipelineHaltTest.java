package io.heptad.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.Work;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A halt that is held up in one stage: it is over, but the queues behind that stage are still open, and nobody has taken
 * anything out of the hands of a worker yet.
 */
@Watched
class PipelineHaltTest {
    private final CountDownLatch slow = new CountDownLatch(1);
    private final CountDownLatch comparing = new CountDownLatch(1);
    private final CountDownLatch compared = new CountDownLatch(1);
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch work = new CountDownLatch(1);
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final Queue<Object> sink = new ConcurrentLinkedQueue<>();
    private final List<FailedItem> failures = new CopyOnWriteArrayList<>();

    /** A key that equals all others, once the test has let the comparison end, which runs under a lock of the stage. */
    private record Slow(CountDownLatch comparing, CountDownLatch compared) {
        @Override
        public int hashCode() {
            return 0;
        }

        @Override
        public boolean equals(Object other) {
            comparing.countDown();
            awaitThoughInterrupted(compared);
            return true;
        }
    }

    private static void awaitThoughInterrupted(CountDownLatch latch) {
        boolean waiting = true;
        while (waiting) {
            try {
                latch.await();
                waiting = false;
            } catch (InterruptedException e) {
                // the halt's
            }
        }
    }

    /** Adds the stage that holds up the halt, with two items from 100 on, which stay there; others go through. */
    private Pipeline.Builder<Integer, Integer> held(Pipeline.Builder<Integer, Integer> builder) {
        return builder.then(
                "held",
                2,
                item -> {
                    if (item >= 100) {
                        awaitThoughInterrupted(slow);
                    }
                    return item;
                },
                options -> options.orderedBy(item -> item >= 100 ? new Slow(comparing, compared) : item));
    }

    private Pipeline.Builder<Integer, Integer> builder() {
        return Pipeline.of("halt", Integer.class).threads(task -> {
            Thread thread = Thread.ofPlatform().daemon().unstarted(task);
            threads.add(thread);
            return thread;
        });
    }

    private Work<Integer, Integer> heldWork() {
        return item -> {
            if (item < 100) {
                begun.countDown();
                work.await();
            }
            return item;
        };
    }

    private void putWhatHoldsUp(Pipeline<Integer> pipeline) throws InterruptedException {
        pipeline.put(100);
        pipeline.put(101);
        comparing.await();
    }

    private static void fillSecondQueue(Pipeline<Integer> pipeline, int... items) throws InterruptedException {
        for (int i = 0; i < items.length; i++) {
            int depth = i + 1;
            pipeline.put(items[i]);
            Wait.until().until(() -> pipeline.stats().stages().get(1).depth() == depth);
        }
    }

    /** A drain whose time is up: it is over when this returns, and the stages behind the held one do not know yet. */
    private Wait.Call haltHeldUp(Pipeline<Integer> pipeline) throws InterruptedException {
        Wait.Call drain = new Wait.Call(() -> pipeline.close(Duration.ZERO));
        Wait.untilParked(drain.thread);
        return drain;
    }

    private DrainReport letGo(Wait.Call drain) throws InterruptedException {
        compared.countDown();
        DrainReport report = (DrainReport) drain.end();
        slow.countDown();
        work.countDown();
        assertThat(report.left()).as("%s", report).isEqualTo(report.stats().inFlight());
        return report;
    }

    @Test
    void aResultWhoseTurnItIsWhenItIsOverIsNotDisplacedByTheNextItemOfTheQueue() throws InterruptedException {
        Pipeline<Integer> pipeline = held(builder())
                .then(
                        "two",
                        1,
                        heldWork(),
                        options -> options.ordered().window(1).capacity(3))
                .start();
        pipeline.put(0);
        begun.await();
        fillSecondQueue(pipeline, 1, 2);
        putWhatHoldsUp(pipeline);
        Wait.Call drain = haltHeldUp(pipeline);

        work.countDown(); // its result stays in the window, which is full with it
        assertThat(threads.get(2).join(Wait.LONG)).as("the worker has left").isTrue();
        DrainReport report = letGo(drain);

        assertThat(report.left()).isEqualTo(5);
        StageResidue two = report.residue().get(1);
        assertThat(two.begun()).containsExactly(0);
        assertThat(two.waiting()).containsExactly(1, 2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWorkThatEndsWhenItIsOverAndNobodyHasTakenItsItemHandsItBackItself(boolean well) throws InterruptedException {
        Pipeline<Integer> pipeline = held(builder())
                .then("two", 1, item -> {
                    Integer output = heldWork().apply(item);
                    if (!well) {
                        throw new IllegalStateException("nobody can say what it would have come to");
                    }
                    return output;
                })
                .into(sink::add)
                .onFailure(failures::add)
                .start();
        pipeline.put(0);
        begun.await();
        putWhatHoldsUp(pipeline);
        Wait.Call drain = haltHeldUp(pipeline);

        work.countDown();
        Wait.untilParked(threads.get(2)); // its queue is still open
        DrainReport report = letGo(drain);

        assertThat(report.left()).isEqualTo(3);
        assertThat(report.residue().get(1).begun()).containsExactly(0);
        assertThat(sink).isEmpty();
        assertThat(failures).isEmpty();
    }

    @Test
    void aFlatStageThatIsTurnedAwayAtTheNextOneHandsItsItemBackItself() throws InterruptedException {
        Pipeline<Integer> pipeline = held(builder()
                        .<Integer>thenFlat("flat", 1, item -> List.of(item))
                        .then("two", 1, heldWork()))
                .start();
        putWhatHoldsUp(pipeline);
        pipeline.put(0);
        begun.await();
        fillSecondQueue(pipeline, 1);
        pipeline.put(2);
        Wait.until().until(() -> pipeline.stats().stages().get(0).blocked() == 1);
        Wait.Call drain = haltHeldUp(pipeline);

        assertThat(threads.get(0).join(Wait.LONG)).as("the worker has left").isTrue();
        DrainReport report = letGo(drain);

        StageResidue flat = report.residue().get(0);
        assertThat(flat.stage()).isEqualTo("flat");
        assertThat(flat.begun()).containsExactly(2);
        assertThat(report.left()).isEqualTo(5);
    }

    @Test
    void aWorkerThatHasPutAnItemInLineWhenItIsOverLeavesTheOthersInTheQueue() throws InterruptedException {
        CountDownLatch comparingInTwo = new CountDownLatch(1);
        CountDownLatch comparedInTwo = new CountDownLatch(1);
        Pipeline<Integer> pipeline = held(builder())
                .then(
                        "two",
                        2,
                        heldWork(),
                        options -> options.orderedBy(item -> new Slow(comparingInTwo, comparedInTwo))
                                .window(2)
                                .capacity(3))
                .start();
        pipeline.put(0);
        begun.await();
        pipeline.put(1);
        comparingInTwo.await();
        fillSecondQueue(pipeline, 2, 3);
        putWhatHoldsUp(pipeline);
        Wait.Call drain = haltHeldUp(pipeline);

        comparedInTwo.countDown(); // it stands in line now, and there is no room for another
        Wait.until().until(() -> !threads.get(2).isAlive() || !threads.get(3).isAlive());
        DrainReport report = letGo(drain);

        StageResidue two = report.residue().get(1);
        assertThat(two.begun()).containsExactly(0);
        assertThat(two.waiting()).containsExactly(2, 3, 1); // those of the queue, then those in line
    }
}
