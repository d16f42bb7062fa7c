package io.heptad.stress.pipeline;

import static io.heptad.stress.OneCarrier.WAITERS;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.core.ClosedException;
import io.heptad.core.FullPolicy;
import io.heptad.pipeline.OnError;
import io.heptad.pipeline.Pipeline;
import io.heptad.pool.WorkerPool;
import io.heptad.stress.OneCarrier;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Every call of the pipeline that may wait, and every wait of its workers, on one carrier. */
class PipelineSoakTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final CountDownLatch hold = new CountDownLatch(1);
    private final AtomicInteger arrived = new AtomicInteger();

    private Void release() {
        hold.countDown();
        return null;
    }

    /** Its one worker works until it is released, and one more item fills its queue. */
    private Pipeline<Integer> full() throws InterruptedException {
        Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then("a", 1, item -> {
                    hold.await();
                    return item;
                })
                .start();
        pipeline.put(0);
        pipeline.put(1);
        return pipeline;
    }

    @Test
    void putsAreLetIn() throws Exception {
        try (Pipeline<Integer> pipeline = full()) {
            assertThat(OneCarrier.soak(
                            arrived::get,
                            () -> {
                                arrived.incrementAndGet();
                                return pipeline.put(2);
                            },
                            this::release))
                    .containsOnly(true);
        }
    }

    @Test
    void putsInTimeAreLetIn() throws Exception {
        try (Pipeline<Integer> pipeline = full()) {
            assertThat(OneCarrier.soak(
                            arrived::get,
                            () -> {
                                arrived.incrementAndGet();
                                return pipeline.put(2, LONG);
                            },
                            this::release))
                    .containsOnly(true);
        }
    }

    @Test
    void drainsAreWaitedFor() throws Exception {
        Pipeline<Integer> pipeline = full();
        assertThat(OneCarrier.soak(
                        arrived::get,
                        () -> {
                            arrived.incrementAndGet();
                            return pipeline.close(LONG).drained();
                        },
                        this::release))
                .containsOnly(true);
    }

    @Test
    void putsAreSentAwayByAStop() throws Exception {
        Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                .then(
                        "a",
                        1,
                        item -> {
                            hold.await();
                            throw new IllegalStateException("stops it");
                        },
                        options -> options.onError(OnError.STOP))
                .start();
        pipeline.put(0);
        pipeline.put(1);
        assertThat(OneCarrier.soak(
                        arrived::get,
                        () -> {
                            arrived.incrementAndGet();
                            try {
                                return pipeline.put(2) ? "inside" : "not taken";
                            } catch (ClosedException closed) {
                                return "closed";
                            }
                        },
                        this::release))
                .contains("closed")
                .doesNotContain("not taken");
        assertThat(pipeline.close(LONG).failure())
                .hasValueSatisfying(failure -> assertThat(failure).hasMessage("stops it"));
    }

    @Test
    void workersThatBlockLeaveTheCarrierToEachOther() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        try (Pipeline<CompletableFuture<String>> pipeline = Pipeline.of("p", future())
                .then("a", WAITERS, item -> {
                    inside.incrementAndGet();
                    hold.await();
                    return item;
                })
                .into(item -> item.complete("out"))
                .start()) {
            assertThat(OneCarrier.soak(inside::get, () -> out(pipeline), this::release))
                    .containsOnly("out");
        }
    }

    @Test
    void resultsWaitForTheirTurnAndWorkersForRoom() throws Exception {
        try (Pipeline<CompletableFuture<String>> pipeline = Pipeline.of("p", future())
                .then(
                        "a",
                        30,
                        item -> {
                            hold.await();
                            return item;
                        },
                        options -> options.ordered().window(40))
                .into(item -> item.complete("out"))
                .start()) {
            assertThat(OneCarrier.soak(
                            arrived::get,
                            () -> {
                                arrived.incrementAndGet();
                                return out(pipeline);
                            },
                            this::release))
                    .containsOnly("out");
        }
    }

    @Test
    void itemsStandInLineForTheirKey() throws Exception {
        AtomicInteger keys = new AtomicInteger();
        try (Pipeline<CompletableFuture<String>> pipeline = Pipeline.of("p", future())
                .then(
                        "a",
                        30,
                        item -> {
                            hold.await();
                            return item;
                        },
                        options -> options.orderedBy(item -> keys.incrementAndGet() % 7))
                .into(item -> item.complete("out"))
                .start()) {
            assertThat(OneCarrier.soak(
                            arrived::get,
                            () -> {
                                arrived.incrementAndGet();
                                return out(pipeline);
                            },
                            this::release))
                    .containsOnly("out");
        }
    }

    @Test
    void workersWaitForSlotsOfAPoolAndForTheNextStage() throws Exception {
        WorkerPool pool = WorkerPool.of("r", 1, WAITERS, FullPolicy.BLOCK);
        try (Pipeline<CompletableFuture<String>> pipeline = Pipeline.of("p", future())
                .then("a", 30, item -> item, options -> options.pool(pool))
                .then("b", 1, item -> {
                    hold.await();
                    return item;
                })
                .into(item -> item.complete("out"))
                .start()) {
            assertThat(OneCarrier.soak(
                            arrived::get,
                            () -> {
                                arrived.incrementAndGet();
                                return out(pipeline);
                            },
                            this::release))
                    .containsOnly("out");
        } finally {
            pool.close();
        }
    }

    private static String out(Pipeline<CompletableFuture<String>> pipeline) throws Exception {
        CompletableFuture<String> item = new CompletableFuture<>();
        pipeline.put(item);
        return item.get();
    }

    @SuppressWarnings("unchecked") // there is no class of a generic type
    private static Class<CompletableFuture<String>> future() {
        return (Class<CompletableFuture<String>>) (Class<?>) CompletableFuture.class;
    }
}
