package io.heptad.bench.pool;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
import io.heptad.bench.Figure;
import io.heptad.bench.HeldBytes;
import io.heptad.bench.Scale;
import io.heptad.core.FullPolicy;
import io.heptad.pool.WorkerPool;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
 * A million tasks wait behind one that holds the only slot: how many bytes of heap does each of them hold, with its
 * future? The stacks of virtual threads are on the heap and count. The array of a bounded queue counts as well. Every
 * task is then run, and counted. The time of this benchmark means nothing.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class PoolWaiting {
    private static final int WAITING = 1_000_000;
    private static final Duration HANGS_AFTER = Duration.ofMinutes(3);

    @Param({"heptad", "virtual+Semaphore", "ThreadPoolExecutor"})
    public String peer;

    @Benchmark
    @Compare(
            work = "a million tasks wait for the one slot: the heap that each of them holds",
            operation = "task",
            quick = "",
            forks = 2,
            shotSeconds = 5,
            figure = Figure.HELD,
            goals = @Goal(atLeast = 1, of = "virtual+Semaphore", figure = Figure.HELD))
    public long waiting() throws InterruptedException {
        int n = Scale.of(WAITING, 1000);
        CountDownLatch holding = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch ran = new CountDownLatch(n);
        try (Crowd crowd = crowd(n)) {
            try {
                crowd.submit(() -> {
                    holding.countDown();
                    await(release);
                });
                await(holding);
                long before = HeldBytes.live();
                for (int i = 0; i < n; i++) {
                    crowd.submit(ran::countDown);
                }
                await(crowd, n);
                HeldBytes.record((double) (HeldBytes.live() - before) / n);
                if (ran.getCount() != n) {
                    throw new AssertionError((n - ran.getCount()) + " tasks ran while the only slot was taken");
                }
            } finally {
                release.countDown();
            }
            await(ran);
        }
        return n;
    }

    private interface Crowd extends AutoCloseable {
        void submit(Runnable task);

        long waiting();

        @Override
        void close();
    }

    private Crowd crowd(int waiting) {
        return switch (peer) {
            case "heptad" -> new Lined(waiting);
            case "virtual+Semaphore" -> new Parked();
            case "ThreadPoolExecutor" -> new Queued(waiting);
            default -> throw new IllegalArgumentException("peer is " + peer);
        };
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(HANGS_AFTER.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("after " + HANGS_AFTER + " there are still " + latch.getCount() + " to come");
            }
        } catch (InterruptedException hangs) {
            throw new AssertionError("interrupted", hangs);
        }
    }

    private static void await(Crowd crowd, int n) {
        long start = System.nanoTime();
        while (crowd.waiting() < n) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            if (System.nanoTime() - start > HANGS_AFTER.toNanos()) {
                throw new AssertionError("after " + HANGS_AFTER + " only " + crowd.waiting() + " of " + n + " wait");
            }
        }
    }

    private static final class Lined implements Crowd {
        private final WorkerPool pool;

        Lined(int waiting) {
            pool = WorkerPool.of("bench", 1, waiting, FullPolicy.BLOCK);
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the latch tells when it has run
        public void submit(Runnable task) {
            pool.submit(task::run);
        }

        @Override
        public long waiting() {
            return pool.depth();
        }

        @Override
        public void close() {
            pool.close();
        }
    }

    private static final class Parked implements Crowd {
        private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
        private final Semaphore slot = new Semaphore(1);

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the latch tells when it has run
        public void submit(Runnable task) {
            executor.submit(() -> {
                slot.acquireUninterruptibly();
                try {
                    task.run();
                } finally {
                    slot.release();
                }
            });
        }

        @Override
        public long waiting() {
            return slot.getQueueLength();
        }

        @Override
        public void close() {
            executor.close();
        }
    }

    private static final class Queued implements Crowd {
        private final ThreadPoolExecutor executor;

        Queued(int waiting) {
            executor = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(waiting));
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the latch tells when it has run
        public void submit(Runnable task) {
            executor.submit(task);
        }

        @Override
        public long waiting() {
            return executor.getQueue().size();
        }

        @Override
        public void close() {
            executor.close();
        }
    }
}
