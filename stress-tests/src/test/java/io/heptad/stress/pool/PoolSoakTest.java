package io.heptad.stress.pool;

import static io.heptad.stress.OneCarrier.WAITERS;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.core.FullPolicy;
import io.heptad.pool.WorkerPool;
import io.heptad.stress.OneCarrier;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Every call of the pool that may wait, on one carrier. */
class PoolSoakTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final CountDownLatch hold = new CountDownLatch(1);

    private WorkerPool held(int waiting) {
        WorkerPool pool = WorkerPool.of("r", 1, waiting, FullPolicy.BLOCK);
        pool.submit(() -> hold.await());
        return pool;
    }

    private Void release() {
        hold.countDown();
        return null;
    }

    @Test
    void runsGetTheirSlot() throws Exception {
        WorkerPool pool = held(WAITERS);
        assertThat(OneCarrier.soak(() -> pool.stats().waiting(), () -> pool.run(() -> "ran"), this::release))
                .containsOnly("ran");
    }

    @Test
    void timedRunsGetTheirSlot() throws Exception {
        WorkerPool pool = held(WAITERS);
        assertThat(OneCarrier.soak(() -> pool.stats().waiting(), () -> pool.run(LONG, () -> "ran"), this::release))
                .containsOnly("ran");
    }

    @Test
    void submittedTasksAreJoined() throws Exception {
        WorkerPool pool = held(WAITERS);
        assertThat(OneCarrier.soak(
                        () -> pool.stats().waiting(),
                        () -> pool.submit(() -> "ran").get(),
                        this::release))
                .containsOnly("ran");
    }

    @Test
    void submittersGetAPlaceInTheLine() throws Exception {
        WorkerPool pool = held(1);
        AtomicInteger arrived = new AtomicInteger();
        assertThat(OneCarrier.soak(
                        arrived::get,
                        () -> {
                            arrived.incrementAndGet();
                            return pool.submit(() -> "ran").get();
                        },
                        this::release))
                .containsOnly("ran");
    }

    @Test
    void closeIsWaitedFor() throws Exception {
        WorkerPool pool = held(1);
        AtomicInteger arrived = new AtomicInteger();
        assertThat(OneCarrier.soak(
                        arrived::get,
                        () -> {
                            arrived.incrementAndGet();
                            return pool.close(LONG);
                        },
                        this::release))
                .containsOnly(true);
    }

    @Test
    void aBodyThatBlocksLeavesTheCarrierToTheOthers() throws Exception {
        WorkerPool pool = WorkerPool.of("r", WAITERS, 1, FullPolicy.BLOCK);
        CompletableFuture<String> signal = new CompletableFuture<>();
        assertThat(OneCarrier.soak(
                        () -> pool.stats().running(),
                        () -> pool.submit(() -> signal.get()).get(),
                        () -> signal.complete("signalled")))
                .containsOnly("signalled");
        Awaitility.await()
                .atMost(Duration.ofSeconds(5))
                .until(() -> pool.stats().active() == 0);
    }
}
