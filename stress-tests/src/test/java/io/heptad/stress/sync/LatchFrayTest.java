package io.heptad.stress.sync;

import static io.heptad.stress.Schedules.DEADLOCK;
import static io.heptad.stress.Schedules.assertNoneFails;
import static io.heptad.stress.Schedules.check;
import static io.heptad.stress.Schedules.failure;
import static io.heptad.stress.Schedules.start;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.stress.Schedules.Block;
import io.heptad.sync.Latch;
import io.heptad.sync.LatchFailedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * The windows in which a thread parks at a latch, against everybody who could let it go: no schedule leaves one behind, or
 * lets it go with another end than the latch has. Each guard is also taken away, and a schedule is found that shows it.
 */
class LatchFrayTest {
    private static final Duration LONG = Duration.ofSeconds(Long.MAX_VALUE);

    private interface Await {
        boolean await(Duration most) throws InterruptedException;
    }

    /** A latch, shipped or weakened. */
    private record Calls(
            Runnable countDown,
            Runnable fail,
            Await await,
            Supplier<CompletableFuture<Void>> opened,
            IntSupplier waiting) {
        void passes() throws InterruptedException {
            check(await.await(LONG), "out of time");
        }

        @SuppressWarnings("ThreadPriorityCheck") // a step in which the other thread may go on
        void awaitWaiting() {
            while (waiting.getAsInt() == 0) {
                Thread.yield();
            }
        }
    }

    private static Calls shipped(int count) {
        Latch latch = Latch.of(count);
        return new Calls(
                latch::countDown,
                () -> latch.fail(new IllegalStateException("planned")),
                latch::await,
                latch::opened,
                () -> latch.stats().waiting());
    }

    private static Block twoWaitForTwoCounts(IntFunction<Calls> made) {
        return () -> {
            Calls latch = made.apply(2);
            Thread first = start(latch::passes);
            Thread second = start(() -> {
                latch.countDown.run();
                latch.passes();
            });
            latch.countDown.run();
            first.join();
            second.join();
        };
    }

    private static Block aFutureWaits(IntFunction<Calls> made) {
        return () -> {
            Calls latch = made.apply(1);
            Thread other = start(latch.countDown::run);
            CompletableFuture<Void> future = latch.opened.get();
            other.join();
            check(future.isDone(), "left behind");
        };
    }

    private static Block aFailureMeetsAWait(IntFunction<Calls> made) {
        return () -> {
            Calls latch = made.apply(1);
            Thread waiter = start(() -> {
                try {
                    latch.passes();
                    check(false, "passed a latch that has failed");
                } catch (LatchFailedException failed) {
                    check(failed.getCause() != null, "no cause");
                }
            });
            latch.fail.run();
            latch.countDown.run();
            waiter.join();
        };
    }

    private static Block anInterruptComesAfterTheOpening(IntFunction<Calls> made) {
        return () -> {
            Calls latch = made.apply(1);
            AtomicBoolean sent = new AtomicBoolean();
            Thread waiter = start(() -> {
                latch.passes();
                boolean wasSent = sent.get();
                check(Thread.interrupted() || !wasSent, "the interrupt is lost");
            });
            latch.awaitWaiting();
            latch.countDown.run();
            waiter.interrupt();
            sent.set(true);
            waiter.join();
        };
    }

    private static Block oneRunsOutOfTime(IntFunction<Calls> made) {
        return () -> {
            Calls latch = made.apply(1);
            Thread late = start(() -> check(!latch.await.await(Duration.ofNanos(1)), "passed a closed latch"));
            Thread other = start(latch::passes);
            late.join();
            latch.awaitWaiting();
            check(latch.waiting.getAsInt() == 1, "who has left is still in line");
            latch.countDown.run();
            other.join();
        };
    }

    @Test
    void whoWaitsForTheLastCountIsLetGo() {
        assertNoneFails(twoWaitForTwoCounts(LatchFrayTest::shipped));
    }

    @Test
    void aFutureInLineIsCompleted() {
        assertNoneFails(aFutureWaits(LatchFrayTest::shipped));
    }

    @Test
    void aFailureReachesWhoWaitsAndStands() {
        assertNoneFails(aFailureMeetsAWait(LatchFrayTest::shipped));
    }

    @Test
    void anOpeningStandsWhoeverIsInterrupted() {
        assertNoneFails(anInterruptComesAfterTheOpening(LatchFrayTest::shipped));
    }

    @Test
    void aTimeoutLeavesTheOthersInLine() {
        assertNoneFails(oneRunsOutOfTime(LatchFrayTest::shipped));
    }

    @Test
    void findsAFutureThatStandsInLineWithoutALookAtTheCount() {
        assertThat(failure(aFutureWaits(count -> {
                    var latch = io.heptad.mutant.sync.enterswithoutalookatthecount.Latch.of(count);
                    return new Calls(
                            latch::countDown,
                            () -> {},
                            latch::await,
                            latch::opened,
                            () -> latch.stats().waiting());
                })))
                .hasMessageContaining("left behind");
    }

    @Test
    void findsALatchThatWakesBeforeItOpens() {
        assertThat(failure(aFutureWaits(count -> {
                    var latch = io.heptad.mutant.sync.wakesbeforeitopens.Latch.of(count);
                    return new Calls(
                            latch::countDown,
                            () -> {},
                            latch::await,
                            latch::opened,
                            () -> latch.stats().waiting());
                })))
                .hasMessageContaining("left behind");
    }

    @Test
    void findsACountThatIsLost() {
        assertThat(failure(twoWaitForTwoCounts(count -> {
                    var latch = io.heptad.mutant.sync.losesacount.Latch.of(count);
                    return new Calls(
                            latch::countDown,
                            () -> {},
                            latch::await,
                            latch::opened,
                            () -> latch.stats().waiting());
                })))
                .hasToString(DEADLOCK);
    }

    @Test
    void findsAnInterruptThatUndoesTheOpening() {
        assertThat(failure(anInterruptComesAfterTheOpening(count -> {
                    var latch = io.heptad.mutant.sync.leavesanopenlatchwheninterrupted.Latch.of(count);
                    return new Calls(
                            latch::countDown,
                            () -> {},
                            latch::await,
                            latch::opened,
                            () -> latch.stats().waiting());
                })))
                .hasRootCauseInstanceOf(InterruptedException.class);
    }
}
