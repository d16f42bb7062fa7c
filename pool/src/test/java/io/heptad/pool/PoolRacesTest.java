package io.heptad.pool;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Windows of a few instructions, held open. */
@Watched
class PoolRacesTest {
    private final Held held = new Held();

    /** A share of one, whose promotions a test interrupts. */
    private static KeyShare share(WorkerPool pool, Runnable promoted) {
        return new KeyShare(pool.slots(), 1, 10, REJECT) {
            @Override
            void promoted() {
                promoted.run();
            }

            @Override
            void idle() {}
        };
    }

    private static Claim claim(WorkerPool pool, KeyShare share) {
        assertThat(share.join()).isTrue();
        return new Claim(pool.dispatch(), share);
    }

    @Test
    void aTaskThatGotItsSlotRightAfterItsShareIsStartedOnce() throws InterruptedException {
        CountDownLatch gate = new CountDownLatch(1);
        AtomicInteger threads = new AtomicInteger();
        WorkerPool pool = WorkerPool.builder("db", 2, 10, REJECT)
                .freshThreads()
                .threads(task -> {
                    boolean late = threads.incrementAndGet() > 2;
                    return Thread.ofVirtual().unstarted(() -> {
                        if (late) {
                            Uninterrupted.await(gate);
                        }
                        task.run();
                    });
                })
                .build();
        CountDownLatch other = new CountDownLatch(1);
        AtomicReference<Task<Integer>> second = new AtomicReference<>();
        KeyShare share = share(pool, () -> {
            assertThat(second.get().status()).isEqualTo(Waiter.LINE);
            other.countDown();
            Wait.until().until(() -> second.get().status() == Waiter.GRANTED);
        });
        CompletableFuture<Void> first = pool.submit(claim(pool, share), WorkerPool.withoutResult(held.body()));
        held.awaitBegun(1);
        pool.submit(() -> other.await());
        second.set((Task<Integer>) pool.<Integer>submit(claim(pool, share), () -> 2));

        held.release();
        first.join();
        gate.countDown();

        assertThat(second.get().join()).isEqualTo(2);
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        assertThat(threads).hasValue(3);
        assertThat(pool.stats().active()).isZero();
        assertThat(pool.stats().completed()).isEqualTo(3);
    }

    @Test
    void aTaskCancelledRightAfterItGotShareAndSlotGivesBothBack() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 2, 10, REJECT);
        AtomicReference<Task<Integer>> second = new AtomicReference<>();
        KeyShare share = share(pool, () -> {
            if (second.get().status() == Waiter.GRANTED) {
                second.get().cancel(false);
            }
        });
        pool.submit(claim(pool, share), WorkerPool.withoutResult(held.body()));
        held.awaitBegun(1);
        second.set((Task<Integer>) pool.<Integer>submit(claim(pool, share), () -> 2));
        Task<Integer> third = (Task<Integer>) pool.<Integer>submit(claim(pool, share), () -> 3);

        held.release();

        assertThat(third).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(3);
        assertThat(second.get()).isCancelled();
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        assertThat(pool.stats().active()).isZero();
    }

    /** The check against starvation asks who runs a granted task: not whoever submitted it. */
    @Test
    void aGrantedTaskIsNotTakenToRunInTheThreadThatSubmittedIt() throws InterruptedException {
        Queue<Runnable> threads = new ConcurrentLinkedQueue<>();
        WorkerPool pool = WorkerPool.builder("db", 1, 10, BLOCK)
                .freshThreads()
                .threads(task -> Thread.ofVirtual().unstarted(() -> threads.add(task)))
                .build();
        pool.submit(() -> 1);
        Wait.until().until(() -> threads.size() == 1);
        Task<Integer> second = (Task<Integer>) pool.<Integer>submit(() -> 2);
        threads.remove().run();

        assertThat(second.status()).isEqualTo(Waiter.GRANTED);
        assertThat(second.thread).isNull();
        Wait.until().until(() -> threads.size() == 1);
        threads.remove().run();
        assertThat(second.join()).isEqualTo(2);
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
    }

    /** The canceller has decided, and has not completed the future yet. */
    @Test
    void aCancelledBodyThatThrowsARefusalOfItsOwnIsCancelledAllTheSame() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 10, REJECT);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        Task<Object> task = (Task<Object>) pool.submit(() -> {
            begun.countDown();
            leave.await();
            throw new ClosedException("another");
        });
        begun.await();
        assertThat(task.moves(Waiter.RUNNING, Waiter.CANCELLED)).isTrue();
        leave.countDown();

        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        assertThat(task).isCancelled();
    }

    private static final class Uninterrupted {
        static void await(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException stop) {
                throw new AssertionError(stop);
            }
        }
    }
}
