package io.heptad.bench.pool;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
import io.heptad.bench.Scale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
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
 * One thread submits a batch and waits for all of it. The empty tasks show what a pool itself costs; the sleeping ones
 * show what is left of that in a program whose tasks wait for something. A task does nothing but count itself, and the
 * sleeping ones also check that no more of them run at once than there are slots. Not measured: several submitters, and
 * a line that is full.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class PoolSubmit {
    private static final int EMPTY = 10_000;
    private static final int SLEEPING = 1_000;
    private static final long SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Tasks that end at once. */
    @State(Scope.Benchmark)
    public static class Empty {
        @Param({
            "heptad",
            "heptad.freshThreads",
            "ThreadPoolExecutor",
            "virtual+Semaphore",
            "resilience4j",
            "Failsafe",
            "parallel-collectors"
        })
        public String peer;

        @Param({"8", "2", "64"})
        public int slots;

        private final LongAdder ran = new LongAdder();
        private Crew crew;

        @Setup
        public void open() {
            crew = Crew.of(peer, slots, EMPTY);
        }

        @TearDown
        public void close() {
            crew.close();
        }
    }

    /** Tasks that wait a millisecond. */
    @State(Scope.Benchmark)
    public static class Sleeping {
        @Param({"heptad", "ThreadPoolExecutor", "virtual+Semaphore", "resilience4j", "Failsafe", "parallel-collectors"})
        public String peer;

        @Param("20")
        public int slots;

        private final AtomicInteger running = new AtomicInteger();
        private final AtomicInteger ran = new AtomicInteger();
        private Crew crew;

        @Setup
        public void open() {
            crew = Crew.of(peer, slots, SLEEPING);
        }

        @TearDown
        public void close() {
            crew.close();
        }

        private void sleep() {
            int now = running.incrementAndGet();
            if (now > slots) {
                throw new AssertionError(now + " tasks ran at once in " + slots + " slots");
            }
            long end = System.nanoTime() + SLEEP_NANOS;
            for (long left = SLEEP_NANOS; left > 0; left = end - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            running.decrementAndGet();
            ran.incrementAndGet();
        }
    }

    @Benchmark
    @OperationsPerInvocation(EMPTY)
    @Compare(
            work = "submit 10,000 empty tasks over so many slots and wait for all",
            operation = "task",
            quick = "slots=8",
            goals =
                    @Goal(
                            atLeast = 1,
                            of = {
                                "ThreadPoolExecutor",
                                "virtual+Semaphore",
                                "resilience4j",
                                "Failsafe",
                                "parallel-collectors"
                            }))
    public long empty(Empty empty) throws InterruptedException, ExecutionException {
        int n = Scale.of(EMPTY, 100);
        empty.ran.reset();
        empty.crew.run(empty.ran::increment, n);
        return checked(n, empty.ran.sum());
    }

    @Benchmark
    @OperationsPerInvocation(SLEEPING)
    @Compare(
            work = "submit 1,000 tasks of 1 ms over 20 slots and wait for all (50 us a task is the least there is)",
            operation = "task",
            quick = "",
            goals =
                    @Goal(
                            atLeast = 1,
                            of = {
                                "ThreadPoolExecutor",
                                "virtual+Semaphore",
                                "resilience4j",
                                "Failsafe",
                                "parallel-collectors"
                            }))
    public long sleeping(Sleeping sleeping) throws InterruptedException, ExecutionException {
        int n = Scale.of(SLEEPING, 100);
        sleeping.ran.set(0);
        sleeping.crew.run(sleeping::sleep, n);
        return checked(n, sleeping.ran.get());
    }

    private static long checked(long submitted, long ran) {
        if (ran != submitted) {
            throw new AssertionError(submitted + " tasks were submitted, but " + ran + " ran");
        }
        return ran;
    }
}
