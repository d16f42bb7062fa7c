package io.heptad.bench.queue;

import io.heptad.bench.Compare;
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
 * One thread puts an item and takes it out again: the fixed cost of both operations, with no other thread, no waiting
 * and no cache line in flight. Checks that the item taken is the item put.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class QueueSingle {
    @Param({"heptad", "ArrayBlockingQueue", "LinkedBlockingQueue", "LinkedTransferQueue", "jox", "Disruptor", "JCTools"
    })
    public String peer;

    @Param("1024")
    public int capacity;

    private Line line;
    private int next;
    private final Integer[] items = Transfer.items();

    @Setup
    public void open() {
        line = Line.of(peer, capacity);
    }

    @Benchmark
    @Compare(
            work = "one thread puts an item and takes it out again",
            operation = "pair",
            quick = "capacity=1024",
            goals = @Compare.Goal(atLeast = 0.9, of = "JCTools"))
    public Integer single() throws InterruptedException {
        Integer item = items[next++ & (items.length - 1)];
        line.put(item);
        Integer taken = line.take();
        if (!taken.equals(item)) {
            throw new AssertionError("put " + item + ", but took " + taken);
        }
        return taken;
    }
}
