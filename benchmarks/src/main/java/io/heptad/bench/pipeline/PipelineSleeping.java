package io.heptad.bench.pipeline;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
import io.heptad.bench.Scale;
import io.heptad.bench.pipeline.Stages.Stage;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A thousand items go through three stages: cheap work with 4 workers, a millisecond of waiting with 10, and waiting of
 * none to ten milliseconds, five in the mean, with 50. The waiting stages take ten items a millisecond each, so 100 us for
 * an item is what nobody can beat; the question is who comes near. Checks the sum of what comes out.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class PipelineSleeping {
    private static final int ITEMS = 1_000;
    private static final int CAPACITY = 16;

    @Param({"heptad", "threads", "virtual threads", "jox", "Pekko mapAsync", "Reactor flatMap"})
    public String peer;

    private Stages stages;
    private int n;
    private long expected;

    @Setup
    public void open() {
        n = Scale.of(ITEMS, 20);
        expected = Item.sum(n, 1);
        Stage parse = new Stage(4, false, Item::next);
        Stage validate = new Stage(10, true, item -> Nap.of(1_000_000, item));
        Stage deliver = new Stage(50, true, item -> Nap.of(item.at() * 7919 % 11 * 1_000_000L, item));
        stages = Stages.of(peer, List.of(parse, validate, deliver), CAPACITY);
    }

    @TearDown
    public void close() {
        stages.close();
    }

    @Benchmark
    @OperationsPerInvocation(ITEMS)
    @Compare(
            work = "a thousand items go through a cheap stage and two that wait",
            operation = "item",
            quick = "",
            goals = {
                @Goal(
                        atLeast = 0.95,
                        of = {"Pekko mapAsync", "Reactor flatMap", "jox", "threads", "virtual threads"})
            })
    public long sleeping() throws Exception {
        LongAdder sum = new LongAdder();
        stages.run(n, item -> sum.add(item.at()));
        if (sum.sum() != expected) {
            throw new AssertionError("the items should sum up to " + expected + ", but came out as " + sum.sum());
        }
        return expected;
    }
}
