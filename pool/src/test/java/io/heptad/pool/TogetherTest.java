package io.heptad.pool;

import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.future.AllFailedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** all, any and race of a pool: nothing outlives the call. */
@Watched
class TogetherTest {
    private final WorkerPool pool = WorkerPool.of("mirrors", 3, 1, REJECT);
    private final IOException broken = new IOException("broken");
    private final AtomicInteger interrupted = new AtomicInteger();
    private final CountDownLatch never = new CountDownLatch(1);
    private final CountDownLatch begun = new CountDownLatch(2);

    /** Runs until it is interrupted, and takes a while to notice. */
    private String stubborn() throws InterruptedException {
        begun.countDown();
        try {
            never.await();
        } finally {
            interrupted.incrementAndGet();
        }
        return "never";
    }

    private Callable<String> failing() {
        return () -> {
            begun.await();
            throw broken;
        };
    }

    private Callable<String> giving(String value) {
        return () -> {
            begun.await();
            return value;
        };
    }

    private void assertNothingRuns() {
        assertThat(pool.stats().running()).isZero();
        Wait.until().until(() -> pool.stats().active() == 0);
    }

    @Test
    void allGivesTheValuesInTheOrderOfTheTasks() throws Exception {
        CountDownLatch last = new CountDownLatch(1);
        List<Callable<Integer>> tasks = new ArrayList<>();
        tasks.add(() -> {
            last.await();
            return 0;
        });
        IntStream.range(1, 5_000)
                .forEach(i -> tasks.add(() -> {
                    if (i == 4_999) {
                        last.countDown();
                    }
                    return i;
                }));
        assertThat(pool.<Integer>all(tasks))
                .isEqualTo(IntStream.range(0, 5_000).boxed().toList());
    }

    @Test
    void allThrowsTheFirstFailureAndEndsTheOthersFirst() {
        AtomicInteger neverBegun = new AtomicInteger();
        List<Callable<String>> tasks = new ArrayList<>(List.of(this::stubborn, failing(), this::stubborn));
        for (int i = 0; i < 100; i++) {
            tasks.add(() -> "" + neverBegun.incrementAndGet());
        }
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> pool.all(tasks))
                .withCause(broken);
        assertThat(interrupted).hasValue(2);
        assertThat(neverBegun.get()).isLessThan(100);
        assertThat(broken).hasNoSuppressedExceptions();
        assertNothingRuns();
    }

    @Test
    void anyGivesTheFirstValueWhateverFailedBeforeAndEndsTheOthersFirst() throws Exception {
        CountDownLatch failed = new CountDownLatch(1);
        List<Callable<String>> tasks = List.of(
                this::stubborn,
                () -> {
                    failed.countDown();
                    throw broken;
                },
                this::stubborn,
                () -> {
                    failed.await();
                    return giving("mirror").call();
                });
        assertThat(pool.<String>any(tasks)).isEqualTo("mirror");
        assertThat(interrupted).hasValue(2);
        assertNothingRuns();
    }

    @Test
    void anyHoldsEveryCauseWhenAllFail() {
        IOException second = new IOException("second");
        List<Callable<String>> tasks = List.of(
                () -> {
                    Wait.until().until(() -> pool.stats().failed() == 1); // the causes come in the order of the tasks
                    throw broken;
                },
                () -> {
                    throw second;
                });
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> pool.any(tasks))
                .havingCause()
                .isInstanceOfSatisfying(
                        AllFailedException.class,
                        all -> assertThat(all.causes()).containsExactly(broken, second));
    }

    @Test
    void raceIsDecidedByTheFirstEitherWay() throws Exception {
        assertThat(pool.<String>race(List.of(this::stubborn, giving("first"), this::stubborn)))
                .isEqualTo("first");
        assertThat(interrupted.get()).isGreaterThanOrEqualTo(1);
        assertNothingRuns();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> pool.race(List.of(this::stubborn, failing(), this::stubborn)))
                .withCause(broken);
        assertNothingRuns();
    }

    @Test
    void aNullValueIsAValue() throws Exception {
        Callable<String> nothing = () -> null;
        assertThat(pool.<String>all(List.of(nothing, nothing))).containsExactly(null, null);
        assertThat(pool.<String>any(List.of(nothing))).isNull();
        assertThat(pool.<String>race(List.of(nothing))).isNull();
    }

    @Test
    void noTasks() throws Exception {
        assertThat(pool.all(List.<Callable<String>>of())).isEmpty();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> pool.any(List.<Callable<String>>of()))
                .withCauseInstanceOf(AllFailedException.class);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pool.race(List.<Callable<String>>of()))
                .withMessageContaining("tasks");
    }

    @Test
    void aNullTaskIsNamedBeforeAnyBegins() {
        AtomicInteger ran = new AtomicInteger();
        List<Callable<Integer>> tasks = Arrays.asList(ran::incrementAndGet, null);
        assertThatNullPointerException().isThrownBy(() -> pool.all(tasks)).withMessage("tasks[1] is null");
        assertThatNullPointerException().isThrownBy(() -> pool.any(tasks)).withMessage("tasks[1] is null");
        assertThatNullPointerException().isThrownBy(() -> pool.race(tasks)).withMessage("tasks[1] is null");
        assertThat(ran).hasValue(0);
    }

    @Test
    void aClosedPoolRefusesThemItself() {
        pool.close();
        List<Callable<String>> tasks = List.of(() -> "a", () -> "b");
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> pool.all(tasks));
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> pool.any(tasks));
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> pool.race(tasks));
    }

    @Test
    void allThatThePoolRefusesIsRefusedWithTheOneExceptionThatIsThrown() throws Exception {
        // Which of several refusals arrives first is open; it must be known as the pool's own whichever it is.
        pool.close();
        BatchReport<Integer, Integer> report = pool.settle(List.of(1, 2, 3, 4, 5), item -> item);
        assertThat(report.failed()).hasSize(5);
        Throwable refusal = report.failed().get(0).cause();
        assertThat(refusal).isInstanceOf(ClosedException.class);
        assertThat(report.failed()).allMatch(one -> one.cause() == refusal);
    }

    @Test
    void aPoolThatIsClosedNowRefusesThoseInLineItself() throws Exception {
        for (int round = 0; round < 100; round++) {
            WorkerPool closing = WorkerPool.of("closing", 4, 4, REJECT);
            new Held().occupy(closing, 4);
            List<Callable<String>> tasks = List.of(() -> "a", () -> "b", () -> "c", () -> "d");
            boolean race = round % 2 == 0;
            CompletableFuture<Object> call = new CompletableFuture<>();
            Thread caller = Thread.ofVirtual()
                    .start(() -> BatchTest.complete(call, () -> race ? closing.race(tasks) : closing.all(tasks)));
            Wait.until().until(() -> closing.stats().waiting() == 4);
            closing.closeNow();
            caller.join();
            assertThat(call.exceptionNow()).isInstanceOf(ClosedException.class);
        }
    }

    @Test
    void aRefusalByAnotherShapeIsTheTasksFailure() {
        ClosedException elsewhere = new ClosedException("another pool");
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> pool.all(List.<Callable<String>>of(() -> {
                    throw elsewhere;
                })))
                .withCause(elsewhere);
    }

    @Test
    void anInterruptEndsTheTasksBeforeItIsThrown() throws Exception {
        CompletableFuture<List<String>> all = new CompletableFuture<>();
        Thread caller = Thread.ofVirtual()
                .start(() -> BatchTest.complete(all, () -> pool.<String>all(List.of(this::stubborn, this::stubborn))));
        begun.await();
        Wait.untilParked(caller);
        caller.interrupt();
        caller.join();
        assertThat(all.exceptionNow()).isInstanceOf(InterruptedException.class);
        assertThat(interrupted).hasValue(2);
        assertNothingRuns();
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void twentyAbandonedTasksOfTwentyLeaveRoomForTwentyNew() throws Exception {
        WorkerPool twenty = WorkerPool.of("twenty", 20, 20, REJECT);
        Held held = new Held();
        List<CompletableFuture<Void>> tasks = held.occupy(twenty, 20);
        CompletableFuture<List<io.heptad.future.Outcome<Void>>> settled =
                io.heptad.future.Futures.settledWithin(tasks, io.heptad.future.Losers.CANCEL, Duration.ofMillis(1));
        assertThat(settled.get(10, TimeUnit.SECONDS)).noneMatch(io.heptad.future.Outcome::isSuccess);
        Held next = new Held();
        Wait.until().until(() -> twenty.stats().active() == 0);
        next.occupy(twenty, 20);
        assertThat(twenty.stats().running()).isEqualTo(20);
        next.release();
    }
}
