package io.heptad.bench.futures;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
import io.heptad.bench.Figure;
import io.heptad.bench.HeldBytes;
import io.heptad.bench.Scale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A hundred thousand pending members are combined: how many bytes of heap does that hold for each of them until they
 * are done? The members themselves, and the list they are in, are there before and do not count. Afterwards they are
 * completed and the aggregate has to follow. The time of this benchmark means nothing.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class FuturesHeld {
    @Param({"heptad", "CompletableFuture", "Guava"})
    public String peer;

    @Param({"all", "allSettled"})
    public String combinator;

    @Benchmark
    @Compare(
            work = "100,000 pending members are combined: the heap that the combination holds for each",
            operation = "member",
            quick = "combinator=all",
            forks = 2,
            shotSeconds = 1,
            figure = Figure.HELD,
            goals =
                    @Goal(
                            atLeast = 1.01,
                            of = {"CompletableFuture", "Guava"},
                            figure = Figure.HELD))
    public Object held() throws InterruptedException, ExecutionException {
        Groups<?> groups = Groups.of(peer, Groups.MEMBERS, "pending", combinator.equals("allSettled"));
        groups.prepare();
        long before = HeldBytes.live();
        Future<?> held = groups.hold(combinator.equals("allSettled"));
        HeldBytes.record((double) (HeldBytes.live() - before) / Scale.of(Groups.MEMBERS, 10));
        groups.settle();
        return Combiner.now(held);
    }
}
