package io.heptad.pool;

import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Seeded;
import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One thread runs many tasks, and an interrupt meant for one of them reaches no other. */
@Watched
class InterruptHandshakeTest {
    private final WorkerPool pool = WorkerPool.of("db", 1, 1_000, REJECT);

    @AfterEach
    void close() {
        pool.closeNow();
    }

    @Test
    void aTaskBeginsWithTheFlagClearThoughTheOneBeforeLeftItSet() {
        AtomicReference<Thread> first = new AtomicReference<>();
        AtomicReference<Thread> second = new AtomicReference<>();
        Held held = new Held();
        pool.submit(held.body());
        held.awaitBegun(1);
        pool.submit(() -> {
            first.set(Thread.currentThread());
            Thread.currentThread().interrupt();
        });
        CompletableFuture<Boolean> flag = pool.submit(() -> {
            second.set(Thread.currentThread());
            return Thread.currentThread().isInterrupted();
        });
        held.release();

        assertThat(flag.join()).isFalse();
        assertThat(second.get()).as("the same thread carried on").isSameAs(first.get());
    }

    @Test
    void aTaskBeginsWithTheFlagClearThoughItsThreadWasInterruptedBefore() {
        WorkerPool odd = WorkerPool.builder("db", 1, 1, REJECT)
                .threads(task -> Thread.ofVirtual().unstarted(() -> {
                    Thread.currentThread().interrupt();
                    task.run();
                }))
                .build();

        assertThat(odd.submit(() -> Thread.currentThread().isInterrupted()).join())
                .isFalse();
        odd.close();
    }

    @Test
    void aDependentStageDoesNotInheritTheFlagOfTheBody() {
        CountDownLatch attached = new CountDownLatch(1);
        CompletableFuture<Void> task = pool.submit(() -> {
            attached.await();
            Thread.currentThread().interrupt();
        });
        CompletableFuture<Boolean> flag =
                task.thenApply(x -> Thread.currentThread().isInterrupted());
        attached.countDown();

        assertThat(flag.join()).isFalse();
    }

    @Test
    void aLateCancelOfOneTaskNeverInterruptsTheNext() {
        Seeded.run(random -> {
            for (int round = 0; round < 3_000; round++) {
                AtomicBoolean hit = new AtomicBoolean();
                AtomicBoolean go = new AtomicBoolean();
                CompletableFuture<Void> first = pool.submit(() -> {
                    while (!go.get()) {
                        Thread.onSpinWait();
                    }
                });
                CompletableFuture<Void> second = pool.submit(() -> {
                    for (int spin = 0; spin < 200; spin++) {
                        Thread.onSpinWait();
                        if (Thread.currentThread().isInterrupted()) {
                            hit.set(true);
                        }
                    }
                });
                int delay = random.nextInt(60);
                go.set(true);
                for (int spin = 0; spin < delay; spin++) {
                    Thread.onSpinWait();
                }
                first.cancel(true);
                second.join();
                assertThat(hit).as("round %d", round).isFalse();
            }
        });
    }

    /** The window, held open: the canceller has decided to interrupt, and has not yet. */
    @Test
    void theRunnerCannotLeaveTheTaskWhileItsInterruptIsUnderWay() throws InterruptedException {
        CountDownLatch leave = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        Task<Void> first = (Task<Void>) pool.submit(() -> {
            begun.countDown();
            leave.await();
        });
        begun.await();
        AtomicInteger interrupted = new AtomicInteger(-1);
        CompletableFuture<Void> second =
                pool.submit(() -> interrupted.set(Thread.currentThread().isInterrupted() ? 1 : 0));
        Thread runner = first.thread;
        assertThat(first.moves(Waiter.RUNNING, Waiter.INTERRUPTING)).isTrue();
        leave.countDown();
        Wait.until().until(() -> leave.getCount() == 0 && pool.stats().running() == 1);
        // The body is over or about to be; give the runner every chance to go on to the second task.
        for (int i = 0; i < 200; i++) {
            Thread.yield();
            assertThat(interrupted).hasValue(-1);
        }

        runner.interrupt();
        first.moveTo(Waiter.CANCELLED);

        assertThat(second).succeedsWithin(Duration.ofSeconds(10));
        assertThat(interrupted).hasValue(0);
        assertThat(first).isCancelled();
    }

    @Test
    void cancelWithoutInterruptLetsTheBodyEnd() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        AtomicReference<Boolean> flag = new AtomicReference<>();
        CompletableFuture<Void> task = pool.submit(() -> {
            begun.countDown();
            leave.await();
            flag.set(Thread.currentThread().isInterrupted());
        });
        begun.await();

        assertThat(task.cancel(false)).isTrue();

        assertThat(pool.stats().active()).isEqualTo(1);
        leave.countDown();
        Wait.until().until(() -> pool.stats().active() == 0);
        assertThat(flag.get()).isFalse();
        assertThat(pool.stats().cancelled()).isEqualTo(1);
    }

    @Test
    void aFutureThatTimesOutInLineLeavesItAndIsNotRun() {
        Held held = new Held();
        pool.submit(held.body());
        held.awaitBegun(1);
        AtomicBoolean ran = new AtomicBoolean();
        CompletableFuture<Void> late = pool.submit(() -> ran.set(true));

        late.completeExceptionally(new java.util.concurrent.TimeoutException());

        assertThat(pool.depth()).isZero();
        held.release();
        assertThat(pool.submit(() -> 1)).succeedsWithin(Duration.ofSeconds(10));
        assertThat(ran).isFalse();
        assertThat(pool.stats().cancelled()).isEqualTo(1);
    }

    @Test
    void cancellingADoneTaskChangesNothing() {
        CompletableFuture<Integer> task = pool.submit(() -> 1);
        assertThat(task.join()).isEqualTo(1);

        assertThat(task.cancel(true)).isFalse();

        assertThat(task.join()).isEqualTo(1);
        assertThat(pool.stats().cancelled()).isZero();
        assertThat(pool.submit(() -> Thread.currentThread().isInterrupted()).join())
                .isFalse();
    }

    @Test
    void freshThreadsShareNothing() {
        WorkerPool fresh =
                WorkerPool.builder("db", 1, 10, REJECT).freshThreads().build();
        Held held = new Held();
        fresh.submit(held.body());
        held.awaitBegun(1);
        ThreadLocal<String> trace = new ThreadLocal<>();
        CompletableFuture<Void> leaves = fresh.submit(() -> trace.set("left behind"));
        CompletableFuture<String> sees = fresh.submit(trace::get);
        held.release();

        leaves.join();
        assertThat(sees.join()).isNull();
        fresh.close();
    }
}
