package io.heptad.recipes.partner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.heptad.core.FullPolicy;
import io.heptad.core.Work;
import io.heptad.future.Futures;
import io.heptad.pool.BatchReport;
import io.heptad.pool.Settled;
import io.heptad.pool.WorkerPool;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What goes right with the shipped batch, and beside it the wrong way, with the figure that gives it away. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NaiveBatchesTest {
    private static final int SLOTS = 20;

    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger peak = new AtomicInteger();

    @Test
    void failuresDoNotStopTheBatchAndEachKeepsItsItemAndItsReason() throws Exception {
        List<String> items = items(10_000);
        BatchReport<String, String> report = settle(items, this::everyTenthFails);

        assertThat(report.succeeded()).hasSize(9_000);
        assertThat(report.failed()).hasSize(1_000);
        Map<String, String> reasons = report.failed().stream()
                .collect(Collectors.toMap(
                        Settled.Failed::item, one -> String.valueOf(one.cause().getMessage())));
        assertThat(reasons).hasSize(1_000).allSatisfy((item, reason) -> {
            assertThat(number(item) % 10).isZero();
            assertThat(reason).isEqualTo("no " + item);
        });
        assertThat(peak.get()).isLessThanOrEqualTo(SLOTS);

        BatchReport<String, String> second = settle(report.retryInput(), item -> "fixed");
        assertThat(second.succeeded()).hasSize(1_000);
        assertThat(second.retryInput()).isEmpty();
    }

    @Test
    void allInPlaceOfSettleEndsAtTheFirstFailureAndReportsNobodyElse() throws Exception {
        List<String> items = items(100);
        CountDownLatch decided = new CountDownLatch(1);
        AtomicInteger ended = new AtomicInteger();
        try (WorkerPool pool = pool(items.size())) {
            List<CompletableFuture<String>> calls = items.stream()
                    .map(item -> pool.submit(() -> {
                        try {
                            if (number(item) > 10) {
                                decided.await(); // all the others are still being called
                            }
                            return everyTenthFails(item);
                        } finally {
                            ended.incrementAndGet();
                        }
                    }))
                    .toList();
            try {
                CompletableFuture<List<String>> all = Futures.all(calls);

                assertThatExceptionOfType(CompletionException.class)
                        .isThrownBy(all::join)
                        .withMessageContaining("no item-10");
                assertThat(ended.get()).isLessThanOrEqualTo(10); // the batch is over, and ninety have no outcome
            } finally {
                decided.countDown();
            }
        }
    }

    @Test
    void theRealPoolFinishesAlthoughEveryCallFails() throws Exception {
        BatchReport<String, String> report = settle(items(1_000), item -> {
            throw new PartnerException("HTTP 500");
        });

        assertThat(report.failed()).hasSize(1_000);
    }

    @Test
    void withoutTheFinallyTheBatchStallsAfterAsManyFailuresAsThereAreSlots() throws Exception {
        NaiveBatches.LeakyPool leaky = new NaiveBatches.LeakyPool(SLOTS);
        AtomicInteger failures = new AtomicInteger();
        AtomicInteger running = new AtomicInteger();
        Work<String, String> failing = item -> {
            running.incrementAndGet();
            try {
                throw new PartnerException("HTTP 500");
            } finally {
                running.decrementAndGet();
            }
        };
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Thread batch = new Thread(() -> {
                try {
                    leaky.forEach(items(1_000), failing, threads, thrown -> failures.incrementAndGet());
                } catch (InterruptedException watchdog) {
                    Thread.currentThread().interrupt();
                }
            });
            batch.start();

            // The watchdog: everything has ended, nothing is free, and the batch waits. No error, no activity.
            await().until(() -> failures.get() == SLOTS
                    && running.get() == 0
                    && leaky.free() == 0
                    && batch.getState() == Thread.State.WAITING);
            assertThat(batch.join(Duration.ofMillis(200))).isFalse();
            assertThat(failures.get()).isEqualTo(SLOTS);

            batch.interrupt();
            batch.join();
        }
    }

    @Test
    void theMapThatLaunchesFillsTheSlotsAndTheLoopThatWaitsHasOneCallInFlight() throws Exception {
        CyclicBarrier full = new CyclicBarrier(SLOTS);
        settle(items(20 * SLOTS), counted(item -> {
            full.await(30, TimeUnit.SECONDS); // passes only when all slots are in use
            return "ok";
        }));
        assertThat(peak.get()).isEqualTo(SLOTS);

        peak.set(0);
        try (WorkerPool pool = pool(SLOTS)) {
            NaiveBatches.loopThatWaits(pool, items(200), counted(this::everyTenthFails));
        }
        assertThat(peak.get()).isEqualTo(1);
    }

    @Test
    void retriesRoundTheBatchComeAsABurstAndRetriesInTheSlotDoNot() throws Exception {
        List<String> items = items(200);
        BatchReport<String, String> first = settle(items, counted(item -> {
            throw new PartnerException("HTTP 500");
        }));
        assertThat(peak.get()).isLessThanOrEqualTo(SLOTS);

        CountDownLatch allBack = new CountDownLatch(items.size());
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            NaiveBatches.retryRoundTheBatch(
                    first,
                    counted(item -> {
                        allBack.countDown();
                        allBack.await(); // a call lasts longer than it takes to launch the others
                        return "ok";
                    }),
                    threads);
        }
        assertThat(peak.get()).isEqualTo(items.size());

        peak.set(0);
        settle(items, item -> {
            for (int tries = 1; ; tries++) {
                int thisTry = tries;
                try {
                    return counted(same -> {
                                if (thisTry < 3) {
                                    throw new PartnerException("HTTP 500");
                                }
                                return "ok";
                            })
                            .apply(item);
                } catch (PartnerException again) {
                    assertThat(thisTry).isLessThan(3);
                }
            }
        });
        assertThat(peak.get()).isLessThanOrEqualTo(SLOTS);
    }

    private static BatchReport<String, String> settle(List<String> items, Work<String, String> work)
            throws InterruptedException {
        try (WorkerPool pool = pool(SLOTS)) {
            return pool.settle(items, work);
        }
    }

    private static WorkerPool pool(int waiting) {
        return WorkerPool.of("partner", SLOTS, waiting, FullPolicy.BLOCK);
    }

    private String everyTenthFails(String item) throws PartnerException {
        if (number(item) % 10 == 0) {
            throw new PartnerException("no " + item);
        }
        return "ok";
    }

    private Work<String, String> counted(Work<String, String> work) {
        return item -> {
            peak.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
            try {
                return work.apply(item);
            } finally {
                inFlight.decrementAndGet();
            }
        };
    }

    private static List<String> items(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(i -> "item-" + i).toList();
    }

    private static int number(String item) {
        return Integer.parseInt(item.substring("item-".length()));
    }
}
