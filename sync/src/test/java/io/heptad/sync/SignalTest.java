package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.heptad.contract.Seeded;
import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a signal does with permits and with those who want them. */
@Watched
class SignalTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final Signal signal = Signal.of("jobs", 0, 100);

    private Called parked(int permits) {
        return parked(signal, permits);
    }

    private static Called parked(Signal signal, int permits) {
        int before = signal.waiting();
        Called call = Called.platform(() -> {
            signal.acquire(permits);
            return "acquired " + permits;
        });
        Called.until(() -> signal.waiting() == before + 1);
        return call;
    }

    // The signal that starts at zero (row A16)

    @Test
    void startsAtZeroAndRemembersAReleaseThatComesFirst() throws InterruptedException {
        Signal fresh = Signal.create();
        assertThat(fresh.available()).isZero();
        assertThat(fresh.tryAcquire()).isFalse();

        fresh.release();
        fresh.acquire();

        assertThat(fresh.available()).isZero();
    }

    @Test
    void fiveReleasesLetExactlyFiveInAndTheSixthWaits() {
        List<Called> calls = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            calls.add(parked(1));
        }
        for (int i = 0; i < 5; i++) {
            signal.release();
        }

        for (int i = 0; i < 5; i++) {
            assertThat(calls.get(i).outcome()).isEqualTo("acquired 1");
        }
        assertThat(signal.waiting()).isEqualTo(1);
        assertThat(calls.get(5).isDone()).isFalse();
        signal.release();
        assertThat(calls.get(5).outcome()).isEqualTo("acquired 1");
        assertThat(signal.available()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void servesThreadsAndFuturesInOneLineInTheOrderOfArrival(boolean virtual) {
        List<String> order = new CopyOnWriteArrayList<>();
        List<Called> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            String which = "waiter " + i;
            if (i % 3 == 0) {
                signal.acquireAsync().thenRun(() -> order.add(which));
            } else {
                calls.add(Called.in(virtual, () -> {
                    signal.acquire();
                    return order.add(which);
                }));
            }
            int inLine = i + 1;
            Called.until(() -> signal.waiting() == inLine);
        }
        for (int i = 0; i < 10; i++) {
            signal.release();
            int served = i + 1;
            Called.until(() -> order.size() == served);
        }

        assertThat(order)
                .containsExactly(java.util.stream.IntStream.range(0, 10)
                        .mapToObj(i -> "waiter " + i)
                        .toArray(String[]::new));
        calls.forEach(call -> assertThat(call.outcome()).isEqualTo(true));
    }

    // The bound (row G3)

    @Test
    void refusesAReleaseThatWouldPassTheBoundAndChangesNothing() {
        Signal full = Signal.of("slots", 2, 3);
        full.release();

        assertThatIllegalStateException()
                .isThrownBy(full::release)
                .withMessage("slots holds at most 3 permits: 3 are available, 1 more do not fit");
        assertThat(full.available()).isEqualTo(3);
        assertThat(full.tryAcquire(2)).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> full.release(3)).withMessageContaining("1 are available");
        assertThatIllegalStateException().isThrownBy(() -> full.release(Integer.MAX_VALUE));
        assertThat(full.available()).isEqualTo(1);
        assertThat(full.stats().refused()).isEqualTo(3);
    }

    @Test
    void aReleaseBeyondTheBoundWakesNobodyAndLosesNobody() {
        Signal small = Signal.of(0, 2);
        Called waiter = parked(small, 2);
        small.release();

        assertThatIllegalStateException().isThrownBy(() -> small.release(2));
        assertThatIllegalStateException().isThrownBy(() -> small.release(Integer.MAX_VALUE));

        assertThat(small.available()).isEqualTo(1);
        assertThat(small.waiting()).isEqualTo(1);
        assertThat(waiter.isDone()).isFalse();
        small.release();
        assertThat(waiter.outcome()).isEqualTo("acquired 2");
    }

    @Test
    void holdsTwoBillionPermitsAndNotOneMore() {
        Signal huge = Signal.of(Integer.MAX_VALUE - 1, Integer.MAX_VALUE);
        huge.release();
        assertThatIllegalStateException().isThrownBy(huge::release);
        assertThat(huge.available()).isEqualTo(Integer.MAX_VALUE);
        assertThat(huge.tryAcquire(Integer.MAX_VALUE)).isTrue();
        assertThat(huge.available()).isZero();
    }

    @Test
    void namesTheArgumentThatIsOutOfRange() {
        Signal small = Signal.of(1, 3);
        Called waiter = parked(small, 2);
        for (int wrong : new int[] {0, -1, Integer.MIN_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> small.release(wrong))
                    .withMessage("permits must be 1 or more, but is " + wrong);
        }
        for (int wrong : new int[] {0, -1, Integer.MIN_VALUE, 4, Integer.MAX_VALUE}) {
            String message = "permits must be from 1 to 3, but is " + wrong;
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> small.acquire(wrong))
                    .withMessage(message);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> small.tryAcquire(wrong))
                    .withMessage(message);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> small.acquireAsync(wrong))
                    .withMessage(message);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> small.acquire(wrong, Duration.ZERO))
                    .withMessage(message);
        }
        assertThatNullPointerException()
                .isThrownBy(() -> small.acquire((Duration) null))
                .withMessage("timeout");
        assertThat(small.available()).isEqualTo(1);
        assertThat(small.waiting()).isEqualTo(1);
        assertThat(waiter.isDone()).isFalse();
        small.release();
        assertThat(waiter.outcome()).isEqualTo("acquired 2");
    }

    @Test
    void refusesBoundsAndNamesThatMakeNoSense() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Signal.of(0, 0))
                .withMessage("maxPermits must be 1 or more, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Signal.of(-1, 5))
                .withMessage("permits must be from 0 to 5, but is -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Signal.of(6, 5))
                .withMessage("permits must be from 0 to 5, but is 6");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Signal.of(" ", 0, 5))
                .withMessage("name must not be blank, but is \" \"");
        assertThatNullPointerException().isThrownBy(() -> Signal.of(null, 0, 5)).withMessage("name");
    }

    // Many permits at once (rows G7, G8, G9)

    @Test
    void aReleaseOfThreeLetsThreeWaitersIn() {
        List<Called> calls = List.of(parked(1), parked(1), parked(1));

        signal.release(3);

        calls.forEach(call -> assertThat(call.outcome()).isEqualTo("acquired 1"));
        assertThat(signal.available()).isZero();
    }

    @Test
    void aWaiterForTwoIsNotLetInWithOne() {
        Called two = parked(2);

        signal.release();
        assertThat(signal.waiting()).isEqualTo(1);
        assertThat(signal.available()).isEqualTo(1);
        two.untilParked();
        assertThat(two.isDone()).isFalse();

        signal.release();
        assertThat(two.outcome()).isEqualTo("acquired 2");
        assertThat(signal.available()).isZero();
    }

    @Test
    void aWaiterForThreeIsServedBeforeTheSinglesBehindIt() {
        List<Called> singles = new ArrayList<>();
        Called three = parked(3);
        for (int i = 0; i < 3; i++) {
            singles.add(parked(1));
            signal.release();
            boolean served = i == 2;
            assertThat(signal.waiting()).isEqualTo(served ? 3 : i + 2);
        }

        assertThat(three.outcome()).isEqualTo("acquired 3");
        assertThat(singles).noneMatch(Called::isDone);
        signal.release(3);
        singles.forEach(call -> assertThat(call.outcome()).isEqualTo("acquired 1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"interrupt", "timeout", "cancel"})
    void whoStoodBehindAWaiterForManyIsServedWhenThatOneGivesUp(String how) {
        Signal four = Signal.of(2, 4);
        var future = how.equals("cancel") ? four.acquireAsync(4) : null;
        Called many = future != null
                ? null
                : Called.platform(() -> four.acquire(4, how.equals("timeout") ? Duration.ofMillis(300) : LONG));
        Called.until(() -> four.waiting() == 1);
        Called one = parked(four, 1);
        assertThat(one.isDone()).isFalse();

        if (future != null) {
            assertThat(future.cancel(true)).isTrue();
        } else if (how.equals("interrupt")) {
            many.interrupt();
            assertThat(many.outcome()).isInstanceOf(InterruptedException.class);
        } else {
            assertThat(many.outcome()).isEqualTo(false);
        }

        assertThat(one.outcome()).isEqualTo("acquired 1");
        assertThat(four.available()).isEqualTo(1);
        assertThat(four.waiting()).isZero();
    }

    @Test
    void aNewcomerNeverOvertakesWhoIsInLine() {
        Signal four = Signal.of(2, 4);
        Called many = parked(four, 4);

        assertThat(four.tryAcquire()).isFalse(); // though two are available
        assertThat(four.acquireAsync()).isNotDone();
        assertThat(four.waiting()).isEqualTo(2);

        four.release(2);
        assertThat(many.outcome()).isEqualTo("acquired 4");
    }

    // Nothing left behind (rows G4, G5, G6, G11)

    @Test
    void interruptedWaitersThatReleaseNothingLeaveTheBoundWhereItWas() {
        Signal two = Signal.of(2, 2);
        assertThat(two.tryAcquire(2)).isTrue();
        List<Called> calls = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            calls.add(parked(two, 1));
        }
        calls.forEach(Called::interrupt);
        calls.forEach(call -> assertThat(call.outcome()).isInstanceOf(InterruptedException.class));

        two.release(2);

        assertThat(two.available()).isEqualTo(2);
        assertThat(two.waiting()).isZero();
    }

    @Test
    void waitersWhoseTimeRanOutLeaveNoClaimBehind() throws InterruptedException {
        Signal one = Signal.of(0, 1);
        List<Called> calls = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            calls.add(Called.platform(() -> one.acquire(Duration.ofMillis(20))));
        }
        calls.forEach(call -> assertThat(call.outcome()).isEqualTo(false));
        assertThat(one.waiting()).isZero();

        one.release();

        assertThat(one.available()).isEqualTo(1);
        assertThat(one.acquire(Duration.ofMillis(20))).isTrue();
    }

    @RepeatedTest(3)
    void cancelsThatRaceLeaveNoPhantomInLine() throws Exception {
        Signal one = Signal.of(0, 1);
        for (int round = 0; round < 300; round++) {
            List<Called> calls = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                calls.add(Called.in(true, () -> one.acquire(LONG)));
            }
            Called.until(() -> one.waiting() == 16);
            calls.forEach(Called::interrupt);
            calls.forEach(call -> assertThat(call.outcome()).isInstanceOf(InterruptedException.class));
            one.release();

            assertThat(one.waiting()).isZero();
            assertThat(one.tryAcquire()).isTrue();
        }
    }

    @Test
    void interruptsAtAnyMomentLoseNoPermit() throws Exception {
        Signal one = Signal.of(1, 1);
        Thread target = Thread.currentThread();
        AtomicInteger bodies = new AtomicInteger();
        int interrupts = 0;
        for (int round = 0; round < 20_000; round++) {
            int delay = ThreadLocalRandom.current().nextInt(60);
            Thread interrupter = round % 16 == 0 // a thread each time would only measure how they start
                    ? Thread.ofVirtual().start(() -> {
                        Spin.pause(delay);
                        target.interrupt();
                    })
                    : null;
            try {
                one.acquire();
                try {
                    bodies.incrementAndGet();
                } finally {
                    one.release();
                }
            } catch (InterruptedException e) {
                interrupts++;
            }
            if (interrupter != null) {
                joinUninterrupted(interrupter);
            }
            Thread.interrupted();
            assertThat(one.available()).isEqualTo(1);
        }
        assertThat(bodies.get() + interrupts).isEqualTo(20_000);
    }

    private static void joinUninterrupted(Thread thread) {
        while (thread.isAlive()) {
            Thread.onSpinWait();
        }
    }

    // At random, against a model

    @Test
    void behavesLikeACounterWithALine() {
        Seeded.run(random -> {
            int max = 1 + random.nextInt(6);
            Signal tried = Signal.of(0, max);
            int free = 0;
            List<java.util.concurrent.CompletableFuture<Void>> line = new ArrayList<>();
            List<Integer> wants = new ArrayList<>();
            for (int step = 0; step < 2_000; step++) {
                int n = 1 + random.nextInt(max);
                switch (random.nextInt(4)) {
                    case 0 -> {
                        boolean expected = wants.isEmpty() && free >= n;
                        assertThat(tried.tryAcquire(n)).isEqualTo(expected);
                        free -= expected ? n : 0;
                    }
                    case 1 -> {
                        line.add(tried.acquireAsync(n));
                        wants.add(n);
                    }
                    case 2 -> {
                        if (free + n > max) {
                            assertThatIllegalStateException().isThrownBy(() -> tried.release(n));
                        } else {
                            tried.release(n);
                            free += n;
                        }
                    }
                    default -> {
                        if (!line.isEmpty()) {
                            int which = random.nextInt(line.size());
                            assertThat(line.remove(which).cancel(true)).isTrue();
                            wants.remove(which);
                        }
                    }
                }
                while (!wants.isEmpty() && wants.get(0) <= free) {
                    free -= wants.remove(0);
                    assertThat(line.remove(0)).isCompleted();
                }
                assertThat(line).allMatch(future -> !future.isDone());
                assertThat(tried.available()).isEqualTo(free);
                assertThat(tried.waiting()).isEqualTo(line.size());
            }
        });
    }

    @Test
    void neitherLosesNorMakesPermitsUnderLoad() throws Exception {
        Signal few = Signal.of(3, 3);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(8);
        for (int t = 0; t < 8; t++) {
            boolean virtual = t % 2 == 0;
            Called.in(virtual, () -> {
                try {
                    for (int i = 0; i < 3_000; i++) {
                        int n = 1 + ThreadLocalRandom.current().nextInt(3);
                        boolean got = switch (i % 4) {
                            case 0 -> few.tryAcquire(n);
                            case 1 -> few.acquire(n, Duration.ofNanos(i * 7L));
                            case 2 -> {
                                var future = few.acquireAsync(n);
                                yield !future.cancel(true);
                            }
                            default -> {
                                few.acquire(n);
                                yield true;
                            }
                        };
                        if (got) {
                            most.accumulateAndGet(inside.addAndGet(n), Math::max);
                            inside.addAndGet(-n);
                            few.release(n);
                        }
                    }
                } finally {
                    done.countDown();
                }
                return null;
            });
        }
        done.await();

        assertThat(most).hasValueLessThanOrEqualTo(3);
        assertThat(few.available()).isEqualTo(3);
        assertThat(few.waiting()).isZero();
    }

    // Memory

    @Test
    void whatHappenedBeforeAReleaseIsSeenAfterTheAcquire() throws InterruptedException {
        int[] plain = new int[1];
        Signal there = Signal.create();
        Signal back = Signal.create();
        Called echo = Called.platform(() -> {
            for (int i = 1; i <= 20_000; i++) {
                there.acquire();
                if (plain[0] != i) {
                    return "saw " + plain[0] + " instead of " + i;
                }
                back.release();
            }
            return "saw all";
        });
        for (int i = 1; i <= 20_000; i++) {
            plain[0] = i;
            there.release();
            back.acquire();
        }
        assertThat(echo.outcome()).isEqualTo("saw all");
    }
}
