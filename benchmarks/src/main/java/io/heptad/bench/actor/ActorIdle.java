package io.heptad.bench.actor;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
import io.heptad.bench.Compare.Without;
import io.heptad.bench.Figure;
import io.heptad.bench.HeldBytes;
import io.heptad.bench.Scale;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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
 * Actors that wait for work: how many bytes of heap does each of them hold? With {@code told=1} each has handled one message,
 * with {@code told=0} none so far. The reference to tell it by counts, the mailbox of 1024 counts as far as it is there, and
 * so does the stack of a virtual thread. Afterwards each is told once more, and all must answer. The time of this benchmark
 * means nothing.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class ActorIdle {
    @Param({"heptad", "Pekko", "jox"})
    public String peer;

    @Param({"100000", "1000000"})
    public int actors;

    @Param({"1", "0"})
    public int told;

    @Benchmark
    @Compare(
            work = "actors that wait for work: the heap that each of them holds",
            operation = "actor",
            quick = "actors=100000 told=1",
            forks = 2,
            shotSeconds = 3,
            figure = Figure.HELD,
            goals = @Goal(atLeast = 1.01, of = "Pekko", figure = Figure.HELD),
            without =
                    @Without(
                            peer = "jox",
                            where = "actors=1000000",
                            because = "a million of them, 7 KB each, do not fit into the heap of 3 GB"))
    public long idle() throws InterruptedException {
        int n = Scale.of(actors, 1000);
        try (Cast cast = Cast.of(peer, "own")) {
            Consumer<CountDownLatch> handler = CountDownLatch::countDown;
            tell(cast.actors(10, 1024, false, i -> handler)); // what is there once, for all
            long before = HeldBytes.live();
            List<Cast.Ref<CountDownLatch>> all = cast.actors(n, 1024, false, i -> handler);
            if (told > 0) {
                tell(all);
            }
            HeldBytes.record((double) (HeldBytes.live() - before) / n);
            tell(all);
        }
        return n;
    }

    private static void tell(List<Cast.Ref<CountDownLatch>> all) throws InterruptedException {
        CountDownLatch handled = new CountDownLatch(all.size());
        for (Cast.Ref<CountDownLatch> one : all) {
            one.tell(handled);
        }
        if (!handled.await(Cast.LONG.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError(handled.getCount() + " of " + all.size() + " actors did not answer");
        }
    }
}
