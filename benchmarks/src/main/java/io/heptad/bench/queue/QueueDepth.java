package io.heptad.bench.queue;

import io.heptad.bench.Compare;
import io.heptad.bench.Scale;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * One thread puts and takes while the queue holds 1 to a million items: the cost should not grow with the depth, but
 * for the memory that a deep queue walks through. Every queue has the same capacity, of a million and one.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class QueueDepth {
    @Param({"heptad", "ArrayBlockingQueue", "LinkedBlockingQueue", "jox"})
    public String peer;

    @Param({"1", "1000", "1000000"})
    public int depth;

    private final Integer[] items = Transfer.items();
    private int next;
    private Line line;

    @Setup
    public void fill() throws InterruptedException {
        line = Line.of(peer, Scale.of(1_000_000, 1000) + 1);
        for (int i = 0; i < Scale.of(depth, 1); i++) {
            line.put(items[i & (items.length - 1)]);
        }
    }

    @Benchmark
    @Compare(
            work = "one thread puts and takes while the queue is this deep: does the cost stay flat?",
            operation = "pair",
            quick = {},
            forkSeconds = 1.5,
            forks = 1)
    public Integer depth() throws InterruptedException {
        line.put(items[next++ & (items.length - 1)]);
        return line.take();
    }
}
