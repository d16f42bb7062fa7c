package io.heptad.bench.actor;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
import io.heptad.bench.Scale;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
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
 * One platform thread or eight tell one actor numbers, as fast as it takes them; the actor adds them up. In a mailbox of 1024
 * senders wait for room; the other one is never full, so they run ahead. Measured is the time from the first message
 * until the last was handled, starting eight threads included. The messages are made beforehand. Checks number and sum.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class ActorTell {
    private static final int MESSAGES = 160_000;
    private static final int DISTINCT = 1024;

    @Param({"heptad", "Pekko", "jox", "executor"})
    public String peer;

    @Param({"1", "8"})
    public int senders;

    @Param({"1024", "1048576"})
    public int mailbox;

    private final Integer[] messages = new Integer[DISTINCT];
    private final Tally tally = new Tally();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private Cast cast;
    private Cast.Ref<Integer> actor;
    private int each;
    private long eachSum;

    @Setup
    public void open() {
        Arrays.setAll(messages, i -> 1_000_000 + 7919 * i);
        each = Scale.of(MESSAGES, 64) / senders;
        for (int i = 0; i < each; i++) {
            eachSum += messages[i & (DISTINCT - 1)];
        }
        cast = Cast.of(peer, "own");
        actor = cast.<Integer>actors(1, mailbox, mailbox != Cast.NEVER_FULL, i -> tally::add)
                .getFirst();
    }

    @TearDown
    public void close() {
        cast.close();
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    @Compare(
            work = "so many threads tell one actor numbers, which it adds up",
            operation = "message",
            quick = "senders=8 mailbox=1024",
            goals = @Goal(atLeast = 2, of = "Pekko"))
    public long tell() throws InterruptedException {
        tally.expect((long) senders * each, senders * eachSum);
        if (senders == 1) {
            send();
        } else {
            crowd();
        }
        return tally.await();
    }

    private void send() throws InterruptedException {
        for (int i = 0; i < each; i++) {
            actor.tell(messages[i & (DISTINCT - 1)]);
        }
    }

    private void crowd() throws InterruptedException {
        Thread[] all = new Thread[senders];
        for (int i = 0; i < senders; i++) {
            all[i] = Thread.ofPlatform().daemon().start(() -> {
                try {
                    send();
                } catch (Throwable thrown) {
                    failure.compareAndSet(null, thrown);
                }
            });
        }
        try {
            for (Thread thread : all) {
                thread.join();
            }
        } catch (InterruptedException hangs) {
            for (Thread thread : all) {
                thread.interrupt();
            }
            throw hangs;
        }
        if (failure.get() != null) {
            throw new AssertionError("a sender failed", failure.get());
        }
    }
}
