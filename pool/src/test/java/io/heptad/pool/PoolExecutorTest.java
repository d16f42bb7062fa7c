package io.heptad.pool;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.DROP_OLDEST;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

@Watched
class PoolExecutorTest {
    private final Held held = new Held();

    @Test
    void isAnExecutorServiceWithTheSlotsAndTheLineOfItsPool() throws Exception {
        WorkerPool pool = WorkerPool.of("db", 2, 2, REJECT);
        try (ExecutorService executor = pool.asExecutorService()) {
            assertThat(executor.submit(() -> 1).get()).isEqualTo(1);
            assertThat(executor.submit(() -> {}, 2).get()).isEqualTo(2);
            assertThat(executor.submit(() -> {}).get()).isNull();
            assertThat(CompletableFuture.supplyAsync(() -> 3, executor).join()).isEqualTo(3);
            List<Callable<Integer>> calls = List.of(() -> 4, () -> 5, () -> 6);
            assertThat(executor.invokeAll(calls)).extracting(Future::get).containsExactly(4, 5, 6);
            assertThat(executor.invokeAny(calls)).isIn(4, 5, 6);

            held.occupy(pool, 2);
            executor.submit(() -> 7);
            Future<Integer> queued = executor.submit(() -> 8);
            assertThatThrownBy(() -> executor.execute(() -> {})).isInstanceOf(FullException.class);
            assertThatThrownBy(() -> executor.submit(() -> 9)).isInstanceOf(RejectedExecutionException.class);
            assertThat(queued.cancel(true)).isTrue();
            assertThat(pool.depth()).isEqualTo(1);
            assertThat(executor).hasToString("ExecutorService of " + pool);
            held.release();
        }
        assertThat(pool.stats().active()).isZero();
    }

    @Test
    void shuttingItDownClosesThePool() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 2, REJECT);
        ExecutorService executor = pool.asExecutorService();
        held.occupy(pool, 1);
        assertThat(executor.awaitTermination(0, TimeUnit.SECONDS)).isFalse();
        assertThat(executor.isShutdown()).isFalse();

        executor.shutdown();
        executor.shutdown();

        assertThat(executor.isShutdown()).isTrue();
        assertThat(executor.isTerminated()).isFalse();
        assertThat(executor.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();
        assertThatThrownBy(() -> executor.execute(() -> {})).isInstanceOf(ClosedException.class);
        held.release();
        assertThat(executor.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    void shuttingItDownByForceReturnsWhatWaitedAndLeavesNoFuturePending() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 10, REJECT);
        ExecutorService executor = pool.asExecutorService();
        Future<?> running = held.occupy(pool, 1).get(0);
        Runnable plain = () -> {};
        FutureTask<Integer> future = new FutureTask<>(() -> 1);
        executor.execute(plain);
        executor.execute(future);
        Future<Integer> submitted = executor.submit(() -> 2);

        assertThat(executor.shutdownNow()).containsExactly(plain, future);

        assertThat(executor.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
        assertThatThrownBy(submitted::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(ClosedException.class);
        assertThatThrownBy(running::get).hasCauseInstanceOf(InterruptedException.class);
    }

    @Test
    void aDroppedCommandThatIsAFutureIsCancelled() {
        WorkerPool pool = WorkerPool.of("db", 1, 1, DROP_OLDEST);
        held.occupy(pool, 1);
        FutureTask<Integer> oldest = new FutureTask<>(() -> 1);
        pool.asExecutorService().execute(oldest);

        pool.asExecutorService().execute(() -> {});

        assertThat(oldest.isCancelled()).isTrue();
        held.release();
        pool.close();
    }

    @Test
    void anInterruptedExecuteIsRefusedAndKeepsTheFlag() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 1, BLOCK);
        held.occupy(pool, 1);
        pool.submit(() -> 1);
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        AtomicBoolean flag = new AtomicBoolean();
        Thread submitter = Thread.ofPlatform().daemon().start(() -> {
            try {
                pool.asExecutorService().execute(() -> {});
            } catch (RejectedExecutionException refused) {
                refusal.set(refused);
                flag.set(Thread.currentThread().isInterrupted());
            }
        });
        Wait.untilParked(submitter);

        submitter.interrupt();
        submitter.join();

        assertThat(refusal.get()).hasMessageContaining("db").hasMessageContaining("interrupted");
        assertThat(flag).isTrue();
        held.release();
        pool.close();
    }
}
