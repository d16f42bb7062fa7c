package io.heptad.pool;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.DROP_NEWEST;
import static io.heptad.core.FullPolicy.DROP_OLDEST;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Seeded;
import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever ends a task, its slot comes back, once, and before its future completes. */
@Watched
class SlotExitsTest {
    private static final int SLOTS = 10;

    private final Held held = new Held();
    private WorkerPool pool = WorkerPool.of("db", SLOTS, 100, REJECT);

    @AfterEach
    void close() {
        held.release();
        pool.closeNow();
    }

    private void allSlotsAreThere(int slots) {
        Wait.until().until(() -> pool.stats().active() == 0 && pool.stats().running() == 0);
        Held own = new Held();
        List<CompletableFuture<Void>> all = new ArrayList<>(own.occupy(pool, slots));
        PoolStats stats = pool.stats();
        assertThat(stats.active()).isEqualTo(slots);
        assertThat(stats.running()).isEqualTo(slots);
        all.add(pool.submit(own.body()));
        assertThat(pool.stats().waiting()).as("one more than the slots waits").isEqualTo(1);
        own.release();
        all.forEach(CompletableFuture::join);
    }

    enum Exit {
        VALUE,
        CHECKED,
        UNCHECKED,
        ERROR,
        STACK_OVERFLOW,
        CANCEL_RUNNING,
        CANCEL_QUEUED,
        INTERRUPT,
        TIMEOUT,
        COMPLETED_BY_HAND,
        SNEAKED_THROUGH_RUN
    }

    @ParameterizedTest
    @EnumSource
    void theSlotComesBack(Exit exit) throws InterruptedException {
        for (int i = 0; i < SLOTS; i++) {
            leave(exit);
        }
        allSlotsAreThere(SLOTS);
    }

    private void leave(Exit exit) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        switch (exit) {
            case VALUE -> pool.submit(() -> 1).join();
            case CHECKED -> fails(new IOException("checked"));
            case UNCHECKED -> fails(new IllegalStateException("unchecked"));
            case ERROR -> fails(new AssertionError("error"));
            case STACK_OVERFLOW -> {
                CompletableFuture<Integer> endless = pool.submit(() -> deeper(0));
                assertThatThrownBy(endless::join).hasRootCauseInstanceOf(StackOverflowError.class);
                assertThatThrownBy(() -> pool.run(() -> deeper(0))).isInstanceOf(StackOverflowError.class);
            }
            case CANCEL_RUNNING -> {
                CompletableFuture<Void> task = pool.submit(() -> {
                    begun.countDown();
                    never.await();
                });
                begun.await();
                task.cancel(true);
            }
            case CANCEL_QUEUED -> {
                WorkerPool one = WorkerPool.of("one", 1, 1, REJECT);
                Held own = new Held();
                own.occupy(one, 1);
                CompletableFuture<Integer> queued = one.submit(() -> 1);
                assertThat(queued.cancel(false)).isTrue();
                assertThat(one.depth()).isZero();
                own.release();
                assertThat(one.close(Duration.ofSeconds(10))).isTrue();
            }
            case INTERRUPT -> {
                AtomicReference<Thread> runner = new AtomicReference<>();
                CompletableFuture<Void> task = pool.submit(() -> {
                    runner.set(Thread.currentThread());
                    begun.countDown();
                    never.await();
                });
                begun.await();
                runner.get().interrupt();
                assertThatThrownBy(task::join).hasCauseInstanceOf(InterruptedException.class);
            }
            case TIMEOUT -> {
                CompletableFuture<Void> task = pool.submit(() -> {
                    begun.countDown();
                    never.await();
                });
                begun.await();
                assertThatThrownBy(() -> task.get(1, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
                task.cancel(true);
            }
            case COMPLETED_BY_HAND -> {
                CompletableFuture<Void> task = pool.submit(() -> {
                    begun.countDown();
                    never.await();
                });
                begun.await();
                task.complete(null);
                never.countDown();
            }
            case SNEAKED_THROUGH_RUN ->
                assertThatThrownBy(() -> pool.run(() -> {
                            throw new Exception("checked, in the caller's thread");
                        }))
                        .hasMessageContaining("checked");
        }
    }

    private void fails(Throwable cause) {
        CompletableFuture<Object> task = pool.submit(() -> {
            if (cause instanceof Error error) {
                throw error;
            }
            throw (Exception) cause;
        });
        assertThatThrownBy(task::join).hasCause(cause);
        assertThat(task.exceptionNow()).isSameAs(cause);
    }

    private static int deeper(int depth) {
        return deeper(depth + 1) + 1;
    }

    @Test
    void theSlotIsBackBeforeTheFutureCompletes() {
        pool = WorkerPool.of("db", 1, 1, REJECT);
        for (int i = 0; i < 200; i++) {
            AtomicInteger active = new AtomicInteger(-1);
            CountDownLatch listening = new CountDownLatch(1);
            CompletableFuture<Void> task = pool.submit(() -> listening.await());
            CompletableFuture<Void> seen =
                    task.thenRun(() -> active.set(pool.stats().active()));
            listening.countDown();
            seen.join();
            assertThat(active).hasValue(0);
            assertThat(pool.stats().completed()).isEqualTo(i + 1);
        }
    }

    @Test
    void aDependentStageThatBlocksDoesNotHoldUpTheNextTask() {
        pool = WorkerPool.of("db", 1, 2, REJECT);
        CompletableFuture<Void> first = pool.submit(held.body());
        held.awaitBegun(1);
        CompletableFuture<Integer> second = pool.submit(() -> 2);
        CompletableFuture<Integer> waitsForTheSecond = first.thenApply(x -> second.join());

        held.release();

        assertThat(waitsForTheSecond).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(2);
    }

    // What a future keeps

    enum Fate {
        RAN,
        CANCELLED_IN_LINE,
        COMPLETED_IN_LINE,
        FAILED_IN_LINE,
        DROPPED,
        EVICTED,
        CLOSED_IN_LINE
    }

    /** The user may keep the future for long: not with it what the task has captured. */
    @ParameterizedTest
    @EnumSource
    void aFutureThatHasEndedLetsGoOfItsBody(Fate fate) throws InterruptedException {
        pool = WorkerPool.of(
                "db",
                1,
                1,
                switch (fate) {
                    case DROPPED -> DROP_NEWEST;
                    case EVICTED -> DROP_OLDEST;
                    default -> REJECT;
                });
        held.occupy(pool, 1);
        if (fate == Fate.DROPPED) {
            pool.submit(() -> "before it");
        }
        byte[] large = new byte[1_000_000];
        WeakReference<Object> captured = new WeakReference<>(large);
        CompletableFuture<Object> future = pool.submit(returning(large));
        large = null;
        switch (fate) {
            case RAN -> {
                held.release();
                Wait.until().until(future::isDone);
                future.obtrudeValue("small");
            }
            case CANCELLED_IN_LINE -> future.cancel(true);
            case COMPLETED_IN_LINE -> future.complete("small");
            case FAILED_IN_LINE -> future.completeExceptionally(new IOException("late"));
            case DROPPED -> {}
            case EVICTED -> pool.submit(() -> "instead of it");
            case CLOSED_IN_LINE -> pool.closeNow();
        }

        assertThat(future).isDone();
        Wait.until().until(() -> {
            System.gc();
            return captured.get() == null;
        });
        Reference.reachabilityFence(future);
    }

    private static Callable<Object> returning(Object captured) {
        return () -> captured;
    }

    // Threads that cannot be had

    private static ThreadFactory failing(Deque<Consumer<Runnable>> script) {
        return task -> {
            Consumer<Runnable> step = script.poll();
            if (step != null) {
                step.accept(task);
                return null;
            }
            return Thread.ofVirtual().unstarted(task);
        };
    }

    @Test
    void aThreadThatCannotBeStartedFailsTheTaskAndGivesTheSlotBack() {
        Deque<Consumer<Runnable>> script = new ArrayDeque<>();
        script.add(task -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        script.add(task -> {}); // returns null
        pool = WorkerPool.builder("db", 1, 10, REJECT).threads(failing(script)).build();

        CompletableFuture<Integer> first = pool.submit(() -> 1);
        assertThat(first.exceptionNow()).isInstanceOf(OutOfMemoryError.class);
        CompletableFuture<Integer> second = pool.submit(() -> 2);
        assertThat(second.exceptionNow())
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("db");
        assertThat(pool.submit(() -> 3).join()).isEqualTo(3);
        assertThat(pool.stats().failed()).isEqualTo(2);
        allSlotsAreThere(1);
    }

    @Test
    void aFactoryThatRunsTheTaskAndThenThrowsDoesNotGiveTheSlotBackTwice() {
        Deque<Consumer<Runnable>> script = new ArrayDeque<>();
        script.add(task -> {
            task.run();
            task.run();
            throw new IllegalStateException("after all");
        });
        pool = WorkerPool.builder("db", 1, 10, REJECT).threads(failing(script)).build();

        assertThat(pool.submit(() -> 1).join()).isEqualTo(1);

        assertThat(pool.stats().failed()).isZero();
        allSlotsAreThere(1);
    }

    @Test
    void aFactoryThatFailsForGoodFailsTheWholeLineOneByOne() throws InterruptedException {
        AtomicInteger asked = new AtomicInteger();
        pool = WorkerPool.builder("db", 1, 1_000, REJECT)
                .freshThreads()
                .threads(task -> {
                    if (asked.incrementAndGet() > 1) {
                        throw new OutOfMemoryError("no thread");
                    }
                    return Thread.ofVirtual().unstarted(task);
                })
                .build();
        held.occupy(pool, 1);
        List<CompletableFuture<Integer>> line = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            line.add(pool.submit(() -> 1));
        }
        held.release();

        Wait.until().until(() -> line.stream().allMatch(CompletableFuture::isDone));
        assertThat(line).allSatisfy(task -> assertThat(task.exceptionNow()).isInstanceOf(OutOfMemoryError.class));
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        assertThat(pool.stats().active()).isZero();
    }

    // Wrapped tasks

    @Test
    void aWrapperRunsAroundTheTaskAndMaySeeWhatItThrows() {
        List<String> seen = new ArrayList<>();
        pool = WorkerPool.builder("db", 1, 10, REJECT)
                .wrapTasks(task -> () -> {
                    try {
                        task.run();
                        task.run(); // once is enough
                        seen.add("ended");
                    } catch (RuntimeException thrown) {
                        seen.add(thrown.getMessage());
                        throw thrown;
                    }
                })
                .build();
        AtomicInteger runs = new AtomicInteger();

        assertThat(pool.submit(runs::incrementAndGet).join()).isEqualTo(1);
        CompletableFuture<Object> failing = pool.submit(() -> {
            throw new IllegalStateException("thrown");
        });
        assertThatThrownBy(failing::join).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(seen).containsExactly("ended", "thrown");
    }

    @Test
    void aWrapperThatThrowsReturnsNullOrRunsNothingFailsTheTaskAndCostsNoSlot() {
        AtomicInteger turn = new AtomicInteger();
        pool = WorkerPool.builder("db", 1, 10, REJECT)
                .wrapTasks(task -> switch (turn.getAndIncrement()) {
                    case 0 -> throw new IllegalArgumentException("in the wrapper");
                    case 1 -> null;
                    case 2 -> () -> {};
                    case 3 ->
                        () -> {
                            throw new IllegalArgumentException("in the wrapped");
                        };
                    default -> task;
                })
                .build();

        for (String why : List.of("in the wrapper", "returned null", "did not run", "in the wrapped")) {
            CompletableFuture<Integer> task = pool.submit(() -> 1);
            assertThatThrownBy(task::join).hasStackTraceContaining(why);
        }
        assertThat(pool.submit(() -> 1).join()).isEqualTo(1);
        assertThat(pool.stats().failed()).isEqualTo(4);
        allSlotsAreThere(1);
    }

    // Waiters that give up

    @Test
    void callersWhoseTimeRanOutLeaveNoClaimBehind() throws InterruptedException {
        pool = WorkerPool.of("db", 1, 10, BLOCK);
        held.occupy(pool, 1);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> pool.run(Duration.ofMillis(5), () -> 1)).isInstanceOf(FullException.class);
        }
        assertThat(pool.depth()).isZero();

        held.release();

        assertThat(pool.<Integer, RuntimeException>run(Duration.ofSeconds(10), () -> 4))
                .isEqualTo(4);
        allSlotsAreThere(1);
    }

    @Test
    void interruptedCallersAreToldSoAndGrowNothing() throws InterruptedException {
        pool = WorkerPool.of("db", 2, 10, BLOCK);
        held.occupy(pool, 2);
        List<Thread> callers = new ArrayList<>();
        List<Throwable> ends = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 5; i++) {
            callers.add(Thread.ofVirtual().start(() -> {
                try {
                    pool.run(() -> 1);
                } catch (Throwable thrown) {
                    ends.add(thrown);
                }
            }));
        }
        Wait.until().until(() -> pool.depth() == 5);
        callers.forEach(Thread::interrupt);
        for (Thread caller : callers) {
            caller.join();
        }

        assertThat(ends).hasSize(5).hasOnlyElementsOfType(InterruptedException.class);
        assertThat(pool.depth()).isZero();
        held.release();
        Wait.until().until(() -> pool.stats().active() == 0);
        AtomicInteger now = new AtomicInteger();
        AtomicInteger peak = new AtomicInteger();
        List<CompletableFuture<Integer>> later = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            later.add(pool.submit(() -> {
                peak.accumulateAndGet(now.incrementAndGet(), Math::max);
                Thread.yield();
                return now.decrementAndGet();
            }));
        }
        later.forEach(CompletableFuture::join);
        assertThat(peak.get()).isLessThanOrEqualTo(2);
    }

    @Test
    void aCallerInterruptedBeforeItAsksDoesNotRun() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> pool.run(() -> 1)).isInstanceOf(InterruptedException.class);
        assertThat(pool.stats().active()).isZero();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> pool.submit(Duration.ofSeconds(1), () -> 1)).isInstanceOf(InterruptedException.class);
        assertThat(pool.stats().submitted()).isZero();
    }

    @Test
    void interruptsAtAnyMomentLoseNoSlotAndNoInterrupt() throws InterruptedException {
        pool = WorkerPool.of("db", 1, 10, BLOCK);
        Seeded.run(random -> {
            for (int round = 0; round < 1_000; round++) {
                CountDownLatch go = new CountDownLatch(1);
                AtomicBoolean sent = new AtomicBoolean();
                AtomicBoolean flag = new AtomicBoolean();
                Thread caller = Thread.ofVirtual().unstarted(() -> {
                    try {
                        go.countDown();
                        pool.run(() -> Thread.onSpinWait());
                    } catch (InterruptedException expected) {
                        Thread.currentThread().interrupt();
                    }
                    while (!sent.get()) {
                        Thread.yield();
                    }
                    flag.set(Thread.currentThread().isInterrupted());
                });
                caller.start();
                go.await();
                for (int spin = random.nextInt(200); spin > 0; spin--) {
                    Thread.onSpinWait();
                }
                caller.interrupt();
                sent.set(true);
                caller.join();
                assertThat(flag).isTrue();
                assertThat(pool.stats().active()).isZero();
                assertThat(pool.depth()).isZero();
            }
        });
        allSlotsAreThere(1);
    }

    /** The window, held open: the caller owns a slot and has not been woken yet when it is interrupted. */
    @Test
    void aCallerInterruptedWithItsGrantInHandPassesItOn() throws InterruptedException {
        pool = WorkerPool.of("db", 1, 10, BLOCK);
        assertThat(pool.slots().tryTake()).isTrue();
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread caller = Thread.ofPlatform().daemon().start(() -> {
            try {
                pool.run(() -> 1);
            } catch (Throwable thrown) {
                end.set(thrown);
            }
        });
        Wait.untilParked(caller);
        CompletableFuture<Integer> next = pool.submit(() -> 2);
        Waiter<?> granted = pool.slots().pass();
        assertThat(granted).isInstanceOf(Caller.class);
        assertThat(granted.status()).isEqualTo(Waiter.GRANTED);

        caller.interrupt();
        caller.join();

        assertThat(end.get()).isInstanceOf(InterruptedException.class);
        assertThat(next).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(2);
        allSlotsAreThere(1);
    }

    @Test
    void cancelsThatRaceLeaveNoPhantomInLine() throws InterruptedException {
        pool = WorkerPool.of("db", 1, 16, REJECT);
        for (int round = 0; round < 250; round++) {
            CountDownLatch leave = new CountDownLatch(1);
            CompletableFuture<Void> holder = pool.submit(() -> leave.await());
            List<CompletableFuture<Integer>> queued = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                queued.add(pool.submit(() -> 1));
            }
            CountDownLatch start = new CountDownLatch(1);
            List<Thread> cancellers = queued.stream()
                    .map(task -> Thread.ofVirtual().start(() -> {
                        try {
                            start.await();
                        } catch (InterruptedException stop) {
                            return;
                        }
                        task.cancel(true);
                    }))
                    .toList();
            start.countDown();
            for (Thread canceller : cancellers) {
                canceller.join();
            }
            assertThat(pool.depth()).isZero();
            leave.countDown();
            holder.join();
            assertThat(pool.<Integer, RuntimeException>run(Duration.ZERO, () -> 1))
                    .isEqualTo(1);
        }
    }

    @Test
    void aNoLimitWaitIsNoLimit() throws InterruptedException {
        pool = WorkerPool.of("db", 1, 1, BLOCK);
        held.occupy(pool, 1);
        AtomicReference<Object> end = new AtomicReference<>();
        AtomicReference<Object> other = new AtomicReference<>();
        Thread caller = Thread.ofPlatform().daemon().start(() -> {
            try {
                end.set(pool.run(Duration.ofSeconds(Long.MAX_VALUE), () -> "ran"));
            } catch (Throwable thrown) {
                end.set(thrown);
            }
        });
        Wait.untilParked(caller);
        Thread submitter = Thread.ofPlatform().daemon().start(() -> {
            try {
                pool.submit(Duration.ofSeconds(Long.MAX_VALUE), () -> "ran");
            } catch (ClosedException | InterruptedException ended) {
                other.set(ended);
            }
        });
        Wait.untilParked(submitter);
        assertThat(pool.close(Duration.ofSeconds(Long.MIN_VALUE))).isFalse();
        assertThat(end.get()).isNull();
        held.release();
        caller.join();
        submitter.join();
        assertThat(end.get()).isEqualTo("ran");
        assertThat(other.get()).as("at the door when it closed").isInstanceOf(ClosedException.class);
    }
}
