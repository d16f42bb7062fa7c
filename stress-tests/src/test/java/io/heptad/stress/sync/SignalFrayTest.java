package io.heptad.stress.sync;

import static io.heptad.stress.Schedules.DEADLOCK;
import static io.heptad.stress.Schedules.assertNoneFails;
import static io.heptad.stress.Schedules.check;
import static io.heptad.stress.Schedules.failure;
import static io.heptad.stress.Schedules.start;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.stress.Schedules.Block;
import io.heptad.sync.Signal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * The windows in which a thread parks for a permit, against the release of it, and against giving up: no schedule loses a
 * permit, leaves a waiter behind, or gives one permit to two. Each guard is also taken away, and a schedule is found that
 * shows it.
 */
class SignalFrayTest {
    private static final Duration LONG = Duration.ofSeconds(Long.MAX_VALUE);

    private interface Acquire {
        boolean acquire(int permits, Duration most) throws InterruptedException;
    }

    /** A signal, shipped or weakened. */
    private record Calls(
            Runnable release,
            Acquire acquire,
            BooleanSupplier tryAcquire,
            Supplier<CompletableFuture<Void>> future,
            IntSupplier available,
            IntSupplier waiting) {
        void acquires() throws InterruptedException {
            check(acquire.acquire(1, LONG), "out of time");
        }

        void ends(int left) {
            check(waiting.getAsInt() == 0, "somebody is left in line");
            check(available.getAsInt() == left, available.getAsInt() + " permits instead of " + left);
        }

        @SuppressWarnings("ThreadPriorityCheck") // a step in which the other thread may go on
        void awaitWaiting(int least) {
            while (waiting.getAsInt() < least) {
                Thread.yield();
            }
        }
    }

    private static Calls shipped(int permits) {
        Signal signal = Signal.of(permits, 10);
        return new Calls(
                signal::release,
                signal::acquire,
                signal::tryAcquire,
                signal::acquireAsync,
                signal::available,
                signal::waiting);
    }

    private static Block oneForEach(IntFunction<Calls> made) {
        return () -> {
            Calls signal = made.apply(0);
            Thread first = start(signal::acquires);
            Thread second = start(signal::acquires);
            signal.release.run();
            signal.release.run();
            first.join();
            second.join();
            signal.ends(0);
        };
    }

    private static Block twoForOne(IntFunction<Calls> made) {
        return () -> {
            Calls signal = made.apply(0);
            Thread one = start(() -> check(signal.acquire.acquire(2, LONG), "out of time"));
            Thread other = start(signal.release::run);
            signal.release.run();
            other.join();
            one.join();
            signal.ends(0);
        };
    }

    private static Block aNewcomerComes(IntFunction<Calls> made) {
        return () -> {
            Calls signal = made.apply(0);
            Thread first = start(() -> check(signal.acquire.acquire(2, LONG), "out of time"));
            signal.awaitWaiting(1);
            Thread newcomer = start(() -> check(!signal.tryAcquire.getAsBoolean(), "overtaken"));
            signal.release.run();
            signal.release.run();
            newcomer.join();
            first.join();
            signal.ends(0);
        };
    }

    private static Block aRivalComes(IntFunction<Calls> made) {
        return () -> {
            Calls signal = made.apply(0);
            Thread waiter = start(signal::acquires);
            Thread rival = start(() -> {
                if (signal.tryAcquire.getAsBoolean()) {
                    signal.release.run();
                }
            });
            signal.release.run();
            rival.join();
            waiter.join();
            signal.ends(0);
        };
    }

    private static Block releasesMeetOneThatGivesUp(IntFunction<Calls> made) {
        return () -> {
            Calls signal = made.apply(0);
            AtomicBoolean acquired = new AtomicBoolean();
            Thread waiter = start(() -> acquired.set(signal.acquire.acquire(4, Duration.ofNanos(1))));
            Thread other = start(() -> {
                signal.release.run();
                signal.release.run();
            });
            signal.release.run();
            signal.release.run();
            other.join();
            waiter.join();
            signal.ends(acquired.get() ? 0 : 4);
        };
    }

    private static Block anInterruptMeetsTheGrant(IntFunction<Calls> made) {
        return () -> {
            Calls signal = made.apply(0);
            AtomicBoolean acquired = new AtomicBoolean();
            Thread waiter = start(() -> {
                try {
                    signal.acquires();
                    acquired.set(true);
                } catch (InterruptedException e) {
                    // the permit stays
                }
            });
            Thread other = start(waiter::interrupt);
            signal.release.run();
            other.join();
            waiter.join();
            signal.ends(acquired.get() ? 0 : 1);
        };
    }

    private static Block anInterruptComesAfterTheGrant(IntFunction<Calls> made) {
        return () -> {
            Calls signal = made.apply(0);
            AtomicBoolean sent = new AtomicBoolean();
            Thread waiter = start(() -> {
                signal.acquires();
                boolean wasSent = sent.get();
                check(Thread.interrupted() || !wasSent, "the interrupt is lost");
            });
            signal.awaitWaiting(1);
            signal.release.run();
            waiter.interrupt();
            sent.set(true);
            waiter.join();
            signal.ends(0);
        };
    }

    private static Block aTimeoutMeetsTheGrant(IntFunction<Calls> made) {
        return () -> {
            Calls signal = made.apply(0);
            AtomicBoolean acquired = new AtomicBoolean();
            Thread waiter = start(() -> acquired.set(signal.acquire.acquire(1, Duration.ofNanos(1))));
            signal.release.run();
            waiter.join();
            signal.ends(acquired.get() ? 0 : 1);
        };
    }

    private static Block aCancelMeetsTheGrant(IntFunction<Calls> made) {
        return () -> {
            Calls signal = made.apply(0);
            CompletableFuture<Void> first = signal.future.get();
            CompletableFuture<Void> second = signal.future.get();
            Thread other = start(signal.release::run);
            boolean cancelled = first.cancel(true);
            other.join();
            check(first.isCancelled() == cancelled && first.isDone(), "cancelled and granted");
            check(second.isDone() == cancelled, "the permit went to the wrong one");
            signal.release.run();
            signal.ends(cancelled ? 1 : 0);
        };
    }

    private static Block theFirstGivesUp(IntFunction<Calls> made) {
        return () -> {
            Calls signal = made.apply(1);
            Thread many = start(() -> {
                try {
                    check(signal.acquire.acquire(2, LONG), "out of time");
                } catch (InterruptedException e) {
                    // those behind it are served
                }
            });
            signal.awaitWaiting(1);
            Thread behind = start(signal::acquires);
            many.interrupt();
            many.join();
            behind.join();
            signal.ends(0);
        };
    }

    @Test
    void everyReleaseLetsOneIn() {
        assertNoneFails(oneForEach(SignalFrayTest::shipped));
    }

    @Test
    void twoReleasesLetInOneThatWantsTwo() {
        assertNoneFails(twoForOne(SignalFrayTest::shipped));
    }

    @Test
    void nobodyOvertakesAWaiter() {
        assertNoneFails(aNewcomerComes(SignalFrayTest::shipped));
    }

    @Test
    void oneOfTwoGetsAPermitAndTheOtherTheNext() {
        assertNoneFails(aRivalComes(SignalFrayTest::shipped));
    }

    @Test
    void releasesThatMeetTheEndOfALineLoseNoPermit() {
        assertNoneFails(releasesMeetOneThatGivesUp(SignalFrayTest::shipped));
    }

    @Test
    void anInterruptLosesNoPermit() {
        assertNoneFails(anInterruptMeetsTheGrant(SignalFrayTest::shipped));
    }

    @Test
    void aGrantStandsAndTheInterruptIsKept() {
        assertNoneFails(anInterruptComesAfterTheGrant(SignalFrayTest::shipped));
    }

    @Test
    void aTimeoutLosesNoPermit() {
        assertNoneFails(aTimeoutMeetsTheGrant(SignalFrayTest::shipped));
    }

    @Test
    void aCancelLosesNoPermit() {
        assertNoneFails(aCancelMeetsTheGrant(SignalFrayTest::shipped));
    }

    @Test
    void whoStandsBehindOneThatGivesUpIsServed() {
        assertNoneFails(theFirstGivesUp(SignalFrayTest::shipped));
    }

    @Test
    void findsAWaiterThatStandsInLineWithoutALookAtThePermits() {
        assertThat(failure(twoForOne(permits -> {
                    var signal = io.heptad.mutant.sync.standsinlinewithoutalookatthepermits.Signal.of(permits, 10);
                    return new Calls(
                            signal::release,
                            signal::acquire,
                            signal::tryAcquire,
                            signal::acquireAsync,
                            signal::available,
                            signal::waiting);
                })))
                .hasToString(DEADLOCK);
    }

    @Test
    void findsAReleasePastTheLine() {
        assertThat(failure(oneForEach(permits -> {
                    var signal = io.heptad.mutant.sync.releasespasttheline.Signal.of(permits, 10);
                    return new Calls(
                            signal::release,
                            signal::acquire,
                            signal::tryAcquire,
                            signal::acquireAsync,
                            signal::available,
                            signal::waiting);
                })))
                .hasToString(DEADLOCK);
    }

    @Test
    void findsANewcomerThatOvertakes() {
        assertThat(failure(aNewcomerComes(permits -> {
                    var signal = io.heptad.mutant.sync.letsanewcomerpasttheline.Signal.of(permits, 10);
                    return new Calls(
                            signal::release,
                            signal::acquire,
                            signal::tryAcquire,
                            signal::acquireAsync,
                            signal::available,
                            signal::waiting);
                })))
                .hasMessageContaining("overtaken");
    }

    @Test
    void findsAGrantThatAnInterruptedCallerForgets() {
        assertThat(failure(anInterruptMeetsTheGrant(permits -> {
                    var signal = io.heptad.mutant.sync.forgetsthegrantofaninterruptedcaller.Signal.of(permits, 10);
                    return new Calls(
                            signal::release,
                            signal::acquire,
                            signal::tryAcquire,
                            signal::acquireAsync,
                            signal::available,
                            signal::waiting);
                })))
                .hasMessageContaining("0 permits instead of 1");
    }

    @Test
    void findsAGrantThatALateCallerForgets() {
        assertThat(failure(aTimeoutMeetsTheGrant(permits -> {
                    var signal = io.heptad.mutant.sync.forgetsthegrantofalatecaller.Signal.of(permits, 10);
                    return new Calls(
                            signal::release,
                            signal::acquire,
                            signal::tryAcquire,
                            signal::acquireAsync,
                            signal::available,
                            signal::waiting);
                })))
                .hasMessageContaining("0 permits instead of 1");
    }

    @Test
    void findsAnInterruptThatAGrantSwallows() {
        assertThat(failure(anInterruptComesAfterTheGrant(permits -> {
                    var signal = io.heptad.mutant.sync.losestheinterruptofagrantedcaller.Signal.of(permits, 10);
                    return new Calls(
                            signal::release,
                            signal::acquire,
                            signal::tryAcquire,
                            signal::acquireAsync,
                            signal::available,
                            signal::waiting);
                })))
                .hasMessageContaining("the interrupt is lost");
    }

    @Test
    void findsAFutureThatIsCancelledWithItsPermit() {
        assertThat(failure(aCancelMeetsTheGrant(permits -> {
                    var signal = io.heptad.mutant.sync.cancelswhatwasgranted.Signal.of(permits, 10);
                    return new Calls(
                            signal::release,
                            signal::acquire,
                            signal::tryAcquire,
                            signal::acquireAsync,
                            signal::available,
                            signal::waiting);
                })))
                .isNotNull();
    }

    @Test
    void findsAWaiterThatLeavesWithoutALookBehind() {
        assertThat(failure(theFirstGivesUp(permits -> {
                    var signal = io.heptad.mutant.sync.leaveswithoutalookbehind.Signal.of(permits, 10);
                    return new Calls(
                            signal::release,
                            signal::acquire,
                            signal::tryAcquire,
                            signal::acquireAsync,
                            signal::available,
                            signal::waiting);
                })))
                .hasToString(DEADLOCK);
    }

    @Test
    void findsAWaiterThatCountsItselfOverARelease() {
        assertThat(failure(twoForOne(permits -> {
                    var signal = io.heptad.mutant.sync.countsitselfoverwhatcameinbetween.Signal.of(permits, 10);
                    return new Calls(
                            signal::release,
                            signal::acquire,
                            signal::tryAcquire,
                            signal::acquireAsync,
                            signal::available,
                            signal::waiting);
                })))
                .isNotNull();
    }

    @Test
    void findsAReleaseThatStillSeesALine() {
        assertThat(failure(releasesMeetOneThatGivesUp(permits -> {
                    var signal = io.heptad.mutant.sync.grantstoalinethathasgone.Signal.of(permits, 10);
                    return new Calls(
                            signal::release,
                            signal::acquire,
                            signal::tryAcquire,
                            signal::acquireAsync,
                            signal::available,
                            signal::waiting);
                })))
                .hasMessageContaining("permits instead of");
    }

    @Test
    void findsAReleaseOverOneThatCameInBetween() {
        assertThat(failure(releasesMeetOneThatGivesUp(permits -> {
                    var signal = io.heptad.mutant.sync.releasesoverwhatcameinbetween.Signal.of(permits, 10);
                    return new Calls(
                            signal::release,
                            signal::acquire,
                            signal::tryAcquire,
                            signal::acquireAsync,
                            signal::available,
                            signal::waiting);
                })))
                .hasMessageContaining("permits instead of");
    }
}
