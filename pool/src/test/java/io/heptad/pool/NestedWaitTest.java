package io.heptad.pool;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Seeded;
import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A task that waits for its own pool is told when that could not end, and only then. */
@Watched
class NestedWaitTest {
    private WorkerPool pool;

    private void open(int slots, int waiting, FullPolicy policy) {
        pool = WorkerPool.of("db", slots, waiting, policy);
    }

    @AfterEach
    void nothingIsStuck() throws InterruptedException {
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        PoolStats end = pool.stats();
        assertThat(end.active()).isZero();
        assertThat(end.submitted())
                .as("everybody has a fate: %s", end)
                .isEqualTo(end.completed() + end.failed() + end.cancelled() + end.rejected() + end.dropped());
    }

    @Test
    void aJoinThatWouldWaitForTheLastSlotFailsFastAndNamesThePool() {
        open(1, 10, REJECT);
        CompletableFuture<Integer> outer =
                pool.submit(() -> pool.submit(() -> 1).join());

        assertThatThrownBy(outer::join)
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("db would starve");
    }

    @Test
    void soDoesAGet() {
        open(1, 10, REJECT);
        CompletableFuture<Integer> outer =
                pool.submit(() -> pool.submit(() -> 1).get());

        assertThatThrownBy(outer::get).isInstanceOf(ExecutionException.class).hasMessageContaining("db would starve");
    }

    @Test
    void soDoesARunInsideATaskAndARunInsideARun() throws InterruptedException {
        open(1, 10, BLOCK);
        assertThatThrownBy(() -> pool.submit(() -> pool.run(() -> 1)).join()).hasMessageContaining("db would starve");
        assertThatThrownBy(() -> pool.run(() -> pool.run(() -> 1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("db would starve");
        open(2, 10, BLOCK);
        assertThat(pool.<Integer, InterruptedException>run(() -> pool.run(() -> 1)))
                .isEqualTo(1);
        assertThatThrownBy(() -> pool.run(() -> pool.run(() -> pool.run(() -> 1))))
                .hasMessageContaining("all 2 slots");
    }

    @Test
    void soDoesASubmitThatWouldWaitForAPlace() {
        open(1, 1, BLOCK);
        CompletableFuture<Object> outer = pool.submit(() -> {
            pool.submit(() -> 1);
            return pool.submit(() -> 2);
        });

        assertThatThrownBy(outer::join).hasMessageContaining("db would starve");
        assertThat(pool.stats().rejected()).isEqualTo(1);
    }

    @Test
    void whoeverIsToldOfStarvationIsCountedAsRejected() {
        open(1, 10, BLOCK);
        assertThatThrownBy(() -> pool.run(() -> pool.run(() -> 1))).hasMessageContaining("db would starve");

        assertThat(pool.stats().rejected()).isEqualTo(1);
        assertThat(pool.stats().failed()).isEqualTo(1);
    }

    /**
     * The close comes between the finding that the submit would starve and its leaving the door. The deep stack makes
     * that moment longer: the exception is built in it.
     */
    @Test
    void aSubmitThatMeetsTheCloseWhileItIsToldOfStarvationIsRefusedAndNeverLeftPending() throws InterruptedException {
        AtomicInteger closed = new AtomicInteger();
        AtomicInteger starved = new AtomicInteger();
        Seeded.run(random -> {
            for (int round = 0; round < 5_000 && (closed.get() < 50 || starved.get() < 50); round++) {
                open(1, 1, BLOCK);
                int spins = random.nextInt(200);
                CompletableFuture<Object> outer = pool.submit(() -> {
                    pool.submit(() -> 1);
                    return deeply(500, () -> pool.submit(() -> 2));
                });
                while (pool.stats().submitted() < 3) {
                    Thread.onSpinWait();
                }
                for (int spin = 0; spin < spins; spin++) {
                    Thread.onSpinWait();
                }
                pool.close();

                Throwable told = outer.handle((accepted, refusal) -> refusal).join();
                assertThat(told).isInstanceOfAny(ClosedException.class, IllegalStateException.class);
                (told instanceof ClosedException ? closed : starved).incrementAndGet();
                nothingIsStuck();
            }
        });
        assertThat(closed).hasPositiveValue();
        assertThat(starved).hasPositiveValue();
    }

    private static <T> T deeply(int frames, Supplier<T> call) {
        return frames == 0 ? call.get() : deeply(frames - 1, call);
    }

    @Test
    void aChainOfTasksThatJoinTheirChildrenEnds() {
        open(2, 10, REJECT);
        CompletableFuture<Integer> root = pool.submit(() -> deeper(5));

        assertThatThrownBy(root::join).hasStackTraceContaining("db would starve");
    }

    private int deeper(int depth) {
        return depth == 0 ? 0 : pool.submit(() -> deeper(depth - 1)).join() + 1;
    }

    @Test
    void waitingIsFineWhileAnotherSlotCanGoOn() {
        open(2, 100, REJECT);
        for (int i = 0; i < 500; i++) {
            CompletableFuture<Integer> outer =
                    pool.submit(() -> pool.submit(() -> 1).join());
            assertThat(outer.join()).isEqualTo(1);
        }
    }

    @Test
    void theInnocentAreNeverAccused() throws InterruptedException {
        // Three of four slots wait for children; the fourth always goes on, so nobody may be told that nobody can.
        open(4, 1_000, REJECT);
        List<CompletableFuture<Integer>> outer = new ArrayList<>();
        CountDownLatch begun = new CountDownLatch(3);
        for (int i = 0; i < 3; i++) {
            outer.add(pool.submit(() -> {
                begun.countDown();
                begun.await();
                int sum = 0;
                for (int k = 0; k < 300; k++) {
                    sum += pool.submit(() -> 1).join();
                }
                return sum;
            }));
        }
        outer.forEach(task -> assertThat(task.join()).isEqualTo(300));
    }

    @Test
    void othersMayWaitForThePoolAsTheyLike() throws InterruptedException {
        open(1, 10, REJECT);
        Held held = new Held();
        CompletableFuture<Void> running = held.occupy(pool, 1).get(0);
        CompletableFuture<Integer> queued = pool.submit(() -> 1);
        Thread joiner = Thread.ofPlatform().daemon().start(queued::join);
        Wait.untilParked(joiner);

        held.release();

        joiner.join();
        running.join();
    }

    @Test
    void aWaitWithALimitEndsByItself() {
        open(1, 10, REJECT);
        CompletableFuture<String> outer = pool.submit(() -> {
            try {
                pool.submit(() -> 1).get(1, TimeUnit.MILLISECONDS);
                return "got it";
            } catch (TimeoutException late) {
                return "late";
            }
        });

        assertThat(outer.join()).isEqualTo("late");
    }

    /** Between the end of a body and the end of its future the slot is gone already, and the join is about to end. */
    @Test
    void aTaskThatHasJustEndedAccusesNobody() {
        open(1, 1, REJECT);
        assertThat(pool.slots().tryTake()).isTrue();
        NestedWaits waits = new NestedWaits(pool.slots());
        Task<Integer> awaited = new Task<>(pool.dispatch(), () -> 1);
        awaited.moveTo(Waiter.ENDED);

        waits.enter("db", Thread.currentThread(), Collections.singletonList(null), awaited)
                .leave();

        awaited.moveTo(Waiter.LINE);
        assertThatThrownBy(() -> waits.enter("db", Thread.currentThread(), Collections.singletonList(null), awaited))
                .hasMessageContaining("db would starve");
        assertThat(pool.slots().pass()).isNull();
    }

    /** Read while the slots were being grown: what is awaited runs, in a thread that waits for nothing. */
    @Test
    void aTaskThatRunsInAThreadThatDoesNotWaitAccusesNobody() {
        open(1, 1, REJECT);
        assertThat(pool.slots().tryTake()).isTrue();
        NestedWaits waits = new NestedWaits(pool.slots());
        Task<Integer> awaited = new Task<>(pool.dispatch(), () -> 1);
        awaited.thread = Thread.ofVirtual().unstarted(() -> {});
        awaited.moveTo(Waiter.RUNNING);

        waits.enter("db", Thread.currentThread(), Collections.singletonList(null), awaited)
                .leave();

        // Granted to the very thread that waits for it: only that thread could run it.
        awaited.thread = Thread.currentThread();
        awaited.moveTo(Waiter.GRANTED);
        assertThatThrownBy(() -> waits.enter("db", Thread.currentThread(), Collections.singletonList(null), awaited))
                .hasMessageContaining("db would starve");
        assertThat(pool.slots().pass()).isNull();
    }
}
