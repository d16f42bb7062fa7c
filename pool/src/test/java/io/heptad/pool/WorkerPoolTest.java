package io.heptad.pool;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.DROP_NEWEST;
import static io.heptad.core.FullPolicy.DROP_OLDEST;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Watched
class WorkerPoolTest {
    private final Held held = new Held();
    private final List<WorkerPool> opened = new ArrayList<>();

    private WorkerPool pool(int slots, int waiting, FullPolicy policy) {
        WorkerPool pool = WorkerPool.of("db", slots, waiting, policy);
        opened.add(pool);
        return pool;
    }

    @AfterEach
    void everythingEndsAndNoSlotIsLost() throws InterruptedException {
        held.release();
        for (WorkerPool pool : opened) {
            assertThat(pool.close(Duration.ofSeconds(10))).as("ended").isTrue();
            PoolStats end = pool.stats();
            assertThat(end.active()).isZero();
            assertThat(end.running()).isZero();
            assertThat(end.waiting()).isZero();
            assertThat(end.submitted())
                    .isEqualTo(end.completed() + end.failed() + end.cancelled() + end.rejected() + end.dropped());
        }
    }

    // Slots and the line

    @Test
    void runsAsManyTasksAsThereAreSlotsAndKeepsTheRestInLine() {
        WorkerPool pool = pool(10, 5_000, REJECT);
        AtomicInteger now = new AtomicInteger();
        AtomicInteger peak = new AtomicInteger();
        CountDownLatch tenTogether = new CountDownLatch(10);

        List<CompletableFuture<Integer>> futures = IntStream.range(0, 5_000)
                .mapToObj(i -> pool.submit(() -> {
                    peak.accumulateAndGet(now.incrementAndGet(), Math::max);
                    tenTogether.countDown();
                    tenTogether.await();
                    now.decrementAndGet();
                    return i;
                }))
                .toList();

        assertThat(futures.stream().map(CompletableFuture::join))
                .isEqualTo(IntStream.range(0, 5_000).boxed().toList());
        assertThat(peak).hasValue(10);
        assertThat(pool.stats().completed()).isEqualTo(5_000);
    }

    @Test
    void showsActiveAndWaitingTogether() {
        WorkerPool pool = pool(10, 100, REJECT);
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            futures.add(pool.submit(held.body()));
        }
        held.awaitBegun(10);

        PoolStats stats = pool.stats();
        assertThat(stats.active()).isEqualTo(10);
        assertThat(stats.waiting()).isEqualTo(15);
        assertThat(stats.running()).isEqualTo(10);
        assertThat(stats.submitted()).isEqualTo(25);
        assertThat(stats.saturated()).isTrue();

        held.release();
        futures.forEach(CompletableFuture::join);
        assertThat(pool.stats().waiting()).isZero();
        Wait.until().until(() -> pool.stats().active() == 0);
        assertThat(pool.stats().saturated()).isFalse();
    }

    @Test
    void startsInTheOrderOfArrivalWhetherSubmittedOrRun() throws InterruptedException {
        WorkerPool pool = pool(1, 100, REJECT);
        held.occupy(pool, 1);
        List<Integer> started = new CopyOnWriteArrayList<>();
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            int number = i;
            if (i % 2 == 0) {
                pool.submit(() -> started.add(number));
            } else {
                Thread caller = Thread.ofPlatform().daemon().start(() -> runQuietly(pool, () -> started.add(number)));
                callers.add(caller);
                Wait.until().until(() -> pool.depth() == number + 1);
            }
        }

        held.release();

        for (Thread caller : callers) {
            caller.join();
        }
        Wait.until().until(() -> started.size() == 50);
        assertThat(started).isEqualTo(IntStream.range(0, 50).boxed().toList());
    }

    private static void runQuietly(WorkerPool pool, Runnable body) {
        try {
            pool.run(() -> body.run());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void runsTheBodyInTheCallersThreadAndHandsOutWhatItThrows() throws InterruptedException {
        WorkerPool pool = pool(1, 1, REJECT);

        assertThat(pool.run(Thread::currentThread)).isSameAs(Thread.currentThread());
        IOException thrown = new IOException("gone");
        assertThatThrownBy(() -> pool.run(() -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
        pool.run(() -> assertThat(pool.stats().running()).isEqualTo(1));

        PoolStats stats = pool.stats();
        assertThat(stats.active()).isZero();
        assertThat(stats.completed()).isEqualTo(2);
        assertThat(stats.failed()).isEqualTo(1);
    }

    // Full

    @Test
    void rejectsOneMoreThanTheLineHolds() {
        WorkerPool pool = pool(10, 100, REJECT);
        for (int i = 0; i < 110; i++) {
            pool.submit(held.body());
        }

        assertThatThrownBy(() -> pool.submit(held.body())).isInstanceOf(FullException.class);
        assertThatThrownBy(() -> pool.run(() -> 1)).isInstanceOf(FullException.class);
        assertThat(pool.stats().rejected()).isEqualTo(2);
        assertThat(pool.depth()).isEqualTo(100);
    }

    @Test
    void failsTheFutureOfADroppedTask() {
        WorkerPool pool = pool(1, 1, DROP_NEWEST);
        held.occupy(pool, 1);
        CompletableFuture<Integer> first = pool.submit(() -> 1);
        CompletableFuture<Integer> second = pool.submit(() -> 2);
        CompletableFuture<Integer> third = pool.submit(() -> 3);

        assertThat(second.exceptionNow()).isInstanceOf(FullException.class);
        assertThat(third.exceptionNow()).isInstanceOf(FullException.class);
        assertThat(pool.stats().dropped()).isEqualTo(2);
        held.release();
        assertThat(first.join()).isEqualTo(1);
    }

    @Test
    void letsTheOldestMakeRoom() throws InterruptedException {
        WorkerPool pool = pool(1, 1, DROP_OLDEST);
        held.occupy(pool, 1);
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread caller = Thread.ofVirtual().start(() -> {
            try {
                pool.run(() -> 0);
            } catch (Throwable thrown) {
                end.set(thrown);
            }
        });
        Wait.until().until(() -> pool.depth() == 1);
        CompletableFuture<Integer> first = pool.submit(() -> 1);
        CompletableFuture<Integer> second = pool.submit(() -> 2);

        caller.join();
        assertThat(end.get()).isInstanceOf(FullException.class);
        assertThat(first.exceptionNow()).isInstanceOf(FullException.class);
        assertThat(pool.stats().dropped()).isEqualTo(2);
        held.release();
        assertThat(second.join()).isEqualTo(2);
    }

    @Test
    void aBlockedSubmitThatIsInterruptedIsNotAcceptedAndKeepsTheFlag() throws InterruptedException {
        WorkerPool pool = pool(1, 1, BLOCK);
        held.occupy(pool, 1);
        CompletableFuture<Integer> first = pool.submit(() -> 1);
        AtomicReference<CompletableFuture<Integer>> refused = new AtomicReference<>();
        AtomicBoolean flag = new AtomicBoolean();
        Thread submitter = Thread.ofPlatform().start(() -> {
            refused.set(pool.submit(() -> 2));
            flag.set(Thread.currentThread().isInterrupted());
        });
        Wait.untilParked(submitter);

        submitter.interrupt();
        submitter.join();

        assertThat(refused.get().isCancelled()).isTrue();
        assertThat(flag).isTrue();
        assertThat(pool.depth()).isEqualTo(1);
        held.release();
        assertThat(first.join()).isEqualTo(1);
    }

    @Test
    void waitsForAPlaceOrASlotAtMostSoLong() {
        WorkerPool pool = pool(1, 1, BLOCK);
        held.occupy(pool, 1);
        assertThatThrownBy(() -> pool.run(Duration.ZERO, () -> 1)).isInstanceOf(FullException.class);
        assertThatThrownBy(() -> pool.run(Duration.ofMillis(5), () -> 1)).isInstanceOf(FullException.class);
        assertThat(pool.depth()).isZero();
        pool.submit(held.body());

        assertThatThrownBy(() -> pool.submit(Duration.ofMillis(5), () -> 1)).isInstanceOf(FullException.class);
        assertThatThrownBy(() -> pool.submit(Duration.ofSeconds(-1), () -> 1)).isInstanceOf(FullException.class);
        assertThatThrownBy(() -> pool.run(Duration.ofMillis(5), () -> 1)).isInstanceOf(FullException.class);
        assertThat(pool.depth()).isEqualTo(1);
        assertThat(pool.stats().rejected()).isEqualTo(5);
    }

    // Cancel

    @Test
    void cancellingAQueuedTaskFreesItsPlaceAtOnce() {
        WorkerPool pool = pool(1, 2, REJECT);
        held.occupy(pool, 1);
        AtomicBoolean ran = new AtomicBoolean();
        CompletableFuture<Boolean> queued = pool.submit(() -> ran.getAndSet(true));
        CompletableFuture<Integer> behind = pool.submit(() -> 2);

        assertThat(queued.cancel(true)).isTrue();

        assertThat(pool.depth()).isEqualTo(1);
        CompletableFuture<Integer> last = pool.submit(() -> 3);
        held.release();
        assertThat(behind.join()).isEqualTo(2);
        assertThat(last.join()).isEqualTo(3);
        assertThat(ran).isFalse();
        assertThat(pool.stats().cancelled()).isEqualTo(1);
    }

    @Test
    void cancellingARunningTaskInterruptsItAndKeepsTheSlotUntilItHasEnded() {
        WorkerPool pool = pool(1, 1, REJECT);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        CompletableFuture<Void> running = pool.submit(() -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException expected) {
                interrupted.countDown();
                held.body().run();
            }
        });
        join(begun);

        assertThat(running.cancel(true)).isTrue();

        join(interrupted);
        held.awaitBegun(1);
        assertThat(running.isCancelled()).isTrue();
        assertThat(pool.stats().active()).isEqualTo(1);
        CompletableFuture<Integer> next = pool.submit(() -> 2);
        assertThat(pool.depth()).isEqualTo(1);
        held.release();
        assertThat(next.join()).isEqualTo(2);
        assertThat(pool.stats().cancelled()).isEqualTo(1);
    }

    private static void join(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stop) {
            throw new AssertionError(stop);
        }
    }

    @Test
    void whatHappensToADependentStageNeverReachesTheTask() {
        WorkerPool pool = pool(1, 1, REJECT);
        CompletableFuture<Void> task = held.occupy(pool, 1).get(0);

        task.thenRun(() -> {}).cancel(true);
        task.thenApply(x -> 1).complete(2);
        task.thenRun(() -> {}).completeExceptionally(new IOException());

        assertThat(task).isNotDone();
        held.release();
        assertThat(task).succeedsWithin(Duration.ofSeconds(10));
        assertThat(pool.stats().completed()).isEqualTo(1);
    }

    // Size

    @Test
    void growingGrantsAndShrinkingOnlyStopsGranting() {
        WorkerPool pool = pool(2, 100, REJECT);
        for (int i = 0; i < 10; i++) {
            pool.submit(held.body());
        }
        held.awaitBegun(2);
        pool.resize(5);
        held.awaitBegun(3);
        assertThat(pool.stats().active()).isEqualTo(5);
        assertThat(pool.stats().slots()).isEqualTo(5);

        pool.resize(1);
        assertThat(pool.stats().active()).isEqualTo(5);
        assertThat(pool.stats().running()).isEqualTo(5);
        AtomicInteger now = new AtomicInteger();
        AtomicInteger peak = new AtomicInteger();
        List<CompletableFuture<Void>> later = IntStream.range(0, 20)
                .mapToObj(i -> pool.submit(() -> {
                    peak.accumulateAndGet(now.incrementAndGet(), Math::max);
                    Thread.yield();
                    now.decrementAndGet();
                }))
                .toList();
        held.release();
        later.forEach(CompletableFuture::join);
        assertThat(peak).hasValue(1);
    }

    // Close

    @Test
    void closeLetsAcceptedWorkRunAndRefusesMore() throws InterruptedException {
        WorkerPool pool = pool(1, 2, BLOCK);
        held.occupy(pool, 1);
        CompletableFuture<Integer> accepted = pool.submit(() -> 1);

        pool.close();
        pool.close();

        assertThatThrownBy(() -> pool.submit(() -> 2)).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> pool.run(() -> 2)).isInstanceOf(ClosedException.class);
        assertThat(pool.close(Duration.ZERO)).isFalse();
        assertThat(pool.close(Duration.ofMillis(5))).isFalse();
        assertThat(accepted).isNotDone();
        held.release();
        assertThat(pool.close(Duration.ofSeconds(Long.MAX_VALUE))).isTrue();
        assertThat(accepted.join()).isEqualTo(1);
        assertThat(pool.stats().rejected()).isEqualTo(2);
    }

    @Test
    void closeNowFailsTheWaitingInterruptsTheRunningAndCounts() throws InterruptedException {
        WorkerPool pool = pool(1, 2, REJECT);
        CompletableFuture<Void> running = held.occupy(pool, 1).get(0);
        CompletableFuture<Integer> first = pool.submit(() -> 1);
        CompletableFuture<Integer> second = pool.submit(() -> 2);

        assertThat(pool.closeNow()).isEqualTo(2);
        assertThat(pool.closeNow()).isZero();

        assertThat(first.exceptionNow()).isInstanceOf(ClosedException.class);
        assertThat(second.exceptionNow()).isInstanceOf(ClosedException.class);
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        assertThat(running.exceptionNow()).isInstanceOf(InterruptedException.class);
        assertThat(pool.stats().cancelled()).isEqualTo(2);
    }

    @Test
    void mayBeClosedFromInsideItsOwnTask() {
        WorkerPool pool = pool(1, 2, REJECT);

        assertThat(pool.submit(() -> {
                            pool.close();
                            return pool.close(Duration.ofSeconds(Long.MAX_VALUE));
                        })
                        .join())
                .isFalse();
        assertThat(pool).hasToString("WorkerPool[db, 0 of 1 slots active, 0 of 2 places waiting, closed]");
    }

    // Bad input

    @ParameterizedTest
    @EnumSource
    void namesTheParameterAndTheValueItRefuses(FullPolicy policy) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WorkerPool.of("db", 0, 1, policy))
                .withMessage("slots must be at least 1, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WorkerPool.of("db", 1, -5, policy))
                .withMessage("waiting must be at least 1, but is -5");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WorkerPool.of(" ", 1, 1, policy))
                .withMessageContaining("resource");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pool(1, 1, policy).resize(0))
                .withMessage("slots must be at least 1, but is 0");
        assertThatNullPointerException()
                .isThrownBy(() -> WorkerPool.of("db", 1, 1, null))
                .withMessage("whenFull");
        assertThatNullPointerException().isThrownBy(() -> WorkerPool.of(null, 1, 1, policy));
    }
}
