package io.heptad.pool;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.DROP_OLDEST;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Seeded;
import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.core.RefusedException;
import io.heptad.core.VoidBody;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Watched
class KeyedPoolTest {
    private final Held held = new Held();
    private WorkerPool pool;
    private KeyedPool<Object> keyed;

    private void open(int slots, int waiting, FullPolicy policy, int slotsPerKey, int waitingPerKey) {
        pool = WorkerPool.of("http", slots, waiting, policy);
        keyed = pool.perKey(slotsPerKey, waitingPerKey);
    }

    @AfterEach
    void everythingEndsAndNothingIsLeft() throws InterruptedException {
        held.release();
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        Wait.until().until(() -> keyed.keys() == 0);
        PoolStats end = pool.stats();
        assertThat(end.active()).isZero();
        assertThat(end.waiting()).isZero();
        assertThat(end.running()).isZero();
        assertThat(end.submitted())
                .isEqualTo(end.completed() + end.failed() + end.cancelled() + end.rejected() + end.dropped());
    }

    private static Runnable quietly(Held held) {
        return () -> {
            try {
                held.body().run();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        };
    }

    private CompletableFuture<Void> hold(Object key) {
        Runnable body = quietly(held);
        return keyed.submit(key, () -> body.run());
    }

    @Test
    void oneSlowKeyTakesItsShareAndNoMore() {
        open(4, 100, REJECT, 2, 50);
        List<CompletableFuture<Void>> slow = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            slow.add(hold("slow"));
        }
        held.awaitBegun(2);

        assertThat(keyed.submit("quick", () -> 1).join()).isEqualTo(1);
        assertThat(pool.submit(() -> 2).join()).isEqualTo(2);
        PoolStats stats = keyed.stats("slow");
        assertThat(stats.slots()).isEqualTo(2);
        assertThat(stats.active()).isEqualTo(2);
        assertThat(stats.running()).isEqualTo(2);
        assertThat(stats.waiting()).isEqualTo(18);
        assertThat(stats.submitted()).isEqualTo(20);
        assertThat(stats.saturated()).isTrue();
        assertThat(pool.depth()).isEqualTo(18);
        Wait.until().until(() -> pool.stats().active() == 2);
        assertThat(pool.stats().saturated()).as("slots are free").isFalse();
        held.release();
        slow.forEach(CompletableFuture::join);
    }

    @Test
    void waitersOfAKeyCountAgainstTheLineOfThePool() {
        open(2, 3, REJECT, 1, 10);
        hold("a");
        held.awaitBegun(1);
        for (int i = 0; i < 3; i++) {
            hold("a");
        }

        assertThat(pool.depth()).isEqualTo(3);
        assertThatThrownBy(() -> hold("a")).isInstanceOf(FullException.class);
        // A slot is free, so the others need no place in the line.
        assertThat(keyed.submit("b", () -> 1).join()).isEqualTo(1);
        assertThat(pool.submit(() -> 2).join()).isEqualTo(2);
    }

    @Test
    void aKeyWhoseOwnLineIsFullIsRefusedThoughThePoolHasRoom() {
        open(4, 100, REJECT, 1, 2);
        for (int i = 0; i < 3; i++) {
            hold("a");
        }

        assertThatThrownBy(() -> hold("a")).isInstanceOfSatisfying(FullException.class, full -> {
            assertThat(full.shape()).isEqualTo("http");
            assertThat(full.capacity()).isEqualTo(2);
            assertThat(full.depth()).isEqualTo(2);
        });
        assertThat(keyed.stats("a").rejected()).isEqualTo(1);
        assertThat(keyed.stats("a").waiting()).isEqualTo(2);
    }

    @Test
    void dropsTheOldestOfTheSameKey() {
        open(4, 100, DROP_OLDEST, 1, 1);
        hold("a");
        held.awaitBegun(1);
        hold("b");
        held.awaitBegun(1);
        CompletableFuture<Void> other = hold("b");
        CompletableFuture<Integer> first = keyed.submit("a", () -> 1);
        CompletableFuture<Integer> second = keyed.submit("a", () -> 2);

        assertThat(first.exceptionNow()).isInstanceOf(FullException.class).hasMessageContaining("DROP_OLDEST");
        assertThat(other).isNotDone();
        held.release();
        assertThat(second.join()).isEqualTo(2);
    }

    @Test
    void theLineOfThePoolDropsTheOldestOfWhateverKey() {
        open(1, 2, DROP_OLDEST, 1, 10);
        hold("a");
        held.awaitBegun(1);
        CompletableFuture<Integer> oldest = keyed.submit("a", () -> 1);
        CompletableFuture<Integer> second = keyed.submit("b", () -> 2);

        CompletableFuture<Integer> third = keyed.submit("c", () -> 3);

        assertThat(pool.depth()).isEqualTo(2);
        assertThat(List.of(oldest, second).stream().filter(CompletableFuture::isDone))
                .hasSize(1);
        assertThat(oldest.isDone() ? oldest : second).isCompletedExceptionally();
        held.release();
        assertThat(third.join()).isEqualTo(3);
    }

    @Test
    void servesAKeyInTheOrderOfArrivalAndAllKeysInTurn() {
        open(1, 1_000, REJECT, 1, 500);
        hold("gate");
        held.awaitBegun(1);
        List<String> started = new CopyOnWriteArrayList<>();
        List<CompletableFuture<Boolean>> tasks = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            int number = i;
            tasks.add(keyed.submit("many", () -> started.add("many-" + number)));
        }
        tasks.add(keyed.submit("few", () -> started.add("few-0")));
        held.release();
        tasks.forEach(CompletableFuture::join);

        assertThat(started.stream().filter(one -> one.startsWith("many")))
                .isEqualTo(IntStream.range(0, 30).mapToObj(i -> "many-" + i).toList());
        assertThat(started.indexOf("few-0"))
                .as("not behind all of the other key")
                .isLessThan(10);
    }

    @Test
    void aBlockedSubmitOfOneKeyWaitsForItsOwnLine() throws InterruptedException {
        open(4, 100, BLOCK, 1, 1);
        CountDownLatch leave = new CountDownLatch(1);
        CompletableFuture<Void> running = keyed.submit("a", () -> leave.await());
        hold("a");
        AtomicReference<CompletableFuture<Integer>> late = new AtomicReference<>();
        Thread submitter = Thread.ofPlatform().daemon().start(() -> late.set(keyed.submit("a", () -> 3)));
        Wait.untilParked(submitter);
        assertThat(keyed.submit("b", () -> 1).join()).as("others do not wait").isEqualTo(1);
        assertThat(keyed.stats("a").waiting()).isEqualTo(1);

        leave.countDown();

        running.join();
        submitter.join();
        held.release();
        assertThat(late.get().join()).isEqualTo(3);
    }

    @Test
    void whoeverIsEligibleAtTheDoorOfAFullLineGetsTheFreeSlot() throws InterruptedException {
        // The line is full of one key's waiters, every slot is held, and another key waits for a place.
        open(2, 2, BLOCK, 1, 10);
        CountDownLatch leave = new CountDownLatch(1);
        hold("slow");
        CompletableFuture<Void> running = keyed.submit("other", () -> leave.await());
        held.awaitBegun(1);
        hold("slow");
        hold("slow");
        AtomicReference<CompletableFuture<Integer>> end = new AtomicReference<>();
        Thread submitter = Thread.ofPlatform().daemon().start(() -> end.set(keyed.submit("third", () -> 3)));
        Wait.untilParked(submitter);
        AtomicReference<Object> ran = new AtomicReference<>();
        Thread caller = Thread.ofPlatform().daemon().start(() -> {
            try {
                ran.set(keyed.run("fourth", () -> 4));
            } catch (InterruptedException stop) {
                ran.set(stop);
            }
        });
        Wait.untilParked(caller);

        leave.countDown();

        running.join();
        submitter.join();
        caller.join();
        assertThat(end.get().join()).isEqualTo(3);
        assertThat(ran.get()).isEqualTo(4);
        assertThat(pool.depth()).isEqualTo(2);
    }

    @Test
    void aBlockedSubmitGivesUpOnTimeoutInterruptAndClose() throws InterruptedException {
        open(4, 100, BLOCK, 1, 1);
        hold("a");
        hold("a");
        held.awaitBegun(1);
        assertThatThrownBy(() -> keyed.submit("a", Duration.ofMillis(5), () -> 1))
                .isInstanceOf(FullException.class);
        assertThatThrownBy(() -> keyed.submit("a", Duration.ZERO, () -> 1)).isInstanceOf(FullException.class);
        assertThatThrownBy(() -> keyed.run("a", Duration.ofMillis(5), () -> 1)).isInstanceOf(FullException.class);
        assertThatThrownBy(() -> keyed.run("a", Duration.ZERO, () -> 1)).isInstanceOf(FullException.class);
        keyed.run("b", Duration.ZERO, () -> {});
        AtomicReference<Throwable> interrupted = new AtomicReference<>();
        Thread caller = Thread.ofPlatform().daemon().start(() -> {
            try {
                keyed.run("a", () -> 1);
            } catch (Throwable thrown) {
                interrupted.set(thrown);
            }
        });
        Wait.untilParked(caller);
        caller.interrupt();
        caller.join();
        assertThat(interrupted.get()).isInstanceOf(InterruptedException.class);
        assertThat(keyed.stats("a").waiting()).isEqualTo(1);

        AtomicReference<Throwable> closed = new AtomicReference<>();
        Thread late = Thread.ofPlatform().daemon().start(() -> {
            try {
                keyed.submit("a", () -> 1);
            } catch (Throwable thrown) {
                closed.set(thrown);
            }
        });
        Wait.untilParked(late);
        pool.close();
        late.join();
        assertThat(closed.get()).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> keyed.submit("new", () -> 1)).isInstanceOf(ClosedException.class);
    }

    /** The window, held open: the pool is closed, and has not yet turned away those at the doors of its keys. */
    @Test
    void whoeverAShareComesFreeForAsThePoolClosesIsTurnedAway() throws InterruptedException {
        open(4, 100, BLOCK, 1, 1);
        CountDownLatch leave = new CountDownLatch(1);
        CompletableFuture<Void> running = keyed.submit("a", () -> leave.await());
        CompletableFuture<Integer> queued = keyed.submit("a", () -> 2);
        AtomicReference<Throwable> refused = new AtomicReference<>();
        Thread submitter = Thread.ofPlatform().daemon().start(() -> {
            try {
                keyed.submit("a", () -> 3);
            } catch (ClosedException closed) {
                refused.set(closed);
            }
        });
        Wait.untilParked(submitter);
        pool.slots().close();

        leave.countDown();

        running.join();
        assertThat(queued.join()).isEqualTo(2);
        submitter.join();
        assertThat(refused.get()).isInstanceOf(ClosedException.class);
    }

    @Test
    void cancellingAWaiterOfAKeyFreesBothItsPlaces() {
        open(2, 10, REJECT, 1, 1);
        hold("a");
        held.awaitBegun(1);
        CompletableFuture<Void> queued = hold("a");
        assertThatThrownBy(() -> hold("a")).isInstanceOf(FullException.class);

        assertThat(queued.cancel(true)).isTrue();

        assertThat(pool.depth()).isZero();
        assertThat(keyed.stats("a").waiting()).isZero();
        assertThat(keyed.stats("a").cancelled()).isEqualTo(1);
        hold("a");
    }

    @Test
    void closeNowFailsTheWaitersOfKeysToo() throws InterruptedException {
        open(2, 10, REJECT, 1, 5);
        hold("a");
        held.awaitBegun(1);
        CompletableFuture<Void> queued = hold("a");

        assertThat(pool.closeNow()).isEqualTo(1);

        assertThat(queued.exceptionNow()).isInstanceOf(ClosedException.class);
    }

    @Test
    void aKeyThatWasUsedOnceLeavesNothingBehind() {
        open(8, 10_000, BLOCK, 1, 1);
        for (int i = 0; i < 50_000; i++) {
            keyed.submit(i, () -> {});
        }
        Wait.until().until(() -> keyed.keys() == 0);
        assertThat(pool.stats().completed()).isEqualTo(50_000);
        assertThat(keyed.stats(1).submitted()).isZero();
    }

    @Test
    void waitingForTheShareOfOnesOwnKeyInsideItFailsFast() throws InterruptedException {
        open(10, 100, BLOCK, 1, 5);
        assertThatThrownBy(() -> keyed.run("a", () -> keyed.run("a", () -> 1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("http would starve");
        assertThatThrownBy(() -> keyed.submit(
                                "a", () -> keyed.submit("a", () -> 1).join())
                        .join())
                .hasMessageContaining("http would starve");
        assertThat(keyed.<Integer, InterruptedException>run("a", () -> keyed.run("b", () -> 1)))
                .isEqualTo(1);
        assertThat(keyed.submit("a", () -> pool.submit(() -> 2).join()).join()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void keepsEveryShareUnderLoadCancelsAndClose(FullPolicy policy) {
        Seeded.run(random -> {
            for (int round = 0; round < 25; round++) {
                int slots = 1 + random.nextInt(4);
                int perKey = 1 + random.nextInt(2);
                open(slots, 1 + random.nextInt(6), policy, perKey, 1 + random.nextInt(3));
                AtomicIntegerArray now = new AtomicIntegerArray(3);
                AtomicInteger all = new AtomicInteger();
                AtomicBoolean over = new AtomicBoolean();
                Queue<CompletableFuture<?>> futures = new ConcurrentLinkedQueue<>();
                List<Thread> threads = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    long seed = random.nextLong();
                    threads.add(Thread.ofVirtual().start(() -> {
                        SplittableRandom own = new SplittableRandom(seed);
                        for (int k = 0; k < 40; k++) {
                            int key = own.nextInt(3);
                            boolean any = own.nextInt(3) == 0; // no key at all, among those that have one
                            boolean yields = own.nextBoolean();
                            VoidBody<RuntimeException> body = () -> {
                                int ofKey = any ? 0 : now.incrementAndGet(key);
                                if (all.incrementAndGet() > slots || ofKey > perKey) {
                                    over.set(true);
                                }
                                if (yields) {
                                    Thread.yield();
                                }
                                all.decrementAndGet();
                                if (!any) {
                                    now.decrementAndGet(key);
                                }
                            };
                            try {
                                if (own.nextInt(3) == 0) {
                                    Duration wait = Duration.ofMillis(own.nextInt(3));
                                    if (any) {
                                        pool.run(wait, body);
                                    } else {
                                        keyed.run(key, wait, body);
                                    }
                                } else {
                                    CompletableFuture<Void> future = any ? pool.submit(body) : keyed.submit(key, body);
                                    futures.add(future);
                                    if (own.nextInt(4) == 0) {
                                        future.cancel(false);
                                    }
                                }
                            } catch (RefusedException refused) {
                                Thread.yield();
                            } catch (InterruptedException stopped) {
                                return;
                            }
                        }
                    }));
                }
                if (random.nextBoolean()) {
                    for (int spin = random.nextInt(20_000); spin > 0; spin--) {
                        Thread.onSpinWait();
                    }
                    if (random.nextBoolean()) {
                        pool.closeNow();
                    } else {
                        pool.close();
                    }
                }
                for (Thread thread : threads) {
                    thread.join();
                }
                everythingEndsAndNothingIsLeft();
                assertThat(over).isFalse();
                assertThat(futures).allMatch(CompletableFuture::isDone);
            }
        });
    }

    /** While anybody waits the holder of the lock is the only writer of the state, whatever slots are free. */
    @Test
    void theFastPathIsShutWhileAnybodyWaits() {
        open(3, 10, REJECT, 1, 5);
        hold("a");
        held.awaitBegun(1);
        assertThat(pool.slots().tryTake()).isTrue();
        CompletableFuture<Void> queued = hold("a");
        assertThat(pool.stats().active()).isLessThan(pool.stats().slots());

        assertThat(pool.slots().tryTake()).isFalse();

        queued.cancel(true);
        assertThat(pool.slots().pass()).isNull();
        assertThat(pool.submit(() -> 1).join()).isEqualTo(1);
    }

    /** A key whose methods fail once they have served their turn. */
    private static final class Moody {
        private final AtomicInteger calls;

        Moody(AtomicInteger calls) {
            this.calls = calls;
        }

        @Override
        public int hashCode() {
            if (calls.decrementAndGet() < 0) {
                throw new IllegalStateException("no hash today");
            }
            return 1;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    @Test
    void aKeyThatThrowsCostsNoSlotAndNoFuture() {
        List<Throwable> reported = new CopyOnWriteArrayList<>();
        pool = WorkerPool.builder("http", 1, 10, REJECT)
                .threads(task -> {
                    Thread thread = Thread.ofVirtual().unstarted(task);
                    thread.setUncaughtExceptionHandler((of, thrown) -> reported.add(thrown));
                    return thread;
                })
                .build();
        keyed = pool.perKey(1, 5);
        AtomicInteger calls = new AtomicInteger();
        Moody moody = new Moody(calls);
        assertThatThrownBy(() -> keyed.submit(moody, () -> 1)).hasMessage("no hash today");
        calls.set(1); // enough to come in, too few to leave

        assertThat(keyed.submit(moody, () -> 1).join()).isEqualTo(1);

        assertThat(reported)
                .singleElement()
                .satisfies(thrown -> assertThat(thrown).hasMessage("no hash today"));
        assertThat(keyed.submit("next", () -> 2).join()).isEqualTo(2);
        calls.set(100);
        assertThat(keyed.submit(moody, () -> 3).join()).isEqualTo(3);
    }

    @Test
    void aTickerThatThrowsCostsNoSlotAndNoShare() {
        AtomicBoolean broken = new AtomicBoolean();
        pool = WorkerPool.builder("http", 1, 1, DROP_OLDEST)
                .ticker(() -> {
                    if (broken.get()) {
                        throw new IllegalStateException("no time");
                    }
                    return 0;
                })
                .build();
        keyed = pool.perKey(1, 1);
        hold("a");
        held.awaitBegun(1);
        CompletableFuture<Integer> first = pool.submit(() -> 1);
        broken.set(true);
        assertThatThrownBy(() -> keyed.submit("b", () -> 2)).hasMessage("no time");
        assertThat(keyed.keys()).isEqualTo(1);
        broken.set(false);
        assertThat(keyed.stats("b").waiting()).isZero();

        CompletableFuture<Integer> second = keyed.submit("b", () -> 3);

        assertThat(first.exceptionNow()).isInstanceOf(FullException.class);
        held.release();
        assertThat(second.join()).isEqualTo(3);
    }

    @Test
    void namesTheParameterAndTheValueItRefuses() {
        open(1, 1, REJECT, 1, 1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pool.perKey(0, 1))
                .withMessage("slotsPerKey must be at least 1, but is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pool.perKey(1, -1))
                .withMessage("waitingPerKey must be at least 1, but is -1");
        assertThatNullPointerException()
                .isThrownBy(() -> keyed.submit(null, () -> 1))
                .withMessage("key");
        assertThat(keyed).hasToString("KeyedPool[0 keys, 1 slots and 1 places each, in " + pool + "]");
    }

    @Test
    void theOldestWaitOfAKeyCountsTheLineOfThePool() {
        AtomicLong now = new AtomicLong();
        pool = WorkerPool.builder("http", 1, 10, REJECT).ticker(now::get).build();
        keyed = pool.perKey(1, 10);
        hold("gate");
        held.awaitBegun(1);
        hold("a"); // has its share, waits for a slot
        now.set(5);
        hold("a");
        now.set(7);

        assertThat(keyed.stats("a").oldestWait()).isEqualTo(Duration.ofNanos(7));
        assertThat(keyed.stats("gate").oldestWait()).isZero();
    }
}
