package io.heptad.bench.queue;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Without;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * An item goes to another thread through one queue and comes back through a second: two hand-overs, each to a thread
 * that waits for it. Single round trips are timed (JMH samples them), so the slow ones show. With virtual threads both
 * sides are virtual. Checks that what comes back is what was sent. Not measured: queues that are not empty, where an
 * item waits behind others.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class QueueRoundTrip {
    private static final int CAPACITY = 16;
    private static final Integer STOP = -1;

    @Param({"heptad", "ArrayBlockingQueue", "LinkedBlockingQueue", "LinkedTransferQueue", "jox", "Disruptor", "JCTools"
    })
    public String peer;

    @Param({"platform", "virtual"})
    public String threads;

    private final Integer[] items = Transfer.items();
    private int next;
    private Line there;
    private Line back;
    private Thread echo;

    @Setup
    public void open() {
        there = Line.of(peer, CAPACITY);
        back = Line.of(peer, CAPACITY);
        echo = threads.equals("virtual")
                ? Thread.ofVirtual().start(this::echo)
                : Thread.ofPlatform().daemon().start(this::echo);
    }

    @TearDown
    public void close() throws InterruptedException {
        there.put(STOP);
        echo.join();
    }

    @Benchmark
    @Compare(
            work = "an item goes to another thread and comes back, through two empty queues",
            operation = "trip",
            quick = "threads=platform",
            forkSeconds = 2,
            forks = 2,
            without =
                    @Without(
                            peer = "JCTools",
                            where = "threads=virtual",
                            because = "it only polls: yielding virtual threads starve each other and make no progress"))
    public Integer roundTrip() throws InterruptedException {
        Integer item = items[next++ & (items.length - 1)];
        there.put(item);
        Integer returned = back.take();
        if (!returned.equals(item)) {
            throw new AssertionError("sent " + item + ", but " + returned + " came back");
        }
        return returned;
    }

    private void echo() {
        try {
            Integer item = there.take();
            while (!item.equals(STOP)) {
                back.put(item);
                item = there.take();
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
