package io.heptad.bench.queue;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
import io.heptad.bench.Compare.Without;
import io.heptad.bench.Scale;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Producers and consumers move items through one queue as fast as it lets them; each waits as the queue makes it wait.
 * Measured is the time from starting the threads until the last has ended, divided by the items. Not measured: what a
 * producer or a consumer does besides, which in a program is most of the time and hides part of these differences.
 *
 * <p>{@code LinkedTransferQueue} has no bound, so its producers never wait and run far ahead. Next to a capacity of 16 that
 * is other work, and is shown but not judged; next to 1024, which seldom fills here, it is judged.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class QueueTransfer {
    /** The cells with a goal. */
    @State(Scope.Benchmark)
    public static class Cell {
        @Param({
            "heptad",
            "ArrayBlockingQueue",
            "LinkedBlockingQueue",
            "LinkedTransferQueue",
            "jox",
            "Disruptor",
            "JCTools"
        })
        public String peer;

        @Param({"1", "2", "4"})
        public int pairs;

        @Param({"1024", "16"})
        public int capacity;

        @Param({"platform", "virtual"})
        public String threads;

        private Transfer transfer;

        @Setup
        public void open() {
            int n = Scale.of(Transfer.ITEMS, 64);
            transfer = new Transfer(Line.of(peer, capacity), Transfer.items(), pairs, threads, n);
        }
    }

    /** From two threads to 64. */
    @State(Scope.Benchmark)
    public static class Crowd {
        @Param({"heptad", "ArrayBlockingQueue", "LinkedBlockingQueue"})
        public String peer;

        @Param({"1", "2", "4", "8", "16", "32"})
        public int pairs;

        private Transfer transfer;

        @Setup
        public void open() {
            int n = Scale.of(Transfer.ITEMS, 64);
            transfer = new Transfer(Line.of(peer, 1024), Transfer.items(), pairs, "platform", n);
        }
    }

    @Benchmark
    @OperationsPerInvocation(Transfer.ITEMS)
    @Compare(
            work = "as many producers as consumers move items through one queue, blocking",
            operation = "item",
            quick = {"pairs=1 capacity=1024 threads=platform", "pairs=4 capacity=16 threads=virtual"},
            forkSeconds = 3,
            longForks = "threads=virtual",
            goals = {
                @Goal(
                        atLeast = 3,
                        of = {"ArrayBlockingQueue", "LinkedBlockingQueue", "jox", "Disruptor"},
                        where = "threads=platform"),
                @Goal(atLeast = 3, of = "LinkedTransferQueue", where = "capacity=1024 threads=platform"),
                @Goal(atLeast = 5, of = "ArrayBlockingQueue", where = "pairs=1 capacity=1024 threads=platform"),
                @Goal(
                        atLeast = 1,
                        of = {"ArrayBlockingQueue", "LinkedBlockingQueue", "jox", "Disruptor"},
                        where = "threads=virtual"),
                @Goal(atLeast = 1, of = "LinkedTransferQueue", where = "capacity=1024 threads=virtual")
            },
            without = {
                @Without(
                        peer = "Disruptor",
                        where = "pairs=2|4",
                        because = "its consumers each see every item; sharing them out is not its job"),
                @Without(
                        peer = "JCTools",
                        where = "threads=virtual",
                        because = "it only polls: yielding virtual threads starve each other and make no progress")
            })
    public long transfer(Cell cell) throws InterruptedException {
        return cell.transfer.run();
    }

    @Benchmark
    @OperationsPerInvocation(Transfer.ITEMS)
    @Compare(
            work = "the same from 2 to 64 platform threads, capacity 1024: does the cost for one item stay flat?",
            operation = "item",
            quick = {},
            forkSeconds = 1.5,
            forks = 1)
    public long crowd(Crowd crowd) throws InterruptedException {
        return crowd.transfer.run();
    }
}
