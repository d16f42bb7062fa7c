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
import org.openjdk.jmh.annotations.TearDown;

/**
 * Two threads release each other in turn: a permit there, a permit back, each to a thread that waits for it. Single round
 * trips are timed (JMH samples them), so the slow ones show. With virtual threads both sides are virtual. Checks that the
 * other side counted every trip.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class SignalPingPong {
    @Param({"heptad", "Semaphore"})
    public String peer;

    @Param({"platform", "virtual"})
    public String threads;

    private Permits there;
    private Permits back;
    private Thread echo;
    private long sent;
    private long echoed;
    private volatile boolean over;

    @Setup
    public void open() {
        there = Permits.of(peer);
        back = Permits.of(peer);
        echo = threads.equals("virtual")
                ? Thread.ofVirtual().start(this::echo)
                : Thread.ofPlatform().daemon().start(this::echo);
    }

    @TearDown
    public void close() throws InterruptedException {
        over = true;
        there.release();
        echo.join();
    }

    @Benchmark
    @Compare(
            work = "a permit goes to another thread, and one comes back",
            operation = "trip",
            quick = {"threads=platform", "threads=virtual"},
            goals = @Goal(atLeast = 1, of = "Semaphore"))
    public long signalPingPong() throws InterruptedException {
        there.release();
        back.acquire();
        if (echoed != ++sent) {
            throw new AssertionError("sent " + sent + ", but " + echoed + " were echoed");
        }
        return sent;
    }

    private void echo() {
        try {
            there.acquire();
            while (!over) {
                echoed++;
                back.release();
                there.acquire();
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
