package io.heptad.stress.sync;

import static io.heptad.stress.Schedules.DEADLOCK;
import static io.heptad.stress.Schedules.assertNoneFails;
import static io.heptad.stress.Schedules.check;
import static io.heptad.stress.Schedules.failure;
import static io.heptad.stress.Schedules.start;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.stress.Schedules.Block;
import io.heptad.sync.Barrier;
import java.time.Duration;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * The windows in which a party of two parks at a barrier, against the one that completes or breaks the round: in no schedule
 * is one left behind, or does the round end in two ways. Each guard is also taken away, and a schedule is found that shows it.
 */
class BarrierFrayTest {
    private static final Duration LONG = Duration.ofSeconds(Long.MAX_VALUE);

    private interface Await {
        long await(Duration most) throws InterruptedException, BrokenBarrierException, TimeoutException;
    }

    /** A barrier of two, shipped or weakened. */
    private record Calls(Await await, Runnable reset, IntSupplier arrived, BooleanSupplier broken) {
        void meets(long round) throws Exception {
            check(await.await(LONG) == round, "another round");
        }

        /** How it ended, in a word. */
        String ends(Duration most) {
            try {
                return String.valueOf(await.await(most));
            } catch (InterruptedException e) {
                return "interrupted";
            } catch (BrokenBarrierException e) {
                return "broken";
            } catch (TimeoutException e) {
                return "out of time";
            }
        }

        @SuppressWarnings("ThreadPriorityCheck") // a step in which the other thread may go on
        void awaitArrived() {
            while (arrived.getAsInt() == 0) {
                Thread.yield();
            }
        }
    }

    private static Calls shipped() {
        Barrier barrier = Barrier.of(2);
        return new Calls(barrier::await, barrier::reset, barrier::arrived, barrier::isBroken);
    }

    private static Calls shippedWithAnAction() {
        Barrier barrier = Barrier.of(2, BarrierFrayTest::leaveTime);
        return new Calls(barrier::await, barrier::reset, barrier::arrived, barrier::isBroken);
    }

    @SuppressWarnings("ThreadPriorityCheck") // each is a step
    private static void leaveTime() {
        for (int i = 0; i < 6; i++) {
            Thread.yield();
        }
    }

    private static Block twoRounds(Supplier<Calls> made) {
        return () -> {
            Calls barrier = made.get();
            Thread other = start(() -> {
                barrier.meets(0);
                barrier.meets(1);
            });
            barrier.meets(0);
            barrier.meets(1);
            other.join();
            check(barrier.arrived.getAsInt() == 0, "somebody is left");
        };
    }

    private static Block oneIsInterrupted(Supplier<Calls> made) {
        return () -> {
            Calls barrier = made.get();
            AtomicReference<String> first = new AtomicReference<>();
            AtomicReference<String> second = new AtomicReference<>();
            Thread one = start(() -> first.set(barrier.ends(LONG)));
            Thread two = start(() -> second.set(barrier.ends(LONG)));
            one.interrupt();
            one.join();
            two.join();
            endedInOneWay(barrier, first.get() + ", " + second.get(), "interrupted, broken");
        };
    }

    private static Block oneRunsOutOfTime(Supplier<Calls> made) {
        return () -> {
            Calls barrier = made.get();
            AtomicReference<String> first = new AtomicReference<>();
            Thread one = start(() -> first.set(barrier.ends(Duration.ofNanos(1))));
            String second = barrier.ends(LONG);
            one.join();
            endedInOneWay(barrier, first.get() + ", " + second, "out of time, broken");
        };
    }

    private static void endedInOneWay(Calls barrier, String ends, String broken) {
        boolean isBroken = barrier.broken.getAsBoolean();
        check(ends.equals(isBroken ? broken : "0, 0"), "two ways: " + ends + ", and is broken: " + isBroken);
    }

    private static Block aResetMeetsAWait(Supplier<Calls> made) {
        return () -> {
            Calls barrier = made.get();
            Thread other = start(() -> {
                check(barrier.ends(LONG).equals("broken"), "not told of the reset");
                barrier.meets(0);
            });
            barrier.awaitArrived();
            barrier.reset.run();
            barrier.meets(0);
            other.join();
        };
    }

    private static Block anInterruptComesAfterTheRound(Supplier<Calls> made) {
        return () -> {
            Calls barrier = made.get();
            AtomicBoolean sent = new AtomicBoolean();
            Thread other = start(() -> {
                barrier.meets(0);
                boolean wasSent = sent.get();
                check(Thread.interrupted() || !wasSent, "the interrupt is lost");
            });
            barrier.awaitArrived();
            barrier.meets(0);
            other.interrupt();
            sent.set(true);
            other.join();
        };
    }

    @Test
    void nobodyIsLeftBehindInAnyRound() {
        assertNoneFails(twoRounds(BarrierFrayTest::shipped));
    }

    @Test
    void anInterruptBreaksTheRoundForBothOrForNeither() {
        assertNoneFails(oneIsInterrupted(BarrierFrayTest::shipped));
    }

    @Test
    void anInterruptDuringTheActionBreaksTheRoundForBothOrForNeither() {
        assertNoneFails(oneIsInterrupted(BarrierFrayTest::shippedWithAnAction));
    }

    @Test
    void aTimeoutBreaksTheRoundForBothOrForNeither() {
        assertNoneFails(oneRunsOutOfTime(BarrierFrayTest::shipped));
    }

    @Test
    void aResetIsToldToWhoWaitsAndBeginsAnew() {
        assertNoneFails(aResetMeetsAWait(BarrierFrayTest::shipped));
    }

    @Test
    void aCompletedRoundStandsWhoeverIsInterrupted() {
        assertNoneFails(anInterruptComesAfterTheRound(BarrierFrayTest::shipped));
    }

    @Test
    void findsAnArrivalThatIsLost() {
        assertThat(failure(twoRounds(() -> {
                    var barrier = io.heptad.mutant.sync.losesanarrival.Barrier.of(2);
                    return new Calls(barrier::await, barrier::reset, barrier::arrived, barrier::isBroken);
                })))
                .hasToString(DEADLOCK);
    }

    @Test
    void findsARoundThatIsCompletedAndBroken() {
        assertThat(failure(oneRunsOutOfTime(() -> {
                    var barrier = io.heptad.mutant.sync.breaksacompletedround.Barrier.of(2);
                    return new Calls(barrier::await, barrier::reset, barrier::arrived, barrier::isBroken);
                })))
                .hasMessageContaining("two ways");
    }

    @Test
    void findsABrokenRoundThatIsCompletedAfterItsAction() {
        assertThat(failure(oneIsInterrupted(() -> {
                    var barrier = io.heptad.mutant.sync.completesabrokenround.Barrier.of(2, BarrierFrayTest::leaveTime);
                    return new Calls(barrier::await, barrier::reset, barrier::arrived, barrier::isBroken);
                })))
                .hasMessageContaining("two ways");
    }

    @Test
    void findsAResetThatUsesTheRoundAgain() {
        assertThat(failure(aResetMeetsAWait(() -> {
                    var barrier = io.heptad.mutant.sync.reusestheroundafterareset.Barrier.of(2);
                    return new Calls(barrier::await, barrier::reset, barrier::arrived, barrier::isBroken);
                })))
                .isNotNull();
    }

    @Test
    void findsAnInterruptThatACompletedRoundSwallows() {
        assertThat(failure(anInterruptComesAfterTheRound(() -> {
                    var barrier = io.heptad.mutant.sync.losestheinterruptofacompletedround.Barrier.of(2);
                    return new Calls(barrier::await, barrier::reset, barrier::arrived, barrier::isBroken);
                })))
                .hasMessageContaining("the interrupt is lost");
    }
}
