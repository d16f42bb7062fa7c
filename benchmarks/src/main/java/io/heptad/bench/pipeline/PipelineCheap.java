package io.heptad.bench.pipeline;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
import io.heptad.bench.Compare.Without;
import io.heptad.bench.Scale;
import io.heptad.bench.pipeline.Stages.Stage;
import java.util.Collections;
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
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A million items go through three stages whose work is next to nothing: what is left is the way from stage to stage. The
 * benchmark's thread feeds ours, jox's and the hand-written ones; the stream libraries pull from a range themselves.
 * Measured is the time until the last item has come out, starting and ending the stages included. Checks the sum of what
 * comes out.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 3)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class PipelineCheap {
    private static final int ITEMS = 1_000_000;
    private static final int STAGES = 3;
    private static final int WARM_UPS = 8;

    @Param({
        "heptad",
        "threads",
        "virtual threads",
        "jox",
        "Pekko mapAsync",
        "Pekko async",
        "Reactor flatMap",
        "Reactor publishOn"
    })
    public String peer;

    @Param({"4", "1"})
    public int workers;

    @Param({"256", "16"})
    public int capacity;

    private Stages stages;
    private int n;

    @Setup
    public void open() throws Exception {
        n = Scale.of(ITEMS, 100);
        stages = Stages.of(peer, Collections.nCopies(STAGES, new Stage(workers, false, Item::next)), capacity);
        // Several short runs warm up better than one long one: each starts its loops anew, in what is compiled by then.
        for (int i = 0; i < WARM_UPS; i++) {
            run(n / 4);
        }
    }

    @TearDown
    public void close() {
        stages.close();
    }

    @Benchmark
    @OperationsPerInvocation(ITEMS)
    @Compare(
            work = "a million items go through three stages of next to no work",
            operation = "item",
            quick = "workers=4 capacity=256",
            forks = 2,
            shotSeconds = 6,
            goals = {
                @Goal(
                        atLeast = 2,
                        of = {"Pekko mapAsync", "Pekko async", "Reactor flatMap", "Reactor publishOn"}),
                @Goal(
                        atLeast = 1,
                        of = {"threads", "virtual threads", "jox"})
            },
            without =
                    @Without(
                            peer = {"Pekko async", "Reactor publishOn"},
                            where = "workers=4",
                            because = "a stage of theirs is one thread"))
    public long cheap() throws Exception {
        return run(n);
    }

    private long run(int items) throws Exception {
        LongAdder sum = new LongAdder();
        stages.run(items, item -> sum.add(item.at()));
        long expected = Item.sum(items, STAGES);
        if (sum.sum() != expected) {
            throw new AssertionError("the items should sum up to " + expected + ", but came out as " + sum.sum());
        }
        return expected;
    }
}
