package io.heptad.future;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** 100,000 members, 100,000 aggregates in a chain, on a stack of 256 KB. */
@Watched
@Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a second on an idle machine, ten on a busy one
class FuturesStackTest {
    private static final int MANY = 100_000;

    @Test
    void completesAHundredThousandMembersInEitherOrder() throws Exception {
        onASmallStack(() -> {
            for (boolean backwards : new boolean[] {false, true}) {
                List<CompletableFuture<String>> members = FuturesTest.pending(MANY);
                List<CompletableFuture<String>> order = new ArrayList<>(members);
                if (backwards) {
                    Collections.reverse(order);
                }
                CompletableFuture<List<String>> all = Futures.all(members);
                CompletableFuture<List<Outcome<String>>> settled = Futures.allSettled(members);
                CompletableFuture<String> race = Futures.race(members);
                CompletableFuture<String> any = Futures.any(members);
                order.forEach(member -> member.complete("x"));
                assertThat(all.getNow(List.of())).hasSize(MANY);
                assertThat(settled.getNow(List.of())).hasSize(MANY);
                assertThat(race).isCompletedWithValue("x");
                assertThat(any).isCompletedWithValue("x");
            }
            return null;
        });
    }

    @Test
    void failsAHundredThousandMembers() throws Exception {
        onASmallStack(() -> {
            List<CompletableFuture<String>> members = FuturesTest.pending(MANY);
            CompletableFuture<String> any = Futures.any(members);
            CompletableFuture<List<Outcome<String>>> settled = Futures.allSettled(members);
            IOException cause = new IOException();
            members.forEach(member -> member.completeExceptionally(cause));
            assertThat(((AllFailedException) any.exceptionNow()).causes()).hasSize(MANY);
            assertThat(settled.getNow(List.of())).hasSize(MANY).noneMatch(Outcome::isSuccess);
            return null;
        });
    }

    static Stream<Function<CompletableFuture<Integer>, CompletableFuture<Integer>>> links() {
        return Stream.of(
                previous -> Futures.all(List.of(previous), Losers.CANCEL).thenApply(values -> values.get(0)),
                previous -> Futures.allSettled(List.of(previous))
                        .thenApply(values -> values.get(0).orElseThrow()),
                previous -> Futures.race(List.of(previous, new CompletableFuture<>()), Losers.CANCEL),
                previous -> Futures.any(List.of(previous, previous), Losers.CANCEL),
                previous -> Futures.within(previous, Losers.CANCEL, java.time.Duration.ofSeconds(Long.MAX_VALUE)));
    }

    @ParameterizedTest
    @MethodSource("links")
    void aChainOfAHundredThousandAggregatesEndsWithTheValue(
            Function<CompletableFuture<Integer>, CompletableFuture<Integer>> link) throws Exception {
        onASmallStack(() -> {
            CompletableFuture<Integer> root = new CompletableFuture<>();
            CompletableFuture<Integer> last = chain(root, link);
            root.complete(42);
            assertThat(last).isCompletedWithValue(42);
            return null;
        });
    }

    @ParameterizedTest
    @MethodSource("links")
    void aChainOfAHundredThousandAggregatesEndsWithTheFailure(
            Function<CompletableFuture<Integer>, CompletableFuture<Integer>> link) throws Exception {
        onASmallStack(() -> {
            CompletableFuture<Integer> root = new CompletableFuture<>();
            CompletableFuture<Integer> last = chain(root, link);
            root.cancel(true);
            assertThat(last).isCompletedExceptionally();
            assertThat(rootCause(last.handle((value, thrown) -> thrown).join()))
                    .isInstanceOf(CancellationException.class);
            return null;
        });
    }

    @Test
    void cancellingTheEndOfAChainUnderCancelReachesItsBeginning() throws Exception {
        onASmallStack(() -> {
            CompletableFuture<Integer> root = new CompletableFuture<>();
            CompletableFuture<Integer> last = root;
            for (int i = 0; i < MANY; i++) {
                last = Futures.race(List.of(last), Losers.CANCEL);
            }
            last.cancel(true);
            assertThat(root).isCancelled();
            return null;
        });
    }

    @Test
    void aDependentOfTheAggregateMayCompleteAllOtherMembersFromWithin() throws Exception {
        onASmallStack(() -> {
            List<CompletableFuture<String>> members = FuturesTest.pending(MANY);
            List<CompletableFuture<?>> aggregates = List.of(
                    Futures.race(members), Futures.any(members), Futures.all(members), Futures.allSettled(members));
            for (CompletableFuture<?> aggregate : aggregates) {
                aggregate.thenRun(() -> members.forEach(member -> member.complete("from within")));
            }
            members.get(MANY / 2).complete("first");
            assertThat(aggregates).allMatch(CompletableFuture::isDone);
            return null;
        });
    }

    @Test
    void aDependentThatCompletesTheMemberOfAnotherAggregateSeesThatOneDecided() {
        // Up to the depth at which completions stop to nest, complete() has done everything when it returns.
        AtomicInteger decided = new AtomicInteger();
        CompletableFuture<Integer> last = new CompletableFuture<>();
        CompletableFuture<Integer> first = last;
        for (int i = 1; i < Steps.NESTED_MAX; i++) {
            CompletableFuture<Integer> next = first;
            CompletableFuture<List<Integer>> nextAggregate = Futures.all(List.of(next));
            first = new CompletableFuture<>();
            Futures.all(List.of(first)).thenAccept(values -> {
                next.complete(1);
                if (nextAggregate.isDone()) {
                    decided.incrementAndGet();
                }
            });
        }
        first.complete(1);
        assertThat(decided).hasValue(Steps.NESTED_MAX - 1);
        assertThat(last).isCompletedWithValue(1);
    }

    private static CompletableFuture<Integer> chain(
            CompletableFuture<Integer> root, Function<CompletableFuture<Integer>, CompletableFuture<Integer>> link) {
        CompletableFuture<Integer> last = root;
        for (int i = 0; i < MANY; i++) {
            last = link.apply(last);
        }
        return last;
    }

    private static Throwable rootCause(Throwable thrown) {
        Throwable cause = thrown;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static void onASmallStack(Callable<Void> body) throws Exception {
        FutureTask<Void> task = new FutureTask<>(body);
        new Thread(null, task, "small stack", 256 * 1024).start();
        task.get(80, TimeUnit.SECONDS);
    }
}
