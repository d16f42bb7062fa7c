package io.heptad.pool;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Seeded;
import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    /** A thread whose interrupt takes its time. */
    private static final class Slow extends Thread {
        private final CountDownLatch underWay = new CountDownLatch(1);
        private final CountDownLatch goesOn = new CountDownLatch(1);

        Slow(Runnable body) {
            super(body);
            setDaemon(true);
        }

        @Override
        public void interrupt() {
            underWay.countDown();
            Uninterrupted.await(goesOn);
            super.interrupt();
        }
    }

    @Test
    void aCallerDoesNotReturnBeforeAnInterruptThatIsUnderWayToIt() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 1, BLOCK);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        AtomicReference<Object> seen = new AtomicReference<>();
        Slow caller = new Slow(() -> {
            try {
                pool.run(() -> {
                    begun.countDown();
                    Uninterrupted.await(ends);
                });
                seen.set(Thread.currentThread().isInterrupted());
            } catch (InterruptedException closed) {
                seen.set(closed);
            }
        });
        caller.start();
        begun.await();
        Thread closer = Thread.ofPlatform().daemon().start(pool::closeNow);
        caller.underWay.await();
        ends.countDown();
        Wait.until().until(() -> pool.stats().completed() == 1);

        Wait.untilParked(caller);
        assertThat(seen).hasValue(null);
        caller.goesOn.countDown();
        caller.join();
        closer.join();

        assertThat(seen).as("interrupted, and known to be").hasValue(true);
    }

    /**
     * The caller sits down after closeNow has said that nobody may begin, and before it looks who sits. The long line
     * makes that moment longer: it is emptied in between.
     */
    @Test
    void aCallerThatIsKeptFromBeginningDoesNotKeepTheInterruptForItsBody() {
        Seeded.run(random -> {
            for (int round = 0; round < 500; round++) {
                WorkerPool pool = WorkerPool.of("db", 1, 1_000, REJECT);
                assertThat(pool.slots().tryTake()).isTrue();
                AtomicReference<Object> end = new AtomicReference<>();
                AtomicBoolean flag = new AtomicBoolean();
                Thread caller = Thread.ofPlatform().daemon().start(() -> {
                    try {
                        end.set(pool.run(() -> "ran"));
                    } catch (ClosedException | InterruptedException refused) {
                        end.set(refused);
                    }
                    flag.set(Thread.currentThread().isInterrupted());
                });
                while (pool.depth() == 0) {
                    Thread.onSpinWait();
                }
                for (int i = 1; i < 1_000; i++) {
                    pool.submit(() -> 1);
                }
                Wait.untilParked(caller);
                Waiter<?> granted = pool.slots().pass();
                pool.dispatch().start(granted);
                for (int spins = random.nextInt(500); spins > 0; spins--) {
                    Thread.onSpinWait();
                }
                pool.closeNow();
                caller.join();

                if (end.get() instanceof ClosedException) {
                    assertThat(flag).as("round %d", round).isFalse();
                }
                assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
            }
        });
    }

    /** The caller has decided to leave, and has not left. The deep stack makes that moment longer, as an exception does. */
    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void aCallerThatIsInterruptedAsThePoolClosesIsCountedOnce(boolean atTheDoor, boolean now) {
        Seeded.run(random -> {
            for (int round = 0; round < 1_000; round++) {
                WorkerPool pool = WorkerPool.of("db", 1, 1, BLOCK);
                assertThat(pool.slots().tryTake()).isTrue();
                if (atTheDoor) {
                    pool.submit(() -> 1);
                }
                Thread caller = Thread.ofPlatform()
                        .daemon()
                        .start(() -> deeply(300, () -> {
                            try {
                                pool.run(() -> 1);
                            } catch (ClosedException | InterruptedException left) {
                                // either way
                            }
                        }));
                while (caller.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait();
                }
                int spins = random.nextInt(1_500);
                caller.interrupt();
                while (spins-- > 0) {
                    Thread.onSpinWait();
                }
                if (now) {
                    pool.closeNow();
                } else {
                    pool.close();
                }
                caller.join();
                pool.dispatch().start(pool.slots().pass());
                assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
                PoolStats end = pool.stats();
                assertThat(end.submitted())
                        .as("round %d: %s", round, end)
                        .isEqualTo(end.completed() + end.failed() + end.cancelled() + end.rejected() + end.dropped());
            }
        });
    }

    private static void deeply(int frames, Runnable call) {
        if (frames == 0) {
            call.run();
        } else {
            deeply(frames - 1, call);
        }
    }

    /**
     * A worker leaves its seat and asks whether the pool is closed; a closer closes it and asks whether all seats are
     * free. Each stores and then reads what the other stores, so without a fence neither may see the other, and nobody
     * says that the pool has ended.
     *
     * <p>The window is the time that a store takes to leave its processor. On x86 one round in some 50,000 hits it, so
     * {@code -Dheptad.pool.seconds=30} is what shows a missing fence; the build only looks in passing.
     */
    @Test
    @Timeout(value = 1, unit = TimeUnit.DAYS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aWorkerThatLeavesAsThePoolClosesIsNotMissed() {
        AtomicReference<Runnable> worker = new AtomicReference<>();
        AtomicInteger round = new AtomicInteger();
        AtomicInteger left = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        Thread.ofPlatform().daemon().start(() -> {
            for (int next = 1; !over.get(); ) {
                if (round.get() == next) {
                    worker.get().run();
                    left.set(next++);
                } else {
                    Thread.onSpinWait();
                }
            }
        });
        long end = System.nanoTime()
                + Duration.ofSeconds(Long.getLong("heptad.pool.seconds", 1)).toNanos();
        try {
            Seeded.run(random -> {
                for (int next = 1; next == 1 || System.nanoTime() < end; next++) {
                    WorkerPool pool = WorkerPool.builder("db", 1, 1, REJECT)
                            .threads(task -> {
                                worker.set(task);
                                return Thread.ofVirtual().unstarted(() -> {});
                            })
                            .build();
                    pool.submit(() -> 1);
                    int looks = random.nextInt(10);
                    round.set(next);
                    while (pool.seats().ended() == 0) {
                        Thread.onSpinWait(); // the body has ended, the worker is on its way out
                    }
                    while (looks-- > 0) {
                        pool.seats().busy(); // its store has to fetch the line back from here
                    }
                    pool.slots().close(); // close() itself, without what it does in between
                    pool.dispatch().signalIfIdle();
                    while (left.get() != next) {
                        Thread.onSpinWait();
                    }
                    assertThat(pool.dispatch().idle()).as("round %d", next).isDone();
                    pool.close();
                }
            });
        } finally {
            over.set(true);
        }
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
