package io.heptad.bench.sync;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/**
 * The calls of a latch that wait for nobody: passing one that is open, which a service does on every request for the
 * rest of its life, and counting one down, alone and against another thread. Checks that the open one is open, and that
 * every count was taken.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class LatchCalls {
    /** A latch that is open. */
    @State(Scope.Benchmark)
    public static class Open {
        @Param({"heptad", "CountDownLatch"})
        public String peer;

        private Gate gate;

        @Setup
        public void open() {
            gate = Gate.of(peer, 1);
            gate.countDown();
            if (gate.remaining() != 0) {
                throw new AssertionError("counted down from 1, and " + gate.remaining() + " remain");
            }
        }
    }

    /** A latch that is counted down for longer than an iteration lasts. */
    @State(Scope.Benchmark)
    public static class Closed {
        @Param({"heptad", "CountDownLatch"})
        public String peer;

        private Gate gate;

        @Setup(Level.Iteration)
        public void open() {
            gate = Gate.of(peer, Integer.MAX_VALUE);
        }

        @TearDown(Level.Iteration)
        public void check() {
            if (gate.remaining() == 0 || gate.remaining() == Integer.MAX_VALUE) {
                throw new AssertionError(gate.remaining() + " remain of " + Integer.MAX_VALUE);
            }
        }
    }

    @Benchmark
    @Compare(
            work = "pass a latch that is open",
            operation = "pass",
            quick = "",
            goals = @Goal(atLeast = 1, of = "CountDownLatch"))
    public void passOpen(Open open) throws InterruptedException {
        open.gate.await();
    }

    @Benchmark
    @Compare(
            work = "count down a latch that stays closed, alone",
            operation = "count",
            quick = "",
            goals = @Goal(atLeast = 1, of = "CountDownLatch"))
    public void countDown(Closed closed) {
        closed.gate.countDown();
    }

    @Benchmark
    @Threads(2)
    @Compare(
            work = "count down a latch that stays closed, two threads at once",
            operation = "count",
            quick = "",
            goals = @Goal(atLeast = 1, of = "CountDownLatch"))
    public void countDownTogether(Closed closed) {
        closed.gate.countDown();
    }
}
