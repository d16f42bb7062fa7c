package io.heptad.future;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rule one of the pattern, and the forms of it that look right. */
@Watched
class StartBeforeYouAwaitTest {
    /** Calls of 50 ms on a clock that moves only while somebody waits. */
    private static final class Calls {
        private record Call(long dueMillis, CompletableFuture<Integer> reply, int id) {}

        private final PriorityQueue<Call> open = new PriorityQueue<>((x, y) -> Long.compare(x.dueMillis, y.dueMillis));
        private long nowMillis;
        private int peak;

        CompletableFuture<Integer> start(int id) {
            CompletableFuture<Integer> reply = new CompletableFuture<>();
            open.add(new Call(nowMillis + 50, reply, id));
            peak = Math.max(peak, open.size());
            return reply;
        }

        <T> T await(CompletableFuture<T> future) {
            while (!future.isDone()) {
                Call next = open.remove();
                nowMillis = next.dueMillis;
                next.reply.complete(next.id);
            }
            return future.join();
        }
    }

    private final Calls calls = new Calls();
    private final List<Integer> ids = IntStream.range(0, 10).boxed().toList();

    @Test
    void tenCallsOfFiftyMillisTakeFiftyWhenTheyAreStartedFirst() {
        List<CompletableFuture<Integer>> started =
                ids.stream().map(calls::start).toList();
        assertThat(calls.await(Futures.all(started))).isEqualTo(ids);
        assertThat(calls.nowMillis).isEqualTo(50);
        assertThat(calls.peak).isEqualTo(10);
    }

    @Test
    void aLoopThatWaitsInsideTakesFiveHundred() {
        List<Integer> results = new ArrayList<>();
        for (int id : ids) {
            results.add(calls.await(calls.start(id)));
        }
        assertThat(results).isEqualTo(ids);
        assertThat(calls.nowMillis).isEqualTo(500);
        assertThat(calls.peak).isEqualTo(1);
    }

    @Test
    void aStreamThatJoinsInTheSameChainIsThatLoopInDisguise() {
        Stream<CompletableFuture<Integer>> lazy = ids.stream().map(calls::start);
        assertThat(lazy.map(calls::await).toList()).isEqualTo(ids);
        assertThat(calls.peak).isEqualTo(1);
        assertThat(calls.nowMillis).isEqualTo(500);
    }

    @Test
    void aCombinatorCannotBeLazyBecauseItTakesACollection() {
        Function<List<CompletableFuture<Integer>>, CompletableFuture<List<Integer>>> all = Futures::all;
        assertThat(calls.await(all.apply(ids.stream().map(calls::start).toList())))
                .isEqualTo(ids);
        assertThat(calls.peak).isEqualTo(10);
    }

    @Test
    void combinatorsImposeNoLimit() {
        List<Integer> many = IntStream.range(0, 5_000).boxed().toList();
        calls.await(Futures.all(many.stream().map(calls::start).toList()));
        assertThat(calls.peak).isEqualTo(5_000);
    }

    @Test
    void allInPlaceOfAllSettledLosesNineThousandNineHundredAndNinetyNineReports() {
        List<CompletableFuture<Integer>> batch =
                IntStream.range(0, 10_000).mapToObj(calls::start).toList();
        CompletableFuture<List<Integer>> wrongPolicy = Futures.all(batch);
        CompletableFuture<List<Outcome<Integer>>> rightPolicy = Futures.allSettled(batch);
        batch.get(4_711).completeExceptionally(new IllegalStateException("one of ten thousand"));
        assertThat(wrongPolicy).isCompletedExceptionally();
        assertThat(rightPolicy).isNotDone();
        assertThat(calls.await(rightPolicy).stream().filter(Outcome::isSuccess)).hasSize(9_999);
    }
}
