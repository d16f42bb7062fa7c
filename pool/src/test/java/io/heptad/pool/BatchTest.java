package io.heptad.pool;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.DROP_OLDEST;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.core.RefusedException;
import io.heptad.pool.Settled.Failed;
import io.heptad.pool.Settled.Succeeded;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Watched
class BatchTest {
    private final WorkerPool pool = WorkerPool.of("partner", 2, 1, REJECT);
    private final IOException broken = new IOException("broken");

    private static List<Integer> items(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    /** Nothing held, nothing waiting, and the pool takes work again. */
    private static void assertAtRest(WorkerPool pool) throws InterruptedException {
        Wait.until().until(() -> pool.stats().active() == 0);
        PoolStats stats = pool.stats();
        assertThat(stats.running()).isZero();
        assertThat(stats.waiting()).isZero();
        assertThat(stats.submitted())
                .isEqualTo(stats.completed() + stats.failed() + stats.cancelled() + stats.rejected() + stats.dropped());
        assertThat(pool.<String, RuntimeException>run(() -> "still works")).isEqualTo("still works");
    }

    @Nested
    class Settling {
        @Test
        void runsFiveThousandItemsTenAtOnceAndReportsInInputOrder() throws Exception {
            WorkerPool ten = WorkerPool.of("db", 10, 1, REJECT);
            Peak peak = new Peak(10);
            BatchReport<Integer, Integer> report = ten.settle(items(5_000), peak.around(item -> item * 2));
            assertThat(peak.peak()).isEqualTo(10);
            assertThat(report.succeeded()).extracting(Succeeded::item).isEqualTo(items(5_000));
            assertThat(report.succeeded()).allMatch(one -> one.value() == one.item() * 2);
            assertAtRest(ten);
        }

        @Test
        void reportsAThousandFailuresOfTenThousandAndTheyAreTheInputOfTheNextPass() throws Exception {
            WorkerPool twenty = WorkerPool.of("partner", 20, 1, REJECT);
            Peak peak = new Peak(20);
            AtomicBoolean faulty = new AtomicBoolean(true);
            BatchReport<Integer, String> report = twenty.settle(items(10_000), peak.around(item -> {
                if (faulty.get() && item % 10 == 3) {
                    throw new IOException("item " + item);
                }
                return "ok " + item;
            }));
            assertThat(peak.peak()).isEqualTo(20);
            assertThat(report.settled()).hasSize(10_000);
            assertThat(report.succeeded()).hasSize(9_000);
            assertThat(report.failed())
                    .hasSize(1_000)
                    .allMatch(one ->
                            one.item() % 10 == 3 && one.cause().getMessage().equals("item " + one.item()));
            faulty.set(false);
            BatchReport<Integer, String> secondPass = twenty.settle(report.retryInput(), item -> "ok " + item);
            assertThat(secondPass.failed()).isEmpty();
            assertThat(secondPass.settled()).hasSize(1_000);
        }

        @Test
        void neverPutsMoreThanItsSlotsInLineHoweverManyItemsThereAre() throws Exception {
            WorkerPool ten = WorkerPool.of("db", 10, 1_000, BLOCK);
            Held held = new Held();
            held.occupy(ten, 10);
            AtomicInteger waitingMax = new AtomicInteger();
            CompletableFuture<BatchReport<Integer, Integer>> report = new CompletableFuture<>();
            AtomicInteger read = new AtomicInteger();
            Iterable<Integer> counting = () -> new Counting(items(5_000).iterator(), read);
            Thread caller = Thread.ofVirtual()
                    .start(() -> complete(
                            report,
                            () -> ten.settle(counting, item -> {
                                waitingMax.accumulateAndGet(ten.stats().waiting(), Math::max);
                                return item;
                            })));
            Wait.until().until(() -> ten.stats().waiting() == 10);
            Wait.untilParked(caller);
            assertThat(ten.stats().waiting()).isEqualTo(10);
            assertThat(read.get()).isLessThanOrEqualTo(2 * 10 + 16);
            held.release();
            assertThat(report.get(10, TimeUnit.SECONDS).succeeded()).hasSize(5_000);
            assertThat(waitingMax.get()).isLessThanOrEqualTo(10);
        }

        @ParameterizedTest
        @CsvSource({"10, 5, 2000, 1000", "20, 50, 10000, 25000"})
        void boundsConcurrencyAndNotTheRate(int slots, int callMillis, int calls, int expectedMillis) throws Exception {
            // Every round of calls takes one call's time on a clock that only the rounds move.
            AtomicLong clockMillis = new AtomicLong();
            CyclicBarrier round = new CyclicBarrier(slots, () -> clockMillis.addAndGet(callMillis));
            WorkerPool partner = WorkerPool.of("partner", slots, 1, REJECT);
            BatchReport<Integer, Integer> report = partner.settle(items(calls), item -> {
                round.await(10, TimeUnit.SECONDS);
                return item;
            });
            assertThat(report.failed()).isEmpty();
            assertThat(clockMillis).hasValue(expectedMillis);
        }

        @Test
        void keepsRetriesInsideTheSlot() throws Exception {
            WorkerPool twenty = WorkerPool.of("partner", 20, 1, REJECT);
            Peak peak = new Peak(20);
            AtomicInteger calls = new AtomicInteger();
            ConcurrentHashMap<Integer, Integer> attempts = new ConcurrentHashMap<>();
            io.heptad.core.Work<Integer, Integer> call = peak.around(item -> {
                calls.incrementAndGet();
                if (attempts.merge(item, 1, Integer::sum) < 3) {
                    throw new IOException("try again");
                }
                return item;
            });
            BatchReport<Integer, Integer> report = twenty.settle(items(10_000), item -> {
                while (true) {
                    try {
                        return call.apply(item);
                    } catch (IOException again) {
                        assertThat(again).hasMessage("try again");
                    }
                }
            });
            assertThat(report.failed()).isEmpty();
            assertThat(calls).hasValue(30_000);
            assertThat(peak.peak()).isEqualTo(20);
        }

        @Test
        void tellsTheListenerHowFarItIs() throws Exception {
            List<String> heard = new ArrayList<>();
            Thread caller = Thread.currentThread();
            pool.settle(items(3), item -> item, (one, done, total) -> {
                assertThat(Thread.currentThread()).isSameAs(caller);
                heard.add(done + "/" + total);
            });
            assertThat(heard).containsExactly("1/3", "2/3", "3/3");
            heard.clear();
            pool.settle(() -> items(2).iterator(), item -> item, (one, done, total) -> heard.add(done + "/" + total));
            assertThat(heard).containsExactly("1/-1", "2/-1");
        }

        @Test
        void aListenerThatThrowsIsReportedAndChangesNothing() throws Exception {
            List<Throwable> reported = new ArrayList<>();
            CompletableFuture<BatchReport<Integer, Integer>> report = new CompletableFuture<>();
            Thread.ofVirtual()
                    .uncaughtExceptionHandler((thread, thrown) -> reported.add(thrown))
                    .start(() -> complete(
                            report,
                            () -> pool.settle(items(5), item -> item, (one, done, total) -> {
                                throw new IllegalStateException("listener");
                            })))
                    .join();
            assertThat(report.join().succeeded()).hasSize(5);
            assertThat(reported)
                    .hasSize(5)
                    .allMatch(thrown -> thrown.getMessage().equals("listener"));
        }

        @Test
        void noItemsMakeAnEmptyReport() throws Exception {
            BatchReport<Integer, Integer> report = pool.settle(List.<Integer>of(), item -> item);
            assertThat(report.settled()).isEmpty();
            assertThat(report.summary()).isEqualTo("0 items: 0 succeeded, 0 failed");
        }

        @Test
        void timesTheBodyAloneByThePoolsTicker() throws Exception {
            AtomicLong clock = new AtomicLong();
            WorkerPool timed = WorkerPool.builder("partner", 1, 1, REJECT)
                    .ticker(clock::get)
                    .build();
            Held held = new Held();
            held.occupy(timed, 1);
            CompletableFuture<BatchReport<Integer, Integer>> report = new CompletableFuture<>();
            Thread.ofVirtual()
                    .start(() -> complete(
                            report,
                            () -> timed.settle(items(1), item -> {
                                clock.addAndGet(Duration.ofMillis(7).toNanos());
                                return item;
                            })));
            Wait.until().until(() -> timed.stats().waiting() == 1);
            clock.addAndGet(Duration.ofHours(1).toNanos());
            held.release();
            assertThat(report.get(10, TimeUnit.SECONDS).settled().get(0).took()).isEqualTo(Duration.ofMillis(7));
        }

        @Test
        void recordsErrorsToo() throws Exception {
            StackOverflowError error = new StackOverflowError();
            BatchReport<Integer, Integer> report = pool.settle(items(3), item -> {
                throw error;
            });
            assertThat(report.failed()).hasSize(3).allMatch(one -> one.cause() == error);
            assertThat(pool.stats().failed()).isEqualTo(3);
            assertThat(pool.stats().completed()).isZero();
            assertAtRest(pool);
        }

        @Test
        void beginsEachItemWhileTheNextIsStillBeingRead() throws Exception {
            WorkerPool one = WorkerPool.of("one", 1, 1, REJECT);
            CountDownLatch readingTheThird = new CountDownLatch(1);
            CountDownLatch secondRan = new CountDownLatch(1);
            Iterator<Integer> waiting = new Iterator<>() {
                private int next;

                @Override
                public boolean hasNext() {
                    return next < 3;
                }

                @Override
                public Integer next() {
                    if (next == 2) {
                        readingTheThird.countDown();
                        try {
                            assertThat(secondRan.await(10, TimeUnit.SECONDS)).isTrue();
                        } catch (InterruptedException interrupted) {
                            throw new IllegalStateException(interrupted);
                        }
                    }
                    return next++;
                }
            };
            BatchReport<Integer, Integer> report = one.settle(() -> waiting, item -> {
                if (item == 0) {
                    readingTheThird.await(); // busy until then, so that nothing but the reading is in the way
                } else if (item == 1) {
                    secondRan.countDown();
                }
                return item;
            });
            assertThat(report.succeeded()).hasSize(3);
        }

        @Test
        void usesSlotsThatComeWhileItRuns() throws Exception {
            WorkerPool growing = WorkerPool.of("partner", 1, 1, REJECT);
            CyclicBarrier three = new CyclicBarrier(3);
            BatchReport<Integer, Integer> report = growing.settle(items(31), item -> {
                if (item == 0) {
                    growing.resize(3);
                } else {
                    three.await(10, TimeUnit.SECONDS);
                }
                return item;
            });
            assertThat(report.failed()).isEmpty();
        }
    }

    @Nested
    class OtherUsersOfThePool {
        @ParameterizedTest
        @EnumSource
        void loseNothingAndCostTheBatchNothingWhateverThePolicy(FullPolicy policy) throws Exception {
            WorkerPool shared = WorkerPool.of("shared", 2, 1, policy);
            AtomicBoolean over = new AtomicBoolean();
            AtomicInteger ran = new AtomicInteger();
            AtomicInteger accepted = new AtomicInteger();
            AtomicInteger refused = new AtomicInteger();
            Thread other = Thread.ofPlatform().start(() -> {
                while (!over.get()) {
                    try {
                        shared.submit(() -> ran.incrementAndGet()).join();
                        accepted.incrementAndGet();
                    } catch (RefusedException full) {
                        refused.incrementAndGet();
                    } catch (java.util.concurrent.CompletionException dropped) {
                        assertThat(dropped).hasCauseInstanceOf(FullException.class);
                        refused.incrementAndGet();
                    }
                }
            });
            Wait.until().until(() -> accepted.get() > 0);
            BatchReport<Integer, Integer> report = shared.settle(items(5_000), item -> item);
            over.set(true);
            other.join();
            assertThat(report.succeeded()).extracting(Succeeded::item).isEqualTo(items(5_000));
            assertThat(ran.get()).isEqualTo(accepted.get());
            assertAtRest(shared);
        }

        @Test
        void mayPushItOutOfALineThatDropsTheOldestAndItComesBack() throws Exception {
            WorkerPool shared = WorkerPool.of("shared", 1, 1, DROP_OLDEST);
            Held held = new Held();
            held.occupy(shared, 1);
            CompletableFuture<BatchReport<Integer, Integer>> report = new CompletableFuture<>();
            Thread caller =
                    Thread.ofVirtual().start(() -> complete(report, () -> shared.settle(items(3), item -> item)));
            Wait.until().until(() -> shared.stats().waiting() == 1);
            Wait.untilParked(caller);
            CompletableFuture<String> newcomer = shared.submit(() -> "in front now");
            assertThat(newcomer).isNotDone();
            held.release();
            assertThat(newcomer.get(10, TimeUnit.SECONDS)).isEqualTo("in front now");
            assertThat(report.get(10, TimeUnit.SECONDS).succeeded()).hasSize(3);
            assertThat(shared.stats().dropped()).isZero();
            assertAtRest(shared);
        }

        @Test
        void areServedInTurnWithTheItemsOfABatch() throws Exception {
            WorkerPool shared = WorkerPool.of("shared", 1, 10, BLOCK);
            CountDownLatch otherRan = new CountDownLatch(1);
            AtomicInteger before = new AtomicInteger();
            shared.settle(items(100), item -> {
                if (item == 0) {
                    shared.submit(otherRan::countDown);
                } else if (otherRan.getCount() > 0) {
                    before.incrementAndGet();
                }
                return item;
            });
            assertThat(before.get()).isZero();
            assertThat(otherRan.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Nested
    class ForEachSettled {
        @Test
        void handsOverInTheOrderOfCompletionInTheCallersThread() throws Exception {
            CountDownLatch second = new CountDownLatch(1);
            List<Integer> order = new ArrayList<>();
            Thread caller = Thread.currentThread();
            pool.<Integer, Integer>forEachSettled(
                    items(2).iterator(),
                    item -> {
                        if (item == 0) {
                            second.await();
                        }
                        return item;
                    },
                    one -> {
                        assertThat(Thread.currentThread()).isSameAs(caller);
                        order.add(one.item());
                        second.countDown();
                    });
            assertThat(order).containsExactly(1, 0);
        }

        @Test
        void readsNoFurtherAheadThanTheSlotsWhileTheConsumerIsSlow() throws Exception {
            AtomicInteger read = new AtomicInteger();
            AtomicInteger taken = new AtomicInteger();
            AtomicInteger aheadMax = new AtomicInteger();
            pool.<Integer, Integer>forEachSettled(new Counting(items(10_000).iterator(), read), item -> item, one -> {
                aheadMax.accumulateAndGet(read.get() - taken.getAndIncrement(), Math::max);
            });
            assertThat(taken).hasValue(10_000);
            assertThat(aheadMax.get()).isLessThanOrEqualTo(2 * 2 + 16);
        }

        @Test
        void aConsumerThatThrowsEndsTheBatchAndNothingOutlivesIt() throws Exception {
            Held held = new Held();
            AtomicInteger ended = new AtomicInteger();
            assertThatIllegalStateException()
                    .isThrownBy(() -> pool.<Integer, Integer>forEachSettled(
                            items(1_000).iterator(),
                            item -> {
                                if (item == 0) {
                                    held.awaitBegun(1);
                                    return item;
                                }
                                try {
                                    held.body().run();
                                    return item;
                                } finally {
                                    ended.incrementAndGet();
                                }
                            },
                            one -> {
                                throw new IllegalStateException("consumer");
                            }))
                    .withMessage("consumer");
            assertThat(ended.get()).isBetween(1, 2);
            assertThat(pool.stats().running()).isZero();
            assertAtRest(pool);
        }

        @Test
        void anInterruptEndsTheBodiesAndHandsOverAllThatWasRead() throws Exception {
            Held held = new Held();
            AtomicInteger read = new AtomicInteger();
            List<Settled<Integer, Integer>> seen = new ArrayList<>();
            CompletableFuture<Void> batch = new CompletableFuture<>();
            Thread caller = Thread.ofVirtual()
                    .start(() -> complete(batch, () -> {
                        pool.<Integer, Integer>forEachSettled(
                                new Counting(items(1_000).iterator(), read),
                                item -> {
                                    if (item > 4) {
                                        held.body().run();
                                    }
                                    return item;
                                },
                                seen::add);
                        return null;
                    }));
            held.awaitBegun(2);
            Wait.untilParked(caller);
            caller.interrupt();
            caller.join();
            assertThat(batch.exceptionNow()).isInstanceOf(InterruptedException.class);
            assertThat(seen).extracting(Settled::item).containsExactlyInAnyOrderElementsOf(items(read.get()));
            assertThat(seen).filteredOn(Settled::isSuccess).hasSize(5);
            assertThat(seen)
                    .filteredOn(
                            one -> one instanceof Failed<?, ?> failed && failed.cause() instanceof InterruptedException)
                    .hasSize(2);
            assertThat(seen)
                    .filteredOn(one ->
                            one instanceof Failed<?, ?> failed && failed.cause() instanceof CancellationException)
                    .hasSize(read.get() - 7)
                    .allMatch(one -> one.took().isZero());
            assertThat(pool.stats().running()).isZero();
            assertAtRest(pool);
        }

        @Test
        void anInterruptOnEntryEndsItBeforeAnythingIsRead() throws Exception {
            AtomicInteger read = new AtomicInteger();
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(InterruptedException.class)
                    .isThrownBy(() -> pool.<Integer, Integer>forEachSettled(
                            new Counting(items(10).iterator(), read), item -> item, one -> {}));
            assertThat(read).hasValue(0);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertAtRest(pool);
        }

        @Test
        void anInterruptOutlivesAConsumerThatThrowsWhileItIsServed() throws Exception {
            Held held = new Held();
            AtomicBoolean flag = new AtomicBoolean();
            Thread caller = Thread.ofVirtual().start(() -> {
                try {
                    pool.<Integer, Integer>forEachSettled(
                            items(10).iterator(),
                            item -> {
                                held.body().run();
                                return item;
                            },
                            one -> {
                                throw new IllegalStateException("consumer");
                            });
                } catch (IllegalStateException | InterruptedException thrown) {
                    flag.set(thrown instanceof IllegalStateException
                            && Thread.currentThread().isInterrupted());
                }
            });
            held.awaitBegun(2);
            Wait.untilParked(caller);
            caller.interrupt();
            caller.join();
            assertThat(flag).isTrue();
        }

        @Test
        void anIteratorThatThrowsLetsWhatHadBegunEndAndThrowsThen() throws Exception {
            List<Integer> seen = new ArrayList<>();
            IllegalStateException thrown = new IllegalStateException("cursor closed");
            Iterator<Integer> failing = new Iterator<>() {
                private int next;

                @Override
                public boolean hasNext() {
                    return true;
                }

                @Override
                public Integer next() {
                    if (next == 5) {
                        throw thrown;
                    }
                    return next++;
                }
            };
            assertThatIllegalStateException()
                    .isThrownBy(() ->
                            pool.<Integer, Integer>forEachSettled(failing, item -> item, one -> seen.add(one.item())))
                    .isSameAs(thrown);
            assertThat(seen).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
            assertAtRest(pool);
        }

        @Test
        void aNullItemIsNamed() {
            List<Integer> seen = new ArrayList<>();
            assertThatNullPointerException()
                    .isThrownBy(() -> pool.<Integer, Integer>forEachSettled(
                            Arrays.asList(1, 2, null, 4).iterator(), item -> item, one -> seen.add(one.item())))
                    .withMessage("items[2] is null");
            assertThat(seen).containsExactlyInAnyOrder(1, 2);
        }

        @Test
        void nullArgumentsAreNamed() {
            assertThatNullPointerException()
                    .isThrownBy(() -> pool.forEachSettled(null, item -> item, one -> {}))
                    .withMessage("items");
            assertThatNullPointerException()
                    .isThrownBy(() -> pool.forEachSettled(items(1).iterator(), null, one -> {}))
                    .withMessage("work");
            assertThatNullPointerException()
                    .isThrownBy(() -> pool.forEachSettled(items(1).iterator(), item -> item, null))
                    .withMessage("each");
            assertThatNullPointerException()
                    .isThrownBy(() -> pool.settle(items(1), item -> item, null))
                    .withMessage("listener");
        }
    }

    @Nested
    class Closing {
        @Test
        void failsWhatHadNotBegunWhenThePoolIsClosedInTheMiddle() throws Exception {
            CountDownLatch closed = new CountDownLatch(1);
            BatchReport<Integer, Integer> report = pool.settle(items(1_000), item -> {
                if (item == 500) {
                    pool.close();
                    closed.countDown();
                } else if (item > 500) {
                    closed.await();
                }
                return item;
            });
            assertThat(report.settled()).extracting(Settled::item).isEqualTo(items(1_000));
            assertThat(report.succeeded()).hasSizeBetween(500, 502);
            assertThat(report.failed())
                    .allMatch(one ->
                            one.cause() instanceof ClosedException && one.took().isZero());
            assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        }

        @Test
        void failsEveryItemOfAPoolThatIsClosedAlready() throws Exception {
            pool.close();
            assertThat(pool.settle(items(100), item -> item).failed())
                    .hasSize(100)
                    .allMatch(one -> one.cause() instanceof ClosedException);
        }

        @Test
        void interruptsWhatRunsWhenThePoolIsClosedByForce() throws Exception {
            Held held = new Held();
            CompletableFuture<BatchReport<Integer, Integer>> report = new CompletableFuture<>();
            Thread.ofVirtual()
                    .start(() -> complete(
                            report,
                            () -> pool.settle(items(100), item -> {
                                held.body().run();
                                return item;
                            })));
            held.awaitBegun(2);
            pool.closeNow();
            List<Failed<Integer, Integer>> failed =
                    report.get(10, TimeUnit.SECONDS).failed();
            assertThat(failed).hasSize(100);
            assertThat(failed)
                    .filteredOn(one -> one.cause() instanceof InterruptedException)
                    .hasSize(2);
            assertThat(failed)
                    .filteredOn(one -> one.cause() instanceof ClosedException)
                    .hasSize(98);
            assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        }
    }

    @Nested
    class FromInsideATask {
        @Test
        void failsFastAndNamesThePool() throws Exception {
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            try {
                pool.submit(() -> pool.settle(items(3), item -> item)).get();
            } catch (ExecutionException failed) {
                thrown.set(failed.getCause());
            }
            assertThat(thrown.get())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("partner would starve");
            assertThatIllegalStateException()
                    .isThrownBy(() -> pool.run(() -> pool.all(List.of(() -> 1))))
                    .withMessageContaining("partner would starve");
            assertAtRest(pool);
        }

        @Test
        void anotherPoolIsFine() throws Exception {
            WorkerPool other = WorkerPool.of("other", 1, 1, REJECT);
            assertThat(other.run(() -> pool.settle(items(3), item -> item)).succeeded())
                    .hasSize(3);
        }
    }

    @Nested
    class ThreadsOfThePool {
        @Test
        void carryOnWithTheNextItemAndLeaveNoneBehind() throws Exception {
            Set<Thread> threads = ConcurrentHashMap.newKeySet();
            pool.settle(items(1_000), item -> threads.add(Thread.currentThread()));
            assertThat(threads)
                    .hasSizeLessThanOrEqualTo(2)
                    .allMatch(thread -> thread.getName().equals("partner"));
            Wait.until().until(() -> threads.stream().noneMatch(Thread::isAlive));
        }

        @Test
        void areNotStartedWhileOneHasNothingToDo() throws Exception {
            Set<Thread> threads = ConcurrentHashMap.newKeySet();
            WorkerPool two = WorkerPool.builder("two", 2, 1, REJECT)
                    .threads(task -> {
                        Thread thread = Thread.ofPlatform().daemon().unstarted(task);
                        threads.add(thread);
                        return thread;
                    })
                    .build();
            Iterator<Integer> five = items(5).iterator();
            Iterable<Integer> slow = () -> new Iterator<>() {
                @Override
                public boolean hasNext() {
                    return five.hasNext();
                }

                @Override
                public Integer next() {
                    int item = five.next();
                    Wait.until().until(() -> two.stats().completed() == item);
                    threads.forEach(Wait::untilParked);
                    return item;
                }
            };
            assertThat(two.settle(slow, item -> item).succeeded()).hasSize(5);
            assertThat(threads).hasSize(1);
        }

        @Test
        void areFreshForEachItemIfThePoolIsBuiltSo() throws Exception {
            WorkerPool fresh = WorkerPool.builder("fresh", 2, 1, REJECT)
                    .freshThreads()
                    .threads(task -> Thread.ofVirtual().unstarted(() -> {
                        task.run();
                        task.run(); // a factory may try, and gets no second item for the thread
                    }))
                    .build();
            Set<Thread> threads = ConcurrentHashMap.newKeySet();
            assertThat(fresh.settle(items(500), item -> threads.add(Thread.currentThread()))
                            .succeeded())
                    .hasSize(500);
            assertThat(threads).hasSize(500);
        }

        @Test
        void beginEachItemWithTheInterruptFlagClear() throws Exception {
            WorkerPool one = WorkerPool.of("one", 1, 1, REJECT);
            BatchReport<Integer, Boolean> report = one.settle(items(50), item -> {
                boolean flag = Thread.currentThread().isInterrupted();
                Thread.currentThread().interrupt();
                return flag;
            });
            assertThat(report.succeeded()).hasSize(50).noneMatch(Succeeded::value);
        }

        @Test
        void waitOnForTheirSlotThoughSomebodyInterruptsThem() throws Exception {
            AtomicReference<Thread> hand = new AtomicReference<>();
            WorkerPool one = WorkerPool.builder("one", 1, 1, REJECT)
                    .threads(task -> {
                        hand.set(Thread.ofPlatform().daemon().unstarted(task));
                        return hand.get();
                    })
                    .build();
            assertThat(one.slots().tryTake()).isTrue();
            CompletableFuture<BatchReport<Integer, Integer>> report = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> complete(report, () -> one.settle(items(3), item -> item)));
            Wait.until().until(() -> one.stats().waiting() == 1);
            Wait.untilParked(hand.get());
            hand.get().interrupt();
            Wait.until().until(() -> !hand.get().isInterrupted() && one.stats().waiting() == 1);
            one.dispatch().start(one.slots().pass());
            assertThat(report.get(10, TimeUnit.SECONDS).succeeded()).hasSize(3);
            assertAtRest(one);
        }

        /** Stopping interrupts all of them, also those that wait for an item and have no body to end. */
        @Test
        void takeNoInterruptOfAStoppedBatchAwayWithThem() throws Exception {
            List<Boolean> flags = new CopyOnWriteArrayList<>();
            WorkerPool two = WorkerPool.builder("two", 2, 1, REJECT)
                    .threads(task -> Thread.ofPlatform().daemon().unstarted(() -> {
                        task.run();
                        flags.add(Thread.currentThread().isInterrupted());
                    }))
                    .build();
            CountDownLatch begun = new CountDownLatch(2);
            AtomicReference<Thread> idle = new AtomicReference<>();
            CompletableFuture<BatchReport<Integer, Integer>> report = new CompletableFuture<>();
            Thread caller = Thread.ofVirtual()
                    .start(() -> complete(
                            report,
                            () -> two.settle(items(2), item -> {
                                begun.countDown();
                                begun.await();
                                if (item == 0) {
                                    idle.set(Thread.currentThread());
                                    return item;
                                }
                                new CountDownLatch(1).await();
                                return item;
                            })));
            Wait.until().until(() -> idle.get() != null && two.stats().completed() == 1);
            Wait.untilParked(idle.get());
            Wait.untilParked(caller);
            caller.interrupt();
            caller.join();
            Wait.until().until(() -> flags.size() == 2);
            assertThat(flags).containsExactly(false, false);
        }

        @Test
        void areWrappedInTheCallersContext() throws Exception {
            ThreadLocal<String> context = new ThreadLocal<>();
            UnaryOperator<Runnable> carryOver = task -> {
                String captured = context.get();
                return () -> {
                    context.set(captured);
                    task.run();
                };
            };
            WorkerPool wrapped = WorkerPool.builder("wrapped", 2, 1, REJECT)
                    .wrapTasks(carryOver)
                    .build();
            context.set("request 7");
            assertThat(wrapped.settle(items(100), item -> context.get()).succeeded())
                    .hasSize(100)
                    .allMatch(one -> one.value().equals("request 7"));
        }

        @Test
        void thatCannotBeHadFailTheItemsWithTheReason() throws Exception {
            OutOfMemoryError noThread = new OutOfMemoryError("unable to create a thread");
            WorkerPool none = WorkerPool.builder("none", 2, 1, REJECT)
                    .threads(task -> {
                        throw noThread;
                    })
                    .build();
            assertThat(none.settle(items(100), item -> item).failed())
                    .hasSize(100)
                    .allMatch(one -> one.cause() == noThread);
            WorkerPool nulls = WorkerPool.builder("nulls", 2, 1, REJECT)
                    .threads(task -> null)
                    .build();
            assertThat(nulls.settle(items(100), item -> item).failed())
                    .hasSize(100)
                    .allMatch(one -> one.cause().getMessage().contains("returned null"));
            WorkerPool unwrapped = WorkerPool.builder("unwrapped", 2, 1, REJECT)
                    .wrapTasks(task -> {
                        throw broken(broken);
                    })
                    .build();
            assertThat(unwrapped.settle(items(100), item -> item).failed()).hasSize(100);
        }

        @Test
        void thatCannotBeHadForAWhileCostNothing() throws Exception {
            AtomicInteger asked = new AtomicInteger();
            WorkerPool flaky = WorkerPool.builder("flaky", 3, 1, REJECT)
                    .freshThreads()
                    .threads(task -> {
                        if (asked.incrementAndGet() % 3 == 0) {
                            throw new IllegalStateException("not now");
                        }
                        return Thread.ofVirtual().unstarted(task);
                    })
                    .build();
            BatchReport<Integer, Integer> report = flaky.settle(items(300), item -> item);
            assertThat(report.settled()).extracting(Settled::item).isEqualTo(items(300));
            assertThat(report.failed()).allMatch(one -> one.cause().getMessage().equals("not now"));
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void areTriedForOnceMoreWhenTheLastHasGone(boolean available) throws Exception {
            CountDownLatch mayGo = new CountDownLatch(1);
            AtomicInteger asked = new AtomicInteger();
            IllegalStateException noThread = new IllegalStateException("no second thread");
            WorkerPool fresh = WorkerPool.builder("fresh", 2, 1, REJECT)
                    .freshThreads()
                    .wrapTasks(task -> () -> {
                        task.run();
                        try {
                            mayGo.await(); // its item is delivered, and the thread is not gone yet
                        } catch (InterruptedException interrupted) {
                            throw new IllegalStateException(interrupted);
                        }
                    })
                    .threads(task -> {
                        if (asked.incrementAndGet() > 1 && (!available || mayGo.getCount() > 0)) {
                            throw noThread;
                        }
                        return Thread.ofVirtual().unstarted(task);
                    })
                    .build();
            CompletableFuture<BatchReport<Integer, Integer>> report = new CompletableFuture<>();
            CountDownLatch heard = new CountDownLatch(1);
            Thread caller = Thread.ofVirtual()
                    .start(() -> complete(
                            report,
                            () -> fresh.settle(items(5), item -> item, (one, done, total) -> heard.countDown())));
            heard.await();
            Wait.untilParked(caller);
            assertThat(asked.get()).isGreaterThan(1);
            mayGo.countDown();
            BatchReport<Integer, Integer> settled = report.get(10, TimeUnit.SECONDS);
            assertThat(settled.settled()).extracting(Settled::item).isEqualTo(items(5));
            assertThat(settled.succeeded()).hasSize(available ? 5 : 1);
            assertThat(settled.failed()).allMatch(one -> one.cause() == noThread);
        }

        @Test
        void areCountedOnceEvenIfTheFactoryStartsThem() throws Exception {
            CompletableFuture<Void> began = new CompletableFuture<>();
            CountDownLatch allRead = new CountDownLatch(1);
            CountDownLatch heard = new CountDownLatch(1);
            AtomicInteger asked = new AtomicInteger();
            WorkerPool one = WorkerPool.builder("one", 1, 1, REJECT)
                    .threads(task -> {
                        asked.incrementAndGet();
                        Thread started = Thread.ofVirtual().start(task);
                        began.join();
                        return started;
                    })
                    .build();
            Iterator<Integer> three = items(3).iterator();
            Iterable<Integer> input = () -> new Iterator<>() {
                @Override
                public boolean hasNext() {
                    if (!three.hasNext()) {
                        allRead.countDown();
                    }
                    return three.hasNext();
                }

                @Override
                public Integer next() {
                    return three.next();
                }
            };
            BatchReport<Integer, Integer> report = one.settle(
                    input,
                    item -> {
                        began.complete(null);
                        switch (item) {
                            case 0 -> allRead.await();
                            case 1 -> heard.await(); // so that item 2 still waits when the result of item 0 is taken
                            default -> {}
                        }
                        return item;
                    },
                    (settled, done, total) -> heard.countDown());
            assertThat(report.succeeded()).extracting(Succeeded::item).isEqualTo(items(3));
            assertThat(asked).hasValue(1);
        }

        @Test
        void loseNoItemToAClockThatThrows() throws Exception {
            AtomicReference<Thread> unlucky = new AtomicReference<>();
            AtomicInteger thrown = new AtomicInteger();
            IllegalStateException noTime = new IllegalStateException("no time");
            WorkerPool one = WorkerPool.builder("one", 1, 1, REJECT)
                    .ticker(() -> {
                        // First as the body's time is taken, then again as the time of that failure is.
                        if (Thread.currentThread() == unlucky.get() && thrown.incrementAndGet() <= 2) {
                            throw noTime;
                        }
                        return 0;
                    })
                    .build();
            CompletableFuture<BatchReport<Integer, Integer>> report = new CompletableFuture<>();
            Thread.ofVirtual()
                    .start(() -> complete(
                            report,
                            () -> one.settle(items(3), item -> {
                                if (item == 1) {
                                    unlucky.set(Thread.currentThread());
                                }
                                return item;
                            })));
            BatchReport<Integer, Integer> settled = report.get(10, TimeUnit.SECONDS);
            assertThat(settled.succeeded()).extracting(Succeeded::item).containsExactly(0, 2);
            assertThat(settled.failed()).singleElement().matches(failed -> failed.cause() == noTime);
            assertAtRest(one);
        }

        private static IllegalStateException broken(Throwable cause) {
            return new IllegalStateException(cause);
        }
    }

    @Test
    void settlesEveryItemOnceWhateverClosesOrInterruptsItWhen() {
        io.heptad.contract.Seeded.run(random -> {
            for (int round = 0; round < 150; round++) {
                WorkerPool some = WorkerPool.of("some", 1 + random.nextInt(4), 1, REJECT);
                int breakAt = random.nextInt(60);
                int how = random.nextInt(4);
                AtomicInteger read = new AtomicInteger();
                Set<Integer> seen = new HashSet<>();
                CompletableFuture<Void> batch = new CompletableFuture<>();
                AtomicReference<Thread> caller = new AtomicReference<>();
                caller.set(Thread.ofVirtual()
                        .unstarted(() -> complete(batch, () -> {
                            some.<Integer, Integer>forEachSettled(
                                    new Counting(items(50).iterator(), read),
                                    item -> {
                                        if (item == breakAt) {
                                            switch (how) {
                                                case 0 -> some.close();
                                                case 1 -> some.closeNow();
                                                case 2 -> caller.get().interrupt();
                                                default -> some.resize(1 + item % 5);
                                            }
                                        }
                                        return item;
                                    },
                                    one -> assertThat(seen.add(one.item())).isTrue());
                            return null;
                        })));
                caller.get().start();
                caller.get().join();
                if (batch.isCompletedExceptionally()) {
                    assertThat(batch.exceptionNow()).isInstanceOf(InterruptedException.class);
                }
                assertThat(seen).hasSize(read.get());
                assertThat(some.stats().active()).isZero();
                assertThat(some.close(Duration.ofSeconds(10))).isTrue();
            }
        });
    }

    @Test
    void saysWhatItNeedsToKnowInAFewLines() {
        BatchReport<String, Integer> report = new BatchReport<>(List.of(
                new Succeeded<>("a", 1, Duration.ofMillis(10)),
                new Failed<>("b", broken, Duration.ofMillis(30)),
                new Failed<>("c", new IllegalStateException("odd"), Duration.ZERO),
                new Failed<>("d", new IOException("again"), Duration.ofMillis(20))));
        assertThat(report.summary()).isEqualTo("""
                        4 items: 1 succeeded, 3 failed; took p50 10 ms, p99 30 ms, max 30 ms, in all 60 ms
                          2 x java.io.IOException: broken
                          1 x java.lang.IllegalStateException: odd""");
        assertThat(report.retryInput()).containsExactly("b", "c", "d");
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> report.settled().clear());
        assertThatNullPointerException()
                .isThrownBy(() -> new Failed<>("x", null, Duration.ZERO))
                .withMessage("cause");
        assertThatNullPointerException()
                .isThrownBy(() -> new Succeeded<>("x", 1, null))
                .withMessage("took");
    }

    /** Counts what was read. */
    private record Counting(Iterator<Integer> items, AtomicInteger read) implements Iterator<Integer> {
        @Override
        public boolean hasNext() {
            return items.hasNext();
        }

        @Override
        public Integer next() {
            read.incrementAndGet();
            return items.next();
        }
    }

    static <T> void complete(CompletableFuture<T> future, java.util.concurrent.Callable<T> body) {
        try {
            future.complete(body.call());
        } catch (Throwable thrown) {
            future.completeExceptionally(thrown);
        }
    }
}
