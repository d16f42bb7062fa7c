package io.heptad.bench.sync;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
import io.heptad.bench.Scale;
import io.heptad.sync.Barrier;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Phaser;
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
 * Eight threads meet, round after round, with nothing to do in between: the cost of the meeting itself, most of which is
 * parking and waking. Measured is the time of a round. Checks in every round that the neighbour has arrived in it too.
 * Not measured: work between the rounds, which in a program is most of the time.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class BarrierRounds {
    private static final int ROUNDS = 5_000;

    /** The words of two parties lie apart by a cache line and its neighbour. */
    private static final int APART = 32;

    @Param({"heptad", "CyclicBarrier", "Phaser"})
    public String peer;

    @Param("8")
    public int parties;

    @Param({"platform", "virtual"})
    public String threads;

    private interface Meeting {
        void await() throws Exception;
    }

    private Meeting meeting;
    private int rounds;

    @Setup
    public void open() {
        rounds = Scale.of(ROUNDS, 16);
        meeting = switch (peer) {
            case "heptad" -> Barrier.of(parties)::await;
            case "CyclicBarrier" -> new CyclicBarrier(parties)::await;
            case "Phaser" -> new Phaser(parties)::arriveAndAwaitAdvance;
            default -> throw new IllegalArgumentException("peer is " + peer);
        };
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    @Compare(
            work = "eight threads meet, round after round",
            operation = "round",
            quick = {"threads=platform", "threads=virtual"},
            goals =
                    @Goal(
                            atLeast = 1,
                            of = {"CyclicBarrier", "Phaser"}))
    public int rounds() throws InterruptedException {
        int[] arrived = new int[parties * APART]; // plain: the barrier publishes them
        new Crowd(threads).run(parties, number -> {
            int neighbour = (number + 1) % parties * APART;
            for (int round = 1; round <= rounds; round++) {
                arrived[number * APART] = round;
                meeting.await();
                if (arrived[neighbour] < round) {
                    throw new AssertionError(
                            "went on in round " + round + ", the neighbour being in " + arrived[neighbour]);
                }
            }
        });
        return arrived[0];
    }
}
