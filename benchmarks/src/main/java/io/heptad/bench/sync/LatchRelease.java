package io.heptad.bench.sync;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
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
 * One thread opens a latch at which seven others wait, and waits at a second one until all seven have come through: the
 * start and the end of a piece of work that is shared out. Measured is the time of such a round, two fresh latches
 * included; starting and joining the threads weighs little over so many rounds, and the same for everybody. Checks that
 * nobody passes a latch before it is opened.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class LatchRelease {
    private static final int WAITERS = 7;
    private static final int ROUNDS = 5_000;

    @Param({"heptad", "CountDownLatch"})
    public String peer;

    @Param({"platform", "virtual"})
    public String threads;

    private int rounds;
    private int opened; // plain: the latch publishes it

    @Setup
    public void open() {
        rounds = Scale.of(ROUNDS, 16);
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    @Compare(
            work = "open a latch at which seven threads wait, and wait at another until they are through",
            operation = "round",
            quick = "threads=platform",
            goals = @Goal(atLeast = 1, of = "CountDownLatch"))
    public int release() throws InterruptedException {
        Gate[] start = new Gate[rounds];
        Gate[] end = new Gate[rounds];
        for (int i = 0; i < rounds; i++) {
            start[i] = Gate.of(peer, 1);
            end[i] = Gate.of(peer, WAITERS);
        }
        opened = 0;
        new Crowd(threads).run(1 + WAITERS, number -> {
            for (int i = 0; i < rounds; i++) {
                if (number == 0) {
                    opened = i + 1;
                    start[i].countDown();
                    end[i].await();
                } else {
                    start[i].await();
                    if (opened != i + 1) {
                        throw new AssertionError("passed latch " + i + " when " + opened + " were open");
                    }
                    end[i].countDown();
                }
            }
        });
        return opened;
    }
}
