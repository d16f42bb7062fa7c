package io.heptad.bench.sync;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
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
 * One thread releases a permit and acquires it again: the fixed cost of both, with no other thread and no waiting. The
 * peer is fair, as a signal is. Checks that the permit is gone each time.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class SignalPair {
    @Param({"heptad", "Semaphore"})
    public String peer;

    private Permits permits;

    @Setup
    public void open() {
        permits = Permits.of(peer);
    }

    @Benchmark
    @Compare(
            work = "one thread releases a permit and acquires it again",
            operation = "pair",
            quick = "",
            goals = @Goal(atLeast = 1, of = "Semaphore"))
    public int signalPair() throws InterruptedException {
        permits.release();
        permits.acquire();
        int left = permits.available();
        if (left != 0) {
            throw new AssertionError(left + " permits are left");
        }
        return left;
    }
}
