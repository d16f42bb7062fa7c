package io.heptad.bench.sync;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
import io.heptad.core.VoidBody;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
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
import org.openjdk.jmh.annotations.Threads;

/**
 * Two platform threads run bodies that only count, all under one key, or each under any of 100,000. Locks that are not fair
 * let the thread that has just left in again while the other is still waking, which no fair one may: they are shown, and
 * are no goal. Checks that no count was lost.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Threads(2)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class KeyedLockCrowd {
    @Param({"heptad", "striped", "map of locks", "map, counted", "striped, unfair"})
    public String peer;

    @Param({"1", "100000"})
    public int keys;

    private Keyed lock;
    private Integer[] all;
    private long[] counts;
    private final Queue<Walk> walks = new ConcurrentLinkedQueue<>();

    /** Where a thread is among the keys. */
    @State(Scope.Thread)
    public static class Walk {
        private int at = (int) Thread.currentThread().threadId() * 7919;
        private long made;
        private long[] counts = {};
        private final VoidBody<RuntimeException> body = () -> counts[at]++;

        /** Where to count, and to be asked how many calls this thread has made. */
        @Setup
        public void share(KeyedLockCrowd crowd) {
            counts = crowd.counts;
            crowd.walks.add(this);
        }
    }

    @Setup
    public void open() {
        lock = Keyed.of(peer);
        all = new Integer[keys];
        for (int i = 0; i < keys; i++) {
            all[i] = i;
        }
        counts = new long[keys];
    }

    @TearDown
    public void check() {
        long ran = 0;
        for (long count : counts) {
            ran += count;
        }
        long calls = walks.stream().mapToLong(walk -> walk.made).sum();
        if (ran != calls) {
            throw new AssertionError(calls + " calls, but " + ran + " were counted");
        }
    }

    @Benchmark
    @Compare(
            work = "two threads run bodies that count, under one key or under keys of their own",
            operation = "body",
            quick = "keys=1",
            goals =
                    @Goal(
                            atLeast = 1,
                            of = {"striped", "map of locks", "map, counted"}))
    public long keyedLockCrowd(Walk walk) throws InterruptedException {
        walk.made++;
        walk.at = (walk.at + 7919) % keys;
        lock.withLock(all[walk.at], walk.body);
        return walk.made;
    }
}
