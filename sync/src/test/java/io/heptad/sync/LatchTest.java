package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.core.FullException;
import io.heptad.core.Metric;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a latch promises, apart from how each waiting call ends. */
@Watched
class LatchTest {
    private final IOException cause = new IOException("no such file");

    private static Call<String> parkedAt(Latch latch) {
        int before = latch.waiting();
        Call<String> call = Call.platform(() -> {
            latch.await();
            return "passed";
        });
        Call.until(() -> latch.waiting() == before + 1);
        return call;
    }

    // Counting

    @Test
    void holdsAllUntilTheLastArrivalAndThenLetsAllGo() {
        Latch latch = Latch.of(3);
        List<Call<String>> waiters = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            waiters.add(parkedAt(latch));
        }

        latch.countDown();
        latch.countDown();

        assertThat(latch.waiting()).isEqualTo(10);
        assertThat(waiters).noneMatch(Call::isDone);
        latch.countDown();
        assertThat(waiters).allSatisfy(waiter -> assertThat(waiter.outcome()).isEqualTo("passed"));
        assertThat(latch.waiting()).isZero();
    }

    @Test
    void staysOpenWhateverIsCalledAfterwards() throws InterruptedException {
        Latch latch = Latch.of(1);
        latch.countDown();

        for (int i = 0; i < 5; i++) {
            latch.countDown();
            assertThat(latch.remaining()).isZero();
        }
        latch.fail(cause);

        assertThat(latch.isOpen()).isTrue();
        assertThat(latch.isFailed()).isFalse();
        for (int i = 0; i < 10; i++) {
            latch.await();
            assertThat(latch.await(Duration.ZERO)).isTrue();
            assertThat(latch.opened()).isCompleted();
        }
    }

    @Test
    void parksNobodyWhoComesAfterTheOpening() {
        Latch latch = Latch.of(0);

        assertThat(latch.isOpen()).isTrue();
        for (boolean virtual : new boolean[] {false, true}) {
            Call<Integer> late = Call.start(virtual, () -> {
                latch.await();
                return latch.waiting();
            });
            assertThat(late.outcome()).isEqualTo(0);
        }
    }

    @Test
    void losesNoCount() {
        Latch latch = Latch.of(8_000);
        AtomicInteger openedEarly = new AtomicInteger();
        List<Call<String>> counting = new ArrayList<>();
        for (int thread = 0; thread < 8; thread++) {
            counting.add(Call.platform(() -> {
                for (int i = 0; i < 999; i++) {
                    latch.countDown();
                    openedEarly.addAndGet(latch.isOpen() ? 1 : 0);
                }
                return "counted";
            }));
        }
        assertThat(counting).allSatisfy(call -> assertThat(call.outcome()).isEqualTo("counted"));

        assertThat(openedEarly).hasValue(0);
        for (int left = 8; left > 0; left--) {
            assertThat(latch.remaining()).isEqualTo(left);
            assertThat(latch.isOpen()).isFalse();
            latch.countDown();
        }
        assertThat(latch.isOpen()).isTrue();
    }

    @Test
    void aJoinSeesAllResultsOfTheTenWorkers() throws InterruptedException {
        Latch finished = Latch.of("workers", 10);
        Latch slowOne = Latch.of(1);
        int[] results = new int[10]; // plain: the latch publishes them
        for (int i = 0; i < 10; i++) {
            int worker = i;
            Thread.startVirtualThread(() -> {
                try {
                    if (worker == 7) {
                        slowOne.await();
                    }
                    results[worker] = worker + 1;
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
                finished.countDown();
            });
        }
        Call.until(() -> finished.remaining() == 1);

        assertThat(finished.await(Duration.ofMillis(1))).isFalse();
        slowOne.countDown();
        finished.await();

        assertThat(IntStream.of(results).sum()).isEqualTo(55);
    }

    // Parts

    @Test
    void opensWhenEveryPartHasArrivedInWhateverOrder() {
        for (List<String> order : List.of(
                List.of("a", "b", "c"),
                List.of("a", "c", "b"),
                List.of("b", "a", "c"),
                List.of("b", "c", "a"),
                List.of("c", "a", "b"),
                List.of("c", "b", "a"))) {
            Latch latch = Latch.ofParts("startup", "a", "b", "c");
            Call<String> waiter = parkedAt(latch);

            latch.arrive(order.get(0));
            latch.arrive(order.get(1));

            assertThat(latch.missing()).containsExactly(order.get(2));
            assertThat(waiter.isDone()).isFalse();
            latch.arrive(order.get(2));
            assertThat(waiter.outcome()).isEqualTo("passed");
            assertThat(latch.missing()).isEmpty();
        }
    }

    @Test
    void countsAPartOnceHoweverOftenItArrives() {
        Latch latch = Latch.ofParts("startup", "a", "b");

        for (int i = 0; i < 5; i++) {
            latch.arrive("a");
            assertThat(latch.remaining()).isEqualTo(1);
            assertThat(latch.missing()).containsExactly("b");
        }
        assertThat(latch.isOpen()).isFalse();
        latch.arrive("b");
        latch.arrive("b");
        assertThat(latch.isOpen()).isTrue();
    }

    @Test
    void countsAPartOnceThoughManyBringItAtOnce() {
        for (int round = 0; round < 200; round++) {
            Latch latch = Latch.ofParts("startup", "a", "b");
            List<Call<String>> bringing = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                bringing.add(Call.start(true, () -> {
                    latch.arrive("a");
                    return "brought";
                }));
            }
            bringing.forEach(call -> assertThat(call.outcome()).isEqualTo("brought"));
            assertThat(latch.remaining()).isEqualTo(1);
        }
    }

    @Test
    void takesAsManyPartsAsThereAre() {
        String[] parts = IntStream.range(0, 1_000).mapToObj(i -> "part " + i).toArray(String[]::new);
        Latch latch = Latch.ofParts("startup", parts);

        for (int i = 0; i < 1_000; i++) {
            assertThat(latch.missing()).hasSize(1_000 - i).startsWith(parts[i]);
            latch.arrive(parts[i]);
        }

        assertThat(latch.isOpen()).isTrue();
    }

    // Failure

    @Test
    void tellsAllWaitersOfTheFailureAndOfWhatWasMissing() {
        Latch latch = Latch.ofParts("startup", "cache", "config", "database");
        List<Call<String>> waiters = List.of(parkedAt(latch), parkedAt(latch));
        CompletableFuture<Void> opened = latch.opened();
        latch.arrive("cache");

        latch.fail(cause);

        waiters.forEach(waiter -> assertThat((Throwable) waiter.outcome())
                .isInstanceOf(LatchFailedException.class)
                .hasMessage("latch startup failed with [config, database] missing: " + cause)
                .hasCause(cause));
        assertThat(opened.exceptionNow())
                .isInstanceOf(LatchFailedException.class)
                .hasCause(cause);
        assertThat(latch.waiting()).isZero();
    }

    @Test
    void givesEveryWaiterAnExceptionOfItsOwn() {
        Latch latch = Latch.of(1);
        Call<String> first = parkedAt(latch);
        Call<String> second = parkedAt(latch);
        CompletableFuture<Void> third = latch.opened();

        latch.fail(cause);

        assertThat(List.of(first.outcome(), second.outcome(), third.exceptionNow()))
                .doesNotHaveDuplicates();
        assertThat(cause.getSuppressed()).isEmpty();
    }

    @Test
    void staysFailedWithTheFirstCause() {
        Latch latch = Latch.ofParts("startup", "a", "b");
        latch.arrive("a");
        latch.fail(cause);

        latch.fail(new IllegalStateException("later"));
        latch.arrive("b");

        assertThat(latch.isFailed()).isTrue();
        assertThat(latch.isOpen()).isFalse();
        assertThat(latch.remaining()).isEqualTo(1);
        assertThat(latch.missing()).containsExactly("b");
        assertThatThrownBy(latch::await)
                .isInstanceOf(LatchFailedException.class)
                .hasCause(cause);
        assertThatThrownBy(() -> latch.await(Duration.ZERO)).hasCause(cause);
        assertThat(latch.opened().exceptionNow()).hasCause(cause);
        assertThatThrownBy(latch::await)
                .satisfies(thrown ->
                        assertThat(((LatchFailedException) thrown).latch()).isEqualTo("startup"));
    }

    @Test
    void countsNoArrivalAfterAFailure() {
        Latch latch = Latch.of(2);
        latch.fail(cause);

        latch.countDown();
        latch.countDown();
        latch.countDown();

        assertThat(latch.isOpen()).isFalse();
        assertThat(latch.remaining()).isEqualTo(2);
        assertThatThrownBy(latch::await).hasMessage("latch latch failed with 2 of 2 missing: " + cause);
    }

    // The queue at the gate

    @Test
    void refusesOneMoreThanMayWait() throws InterruptedException {
        Latch latch = Latch.ofParts("startup", 2, "config");
        Call<String> first = parkedAt(latch);
        CompletableFuture<Void> second = latch.opened();

        assertThatThrownBy(latch::await)
                .isInstanceOf(FullException.class)
                .hasMessageStartingWith("startup is full: depth 2 of capacity 2");
        assertThatThrownBy(() -> latch.await(Duration.ofMinutes(1))).isInstanceOf(FullException.class);
        assertThat(latch.opened().exceptionNow()).isInstanceOf(FullException.class);
        assertThat(latch.await(Duration.ZERO)).isFalse(); // does not wait, so needs no place
        assertThat(latch.waiting()).isEqualTo(2);
        assertThat(latch.stats().refused()).isEqualTo(3);

        second.cancel(false);
        Call<String> third = parkedAt(latch);
        latch.arrive("config");
        assertThat(first.outcome()).isEqualTo("passed");
        assertThat(third.outcome()).isEqualTo("passed");
        latch.await();
    }

    @Test
    void neverLetsMoreWaitThanMay() {
        Latch latch = Latch.of("crowd", 1, 5);
        List<Call<String>> calls = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            calls.add(Call.start(true, () -> {
                latch.await();
                return "passed";
            }));
        }
        Call.until(() -> latch.stats().refused() == 35);
        assertThat(latch.waiting()).isEqualTo(5);

        latch.countDown();

        Map<Object, Long> ends = calls.stream()
                .collect(Collectors.groupingBy(
                        call -> call.outcome() instanceof FullException ? "full" : call.outcome(),
                        Collectors.counting()));
        assertThat(ends).isEqualTo(Map.of("passed", 5L, "full", 35L));
    }

    // Futures

    @Test
    void givesEachAFutureOfItsOwn() {
        Latch latch = Latch.of(1);
        CompletableFuture<Void> cancelled = latch.opened();
        CompletableFuture<Void> completed = latch.opened();
        CompletableFuture<Void> timedOut = latch.opened().orTimeout(1, java.util.concurrent.TimeUnit.MILLISECONDS);
        CompletableFuture<Void> live = latch.opened();

        cancelled.cancel(true);
        completed.complete(null);
        Call.until(timedOut::isDone);
        Call.until(() -> latch.waiting() == 1);

        assertThat(live).isNotDone();
        latch.countDown();
        assertThat(live).isCompleted();
        assertThat(cancelled).isCancelled();
    }

    @Test
    void keepsNoFutureThatWasGivenUp() {
        Latch latch = Latch.of(1);
        List<CompletableFuture<Void>> futures = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            futures.add(latch.opened());
        }
        Collections.shuffle(futures, new java.util.Random(7));

        for (int i = 0; i < 9_999; i++) {
            futures.get(i).cancel(false);
            assertThat(latch.waiting()).isEqualTo(9_999 - i);
        }

        latch.countDown();
        assertThat(futures.get(9_999)).isCompleted();
    }

    @Test
    void releasesTwentyThousandCallbacksInOrderAndOnOneLevelOfTheStack() {
        int n = 20_000;
        Latch latch = Latch.of(1);
        List<Integer> order = new ArrayList<>();
        int[] deepest = new int[1];
        for (int i = 0; i < n; i++) {
            int number = i;
            latch.opened().thenRun(() -> {
                order.add(number);
                deepest[0] = Math.max(deepest[0], new Throwable().getStackTrace().length);
            });
        }
        int here = new Throwable().getStackTrace().length;

        latch.countDown();

        assertThat(order)
                .containsExactlyElementsOf(IntStream.range(0, n).boxed().toList());
        assertThat(deepest[0]).isLessThan(here + 20);
        assertThat(latch.waiting()).isZero();
    }

    @Test
    void twentyThousandLatchesThatOpenEachOtherDoNotGrowTheStack() {
        List<Latch> latches =
                IntStream.rangeClosed(0, 20_000).mapToObj(i -> Latch.of(1)).toList();
        for (int i = 0; i < 20_000; i++) {
            latches.get(i).opened().thenRun(latches.get(i + 1)::countDown);
        }

        Call<String> opener = Call.onASmallStack(latches.get(0)::countDown);

        assertThat(opener.outcome()).isEqualTo("returned");
        assertThat(latches).allMatch(Latch::isOpen);
    }

    @Test
    void twentyThousandLatchesThatFailEachOtherDoNotGrowTheStack() {
        List<Latch> latches =
                IntStream.rangeClosed(0, 20_000).mapToObj(i -> Latch.of(1)).toList();
        for (int i = 0; i < 20_000; i++) {
            Latch next = latches.get(i + 1);
            latches.get(i).opened().whenComplete((nothing, failure) -> next.fail(cause));
        }

        Call<String> failer = Call.onASmallStack(() -> latches.get(0).fail(cause));

        assertThat(failer.outcome()).isEqualTo("returned");
        assertThat(latches).allMatch(Latch::isFailed);
    }

    @Test
    void aCallbackMayOpenALatchAndThenWaitForWhatItHasOpened() {
        Latch first = Latch.of(1);
        Latch second = Latch.of(1);
        CompletableFuture<Void> opened = second.opened();
        CompletableFuture<Void> waited = first.opened().thenRun(() -> {
            second.countDown();
            opened.join();
        });

        first.countDown();

        assertThat(waited).isCompleted();
    }

    @Test
    void aCallbackThatThrowsHarmsNobodyElse() {
        Latch latch = Latch.of(1);
        List<String> ran = new ArrayList<>();
        latch.opened().thenRun(() -> ran.add("before"));
        CompletableFuture<Void> bad = latch.opened().thenRun(() -> {
            throw new IllegalStateException("mine");
        });
        latch.opened().thenRun(() -> ran.add("after"));
        Call<String> waiter = parkedAt(latch);

        latch.countDown();

        assertThat(ran).containsExactly("before", "after");
        assertThat(waiter.outcome()).isEqualTo("passed");
        assertThat(bad.exceptionNow()).hasMessage("mine");
    }

    @Test
    void aCallbackRunsUnderNoLockAndAfterTheThreadsWereWoken() {
        Latch latch = Latch.ofParts("startup", "a");
        List<Object> seen = new ArrayList<>();
        latch.opened().thenRun(() -> {
            // Whatever needs the lock, in another thread: it would wait for this callback.
            seen.add(Call.platform(latch::missing).outcome());
            seen.add(Call.platform(latch::stats).outcome());
            seen.add(latch.waiting());
        });
        Call<String> behind = parkedAt(latch);
        latch.opened().thenRun(() -> seen.add(behind.outcome()));

        latch.arrive("a");

        assertThat(seen).hasSize(4).endsWith(0, "passed");
    }

    // Arguments

    @Test
    void refusesWhatMakesNoSense() {
        assertThatThrownBy(() -> Latch.of(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("count must be at least 0, but is -1");
        assertThatThrownBy(() -> Latch.of("n", Integer.MIN_VALUE)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Latch.of("n", 1, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxWaiting must be at least 1, but is 0");
        assertThatThrownBy(() -> Latch.of(" ", 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("name must not be blank, but is \" \"");
        assertThatThrownBy(() -> Latch.of(null, 1))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("name");
        assertThatThrownBy(() -> Latch.ofParts("n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("parts must name at least one, but is empty");
        assertThatThrownBy(() -> Latch.ofParts("n", "a", "b", "a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("parts must differ, but \"a\" is there twice");
        assertThatThrownBy(() -> Latch.ofParts("n", "a", ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("parts[1] must not be blank, but is \"\"");
        assertThatThrownBy(() -> Latch.ofParts("n", "a", null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("parts[1]");
    }

    @Test
    void changesNothingWhenItRefusesAnArrival() {
        Latch latch = Latch.ofParts("startup", "a", "b");
        Call<String> waiter = parkedAt(latch);

        assertThatThrownBy(() -> latch.arrive("c"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("part must be one of [a, b], but is \"c\"");
        assertThatThrownBy(() -> latch.arrive(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("part");
        assertThatThrownBy(latch::countDown)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("latch startup has named parts, which arrive: [a, b]");
        assertThatThrownBy(() -> latch.fail(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("cause");
        assertThatThrownBy(() -> latch.await(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("timeout");

        assertThat(latch.missing()).containsExactly("a", "b");
        assertThat(latch.waiting()).isEqualTo(1);
        assertThat(waiter.isDone()).isFalse();
        latch.arrive("a");
        latch.arrive("b");
        assertThat(waiter.outcome()).isEqualTo("passed");

        Latch counting = Latch.of(1);
        assertThatThrownBy(() -> counting.arrive("a"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("latch latch has no named parts, it only counts down");
        assertThatThrownBy(() -> counting.arrive(null)).isInstanceOf(NullPointerException.class);
        assertThat(counting.remaining()).isEqualTo(1);
    }

    // Figures

    @Test
    void tellsItsFigures() throws InterruptedException {
        Latch latch = Latch.ofParts("startup", "a", "b", "c");
        Call<String> waiter = parkedAt(latch);
        CompletableFuture<Void> future = latch.opened();
        latch.arrive("b");
        assertThat(latch.await(Duration.ofNanos(1))).isFalse();
        assertThat(latch.await(Duration.ZERO)).isFalse();

        assertThat(latch.stats())
                .isEqualTo(
                        new LatchStats(3, 2, new java.util.LinkedHashSet<>(List.of("a", "c")), false, false, 2, 2, 0));
        assertThat(latch.stats().missing()).containsExactly("a", "c");
        assertThat(figures(latch))
                .containsExactly(
                        "heptad.latch.count 3",
                        "heptad.latch.remaining 2",
                        "heptad.latch.waiting 2",
                        "heptad.latch.open 0",
                        "heptad.latch.failed 0",
                        "heptad.latch.timeouts 2",
                        "heptad.latch.refused 0");
        assertThat(latch).hasToString("Latch startup: [a, c] missing, 2 waiting");

        latch.fail(cause);

        assertThat(latch.stats().failed()).isTrue();
        assertThat(latch.stats().waiting()).isZero();
        assertThat(figures(latch)).contains("heptad.latch.open 0", "heptad.latch.failed 1", "heptad.latch.waiting 0");
        assertThat(latch).hasToString("Latch startup: failed with [a, c] missing");
        assertThat(waiter.outcome()).isInstanceOf(LatchFailedException.class);
        assertThat(future).isCompletedExceptionally();

        Latch open = Latch.of(0);
        assertThat(open).hasToString("Latch latch: open");
        assertThat(open.stats()).isEqualTo(new LatchStats(0, 0, java.util.Set.of(), true, false, 0, 0, 0));
        assertThat(figures(open)).contains("heptad.latch.open 1", "heptad.latch.failed 0");
    }

    private static List<String> figures(Latch latch) {
        assertThat(latch.metrics())
                .isSameAs(latch.metrics())
                .allSatisfy(metric -> assertThat(metric.tags()).isEqualTo(Map.of("name", latch.name())))
                .extracting(Metric::kind)
                .containsExactly(
                        Metric.Kind.GAUGE,
                        Metric.Kind.GAUGE,
                        Metric.Kind.GAUGE,
                        Metric.Kind.GAUGE,
                        Metric.Kind.GAUGE,
                        Metric.Kind.COUNTER,
                        Metric.Kind.COUNTER);
        return latch.metrics().stream()
                .map(metric -> metric.name() + " " + (long) metric.value().getAsDouble())
                .toList();
    }

    @Test
    void hasAnUnmodifiableListOfWhoIsMissing() {
        Latch latch = Latch.ofParts("startup", "a");

        assertThatThrownBy(() -> latch.missing().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThat(Latch.of(3).missing()).isEmpty();
    }
}
