package io.heptad.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The two faults of a pipeline as it is usually written by hand, and the same steps with this one. */
@Watched
class NaivePipelineTest {
    private final CountDownLatch leave = new CountDownLatch(1);
    private final CountDownLatch inside = new CountDownLatch(1);

    private int slowIfZero(int item) {
        if (item == 0) {
            inside.countDown();
            try {
                leave.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }
        return item;
    }

    @Test
    void anEndMarkThatTheFirstWorkerPassesOnLosesWhatAnotherStillWorksOn() throws InterruptedException {
        NaivePipeline naive = new NaivePipeline(2, this::slowIfZero);
        naive.put(0);
        inside.await();
        naive.put(1);
        naive.close();
        Thread last = naive.workers.getLast();
        assertThat(last.join(Wait.LONG)).isTrue(); // the last stage has ended
        leave.countDown();
        for (Thread worker : naive.workers) {
            assertThat(worker.join(Wait.LONG)).isTrue();
        }
        assertThat(naive.out).containsExactly(1); // 0 lies in a queue that nobody reads
    }

    @Test
    void hereAStageEndsWhenAllWorkersOfTheOneBeforeItHave() throws InterruptedException {
        Queue<Integer> out = new ConcurrentLinkedQueue<>();
        Pipeline<Integer> pipeline = Pipeline.of("two", Integer.class)
                .then("one", 2, this::slowIfZero)
                .then("two", 1, item -> item)
                .into(out::add)
                .start();
        pipeline.put(0);
        inside.await();
        pipeline.put(1);
        pipeline.close();
        Wait.until().until(() -> out.size() == 1);
        leave.countDown();
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        assertThat(out).containsExactly(1, 0);
    }

    @Test
    void aLoopWithoutACatchLosesAWorkerWithEachItemThatFails() throws InterruptedException {
        NaivePipeline naive = new NaivePipeline(2, item -> 1 / item);
        naive.put(0);
        naive.put(0);
        Wait.until().until(() -> naive.dead.get() == 2);
        naive.put(1);
        naive.put(1); // nobody takes these, and nobody says so
        assertThat(naive.out).isEmpty();
        naive.kill();
    }

    @Test
    void hereAnItemThatFailsLeavesByTheFailureRouteAndTheWorkerGoesOn() throws InterruptedException {
        Queue<Object> out = new ConcurrentLinkedQueue<>();
        Queue<FailedItem> failed = new ConcurrentLinkedQueue<>();
        Pipeline<Integer> pipeline = Pipeline.of("two", Integer.class)
                .then("one", 2, item -> 1 / item)
                .then("two", 1, item -> item)
                .into(out::add)
                .onFailure(failed::add)
                .start();
        for (int item : new int[] {0, 0, 0, 1, 1}) {
            pipeline.put(item);
        }
        assertThat(pipeline.close(Wait.LONG).drained()).isTrue();
        assertThat(out).hasSize(2);
        assertThat(failed).hasSize(3);
    }
}
