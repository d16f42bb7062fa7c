package io.heptad.pool;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.DROP_NEWEST;
import static io.heptad.core.FullPolicy.DROP_OLDEST;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Seeded;
import io.heptad.contract.Threads;
import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.core.RefusedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever the race with close, every task has exactly one fate, and every future an end. */
@Watched
class PoolCloseTest {
    @ParameterizedTest
    @EnumSource
    void everySubmitThatRacesWithCloseIsRefusedOrEnds(FullPolicy policy) {
        Seeded.run(random -> {
            for (int round = 0; round < 100; round++) {
                boolean now = random.nextBoolean();
                WorkerPool pool = WorkerPool.of("db", 1 + random.nextInt(3), 1 + random.nextInt(4), policy);
                AtomicInteger ran = new AtomicInteger();
                AtomicInteger refused = new AtomicInteger();
                Queue<CompletableFuture<?>> accepted = new ConcurrentLinkedQueue<>();
                CountDownLatch start = new CountDownLatch(1);
                List<Thread> submitters = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    boolean runs = i % 4 == 3;
                    submitters.add(Thread.ofVirtual().start(() -> {
                        try {
                            start.await();
                            for (int k = 0; k < 5; k++) {
                                try {
                                    if (runs) {
                                        pool.run(() -> ran.incrementAndGet());
                                    } else {
                                        accepted.add(pool.submit(ran::incrementAndGet));
                                    }
                                } catch (RefusedException full) {
                                    refused.incrementAndGet();
                                }
                            }
                        } catch (InterruptedException stopped) {
                            refused.incrementAndGet();
                        }
                    }));
                }
                start.countDown();
                for (int spin = random.nextInt(2_000); spin > 0; spin--) {
                    Thread.onSpinWait();
                }
                if (now) {
                    pool.closeNow();
                }
                assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
                assertThat(accepted).allMatch(CompletableFuture::isDone);
                for (Thread submitter : submitters) {
                    submitter.join();
                }
                assertThat(accepted).allMatch(CompletableFuture::isDone);
                PoolStats end = pool.stats();
                assertThat(end.completed()).isEqualTo(ran.get());
                assertThat(end.submitted())
                        .isEqualTo(end.completed() + end.failed() + end.cancelled() + end.rejected() + end.dropped());
                assertThat(end.active()).isZero();
                assertThat(end.waiting()).isZero();
            }
        });
    }

    enum Stop {
        DRAIN,
        LIMIT,
        NOW
    }

    @ParameterizedTest
    @EnumSource
    void allFiftyTasksRunOrComeBackUnrun(Stop stop) throws InterruptedException {
        AtomicInteger threads = new AtomicInteger();
        WorkerPool pool = WorkerPool.builder("db", 2, 50, REJECT)
                .threads(task -> {
                    threads.incrementAndGet();
                    return Thread.ofVirtual().unstarted(task);
                })
                .build();
        Held held = new Held();
        AtomicInteger ran = new AtomicInteger();
        List<CompletableFuture<Void>> tasks = new ArrayList<>(held.occupy(pool, 2));
        for (int i = 0; i < 48; i++) {
            tasks.add(pool.submit(() -> {
                ran.incrementAndGet();
            }));
        }
        int returned = 0;
        switch (stop) {
            case DRAIN -> {
                held.release();
                assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
            }
            case LIMIT -> {
                assertThat(pool.close(Duration.ofMillis(10))).isFalse();
                returned = pool.closeNow();
                assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
            }
            case NOW -> {
                returned = pool.closeNow();
                assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
            }
        }
        assertThat(2 + ran.get() + returned).isEqualTo(50);
        assertThat(threads).as("none is started once it is closed").hasValue(2);
        assertThat(tasks).allMatch(CompletableFuture::isDone);
        assertThat(pool.closeNow()).isZero();
        assertThatThrownBy(() -> pool.submit(() -> 1)).isInstanceOf(ClosedException.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = FullPolicy.class,
            names = {"DROP_NEWEST", "DROP_OLDEST"})
    void everyFutureEndsAlsoTheDroppedOnes(FullPolicy policy) throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 1, policy);
        Held held = new Held();
        held.occupy(pool, 1);
        List<CompletableFuture<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            tasks.add(pool.submit(() -> number));
        }
        held.release();
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();

        int survivor = policy == DROP_OLDEST ? 3 : 0;
        for (int i = 0; i < 4; i++) {
            if (i == survivor) {
                assertThat(tasks.get(i).resultNow()).isEqualTo(i);
            } else {
                assertThat(tasks.get(i).exceptionNow())
                        .isInstanceOf(FullException.class)
                        .hasMessageContaining(policy.name());
            }
        }
        assertThat(pool.stats().dropped()).isEqualTo(3);
    }

    @Test
    void aTaskWhoseThreadIsLateIsNotRunAfterCloseNow() throws InterruptedException {
        AtomicReference<Runnable> late = new AtomicReference<>();
        AtomicInteger ran = new AtomicInteger();
        WorkerPool pool = WorkerPool.builder("db", 1, 1, REJECT)
                .threads(task -> {
                    late.set(task);
                    return Thread.ofVirtual().unstarted(() -> {});
                })
                .build();
        CompletableFuture<Integer> task = pool.submit(ran::incrementAndGet);

        assertThat(pool.closeNow()).isZero();
        assertThat(pool.close(Duration.ofMillis(1))).isFalse();
        late.get().run();

        assertThat(task.exceptionNow()).isInstanceOf(ClosedException.class);
        assertThat(ran).hasValue(0);
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        assertThat(pool.stats().cancelled()).isEqualTo(1);
    }

    @Test
    void aTimedCloseKeepsItsTimeWhateverTheTaskDoes() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 1, REJECT);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        pool.submit(() -> {
            begun.countDown();
            while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
            ended.countDown();
        });
        begun.await();

        long cpuBefore = Threads.cpuNanos(Thread.currentThread());
        long before = System.nanoTime();
        assertThat(pool.close(Duration.ofMillis(100))).isFalse();
        long waited = System.nanoTime() - before;
        long cpu = Threads.cpuNanos(Thread.currentThread()) - cpuBefore;
        assertThat(Duration.ofNanos(waited)).isBetween(Duration.ofMillis(100), Duration.ofSeconds(5));
        assertThat(cpu).as("processor time of %d ns", waited).isLessThan(waited / 5);
        assertThat(pool.close(Duration.ZERO)).isFalse();
        assertThat(pool.close(Duration.ofMillis(-1))).isFalse();
        assertThat(pool.asExecutorService().awaitTermination(0, TimeUnit.SECONDS))
                .isFalse();

        pool.closeNow();
        ended.await();
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        assertThat(pool.close(Duration.ZERO)).isTrue();
    }

    @Test
    void aClosedPoolHasNotEndedWhileAThreadOfItStillCompletesAFuture() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 1, REJECT);
        CountDownLatch attached = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> task = pool.submit(() -> attached.await());
        CompletableFuture<Void> dependent = task.thenRun(() -> {
            begun.countDown();
            try {
                leave.await();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        });
        attached.countDown();
        begun.await();

        assertThat(pool.stats().active()).isZero();
        assertThat(pool.close(Duration.ofMillis(5))).isFalse();
        leave.countDown();
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        assertThat(dependent).isDone();
    }

    @Test
    void norWhileWhoeverDroppedATaskStillCompletesItsFuture() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 1, DROP_OLDEST);
        Held held = new Held();
        held.occupy(pool, 1);
        CountDownLatch leave = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Integer> oldest = pool.submit(() -> 1);
        oldest.whenComplete((value, dropped) -> {
            begun.countDown();
            try {
                leave.await();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        });
        AtomicReference<CompletableFuture<Integer>> newest = new AtomicReference<>();
        Thread submitter = Thread.ofVirtual().start(() -> newest.set(pool.submit(() -> 2)));
        begun.await();
        held.release();
        Wait.until().until(() -> pool.stats().completed() == 2 && pool.stats().active() == 0);

        assertThat(pool.close(Duration.ofMillis(5))).isFalse();
        leave.countDown();
        submitter.join();
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        assertThat(newest.get().join()).isEqualTo(2);
    }

    @Test
    void closeNowInterruptsTheBodiesOfCallersToo() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 1, BLOCK);
        CountDownLatch begun = new CountDownLatch(1);
        AtomicReference<Throwable> running = new AtomicReference<>();
        AtomicReference<Throwable> waiting = new AtomicReference<>();
        Thread runner = Thread.ofVirtual().start(() -> {
            try {
                pool.run(() -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                });
            } catch (Throwable thrown) {
                running.set(thrown);
            }
        });
        begun.await();
        Thread waiter = Thread.ofVirtual().start(() -> {
            try {
                pool.run(() -> 1);
            } catch (Throwable thrown) {
                waiting.set(thrown);
            }
        });
        Wait.until().until(() -> pool.depth() == 1);

        assertThat(pool.closeNow()).isEqualTo(1);

        runner.join();
        waiter.join();
        assertThat(running.get()).isInstanceOf(InterruptedException.class);
        assertThat(waiting.get()).isInstanceOf(ClosedException.class);
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void closeNowFromInsideATaskEndsTheOthersAndNotItself() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 2, 10, DROP_NEWEST);
        Held held = new Held();
        CompletableFuture<Void> other = held.occupy(pool, 1).get(0);

        CompletableFuture<Boolean> self = pool.submit(() -> {
            pool.closeNow();
            return Thread.currentThread().isInterrupted();
        });

        assertThat(self.join()).isFalse();
        assertThatThrownBy(other::join).hasCauseInstanceOf(InterruptedException.class);
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void whatTasksThrowHarmsNobody() {
        Thread.UncaughtExceptionHandler throwing = (thread, thrown) -> {
            throw new IllegalStateException("the handler fails as well");
        };
        WorkerPool pool = WorkerPool.builder("db", 2, 1_000, REJECT)
                .threads(task -> {
                    Thread thread = Thread.ofVirtual().unstarted(task);
                    thread.setUncaughtExceptionHandler(throwing);
                    return thread;
                })
                .build();
        List<Throwable> kinds =
                List.of(new Exception("checked"), new AssertionError("error"), new StackOverflowError());
        for (Throwable kind : kinds) {
            pool.submit(() -> {
                if (kind instanceof Error error) {
                    throw error;
                }
                throw (Exception) kind;
            });
            pool.asExecutorService().execute(() -> {
                throw new IllegalStateException("no future carries this");
            });
        }
        AtomicInteger ran = new AtomicInteger();
        List<CompletableFuture<Integer>> normal = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            normal.add(pool.submit(ran::incrementAndGet));
        }
        normal.forEach(CompletableFuture::join);

        assertThat(ran).hasValue(100);
        Wait.until().until(() -> pool.stats().active() == 0);
        assertThat(pool.stats().failed()).isEqualTo(6);
        pool.close();
    }

    @Test
    void aStageThatTheEndWaitsForDoesNotWaitForTheEnd() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 10, REJECT);
        Held held = new Held();
        CompletableFuture<Void> running = pool.submit(held.body());
        held.awaitBegun(1);
        CompletableFuture<Boolean> afterTheBody = running.thenApply(x -> closes(pool));
        CompletableFuture<Boolean> afterCancel = pool.submit(() -> 1).handle((x, thrown) -> closes(pool));
        CompletableFuture<Integer> cancelled = pool.submit(() -> 2);
        CompletableFuture<Boolean> inCancel = cancelled.handle((x, thrown) -> closes(pool));

        assertThat(cancelled.cancel(false)).isTrue();
        assertThat(inCancel.join()).isFalse();
        held.release();
        assertThat(afterTheBody.join()).isFalse();
        assertThat(afterCancel.join()).isFalse();
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void norDoesOneThatCloseNowRuns() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 10, REJECT);
        Held held = new Held();
        held.occupy(pool, 1);
        CompletableFuture<Boolean> inCloseNow = pool.submit(() -> 1).handle((x, thrown) -> closes(pool));

        assertThat(pool.closeNow()).isEqualTo(1);

        assertThat(inCloseNow.join()).isFalse();
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
    }

    /** Longer than the watchdog allows, should it wait. */
    private static boolean closes(WorkerPool pool) {
        try {
            return pool.close(Duration.ofMinutes(1));
        } catch (InterruptedException stop) {
            throw new AssertionError(stop);
        }
    }

    @Test
    void closeNowInterruptsABodyWhoseFutureWasCancelledWithoutInterrupt() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 10, REJECT);
        CompletableFuture<Void> task = new Held().occupy(pool, 1).get(0);
        assertThat(task.cancel(false)).isTrue();

        pool.closeNow();

        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        assertThat(pool.stats().cancelled()).isEqualTo(1);
    }

    @Test
    void aThreadWhoseInterruptThrowsIsInterruptedAndHarmsNobody() throws InterruptedException {
        WorkerPool pool = WorkerPool.builder("db", 3, 10, REJECT)
                .threads(task -> new Thread(task) {
                    @Override
                    public void interrupt() {
                        super.interrupt();
                        throw new IllegalStateException("not me");
                    }
                })
                .build();
        List<CompletableFuture<Void>> tasks = new Held().occupy(pool, 3);

        assertThat(tasks.get(0).cancel(true)).isTrue();
        pool.closeNow();

        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        assertThat(tasks).allMatch(CompletableFuture::isDone);
    }
}
