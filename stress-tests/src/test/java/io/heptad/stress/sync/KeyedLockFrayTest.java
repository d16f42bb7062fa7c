package io.heptad.stress.sync;

import static io.heptad.stress.Schedules.DEADLOCK;
import static io.heptad.stress.Schedules.assertNoneFails;
import static io.heptad.stress.Schedules.check;
import static io.heptad.stress.Schedules.failure;
import static io.heptad.stress.Schedules.start;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.stress.Schedules.Block;
import io.heptad.sync.KeyedLock;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;

/**
 * The windows in which a thread parks for a key, against the one that leaves it, and against giving up: no schedule has two
 * inside, leaves a waiter behind, or keeps a key. Each guard is also taken away, and a schedule is found that shows it.
 */
class KeyedLockFrayTest {
    private static final Duration LONG = Duration.ofSeconds(Long.MAX_VALUE);

    private interface WithLock {
        String run(String key, Duration most, Callable<String> body) throws Exception;
    }

    /** A keyed lock, shipped or weakened, and the one body that may be inside of a key. */
    private record Calls(WithLock lock, IntSupplier keys, ToIntFunction<String> waiting, AtomicInteger inside) {
        Calls(WithLock lock, IntSupplier keys, ToIntFunction<String> waiting) {
            this(lock, keys, waiting, new AtomicInteger());
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
            lock.run("a", LONG, this::body);
        }

        void ends() throws Exception {
            check(keys.getAsInt() == 0, "a key is kept");
            lock.run("a", Duration.ZERO, this::body);
        }

        @SuppressWarnings("ThreadPriorityCheck") // a step in which the other thread may go on
        void awaitWaiting() {
            while (waiting.applyAsInt("a") == 0) {
                Thread.yield();
            }
        }
    }

    private static Calls shipped() {
        KeyedLock<String> lock = KeyedLock.create();
        return new Calls((key, most, body) -> lock.withLock(key, most, body::call), lock::keys, lock::waiting);
    }

    private static Block threeRun(Supplier<Calls> made) {
        return () -> {
            Calls lock = made.get();
            Thread first = start(lock::runs);
            Thread second = start(lock::runs);
            lock.runs();
            first.join();
            second.join();
            lock.ends();
        };
    }

    /** The hashes of "Aa" and "BB" are the same, and so is their bin. */
    private static Block twoKeysMeet(Supplier<Calls> made) {
        return () -> {
            Calls lock = made.get();
            AtomicInteger ran = new AtomicInteger();
            Thread other = start(() -> {
                lock.lock.run("Aa", LONG, () -> String.valueOf(ran.incrementAndGet()));
                lock.lock.run("Aa", LONG, () -> String.valueOf(ran.incrementAndGet()));
            });
            lock.lock.run("BB", LONG, () -> String.valueOf(ran.incrementAndGet()));
            lock.lock.run("BB", LONG, () -> String.valueOf(ran.incrementAndGet()));
            other.join();
            check(ran.get() == 4, "not all ran");
            lock.ends();
        };
    }

    private static Block anInterruptMeetsAHandOver(Supplier<Calls> made) {
        return () -> {
            Calls lock = made.get();
            Thread[] others = new Thread[2];
            lock.lock.run("a", LONG, () -> {
                others[0] = start(() -> {
                    try {
                        lock.runs();
                    } catch (InterruptedException e) {
                        // the key went on
                    }
                });
                lock.awaitWaiting();
                others[1] = start(others[0]::interrupt);
                return "ran";
            });
            others[0].join();
            others[1].join();
            lock.ends();
        };
    }

    private static Block aTimeoutMeetsAHandOver(Supplier<Calls> made) {
        return () -> {
            Calls lock = made.get();
            Thread first = start(lock::runs);
            Thread second = start(() -> {
                try {
                    lock.lock.run("a", Duration.ofNanos(1), lock::body);
                } catch (TimeoutException e) {
                    // somebody else was inside
                }
            });
            first.join();
            second.join();
            lock.ends();
        };
    }

    @Test
    void oneAfterTheOther() {
        assertNoneFails(threeRun(KeyedLockFrayTest::shipped));
    }

    @Test
    void keysThatMeetInABinComeAndGo() {
        assertNoneFails(twoKeysMeet(KeyedLockFrayTest::shipped));
    }

    @Test
    void anInterruptKeepsNoKey() {
        assertNoneFails(anInterruptMeetsAHandOver(KeyedLockFrayTest::shipped));
    }

    @Test
    void aTimeoutKeepsNoKey() {
        assertNoneFails(aTimeoutMeetsAHandOver(KeyedLockFrayTest::shipped));
    }

    @Test
    void findsAKeyThatIsNotHandedOn() {
        assertThat(failure(threeRun(() -> {
                    var lock = io.heptad.mutant.sync.leavesakeywithoutalookatitswaiters.KeyedLock.<String>create();
                    return new Calls(
                            (key, most, body) -> lock.withLock(key, most, body::call), lock::keys, lock::waiting);
                })))
                .hasToString(DEADLOCK);
    }

    @Test
    void findsABinThatIsLeftWithoutALookAtIt() {
        assertThat(failure(threeRun(() -> {
                    var lock = io.heptad.mutant.sync.leavesabinwithoutalookatit.KeyedLock.<String>create();
                    return new Calls(
                            (key, most, body) -> lock.withLock(key, most, body::call), lock::keys, lock::waiting);
                })))
                .isNotNull();
    }

    @Test
    void findsAKeyThatIsTakenInAfterItHasLeft() {
        assertThat(failure(twoKeysMeet(() -> {
                    var lock = io.heptad.mutant.sync.takesinakeythathasleft.KeyedLock.<String>create();
                    return new Calls(
                            (key, most, body) -> lock.withLock(key, most, body::call), lock::keys, lock::waiting);
                })))
                .isNotNull();
    }

    @Test
    void findsAnInterruptedCallerThatKeepsItsKey() {
        assertThat(failure(anInterruptMeetsAHandOver(() -> {
                    var lock = io.heptad.mutant.sync.keepsthekeyofaninterruptedcaller.KeyedLock.<String>create();
                    return new Calls(
                            (key, most, body) -> lock.withLock(key, most, body::call), lock::keys, lock::waiting);
                })))
                .isNotNull();
    }

    @Test
    void findsALateCallerThatForgetsItsKey() {
        assertThat(failure(aTimeoutMeetsAHandOver(() -> {
                    var lock = io.heptad.mutant.sync.forgetsthekeyofalatecaller.KeyedLock.<String>create();
                    return new Calls(
                            (key, most, body) -> lock.withLock(key, most, body::call), lock::keys, lock::waiting);
                })))
                .isNotNull();
    }
}
