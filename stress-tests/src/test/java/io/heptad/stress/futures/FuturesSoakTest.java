package io.heptad.stress.futures;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.future.Futures;
import io.heptad.stress.OneCarrier;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Joins of aggregates, and the one call of {@code Futures} that waits itself, on one carrier. */
class FuturesSoakTest {
    private final CompletableFuture<Integer> first = new CompletableFuture<>();
    private final CompletableFuture<Integer> second = new CompletableFuture<>();
    private final AtomicInteger arrived = new AtomicInteger();

    private Void complete() {
        first.complete(1);
        second.complete(2);
        return null;
    }

    @Test
    void joinsOfAllEnd() throws Exception {
        CompletableFuture<List<Integer>> all = Futures.all(List.of(first, second));
        assertThat(OneCarrier.soak(
                        arrived::get,
                        () -> {
                            arrived.incrementAndGet();
                            return all.get();
                        },
                        this::complete))
                .containsOnly(List.of(1, 2));
    }

    @Test
    void joinsOfTimedOnesEnd() throws Exception {
        assertThat(OneCarrier.soak(
                        arrived::get,
                        () -> {
                            CompletableFuture<Integer> within = Futures.within(first, Duration.ofMinutes(1));
                            arrived.incrementAndGet();
                            return within.get();
                        },
                        this::complete))
                .containsOnly(1);
    }

    @Test
    void timersThatEndNeedNoCarrierOfTheirOwn() throws Exception {
        assertThat(OneCarrier.soak(
                        arrived::get,
                        () -> {
                            arrived.incrementAndGet();
                            return Futures.settledWithin(List.of(first), Duration.ofMillis(5))
                                    .get()
                                    .get(0)
                                    .isSuccess();
                        },
                        () -> null))
                .containsOnly(false);
    }

    @Test
    void deliveryInOrderOfCompletionEnds() throws Exception {
        assertThat(OneCarrier.soak(
                        arrived::get,
                        () -> {
                            AtomicInteger seen = new AtomicInteger();
                            arrived.incrementAndGet();
                            Futures.<Integer>forEachCompleted(
                                    List.of(first, second), (index, outcome) -> seen.incrementAndGet());
                            return seen.get();
                        },
                        this::complete))
                .containsOnly(2);
    }
}
