package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.core.Body;
import io.heptad.core.VoidBody;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One body at a time for a key, in order, and nothing kept of it; every call and each way it can end. */
@Watched
class KeyedLockTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    /** One bin: whatever keys there are, they meet. */
    private final KeyedLock<Object> lock = KeyedLock.withBins("orders", 1);

    private final CountDownLatch leave = new CountDownLatch(1);

    /** A thread inside of the key until {@link #leave}. */
    private Called inside(Object key) {
        Called call = Called.platform(() -> lock.withLock(key, () -> {
            leave.await();
            return "left";
        }));
        Called.until(() -> lock.holder(key).equals(java.util.Optional.of(call.thread())));
        return call;
    }

    private Called inLine(boolean virtual, Object key, Duration timeout) {
        int before = lock.waiting(key);
        Called call = Called.in(virtual, () -> lock.withLock(key, timeout, () -> "ran"));
        Called.until(() -> lock.waiting(key) == before + 1);
        return call;
    }

    @AfterEach
    void nothingIsLeftBehind() {
        leave.countDown();
        Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> lock.keys() == 0);
        assertThat(lock.stats().waiting()).isZero();
    }

    // Bodies

    @Test
    void runsTheBodyAndReturnsItsValue() throws Exception {
        assertThat(lock.<Integer, RuntimeException>withLock("a", () -> 1 + 1)).isEqualTo(2);
        assertThat(lock.<Object, RuntimeException>withLock("a", LONG, () -> null))
                .isNull();
        AtomicInteger ran = new AtomicInteger();
        VoidBody<RuntimeException> body = ran::incrementAndGet;
        lock.withLock("a", body);
        lock.withLock("a", LONG, body);
        lock.withLock("a", Duration.ZERO, body);
        assertThat(ran).hasValue(3);
    }

    @Test
    void throwsWhatTheBodyThrewItselfAndTheKeyIsFree() throws Exception {
        IOException mine = new IOException();
        Body<String, IOException> throwing = () -> {
            throw mine;
        };
        VoidBody<Error> failing = () -> {
            throw new StackOverflowError();
        };
        assertThatThrownBy(() -> lock.withLock("a", throwing)).isSameAs(mine);
        assertThatThrownBy(() -> lock.withLock("a", LONG, throwing)).isSameAs(mine);
        assertThatThrownBy(() -> lock.withLock("a", failing)).isInstanceOf(StackOverflowError.class);
        assertThatThrownBy(() -> lock.withLock("a", LONG, failing)).isInstanceOf(StackOverflowError.class);
        assertThat(lock.keys()).isZero();
        assertThat(lock.withLock("a", Duration.ZERO, () -> "next")).isEqualTo("next");
    }

    @Test
    void aBodyThatThrowsHandsTheKeyToTheNext() {
        Called first = Called.platform(() -> lock.withLock("a", () -> {
            leave.await();
            throw new IOException();
        }));
        Called.until(() -> lock.keys() == 1);
        Called next = inLine(false, "a", LONG);
        leave.countDown();
        assertThat(first.outcome()).isInstanceOf(IOException.class);
        assertThat(next.outcome()).isEqualTo("ran");
    }

    @Test
    void namesTheNullOrBlankArgument() {
        Body<String, RuntimeException> body = () -> "ran";
        assertThatNullPointerException()
                .isThrownBy(() -> lock.withLock(null, body))
                .withMessage("key");
        assertThatNullPointerException()
                .isThrownBy(() -> lock.withLock("a", (Body<String, RuntimeException>) null))
                .withMessage("body");
        assertThatNullPointerException()
                .isThrownBy(() -> lock.withLock("a", (VoidBody<RuntimeException>) null))
                .withMessage("body");
        assertThatNullPointerException()
                .isThrownBy(() -> lock.withLock("a", LONG, (Body<String, RuntimeException>) null))
                .withMessage("body");
        assertThatNullPointerException()
                .isThrownBy(() -> lock.withLock("a", LONG, (VoidBody<RuntimeException>) null))
                .withMessage("body");
        VoidBody<RuntimeException> noResult = body::run;
        assertThatNullPointerException()
                .isThrownBy(() -> lock.withLock("a", null, body))
                .withMessage("timeout");
        assertThatNullPointerException()
                .isThrownBy(() -> lock.withLock("a", null, noResult))
                .withMessage("timeout");
        assertThatNullPointerException().isThrownBy(() -> KeyedLock.of(null)).withMessage("name");
        assertThatNullPointerException().isThrownBy(() -> lock.waiting(null)).withMessage("key");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyedLock.of(" "))
                .withMessage("name must not be blank, but is \" \"");
        assertThat(KeyedLock.create().name()).isEqualTo("keyed lock");
    }

    // One at a time, side by side, in order

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 4", "64, 40", "64, 1"})
    void bodiesForOneKeyNeverOverlap(int bins, int keys) throws Exception {
        KeyedLock<Integer> tried = KeyedLock.withBins("tried", bins);
        int[] plain = new int[keys];
        AtomicBoolean[] inside = new AtomicBoolean[keys];
        for (int i = 0; i < keys; i++) {
            inside[i] = new AtomicBoolean();
        }
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        List<Called> calls = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            calls.add(Called.in(t % 2 == 0, () -> {
                for (int i = 0; i < 2_000; i++) {
                    int key = ThreadLocalRandom.current().nextInt(keys);
                    VoidBody<RuntimeException> body = () -> {
                        if (!inside[key].compareAndSet(false, true)) {
                            overlaps.incrementAndGet();
                        }
                        plain[key]++;
                        ran.incrementAndGet();
                        inside[key].set(false);
                    };
                    try {
                        if (i % 3 == 0) {
                            tried.withLock(key, Duration.ofNanos(i * 10L), body);
                        } else {
                            tried.withLock(key, body);
                        }
                    } catch (TimeoutException busy) {
                        // as good an end as any
                    }
                }
                return "done";
            }));
        }
        calls.forEach(call -> assertThat(call.outcome()).isEqualTo("done"));

        assertThat(overlaps).hasValue(0);
        assertThat(java.util.stream.IntStream.of(plain).sum()).isEqualTo(ran.get());
        assertThat(tried.keys()).isZero();
        assertThat(tried.stats().waiting()).isZero();
    }

    @Test
    void bodiesForDifferentKeysRunSideBySideAlsoWhereTheirHashesMeet() {
        Called a = inside(new Key("a", 7));
        Called b = inside(new Key("b", 7));
        Called c = inside("c");
        assertThat(lock.keys()).isEqualTo(3);
        leave.countDown();
        assertThat(List.of(a.outcome(), b.outcome(), c.outcome())).containsOnly("left");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void servesAKeyInTheOrderOfArrival(boolean virtual) {
        inside("a");
        inside("other");
        List<Integer> order = new CopyOnWriteArrayList<>();
        List<Called> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            int which = i;
            calls.add(Called.in(virtual, () -> lock.withLock("a", () -> order.add(which))));
            Called.until(() -> lock.waiting("a") == which + 1);
        }
        assertThat(lock.waiting("other")).isZero();
        leave.countDown();
        calls.forEach(call -> assertThat(call.outcome()).isEqualTo(true));
        assertThat(order).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    @Test
    void aNewcomerDoesNotOvertakeWhoIsInLine() throws Exception {
        inside("a");
        AtomicBoolean ran = new AtomicBoolean();
        Called inLine = Called.platform(() -> {
            lock.withLock("a", () -> ran.set(true));
            return "ran";
        });
        Called.until(() -> lock.waiting("a") == 1);
        leave.countDown();
        // The key goes straight to the one in line, so at no moment does a call that would not wait find it free
        // before.
        for (boolean got = false; !got; ) {
            try {
                assertThat(lock.withLock("a", Duration.ZERO, ran::get)).isTrue();
                got = true;
            } catch (TimeoutException busy) {
                assertThat(busy).hasMessageContaining("orders: key a was not free within PT0S");
            }
        }
        assertThat(inLine.outcome()).isEqualTo("ran");
    }

    @Test
    void equalKeysAreOneKey() throws Exception {
        inside(new Key("a", 1));
        assertThat(lock.holder(new Key("a", 1))).isPresent();
        assertThatThrownBy(() -> lock.withLock(new Key("a", 1), Duration.ZERO, () -> "ran"))
                .isInstanceOf(TimeoutException.class);
        assertThat(lock.withLock(new Key("b", 1), Duration.ZERO, () -> "ran")).isEqualTo("ran");
    }

    // Reentry

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void reentryByTheOwnerIsRefusedAndNotADeadlock(boolean shared) throws Exception {
        if (shared) {
            inside("other");
        }
        String seen = lock.withLock("a", () -> {
            assertThatThrownBy(() -> lock.withLock("a", () -> "never"))
                    .isInstanceOf(IllegalMonitorStateException.class)
                    .hasMessageContainingAll(
                            "orders", "key a", Thread.currentThread().toString());
            assertThatThrownBy(() -> lock.withLock(new String("a"), LONG, () -> "never"))
                    .isInstanceOf(IllegalMonitorStateException.class);
            assertThatThrownBy(() -> lock.withLock("a", Duration.ZERO, () -> "never"))
                    .isInstanceOf(IllegalMonitorStateException.class);
            return lock.withLock("b", () -> "another key is fine");
        });
        assertThat(seen).isEqualTo("another key is fine");
        assertThat(lock.withLock("a", Duration.ZERO, () -> "free again")).isEqualTo("free again");
    }

    @Test
    void reentryIsAlsoRefusedToWhoWasHandedTheKey() {
        inside("a");
        Called handed = Called.platform(() -> lock.withLock("a", () -> lock.withLock("a", () -> "never")));
        Called.until(() -> lock.waiting("a") == 1);
        leave.countDown();
        assertThat(handed.outcome()).isInstanceOf(IllegalMonitorStateException.class);
    }

    // Every way a call can end

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void waitsForTheKeyAndRuns(boolean virtual) {
        inside("a");
        List<Called> calls = List.of(
                inLine(virtual, "a", LONG),
                inLine(virtual, "a", Duration.ofSeconds(Long.MAX_VALUE)),
                Called.in(virtual, () -> lock.withLock("a", () -> "ran")));
        Called.until(() -> lock.waiting("a") == 3);
        calls.forEach(Called::untilParked);
        leave.countDown();
        calls.forEach(call -> assertThat(call.outcome()).isEqualTo("ran"));
        assertThat(lock.stats().waited()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void throwsWhenInterruptedOnEntryThoughTheKeyIsFree(boolean virtual) {
        for (Called call : List.of(
                Called.interruptedOnEntry(virtual, () -> lock.withLock("a", () -> "ran")),
                Called.interruptedOnEntry(virtual, () -> lock.withLock("a", Duration.ZERO, () -> "ran")))) {
            assertThat(call.outcome()).isInstanceOf(InterruptedException.class);
            assertThat(call.interruptedAfter()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void throwsWhenInterruptedInLineAndTheNextIsServed(boolean virtual) {
        inside("a");
        Called interrupted = inLine(virtual, "a", LONG);
        Called next = inLine(virtual, "a", LONG);
        interrupted.interrupt();
        assertThat(interrupted.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(interrupted.interruptedAfter()).isFalse();
        assertThat(lock.waiting("a")).isEqualTo(1);
        leave.countDown();
        assertThat(next.outcome()).isEqualTo("ran");
        assertThat(lock.stats().interrupted()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void saysWhoWasInsideWhenItsTimeIsOutAndTheNextIsServed(boolean virtual) {
        Called inside = inside("a");
        Called late = inLine(virtual, "a", Duration.ofMillis(30));
        Called next = inLine(virtual, "a", LONG);
        assertThat((Throwable) late.outcome())
                .isInstanceOf(TimeoutException.class)
                .hasMessage("orders: key a was not free within PT0.03S, " + inside.thread() + " is inside, 1 wait");
        leave.countDown();
        assertThat(next.outcome()).isEqualTo("ran");
        assertThat(lock.stats().timedOut()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void doesNotWaitForADurationOfZeroOrLess(long seconds) throws Exception {
        Duration none = Duration.ofSeconds(seconds);
        assertThat(lock.withLock("a", none, () -> "ran")).isEqualTo("ran");
        inside("a");
        assertThatThrownBy(() -> lock.withLock("a", none, () -> "ran")).isInstanceOf(TimeoutException.class);
        assertThat(lock.waiting("a")).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aKeyThatIsHandedToAnInterruptedThreadGoesToTheNext(boolean virtual) {
        Called inside = inside("a");
        Called interrupted = inLine(virtual, "a", LONG);
        Called next = inLine(virtual, "a", LONG);
        interrupted.untilParked();
        ReentrantLock bin = lock.binOf("a").lockItself();
        bin.lock();
        try {
            leave.countDown();
            Called.until(() -> bin.hasQueuedThread(inside.thread()));
            interrupted.interrupt();
            Called.until(() -> bin.hasQueuedThread(interrupted.thread())); // asks for leave, behind the hand-over
        } finally {
            bin.unlock();
        }
        assertThat(interrupted.outcome()).isInstanceOf(InterruptedException.class);
        assertThat(next.outcome()).isEqualTo("ran");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aKeyThatIsHandedOverAsTheTimeRunsOutIsUsed(boolean virtual) {
        Called inside = inside("a");
        Called late = inLine(virtual, "a", Duration.ofMillis(200));
        ReentrantLock bin = lock.binOf("a").lockItself();
        bin.lock();
        try {
            leave.countDown();
            Called.until(() -> bin.hasQueuedThread(inside.thread()));
            Called.until(() -> bin.hasQueuedThread(late.thread()));
        } finally {
            bin.unlock();
        }
        assertThat(late.outcome()).isEqualTo("ran");
    }

    // Nothing kept

    @Test
    void aMillionKeysUsedOnceLeaveNothing() throws Exception {
        KeyedLock<Object> table = KeyedLock.create();
        long sum = 0;
        WeakReference<Object> one = null;
        for (int i = 0; i < 1_000_000; i++) {
            Object key = "key " + i;
            sum += table.<Integer, RuntimeException>withLock(key, () -> 1);
            if (i == 500_000) {
                one = new WeakReference<>(key);
            }
        }
        assertThat(sum).isEqualTo(1_000_000);
        assertThat(table.keys()).isZero();
        isCollected(one);
    }

    @Test
    void twentyThousandKeysHeldAtOnceAreAllFoundAndLeaveNothing() {
        KeyedLock<Integer> table = KeyedLock.withBins("table", 2);
        int keys = 20_000;
        List<Called> calls = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            int key = i;
            calls.add(Called.in(
                    true,
                    () -> table.withLock(key, () -> {
                        leave.await();
                        return "left";
                    })));
        }
        Called.until(() -> table.keys() == keys);
        for (int i = 0; i < keys; i += 100) {
            assertThat(table.holder(i)).contains(calls.get(i).thread());
        }
        assertThat(table.holder(keys)).isEmpty();

        leave.countDown();
        calls.forEach(call -> assertThat(call.outcome()).isEqualTo("left"));
        assertThat(table.keys()).isZero();
    }

    @Test
    void aKeyThatWasWaitedForIsNotKept() {
        Object key = new Object();
        WeakReference<Object> kept = new WeakReference<>(key);
        Called first = inside(key);
        Called second = inLine(false, key, LONG);
        leave.countDown();
        assertThat(first.outcome()).isEqualTo("left");
        assertThat(second.outcome()).isEqualTo("ran");
        key = null;
        first = null;
        second = null;
        isCollected(kept);
    }

    private static void isCollected(WeakReference<?> reference) {
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> {
            System.gc();
            return reference.get() == null;
        });
    }

    // Keys that misbehave

    record Key(String name, int hash) {
        @Override
        public int hashCode() {
            return hash;
        }
    }

    /** Its {@code equals} runs what it is told to. */
    private static final class Odd {
        private final Runnable equals;

        Odd(Runnable equals) {
            this.equals = equals;
        }

        @Override
        public int hashCode() {
            return 1;
        }

        @Override
        public boolean equals(Object other) {
            equals.run();
            return false;
        }

        @Override
        public String toString() {
            throw new IllegalStateException("no text");
        }
    }

    @Test
    void equalsRunsUnderNoLockAndMayBlockOrComeBack() throws Exception {
        inside(new Key("a", 1));
        ReentrantLock bin = lock.binOf("any").lockItself();
        AtomicInteger asked = new AtomicInteger();
        Odd odd = new Odd(() -> {
            assertThat(bin.isHeldByCurrentThread()).isFalse();
            asked.incrementAndGet();
            Called other =
                    Called.platform(() -> lock.withLock(new Key("b", 1), Duration.ZERO, () -> "others come and go"));
            assertThat(other.outcome()).isEqualTo("others come and go");
        });
        assertThat(lock.withLock(odd, LONG, () -> "ran")).isEqualTo("ran");
        assertThat(asked).hasValueGreaterThan(0);
    }

    @Test
    void anEqualsThatThrowsFailsItsOwnCallAndNoOther() throws Exception {
        inside(new Key("a", 1));
        Odd odd = new Odd(() -> {
            throw new IllegalStateException("no equals");
        });
        assertThatThrownBy(() -> lock.withLock(odd, () -> "ran")).hasMessage("no equals");
        assertThatThrownBy(() -> lock.waiting(odd)).hasMessage("no equals");
        assertThat(lock.keys()).isEqualTo(1);
        assertThat(lock.withLock(new Key("b", 1), Duration.ZERO, () -> "ran")).isEqualTo("ran");
    }

    @Test
    void aKeyWhoseTextOrHashFailsMeanwhileIsStillLeft() throws Exception {
        List<Object> mutable = new ArrayList<>();
        inside("other");
        lock.withLock(mutable, () -> mutable.add("changes its hash"));
        assertThat(lock.keys()).isEqualTo(1);

        Odd odd = new Odd(() -> {});
        lock.withLock(
                odd,
                () -> assertThatThrownBy(() -> lock.withLock(odd, () -> "never"))
                        .isInstanceOf(IllegalMonitorStateException.class)
                        .hasMessageContaining("whose toString throws java.lang.IllegalStateException: no text"));
    }

    @Test
    void threeKeysOfOneHashAreToldApart() throws Exception {
        inside(new Key("a", 1));
        inside(new Key("b", 1));
        assertThat(lock.withLock(new Key("c", 1), Duration.ZERO, () -> "ran")).isEqualTo("ran");
        assertThat(lock.keys()).isEqualTo(2);
    }

    @Test
    void aKeyThatIsAloneIsAskedForByEqualsIfTheHashIsTheSame() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Odd odd = new Odd(asked::incrementAndGet);
        Called other = inside(new Key("a", 2));
        assertThat(lock.holder(odd)).isEmpty();
        assertThat(asked).as("the hashes differ").hasValue(0);

        leave.countDown();
        assertThat(other.outcome()).isEqualTo("left");
        lock.withLock(new Key("a", 1), () -> {
            assertThat(lock.holder(new Key("b", 1))).isEmpty();
            assertThat(lock.holder(new Key("a", 1))).contains(Thread.currentThread());
        });
        lock.withLock(
                odd, () -> assertThat(lock.holder(odd)).as("the same object").contains(Thread.currentThread()));
        assertThat(asked).hasValue(0);
    }

    @Test
    void aKeyIsNotAskedAboutOneOfAnotherHashWhereverThatLies() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Odd odd = new Odd(asked::incrementAndGet);
        for (int i = 2; i < 20; i++) { // some of them lie in its bucket
            int hash = i;
            lock.withLock(
                    "other",
                    () -> lock.withLock(
                            new Key("a", hash),
                            () -> assertThat(lock.<String, RuntimeException>withLock(odd, () -> "ran"))
                                    .isEqualTo("ran")));
        }
        assertThat(asked).hasValue(0);
    }

    // Figures

    @Test
    void showsWhoIsInsideAndWhoWaits() {
        assertThat(lock.holder("a")).isEmpty();
        Called inside = inside("a");
        assertThat(lock.toString()).isEqualTo("orders[1 keys, 0 waiting]");
        inside("b");
        inLine(false, "a", LONG);
        inLine(true, "a", LONG);
        inLine(true, "b", LONG);

        assertThat(lock.holder("a")).contains(inside.thread());
        assertThat(lock.waiting("a")).isEqualTo(2);
        assertThat(lock.waiting("b")).isEqualTo(1);
        assertThat(lock.waiting("c")).isZero();
        assertThat(lock.stats()).isEqualTo(new KeyedLockStats(2, 3, 0, 0, 0));
        assertThat(lock.metrics()).isSameAs(lock.metrics());
        assertThat(lock.metrics())
                .allSatisfy(metric -> assertThat(metric.tags()).containsEntry("name", "orders"))
                .extracting(metric -> metric.name() + " " + metric.value().getAsDouble())
                .containsExactly(
                        "heptad.keyedlock.keys 2.0",
                        "heptad.keyedlock.waiting 3.0",
                        "heptad.keyedlock.waited 0.0",
                        "heptad.keyedlock.timeouts 0.0",
                        "heptad.keyedlock.interrupts 0.0");
    }
}
