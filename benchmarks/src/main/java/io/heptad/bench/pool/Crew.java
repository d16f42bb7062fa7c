package io.heptad.bench.pool;

import static java.util.stream.Collectors.counting;

import com.pivovarit.collectors.ParallelCollectors;
import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.heptad.core.FullPolicy;
import io.heptad.pool.WorkerPool;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * What every peer is asked for: run n tasks with at most {@code slots} of them at once, and return when the last has
 * ended; a task that fails fails the batch. Each peer submits and waits as its own users do, with a future for every
 * task where it has one. A fork uses one implementation only.
 */
interface Crew extends AutoCloseable {
    /** Longer than any run. */
    Duration LONG = Duration.ofHours(1);

    void run(Runnable task, int n) throws InterruptedException, ExecutionException;

    @Override
    void close();

    /**
     * As the peer is named.
     *
     * @param waiting how many tasks may wait for a slot, for those that can say so
     */
    static Crew of(String peer, int slots, int waiting) {
        ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor();
        return switch (peer) {
            case "heptad" -> of(WorkerPool.of("bench", slots, waiting, FullPolicy.BLOCK));
            case "heptad.freshThreads" ->
                of(WorkerPool.builder("bench", slots, waiting, FullPolicy.BLOCK)
                        .freshThreads()
                        .build());
            case "ThreadPoolExecutor" -> {
                ExecutorService pool =
                        new ThreadPoolExecutor(slots, slots, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(waiting));
                yield new Submitting(pool::submit, pool::close);
            }
            case "virtual+Semaphore" -> {
                Semaphore semaphore = new Semaphore(slots);
                Submitting.Way way = task -> virtual.submit(() -> {
                    semaphore.acquire();
                    try {
                        task.run();
                    } finally {
                        semaphore.release();
                    }
                    return null;
                });
                yield new Submitting(way, virtual::close);
            }
            case "resilience4j" -> {
                Bulkhead bulkhead = bulkhead(slots);
                yield new Submitting(task -> virtual.submit(() -> bulkhead.executeRunnable(task)), virtual::close);
            }
            case "Failsafe" -> {
                FailsafeExecutor<Object> failsafe = Failsafe.with(failsafe(slots));
                yield new Submitting(task -> virtual.submit(() -> failsafe.run(task::run)), virtual::close);
            }
            case "parallel-collectors" -> new Collecting(virtual, slots);
            default -> throw new IllegalArgumentException("peer is " + peer);
        };
    }

    private static Crew of(WorkerPool pool) {
        return new Submitting(task -> pool.submit(task::run), pool::close);
    }

    static Bulkhead bulkhead(int slots) {
        return Bulkhead.of(
                "bench",
                BulkheadConfig.custom()
                        .maxConcurrentCalls(slots)
                        .maxWaitDuration(LONG)
                        .build());
    }

    static dev.failsafe.Bulkhead<Object> failsafe(int slots) {
        return dev.failsafe.Bulkhead.builder(slots).withMaxWaitTime(LONG).build();
    }

    /** One future for each task, all of them awaited. */
    record Submitting(Way way, Runnable closing) implements Crew {
        interface Way {
            Future<?> submit(Runnable task);
        }

        @Override
        public void run(Runnable task, int n) throws InterruptedException, ExecutionException {
            Future<?>[] futures = new Future<?>[n];
            for (int i = 0; i < n; i++) {
                futures[i] = way.submit(task);
            }
            for (Future<?> future : futures) {
                future.get();
            }
        }

        @Override
        public void close() {
            closing.run();
        }
    }

    record Collecting(ExecutorService executor, int slots) implements Crew {
        @Override
        public void run(Runnable task, int n) throws InterruptedException, ExecutionException {
            long done = IntStream.range(0, n)
                    .boxed()
                    .collect(ParallelCollectors.parallel(
                            i -> {
                                task.run();
                                return i;
                            },
                            counting(),
                            executor,
                            slots))
                    .get();
            if (done != n) {
                throw new AssertionError(n + " tasks were given, " + done + " were collected");
            }
        }

        @Override
        public void close() {
            executor.close();
        }
    }
}
