package io.heptad.bench.actor;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
import io.heptad.bench.Compare.Without;
import io.heptad.bench.Scale;
import java.util.List;
import java.util.concurrent.Semaphore;
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
import org.openjdk.jmh.annotations.TearDown;

/**
 * One ball goes round a ring of actors, each telling the next. A ring of two is the game of ping-pong. There is never more
 * than one message, so every actor is idle when it is told: this is what waking costs. Checks that each actor had it as
 * often as the others.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class ActorRing {
    private static final int PASSES = 20_000;

    @Param({"heptad", "Pekko", "jox", "executor"})
    public String peer;

    @Param({"2", "1000"})
    public int actors;

    @Param({"own", "ForkJoinPool"})
    public String executor;

    private final Semaphore done = new Semaphore(0);
    private Cast cast;
    private List<Cast.Ref<Integer>> ring;
    private long[] had;
    private int passes;
    private long rounds;

    @Setup
    public void open() {
        passes = Math.max(Scale.of(PASSES, 2), actors);
        had = new long[actors];
        cast = Cast.of(peer, executor);
        ring = cast.actors(actors, 1024, false, i -> left -> pass(i, left));
    }

    @TearDown
    public void close() {
        cast.close();
    }

    private void pass(int at, int left) {
        had[at]++;
        if (left == 1) {
            done.release();
            return;
        }
        try {
            ring.get(at + 1 == actors ? 0 : at + 1).tell(left - 1);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    @Benchmark
    @OperationsPerInvocation(PASSES)
    @Compare(
            work = "a ball goes round a ring of actors (two: ping-pong); ours on its own threads, or on a ForkJoinPool",
            operation = "pass",
            quick = "executor=own",
            goals = {
                @Goal(atLeast = 1, of = "Pekko", where = "executor=own"),
                @Goal(atLeast = 1.7, of = "Pekko", where = "executor=ForkJoinPool")
            },
            without = {
                @Without(
                        peer = {"jox", "executor"},
                        where = "executor=ForkJoinPool",
                        because = "as with executor=own: they run on what they are made of"),
                @Without(
                        peer = "executor",
                        where = "actors=1000",
                        because = "nobody has a thousand platform threads for it")
            })
    public long ring() throws InterruptedException {
        ring.getFirst().tell(passes);
        Tally.await(done);
        rounds += passes / actors;
        for (int i = 0; i < actors; i++) {
            if (had[i] != rounds) {
                throw new AssertionError(
                        "actor " + i + " should have had it " + rounds + " times, but had it " + had[i]);
            }
        }
        return rounds;
    }
}
