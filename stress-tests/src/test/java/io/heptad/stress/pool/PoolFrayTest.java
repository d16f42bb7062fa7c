package io.heptad.stress.pool;

import static io.heptad.stress.Schedules.DEADLOCK;
import static io.heptad.stress.Schedules.assertNoneFails;
import static io.heptad.stress.Schedules.check;
import static io.heptad.stress.Schedules.failure;
import static io.heptad.stress.Schedules.start;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.pool.WorkerPool;
import io.heptad.stress.Schedules.Block;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * A pool of one slot, whose threads are platform threads: no schedule loses the slot, gives it to two, or leaves a waiter
 * behind. Each guard is also taken away, and a schedule is found that shows it.
 */
class PoolFrayTest {
    private static final Duration LONG = Duration.ofSeconds(Long.MAX_VALUE);

    private interface Run {
        String run(Duration most, Callable<String> body) throws Exception;
    }

    private interface Submit {
        CompletableFuture<String> submit(Callable<String> body);
    }

    private interface Close {
        boolean close(Duration most) throws InterruptedException;
    }

    /** A pool of one slot, shipped or weakened, and the one body that may be inside. */
    private record Calls(Run run, Submit submit, Close close, AtomicInteger inside) {
        Calls(Run run, Submit submit, Close close) {
            this(run, submit, close, new AtomicInteger());
        }

        @SuppressWarnings("ThreadPriorityCheck") // steps in which another thread may come in
        String body() {
            check(inside.incrementAndGet() == 1, "two at once");
            for (int i = 0; i < 6; i++) {
                Thread.yield();
            }
            inside.decrementAndGet();
            return "ran";
        }

        void runs() throws Exception {
            check(run.run(LONG, this::body).equals("ran"), "did not run");
        }

        void ends() throws InterruptedException {
            check(close.close(LONG), "not ended");
        }

        void runsAtOnce() throws Exception {
            check(run.run(Duration.ZERO, this::body).equals("ran"), "no slot");
        }
    }

    private static Calls shipped() {
        WorkerPool pool = WorkerPool.builder("r", 1, 4, FullPolicy.BLOCK)
                .threads(Thread::new)
                .build();
        return new Calls((most, body) -> pool.run(most, body::call), pool::submit, pool::close);
    }

    private static Block threeRun(Supplier<Calls> made) {
        return () -> {
            Calls pool = made.get();
            Thread first = start(pool::runs);
            Thread second = start(pool::runs);
            pool.runs();
            first.join();
            second.join();
            pool.runsAtOnce();
            pool.ends();
        };
    }

    private static Block anInterruptMeetsAHandOver(Supplier<Calls> made) {
        return () -> {
            Calls pool = made.get();
            Thread first = start(pool::runs);
            Thread second = start(() -> {
                try {
                    pool.runs();
                } catch (InterruptedException e) {
                    // the slot went on
                }
            });
            second.interrupt();
            first.join();
            second.join();
            pool.runsAtOnce();
            pool.ends();
        };
    }

    private static Block aTimeoutMeetsAHandOver(Supplier<Calls> made) {
        return () -> {
            Calls pool = made.get();
            Thread first = start(pool::runs);
            Thread second = start(() -> {
                try {
                    pool.run.run(Duration.ofNanos(1), pool::body);
                } catch (FullException e) {
                    // the slot went on
                }
            });
            first.join();
            second.join();
            pool.runsAtOnce();
            pool.ends();
        };
    }

    private static Block aCancelMeetsAHandOver(Supplier<Calls> made) {
        return () -> {
            Calls pool = made.get();
            CompletableFuture<String> first = pool.submit.submit(pool::body);
            CompletableFuture<String> second = pool.submit.submit(pool::body);
            second.cancel(true);
            check(first.get().equals("ran"), "did not run");
            pool.runs();
            pool.ends();
        };
    }

    private static Block aCloseMeetsASubmit(Supplier<Calls> made) {
        return () -> {
            Calls pool = made.get();
            Thread other = start(() -> {
                try {
                    check(pool.submit.submit(pool::body).get().equals("ran"), "did not run");
                } catch (ClosedException e) {
                    // it came too late
                }
            });
            CompletableFuture<String> mine = pool.submit.submit(pool::body);
            pool.ends();
            check(mine.isDone() && mine.join().equals("ran"), "closed before it had ended");
            other.join();
        };
    }

    private static Block anInterruptStaysWithItsTask(Supplier<Calls> made) {
        return () -> {
            Calls pool = made.get();
            AtomicBoolean cancelling = new AtomicBoolean();
            CompletableFuture<String> first = pool.submit.submit(() -> {
                while (!cancelling.get()) {
                    Thread.yield();
                }
                return pool.body();
            });
            CompletableFuture<String> second = pool.submit.submit(() -> {
                for (int i = 0; i < 8; i++) {
                    check(!Thread.currentThread().isInterrupted(), "meant for another");
                    Thread.yield();
                }
                return pool.body();
            });
            cancelling.set(true);
            first.cancel(true);
            try {
                check(second.get().equals("ran"), "did not run");
                first.get();
            } catch (CancellationException e) {
                // in time
            } catch (ExecutionException e) {
                throw new AssertionError(e.getCause());
            }
            pool.ends();
        };
    }

    @Test
    void oneAfterTheOther() {
        assertNoneFails(threeRun(PoolFrayTest::shipped));
    }

    @Test
    void anInterruptLosesNoSlot() {
        assertNoneFails(anInterruptMeetsAHandOver(PoolFrayTest::shipped));
    }

    @Test
    void aTimeoutLosesNoSlot() {
        assertNoneFails(aTimeoutMeetsAHandOver(PoolFrayTest::shipped));
    }

    @Test
    void aCancelledTaskLosesNoSlot() {
        assertNoneFails(aCancelMeetsAHandOver(PoolFrayTest::shipped));
    }

    @Test
    void aCloseWaitsForWhatWasAccepted() {
        assertNoneFails(aCloseMeetsASubmit(PoolFrayTest::shipped));
    }

    @Test
    void anInterruptReachesNoOtherTask() {
        assertNoneFails(anInterruptStaysWithItsTask(PoolFrayTest::shipped));
    }

    @Test
    void findsAWaiterThatJoinsTheLineWithoutAnotherLook() {
        assertThat(failure(threeRun(() -> {
                    var pool = io.heptad.mutant.pool.joinsthelinewithoutanotherlook.WorkerPool.builder(
                                    "r", 1, 4, FullPolicy.BLOCK)
                            .threads(Thread::new)
                            .build();
                    return new Calls((most, body) -> pool.run(most, body::call), pool::submit, pool::close);
                })))
                .hasToString(DEADLOCK);
    }

    @Test
    void findsASlotThatIsFreeForAMoment() {
        assertThat(failure(threeRun(() -> {
                    var pool = io.heptad.mutant.pool.freestheslotthenwakes.WorkerPool.builder(
                                    "r", 1, 4, FullPolicy.BLOCK)
                            .threads(Thread::new)
                            .build();
                    return new Calls((most, body) -> pool.run(most, body::call), pool::submit, pool::close);
                })))
                .hasMessageContaining("two at once");
    }

    @Test
    void findsAnInterruptThatReachesAnotherTask() {
        assertThat(failure(anInterruptStaysWithItsTask(() -> {
                    var pool = io.heptad.mutant.pool.interruptswithoutthehandshake.WorkerPool.builder(
                                    "r", 1, 4, FullPolicy.BLOCK)
                            .threads(Thread::new)
                            .build();
                    return new Calls((most, body) -> pool.run(most, body::call), pool::submit, pool::close);
                })))
                .hasMessageContaining("meant for another");
    }
}
