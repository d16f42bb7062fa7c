package io.heptad.bench.actor;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
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
 * A platform thread or a virtual one asks an idle actor and waits for its answer, with a time limit. Single round trips are
 * timed (JMH samples them), so the slow ones show. Checks every answer.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class ActorAsk {
    @Param({"heptad", "Pekko", "jox", "executor"})
    public String peer;

    @Param({"platform", "virtual"})
    public String threads;

    @Param({"own", "ForkJoinPool"})
    public String executor;

    private Cast cast;
    private Cast.Asked actor;
    private int value = 1_000_000;

    @Setup
    public void open() {
        cast = Cast.of(peer, executor);
        actor = cast.asked(1024);
    }

    @TearDown
    public void close() {
        cast.close();
    }

    @Benchmark
    @Compare(
            work = "a thread asks an actor and waits for the answer; ours on its own threads, or on a ForkJoinPool",
            operation = "trip",
            quick = "executor=own",
            goals = {
                @Goal(atLeast = 1, of = "Pekko", where = "executor=own"),
                @Goal(atLeast = 1.7, of = "Pekko", where = "executor=ForkJoinPool")
            },
            without =
                    @Without(
                            peer = {"jox", "executor"},
                            where = "executor=ForkJoinPool",
                            because = "as with executor=own: they run on what they are made of"))
    public int ask() throws Exception {
        int asked = value++;
        int answer = actor.ask(asked);
        if (answer != asked + 1) {
            throw new AssertionError("asked for the number after " + asked + ", but the answer was " + answer);
        }
        return answer;
    }
}
