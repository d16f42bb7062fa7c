package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a call finds that was stopped on its way into a bin that it shares. */
@Watched
class KeyedLockStepsTest {
    /** One bin: whatever keys there are, they meet. */
    private final KeyedLock<String> lock = KeyedLock.withBins("orders", 1);

    private final ReentrantLock bin = lock.binOf("any").lockItself();
    private final CountDownLatch leave = new CountDownLatch(1);

    private Called inside(String key, CountDownLatch until) {
        Called call = Called.platform(() -> lock.withLock(key, () -> {
            until.await();
            return "left";
        }));
        Called.until(() -> lock.holder(key).equals(Optional.of(call.thread())));
        return call;
    }

    /** On its way to the lock of the bin, which the test holds. */
    private Called stopped(String key) {
        Called call = Called.platform(() -> lock.withLock(key, () -> {
            leave.await();
            return "ran";
        }));
        Called.until(() -> bin.hasQueuedThread(call.thread()));
        return call;
    }

    @AfterEach
    void nothingIsLeftBehind() {
        leave.countDown();
        Called.until(() -> lock.keys() == 0);
    }

    @Test
    void aBinThatEmptiesOnTheWayIsEntered() {
        CountDownLatch first = new CountDownLatch(1);
        Called inside = inside("a", first);
        Called comes;
        bin.lock();
        try {
            comes = stopped("a");
            first.countDown();
            assertThat(inside.outcome()).isEqualTo("left");
        } finally {
            bin.unlock();
        }
        leave.countDown();
        assertThat(comes.outcome()).isEqualTo("ran");
    }

    @Test
    void aBinThatEmptiesWhileTheKeyInItIsAskedForItsHashIsEntered() throws InterruptedException {
        KeyedLock<Object> orders = KeyedLock.withBins("orders", 1);
        CountDownLatch first = new CountDownLatch(1);
        Called[] inside = new Called[1];
        Object leavesWhenAsked = new Object() {
            @Override
            public int hashCode() {
                if (inside[0] != null && Thread.currentThread() != inside[0].thread()) {
                    first.countDown();
                    assertThat(inside[0].outcome()).isEqualTo("left");
                }
                return 1;
            }
        };
        inside[0] = Called.platform(() -> orders.withLock(leavesWhenAsked, () -> {
            first.await();
            return "left";
        }));
        Called.until(() -> orders.keys() == 1);

        assertThat(orders.<String, RuntimeException>withLock("b", () -> "ran")).isEqualTo("ran");
        assertThat(first.getCount()).as("asked on the way").isZero();
    }

    @Test
    void anotherKeyThatCameOnTheWayIsFoundUnderItsOwnHash() {
        CountDownLatch first = new CountDownLatch(1);
        Called inside = inside("a", first);
        bin.lock();
        try {
            stopped("c");
            first.countDown();
            assertThat(inside.outcome()).isEqualTo("left");
            inside("b", leave);
        } finally {
            bin.unlock();
        }
        Called.until(() -> lock.keys() == 2);

        Called second = Called.platform(() -> lock.withLock("b", Duration.ZERO, () -> "two inside"));

        assertThat(second.outcome()).isInstanceOf(TimeoutException.class);
    }

    @Test
    void keysAreCountedThoughTheBinChangesMeanwhile() throws InterruptedException {
        Called[] counts = new Called[1];
        lock.withLock(
                "a",
                () -> lock.withLock("b", () -> {
                    bin.lock();
                    counts[0] = Called.platform(lock::keys);
                    Called.until(() -> bin.hasQueuedThread(counts[0].thread()));
                }));
        int seen = lock.withLock("c", () -> {
            bin.unlock();
            return (Integer) counts[0].outcome();
        });
        assertThat(seen).isEqualTo(1);
    }

    @Test
    void aBinThatEmptiesWhileItIsAskedForItsFiguresHasNone() throws InterruptedException {
        List<Called> asks = new ArrayList<>();
        lock.withLock(
                "a",
                () -> lock.withLock("b", () -> {
                    bin.lock();
                    asks.add(Called.platform(() -> lock.holder("a").isPresent()));
                    asks.add(Called.platform(lock::keys));
                    asks.add(Called.platform(lock::toString));
                    Called.until(() -> asks.stream().allMatch(call -> bin.hasQueuedThread(call.thread())));
                }));
        bin.unlock();

        assertThat(asks).extracting(Called::outcome).containsExactly(false, 0, "orders[0 keys, 0 waiting]");
    }

    @Test
    void figuresOfABinThatNobodySharesNeedNoLock() throws InterruptedException {
        lock.withLock("a", () -> {
            bin.lock();
            try {
                assertThat(Called.platform(lock::stats).outcome()).isEqualTo(new KeyedLockStats(1, 0, 0, 0, 0));
                assertThat(Called.platform(() -> lock.holder("a").isPresent()).outcome())
                        .isEqualTo(true);
            } finally {
                bin.unlock();
            }
        });
    }

    @Test
    void whoCameAloneIsStillKnownWhenAnotherKeyHasLeft() throws InterruptedException {
        lock.withLock("a", () -> {
            lock.withLock("b", () -> {});
            assertThat(lock.holder("a")).contains(Thread.currentThread());
        });
    }

    // Figures of a bin that stays shared

    @Test
    void whoWasServedWaitsNoMoreThoughAnotherKeyIsStillHeld() {
        CountDownLatch first = new CountDownLatch(1);
        inside("other", leave);
        inside("a", first);
        Called next = Called.platform(() -> lock.withLock("a", () -> "ran"));
        Called.until(() -> lock.stats().waiting() == 1);

        first.countDown();

        assertThat(next.outcome()).isEqualTo("ran");
        assertThat(lock.stats().waiting()).isZero();
        assertThat(lock.keys()).isEqualTo(1);
    }

    @Test
    void whoseTimeIsOutWaitsNoMoreThoughTheKeyIsStillHeld() {
        inside("a", leave);
        Called late = Called.platform(() -> lock.withLock("a", Duration.ofMillis(1), () -> "ran"));

        assertThat(late.outcome()).isInstanceOf(TimeoutException.class);
        assertThat(lock.stats().waiting()).isZero();
    }

    @Test
    void aKeyThatNobodyIsInsideOfHasNoHolderThoughItsBinHasOne() {
        inside("a", leave);
        assertThat(lock.holder("c")).isEmpty();
        assertThat(lock.waiting("c")).isZero();
    }
}
