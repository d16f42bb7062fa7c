package io.heptad.pool;

import static io.heptad.core.FullPolicy.BLOCK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The pool as it is usually written, stepped into its two faults; and this one, stepped the same way. */
@Watched
class NaivePoolTest {
    /**
     * Check, wait, increment, run, decrement, wake: each step atomic, as on an event loop. A waiter is a continuation that
     * runs when {@link #turn} is called, so a test decides what comes between the wake-up and the woken.
     */
    private static final class NaivePool {
        private final int size;
        private final boolean givesBackOnFailure;
        private final Deque<Runnable> waiting = new ArrayDeque<>();
        private final Deque<Runnable> turns = new ArrayDeque<>();
        private int active;
        private int peak;

        NaivePool(int size, boolean givesBackOnFailure) {
            this.size = size;
            this.givesBackOnFailure = givesBackOnFailure;
        }

        void run(Runnable begin) {
            if (active >= size) {
                waiting.add(() -> enter(begin)); // woken later, and never checks again
            } else {
                enter(begin);
            }
        }

        private void enter(Runnable begin) {
            active++;
            peak = Math.max(peak, active);
            begin.run();
        }

        void end(boolean failed) {
            if (failed && !givesBackOnFailure) {
                return; // no finally
            }
            active--;
            Runnable woken = waiting.poll();
            if (woken != null) {
                turns.add(woken);
            }
        }

        void turn() {
            while (!turns.isEmpty()) {
                turns.poll().run();
            }
        }
    }

    @Test
    void theNaivePoolRunsOneTooManyWhenANewcomerSlipsInBetweenReleaseAndWakeUp() {
        NaivePool naive = new NaivePool(1, true);
        naive.run(() -> {});
        naive.run(() -> {});

        naive.end(false); // the second is woken, and has not gone on yet
        naive.run(() -> {}); // a newcomer sees a free slot
        naive.turn();

        assertThat(naive.active).isEqualTo(2);
        assertThat(naive.peak).isEqualTo(2);
    }

    @Test
    void hereTheSlotBelongsToTheWaiterBeforeANewcomerCanLook() {
        Slots slots = new Slots(1, 10, BLOCK);
        assertThat(slots.tryTake()).isTrue();
        Caller second = new Caller(Thread.currentThread(), null);
        assertThat(slots.enter(second, true, List.of())).isEqualTo(Slots.Entry.QUEUED);

        Waiter<?> next = slots.pass(); // the second owns the slot, and has not gone on yet

        assertThat(next).isSameAs(second);
        assertThat(Slots.active(slots.state())).isEqualTo(1);
        assertThat(slots.tryTake()).as("a newcomer").isFalse();
        assertThat(slots.enter(new Caller(Thread.currentThread(), null), true, List.of()))
                .isEqualTo(Slots.Entry.QUEUED);
        assertThat(Slots.active(slots.state())).isEqualTo(1);
    }

    @Test
    void noNewcomerEverMakesItOneTooMany() throws InterruptedException {
        for (int size = 1; size <= 3; size++) {
            int slots = size;
            WorkerPool pool = WorkerPool.of("db", size, 64, BLOCK);
            AtomicInteger now = new AtomicInteger();
            AtomicInteger peak = new AtomicInteger();
            AtomicBoolean over = new AtomicBoolean();
            List<Thread> submitters = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                boolean runs = i % 2 == 0;
                submitters.add(Thread.ofPlatform().daemon().start(() -> {
                    for (int k = 0; k < 500; k++) {
                        try {
                            if (runs) {
                                pool.run(() -> touch(pool, now, peak, over));
                            } else {
                                pool.submit(() -> touch(pool, now, peak, over));
                            }
                        } catch (InterruptedException stop) {
                            return;
                        }
                    }
                }));
            }
            for (Thread submitter : submitters) {
                submitter.join();
            }
            assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
            assertThat(peak.get()).isLessThanOrEqualTo(slots);
            assertThat(over).isFalse();
            assertThat(pool.stats().completed()).isEqualTo(4_000);
        }
    }

    private static void touch(WorkerPool pool, AtomicInteger now, AtomicInteger peak, AtomicBoolean over) {
        peak.accumulateAndGet(now.incrementAndGet(), Math::max);
        PoolStats stats = pool.stats();
        if (stats.active() > stats.slots() || stats.waiting() > pool.capacity()) {
            over.set(true);
        }
        now.decrementAndGet();
    }

    @Test
    void theNaivePoolWithoutFinallyWedgesAndLooksBusyDoingNothing() {
        NaivePool naive = new NaivePool(20, false);
        for (int i = 0; i < 20; i++) {
            naive.run(() -> {});
        }
        for (int i = 0; i < 20; i++) {
            naive.end(true);
        }
        AtomicInteger begun = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            naive.run(begun::incrementAndGet);
        }
        naive.turn();

        assertThat(begun).hasValue(0);
        assertThat(naive.active).isEqualTo(20);
        assertThat(naive.waiting).hasSize(100);
    }

    @Test
    void hereTwentyFailuresCostNothing() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 20, 10_000, BLOCK);
        List<CompletableFuture<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            int number = i;
            tasks.add(pool.submit(() -> {
                if (number % 10 == 0) {
                    throw new IllegalStateException("failed");
                }
                return number;
            }));
        }
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        assertThat(tasks).allMatch(CompletableFuture::isDone);
        assertThat(pool.stats().completed()).isEqualTo(900);
        assertThat(pool.stats().failed()).isEqualTo(100);
    }

    /** A leak made by hand: slots are taken and the bodies forgotten. The figures must say so. */
    @Test
    void aLeakedSlotShowsAsActiveAboveRunningWhileTheLineGrows() {
        WorkerPool pool = WorkerPool.of("db", 10, 100, BLOCK);
        for (int i = 0; i < 10; i++) {
            assertThat(pool.slots().tryTake()).isTrue();
        }
        List<CompletableFuture<Integer>> stuck = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            stuck.add(pool.submit(() -> 1));
        }

        PoolStats wedged = pool.stats();
        assertThat(wedged.active()).isEqualTo(10);
        assertThat(wedged.running()).isZero();
        assertThat(wedged.waiting()).isEqualTo(5);
        assertThat(wedged.saturated()).isTrue();

        for (int i = 0; i < 10; i++) {
            pool.dispatch().start(pool.slots().pass());
        }
        stuck.forEach(CompletableFuture::join);
        pool.close();
    }

    @Test
    void isSaturatedOnlyWhileSomebodyWaitsAndEverySlotIsHeld() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 2, 10, BLOCK);
        assertThat(pool.stats().saturated()).isFalse();
        Held held = new Held();
        held.occupy(pool, 2);
        assertThat(pool.stats().saturated()).as("full, nobody waits").isFalse();
        pool.submit(held.body());
        assertThat(pool.stats().saturated()).isTrue();
        CountDownLatch done = new CountDownLatch(1);
        pool.submit(done::countDown);
        held.release();
        done.await();
        Wait.until().until(() -> !pool.stats().saturated());
        pool.close();
        assertThatThrownBy(() -> pool.submit(() -> 1)).hasMessageContaining("db");
    }
}
