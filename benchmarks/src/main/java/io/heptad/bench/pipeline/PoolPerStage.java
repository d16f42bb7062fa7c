package io.heptad.bench.pipeline;

import io.heptad.bench.Compare;
import io.heptad.bench.Scale;
import io.heptad.bench.pipeline.Stages.Stage;
import io.heptad.core.FullPolicy;
import io.heptad.pool.WorkerPool;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Parse, validate, deliver: 1 ms, 2.5 ms and 25 ms of waiting. A pool for each stage, of 4, 10 and 100 workers, takes four
 * items a millisecond everywhere. One pool for everything has to be sized by its tightest stage, 4, and its workers spend
 * 28.5 ms on an item. In theory that takes 28.5 times as long for very many items, and 18 times for these 200, as the
 * first of them takes its 28.5 ms in either. No goal: the ratio is the reason for the shape. Checks the sum of what comes
 * out.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class PoolPerStage {
    private static final int ITEMS = 200;

    private static final List<Stage> STAGES = List.of(
            new Stage(4, true, item -> Nap.of(1_000_000, item)),
            new Stage(10, true, item -> Nap.of(2_500_000, item)),
            new Stage(100, true, item -> Nap.of(25_000_000, item)));

    @Param({"heptad", "one pool of 4"})
    public String peer;

    @Benchmark
    @OperationsPerInvocation(ITEMS)
    @Compare(
            work = "200 items through stages of 4, 10 and 100 workers, or through one pool of the tightest stage's 4",
            operation = "item",
            quick = "",
            forks = 2,
            shotSeconds = 3)
    public long poolPerStage() throws Exception {
        int n = Scale.of(ITEMS, 20);
        LongAdder sum = new LongAdder();
        if (peer.equals("heptad")) {
            try (Stages stages = Stages.of(peer, STAGES, 100)) {
                stages.run(n, item -> sum.add(item.at()));
            }
        } else {
            inOnePool(n, sum);
        }
        if (sum.sum() != Item.sum(n, 0)) {
            throw new AssertionError("the items should sum up to " + Item.sum(n, 0) + ", but came out as " + sum);
        }
        return n;
    }

    private static void inOnePool(int n, LongAdder sum) throws Exception {
        int slots = STAGES.getFirst().workers();
        try (WorkerPool pool = WorkerPool.of("everything", slots, 100, FullPolicy.BLOCK)) {
            List<Future<?>> futures = new ArrayList<>();
            for (int i = 0; i < n; i++) {
                Item item = Item.of(i);
                futures.add(pool.submit(() -> {
                    Item done = item;
                    for (Stage stage : STAGES) {
                        done = stage.apply(done);
                    }
                    sum.add(done.at());
                }));
            }
            for (Future<?> future : futures) {
                future.get();
            }
        }
    }
}
