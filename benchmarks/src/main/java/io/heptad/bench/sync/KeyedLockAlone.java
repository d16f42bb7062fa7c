package io.heptad.bench.sync;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
import io.heptad.core.VoidBody;
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
 * One thread runs a body that only counts, under the lock of a key, with one key or one after the other of 100,000: the
 * fixed cost. The map of locks keeps a lock for every key it has ever seen; the counted map and ours keep none. Checks that
 * every body ran.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class KeyedLockAlone {
    @Param({"heptad", "striped", "map of locks", "map, counted"})
    public String peer;

    @Param({"1", "100000"})
    public int keys;

    private Keyed lock;
    private Integer[] all;
    private int next;
    private long calls;
    private long ran;
    private final VoidBody<RuntimeException> body = () -> ran++;

    @Setup
    public void open() {
        lock = Keyed.of(peer);
        all = new Integer[keys];
        for (int i = 0; i < keys; i++) {
            all[i] = i * 31;
        }
    }

    @Benchmark
    @Compare(
            work = "one thread runs a body that counts, under the lock of a key that is free",
            operation = "body",
            quick = "keys=100000",
            goals =
                    @Goal(
                            atLeast = 1,
                            of = {"striped", "map of locks", "map, counted"}))
    public long keyedLockAlone() throws InterruptedException {
        Integer key = all[next];
        next = next + 1 == keys ? 0 : next + 1;
        lock.withLock(key, body);
        if (ran != ++calls) {
            throw new AssertionError(calls + " calls, but " + ran + " bodies");
        }
        return ran;
    }
}
