package io.heptad.future;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.heptad.contract.Seeded;
import io.heptad.contract.Watched;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

@Watched
class ForEachCompletedTest {
    private final List<CompletableFuture<String>> stages = FuturesTest.pending(4);

    @Test
    void deliversInTheOrderOfCompletionInTheCallersThread() throws Exception {
        IOException broken = new IOException();
        stages.get(2).complete("done before");
        List<Integer> indexes = new ArrayList<>();
        List<Outcome<String>> outcomes = new ArrayList<>();
        Thread caller = Thread.currentThread();
        Futures.<String>forEachCompleted(stages, (index, outcome) -> {
            assertThat(Thread.currentThread()).isSameAs(caller);
            indexes.add(index);
            outcomes.add(outcome);
            switch (index) {
                case 2 -> stages.get(3).complete("three");
                case 3 -> stages.get(0).completeExceptionally(broken);
                case 0 -> Thread.ofVirtual().start(() -> stages.get(1).complete("from elsewhere"));
                default -> {}
            }
        });
        assertThat(indexes).containsExactly(2, 3, 0, 1);
        assertThat(outcomes)
                .isEqualTo(List.of(
                        new Outcome.Success<>("done before"),
                        new Outcome.Success<>("three"),
                        new Outcome.Failure<>(broken),
                        new Outcome.Success<>("from elsewhere")));
    }

    @Test
    void keepsTheOrderOfCompletionWhileTheConsumerIsSlow() throws Exception {
        stages.get(1).complete("1");
        List<Integer> indexes = new ArrayList<>();
        Futures.<String>forEachCompleted(stages, (index, outcome) -> {
            if (indexes.isEmpty()) {
                stages.get(3).complete("3");
                stages.get(0).complete("0");
                stages.get(2).complete("2");
            }
            indexes.add(index);
        });
        assertThat(indexes).containsExactly(1, 3, 0, 2);
    }

    @Test
    void aConsumerThatThrowsEndsItAndLeavesTheMembersAlone() {
        stages.get(0).complete("x");
        IllegalStateException thrown = new IllegalStateException();
        assertThatIllegalStateException()
                .isThrownBy(() -> Futures.<String>forEachCompleted(stages, (index, outcome) -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
        assertThat(stages.get(1)).isNotDone();
        stages.forEach(stage -> stage.complete("later"));
    }

    @Test
    void anInterruptWhileWaitingEndsIt() throws Exception {
        AtomicReference<Throwable> ended = new AtomicReference<>();
        Thread waiting = Thread.ofVirtual().start(() -> {
            try {
                Futures.<String>forEachCompleted(stages, (index, outcome) -> {});
            } catch (InterruptedException interrupted) {
                ended.set(interrupted);
            }
        });
        await().until(() -> waiting.getState() == Thread.State.WAITING);
        waiting.interrupt();
        waiting.join();
        assertThat(ended.get()).isInstanceOf(InterruptedException.class);
        assertThat(stages).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void anInterruptBetweenTwoDeliveriesEndsIt() {
        stages.forEach(stage -> stage.complete("x"));
        List<Integer> indexes = new ArrayList<>();
        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> Futures.<String>forEachCompleted(stages, (index, outcome) -> {
                    indexes.add(index);
                    Thread.currentThread().interrupt();
                }));
        assertThat(indexes).containsExactly(0);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void anInterruptThatComesWithACompletionIsThrownOrKept() {
        Seeded.run(random -> {
            for (int round = 0; round < 2_500; round++) {
                CompletableFuture<String> one = new CompletableFuture<>();
                AtomicReference<String> outcome = new AtomicReference<>("neither");
                Thread waiting = Thread.ofVirtual().start(() -> {
                    try {
                        Futures.<String>forEachCompleted(List.of(one), (index, ended) -> {});
                        // delivered: the interrupt has come too late for the wait, and must be there or still to come
                        while (!Thread.currentThread().isInterrupted()) {
                            LockSupport.park(); // for ever, if it was lost: then the watchdog says so
                        }
                        outcome.set("kept");
                    } catch (InterruptedException interrupted) {
                        outcome.set("thrown");
                    }
                });
                if (random.nextBoolean()) {
                    Thread.onSpinWait();
                }
                Thread completer = Thread.ofVirtual().start(() -> one.complete("x"));
                waiting.interrupt();
                waiting.join();
                completer.join();
                assertThat(outcome.get()).isIn("thrown", "kept");
            }
        });
    }

    @Test
    void noneReturnsAtOnce() throws Exception {
        Futures.<String>forEachCompleted(List.<CompletableFuture<String>>of(), (index, outcome) -> {
            throw new AssertionError();
        });
    }

    @Test
    void deliversEachExactlyOnceWhenManyThreadsCompleteThem() {
        Seeded.run(random -> {
            int members = 20_000;
            List<CompletableFuture<String>> many = FuturesTest.pending(members);
            List<Thread> threads = IntStream.range(0, 4)
                    .mapToObj(part -> Thread.ofVirtual().unstarted(() -> {
                        for (int i = part; i < members; i += 4) {
                            many.get(i).complete("" + i);
                        }
                    }))
                    .toList();
            int started = random.nextInt(4);
            threads.subList(0, started).forEach(Thread::start);
            boolean[] delivered = new boolean[members];
            threads.subList(started, 4).forEach(Thread::start);
            Futures.<String>forEachCompleted(many, (index, outcome) -> {
                assertThat(delivered[index]).isFalse();
                delivered[index] = true;
                assertThat(outcome.orElseThrow()).isEqualTo("" + index);
            });
            assertThat(delivered).doesNotContain(false);
        });
    }
}
