package io.heptad.pool;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.DROP_OLDEST;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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
            awaitIdle(pool);
            assertThat(executor.invokeAny(calls)).isIn(4, 5, 6);
            awaitIdle(pool); // it does not wait for those that it has cancelled: they may still be in line

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

    private static void awaitIdle(WorkerPool pool) {
        await().until(() -> pool.stats().active() == 0 && pool.depth() == 0);
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

    @Test
    void aWrappedCommandIsReturnedAndCancelledAsAnyOther() throws InterruptedException {
        WorkerPool pool =
                WorkerPool.builder("db", 1, 10, REJECT).wrapTasks(task -> task).build();
        ExecutorService executor = pool.asExecutorService();
        held.occupy(pool, 1);
        FutureTask<Integer> future = new FutureTask<>(() -> 1);
        executor.execute(future);

        assertThat(executor.shutdownNow()).containsExactly(future);

        assertThat(future.isCancelled()).isTrue();
        assertThat(executor.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aCommandThatItsWrapperDoesNotRunIsCancelledAndReported() throws InterruptedException {
        AtomicInteger turn = new AtomicInteger();
        Queue<Throwable> reports = new ConcurrentLinkedQueue<>();
        WorkerPool pool = WorkerPool.builder("db", 1, 10, REJECT)
                .threads(Thread.ofVirtual()
                        .uncaughtExceptionHandler((thread, thrown) -> reports.add(thrown))
                        .factory())
                .wrapTasks(task -> switch (turn.getAndIncrement()) {
                    case 0 -> throw new IllegalArgumentException("in the wrapper");
                    case 1 -> () -> {};
                    default ->
                        () -> {
                            task.run();
                            throw new IllegalArgumentException("after the task");
                        };
                })
                .build();
        List<FutureTask<Integer>> futures =
                List.of(new FutureTask<>(() -> 1), new FutureTask<>(() -> 2), new FutureTask<>(() -> 3));
        futures.forEach(pool.asExecutorService()::execute);

        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        assertThat(futures)
                .extracting(Future::state)
                .containsExactly(Future.State.CANCELLED, Future.State.CANCELLED, Future.State.SUCCESS);
        assertThat(reports).hasSize(3);
    }

    @Test
    void aCommandWhoseThreadIsLateForShutdownNowIsCancelled() throws InterruptedException {
        AtomicReference<Runnable> late = new AtomicReference<>();
        WorkerPool pool = WorkerPool.builder("db", 1, 1, REJECT)
                .threads(task -> {
                    late.set(task);
                    return Thread.ofVirtual().unstarted(() -> {});
                })
                .build();
        FutureTask<Integer> future = new FutureTask<>(() -> 1);
        pool.asExecutorService().execute(future);

        assertThat(pool.asExecutorService().shutdownNow()).isEmpty();
        late.get().run();

        assertThat(future.isCancelled()).isTrue();
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void aCommandWithoutAThreadIsReported() {
        WorkerPool pool = WorkerPool.builder("db", 1, 1, REJECT)
                .threads(task -> {
                    throw new OutOfMemoryError("no thread");
                })
                .build();
        Queue<Throwable> reports = new ConcurrentLinkedQueue<>();
        Thread submitter = Thread.ofVirtual()
                .uncaughtExceptionHandler((thread, thrown) -> reports.add(thrown))
                .start(() -> pool.asExecutorService().execute(() -> {}));

        Wait.until().until(() -> !submitter.isAlive());

        assertThat(reports).singleElement().isInstanceOf(OutOfMemoryError.class);
        pool.close();
    }

    @Test
    void aFutureThatThrowsAsItIsCancelledHarmsNoOther() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 10, REJECT);
        held.occupy(pool, 1);
        FutureTask<Integer> throwing = new FutureTask<>(() -> 1) {
            @Override
            protected void done() {
                throw new IllegalStateException("Queue full");
            }
        };
        FutureTask<Integer> other = new FutureTask<>(() -> 2);
        pool.asExecutorService().execute(throwing);
        pool.asExecutorService().execute(other);

        assertThat(pool.asExecutorService().shutdownNow()).containsExactly(throwing, other);

        assertThat(other.isCancelled()).isTrue();
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
    }

    private static FutureTask<Integer> throwingAsItIsCancelled() {
        return new FutureTask<>(() -> 1) {
            @Override
            protected void done() {
                throw new IllegalStateException("not now");
            }
        };
    }

    @Test
    void norWhoeverPushesItOutOfTheLine() {
        WorkerPool pool = WorkerPool.of("db", 1, 1, DROP_OLDEST);
        held.occupy(pool, 1);
        FutureTask<Integer> oldest = throwingAsItIsCancelled();
        AtomicBoolean ran = new AtomicBoolean();
        pool.asExecutorService().execute(oldest);

        pool.asExecutorService().execute(() -> ran.set(true));

        assertThat(oldest.isCancelled()).isTrue();
        held.release();
        Wait.until().untilTrue(ran);
        pool.close();
    }

    @Test
    void norTheSlotOfAWrapperThatDoesNotRunIt() {
        Queue<Throwable> reports = new ConcurrentLinkedQueue<>();
        WorkerPool pool = WorkerPool.builder("db", 1, 10, REJECT)
                .threads(Thread.ofVirtual()
                        .uncaughtExceptionHandler((thread, thrown) -> reports.add(thrown))
                        .factory())
                .wrapTasks(task -> () -> {})
                .build();
        FutureTask<Integer> command = throwingAsItIsCancelled();

        pool.asExecutorService().execute(command);

        Wait.until().until(command::isCancelled);
        Wait.until().until(() -> pool.stats().active() == 0);
        assertThat(reports).extracting(Throwable::getMessage).contains("not now");
        pool.close();
    }
}
