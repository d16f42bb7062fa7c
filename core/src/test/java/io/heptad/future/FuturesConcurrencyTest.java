package io.heptad.future;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Seeded;
import io.heptad.contract.Watched;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Members that end while they are being combined, from several threads. */
@Watched
class FuturesConcurrencyTest {
    private static final int ROUNDS = 3_000;

    @Test
    void everyAggregateIsDecidedWhateverTheSchedule() {
        Seeded.run(random -> {
            CyclicBarrier start = new CyclicBarrier(3);
            for (int round = 0; round < ROUNDS; round++) {
                int members = 1 + random.nextInt(40);
                int failures = random.nextInt(members + 1);
                List<CompletableFuture<String>> stages = FuturesTest.pending(members);
                List<CompletableFuture<String>> order = new ArrayList<>(stages);
                Collections.shuffle(order, new Random(random.nextLong()));
                List<CompletableFuture<String>> failing = order.subList(0, failures);
                List<CompletableFuture<String>> shuffled = new ArrayList<>(order);
                Collections.shuffle(shuffled, new Random(random.nextLong()));
                List<Thread> threads = List.of(
                        completing(start, shuffled.subList(0, members / 2), failing),
                        completing(start, shuffled.subList(members / 2, members), failing));
                start.await();
                CompletableFuture<List<String>> all = Futures.all(stages);
                CompletableFuture<List<Outcome<String>>> settled = Futures.allSettled(stages);
                CompletableFuture<String> race = Futures.race(stages);
                CompletableFuture<String> any = Futures.any(stages);
                int[] delivered = new int[1];
                Futures.<String>forEachCompleted(stages, (index, outcome) -> delivered[0]++);
                for (Thread thread : threads) {
                    thread.join();
                }
                CompletableFuture.allOf(
                                all.handle((x, y) -> null),
                                settled,
                                race.handle((x, y) -> null),
                                any.handle((x, y) -> null))
                        .get(10, TimeUnit.SECONDS);
                assertThat(all.isCompletedExceptionally()).isEqualTo(failures > 0);
                assertThat(settled.join().stream().filter(Outcome::isSuccess)).hasSize(members - failures);
                assertThat(any.isCompletedExceptionally()).isEqualTo(failures == members);
                assertThat(delivered[0]).isEqualTo(members);
            }
        });
    }

    @Test
    void aCancelAgainstTheLastCompletionLeavesNoMemberPendingUnderCancel() {
        Seeded.run(random -> {
            CyclicBarrier start = new CyclicBarrier(2);
            for (int round = 0; round < ROUNDS; round++) {
                List<CompletableFuture<String>> stages = FuturesTest.pending(3);
                CompletableFuture<?> aggregate = switch (round % 3) {
                    case 0 -> Futures.all(stages, Losers.CANCEL);
                    case 1 -> Futures.race(stages, Losers.CANCEL);
                    default -> Futures.any(stages, Losers.CANCEL);
                };
                Thread completer = completing(start, stages.subList(0, 1 + random.nextInt(3)), List.of());
                start.await();
                boolean cancelled = aggregate.cancel(true);
                completer.join();
                assertThat(aggregate.isCancelled()).isEqualTo(cancelled);
                if (cancelled || round % 3 != 0) {
                    assertThat(stages).allMatch(CompletableFuture::isDone);
                }
            }
        });
    }

    private static Thread completing(
            CyclicBarrier start, List<CompletableFuture<String>> mine, List<CompletableFuture<String>> failing) {
        return Thread.ofPlatform().start(() -> {
            try {
                start.await();
            } catch (Exception broken) {
                throw new AssertionError(broken);
            }
            for (CompletableFuture<String> stage : mine) {
                if (failing.contains(stage)) {
                    stage.completeExceptionally(new IOException());
                } else {
                    stage.complete("x");
                }
            }
        });
    }
}
