package io.heptad.pool;

import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The batch as it is often written, and what each fault looks like from outside; and the same checks on the real one. */
@Watched
class NaiveBatchTest {
    private static final int SLOTS = 20;

    /** Gives the permit back after the work, but not in a finally. */
    private static final class NaivePool {
        private final Semaphore permits = new Semaphore(SLOTS);

        <T> T run(java.util.concurrent.Callable<T> body) throws Exception {
            permits.acquire();
            T value = body.call();
            permits.release();
            return value;
        }
    }

    private final AtomicInteger failures = new AtomicInteger();

    private int failing(int item) throws IOException {
        failures.incrementAndGet();
        throw new IOException("item " + item);
    }

    @Test
    void withoutFinallyTwentyFailuresStopItWithoutAnError() throws Exception {
        NaivePool naive = new NaivePool();
        List<Thread> calls = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            int item = i;
            calls.add(Thread.ofVirtual().start(() -> {
                try {
                    naive.run(() -> failing(item));
                } catch (Exception expected) {
                    assertThat(expected).isNotNull();
                }
            }));
        }
        Wait.until()
                .until(() -> calls.stream()
                        .allMatch(call ->
                                call.getState() == Thread.State.WAITING || call.getState() == Thread.State.TERMINATED));
        assertThat(failures).hasValue(SLOTS);
        assertThat(naive.permits.getQueueLength()).isEqualTo(80);
        calls.forEach(Thread::interrupt);
    }

    @Test
    void theRealOneFinishesHoweverManyFail() throws Exception {
        WorkerPool pool = WorkerPool.of("partner", SLOTS, 1, REJECT);
        BatchReport<Integer, Integer> report =
                pool.settle(IntStream.range(0, 10_000).boxed().toList(), this::failing);
        assertThat(report.failed()).hasSize(10_000);
        assertThat(failures).hasValue(10_000);
        assertThat(pool.stats().active()).isZero();
    }

    @Test
    void aLoopThatWaitsForEachRunsOneAtATime() {
        WorkerPool pool = WorkerPool.of("partner", SLOTS, 1_000, REJECT);
        Peak peak = new Peak(1);
        List<Integer> results = IntStream.range(0, 200)
                .boxed()
                .map(item ->
                        pool.submit(() -> peak.<Integer, Integer>around(i -> i).apply(item)))
                .map(CompletableFuture::join)
                .toList();
        assertThat(results).hasSize(200);
        assertThat(peak.peak()).isEqualTo(1);
    }

    @Test
    void theRealOneCannotBeLazy() throws Exception {
        WorkerPool pool = WorkerPool.of("partner", SLOTS, 1, REJECT);
        Peak peak = new Peak(SLOTS);
        assertThat(pool.settle(IntStream.range(0, 200).boxed().toList(), peak.around(item -> item))
                        .succeeded())
                .hasSize(200);
        assertThat(peak.peak()).isEqualTo(SLOTS);
    }

    @Test
    void allInPlaceOfSettleReportsNothingOfTheOthers() throws Exception {
        WorkerPool pool = WorkerPool.of("partner", SLOTS, 1, REJECT);
        AtomicInteger ran = new AtomicInteger();
        List<java.util.concurrent.Callable<Integer>> tasks = IntStream.range(0, 10_000)
                .mapToObj(item -> (java.util.concurrent.Callable<Integer>) () -> {
                    ran.incrementAndGet();
                    return item == 50 ? failing(item) : item;
                })
                .toList();
        Throwable thrown = null;
        try {
            pool.all(tasks);
        } catch (java.util.concurrent.ExecutionException failed) {
            thrown = failed;
        }
        assertThat(thrown).hasRootCauseMessage("item 50");
        assertThat(ran.get()).isLessThan(10_000);
        assertThat(pool.settle(tasks, java.util.concurrent.Callable::call).succeeded())
                .hasSize(9_999);
    }

    @Test
    void aRetryOutsideTheSlotBurstsThroughTheLimit() throws Exception {
        AtomicInteger inFlight = new AtomicInteger();
        AtomicInteger peak = new AtomicInteger();
        CountDownLatch burst = new CountDownLatch(SLOTS * 2);
        WorkerPool pool = WorkerPool.of("partner", SLOTS, 1, REJECT);
        List<Thread> retries = new ArrayList<>();
        java.util.concurrent.locks.ReentrantLock lock = new java.util.concurrent.locks.ReentrantLock();
        pool.settle(IntStream.range(0, SLOTS * 2).boxed().toList(), item -> {
            lock.lock();
            try {
                retries.add(Thread.ofVirtual().start(() -> {
                    peak.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                    burst.countDown();
                    try {
                        burst.await();
                    } catch (InterruptedException interrupted) {
                        throw new AssertionError(interrupted);
                    }
                    inFlight.decrementAndGet();
                }));
            } finally {
                lock.unlock();
            }
            throw new IOException("first attempt");
        });
        for (Thread retry : retries) {
            retry.join();
        }
        assertThat(peak.get()).isGreaterThan(SLOTS);
    }
}
