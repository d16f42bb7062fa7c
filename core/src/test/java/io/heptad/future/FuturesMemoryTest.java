package io.heptad.future;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.heptad.contract.Watched;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What stays on a member that lives on after the decision: nothing that can be reached, and mostly nothing at all. */
@Watched
class FuturesMemoryTest {
    private final CompletableFuture<Object> longLived = new CompletableFuture<>();

    /** An aggregate over the long-lived member and another, decided; gives everything that must be collectable. */
    private interface Decided extends Function<CompletableFuture<Object>, List<Object>> {}

    @Test
    void anAllOverFewLeavesNotEvenAListenerOnAMemberThatNeverEnds() {
        for (int call = 0; call < 10_000; call++) {
            CompletableFuture<Object> request = new CompletableFuture<>();
            CompletableFuture<List<Object>> all = Futures.all(List.of(longLived, request));
            if (call % 2 == 0) {
                request.completeExceptionally(new IllegalStateException());
            } else {
                all.cancel(true);
            }
            assertThat(all).isCompletedExceptionally();
        }

        assertThat(longLived.getNumberOfDependents()).isLessThan(10);
    }

    static Stream<Decided> decided() {
        return Stream.of(
                named("all, failed", longLived -> {
                    CompletableFuture<Object> other = new CompletableFuture<>();
                    Exception cause = new Exception();
                    CompletableFuture<?> all = Futures.all(List.of(longLived, other));
                    other.completeExceptionally(cause);
                    return List.of(other, cause, all);
                }),
                named("all, cancelled", longLived -> cancelled(longLived, Futures::all)),
                named("allSettled, cancelled", longLived -> cancelled(longLived, Futures::allSettled)),
                named("race, won", longLived -> won(longLived, Futures::race)),
                named("race, cancelled", longLived -> cancelled(longLived, Futures::race)),
                named("any, won", longLived -> won(longLived, Futures::any)),
                named("any, cancelled", longLived -> cancelled(longLived, Futures::any)),
                named("any of many, won", longLived -> won(longLived, Futures.FEW_MAX, Futures::any)),
                named("any of few, won after failures", longLived -> {
                    List<CompletableFuture<Object>> others = others(Futures.FEW_MAX - 1);
                    CompletableFuture<Object> any = Futures.any(with(longLived, others));
                    List<Object> causes = new ArrayList<>();
                    for (CompletableFuture<Object> other : others.subList(1, others.size())) {
                        Exception cause = new Exception();
                        causes.add(cause);
                        other.completeExceptionally(cause);
                    }
                    others.get(0).complete(new Object());
                    causes.addAll(List.of(any.join(), any, others.get(0)));
                    return causes;
                }),
                named("within, timed out", longLived -> {
                    StepDelay delay = new StepDelay();
                    CompletableFuture<Object> within =
                            Futures.within(longLived, Duration.ofHours(1), Losers.LEAVE, delay);
                    delay.elapse();
                    return List.of(within, within.exceptionNow());
                }),
                named("within, cancelled", longLived -> {
                    CompletableFuture<Object> within = Futures.within(longLived, Duration.ofHours(1));
                    within.cancel(true);
                    return List.of(within);
                }),
                named("settledWithin, timed out", longLived -> {
                    StepDelay delay = new StepDelay();
                    CompletableFuture<Object> other = new CompletableFuture<>();
                    CompletableFuture<List<Outcome<Object>>> settled =
                            Futures.settledWithin(List.of(longLived, other), Duration.ofHours(1), Losers.LEAVE, delay);
                    delay.elapse();
                    return List.of(settled, other, settled.join());
                }),
                named("forEachCompleted, interrupted", longLived -> {
                    Thread reader = Thread.ofVirtual().start(() -> {
                        try {
                            Futures.<Object>forEachCompleted(List.of(longLived), (index, outcome) -> {});
                        } catch (InterruptedException interrupted) {
                            Thread.currentThread().interrupt();
                        }
                    });
                    await().until(() -> reader.getState() == Thread.State.WAITING);
                    reader.interrupt();
                    await().until(() -> !reader.isAlive());
                    return List.of(reader);
                }),
                named("forEachCompleted, ended by its consumer", longLived -> {
                    CompletableFuture<Object> other = CompletableFuture.completedFuture(new Object());
                    IllegalStateException thrown = new IllegalStateException();
                    try {
                        Futures.<Object>forEachCompleted(List.of(longLived, other), (index, outcome) -> {
                            throw thrown;
                        });
                    } catch (IllegalStateException | InterruptedException ended) {
                        assertThat(ended).isSameAs(thrown);
                    }
                    return List.of(other, other.join(), thrown);
                }));
    }

    @ParameterizedTest
    @MethodSource("decided")
    void nothingOfADecidedAggregateIsReachableFromAMemberThatLivesOn(Decided decided) {
        List<WeakReference<Object>> released = weakly(decided);
        await().untilAsserted(() -> {
            System.gc();
            assertThat(released).allMatch(reference -> reference.refersTo(null));
        });
        assertThat(longLived).isNotDone();
    }

    /** In a frame of its own, which must not keep what it has seen. */
    private List<WeakReference<Object>> weakly(Decided decided) {
        return decided.apply(longLived).stream().map(WeakReference::new).toList();
    }

    @Test
    void aRaceLeavesNotEvenAListenerOnALoser() {
        for (int i = 0; i < 1_000; i++) {
            won(longLived, Futures::race);
            won(longLived, Futures::any);
            cancelled(longLived, Futures::race);
            cancelled(longLived, Futures::any);
            cancelled(longLived, Futures::allSettled);
            Futures.within(longLived, Duration.ofHours(1)).cancel(true);
        }
        assertThat(longLived.getNumberOfDependents()).isZero();
    }

    @Test
    void aTimeoutLeavesNotEvenAListenerOnTheLateStage() {
        for (int i = 0; i < 1_000; i++) {
            StepDelay delay = new StepDelay();
            Futures.within(longLived, Duration.ofHours(1), Losers.LEAVE, delay);
            Futures.settledWithin(List.of(longLived, longLived), Duration.ofHours(1), Losers.LEAVE, delay);
            delay.elapse();
        }
        assertThat(longLived.getNumberOfDependents()).isZero();
    }

    @Test
    void settlingManyMembersInOrderTakesOneListener() {
        List<CompletableFuture<String>> stages = FuturesTest.pending(1_000);
        CompletableFuture<List<Outcome<String>>> settled = Futures.allSettled(stages);
        assertThat(stages.stream()
                        .mapToInt(CompletableFuture::getNumberOfDependents)
                        .sum())
                .isEqualTo(1);
        stages.forEach(stage -> stage.complete("x"));
        assertThat(settled).isCompleted();
    }

    @Test
    void membersThatAreDoneGetNoListener() {
        CompletableFuture<Object> done = CompletableFuture.completedFuture("x");
        List<CompletableFuture<Object>> members = List.of(done, longLived);
        Futures.all(members);
        Futures.allSettled(members);
        assertThat(done.getNumberOfDependents()).isZero();
        assertThat(longLived.getNumberOfDependents()).isPositive();
    }

    private static List<Object> won(
            CompletableFuture<Object> longLived,
            Function<List<CompletableFuture<Object>>, ? extends CompletionStage<?>> combinator) {
        return won(longLived, 1, combinator);
    }

    private static List<Object> won(
            CompletableFuture<Object> longLived,
            int others,
            Function<List<CompletableFuture<Object>>, ? extends CompletionStage<?>> combinator) {
        List<CompletableFuture<Object>> members = others(others);
        CompletionStage<?> aggregate = combinator.apply(with(longLived, members));
        Object value = new Object();
        members.get(0).complete(value);
        assertThat(aggregate.toCompletableFuture()).isCompleted();
        List<Object> release = new ArrayList<>(members);
        release.add(value);
        release.add(aggregate);
        return release;
    }

    private static List<Object> cancelled(
            CompletableFuture<Object> longLived,
            Function<List<CompletableFuture<Object>>, ? extends CompletionStage<?>> combinator) {
        List<CompletableFuture<Object>> members = others(1);
        CompletionStage<?> aggregate = combinator.apply(with(longLived, members));
        aggregate.toCompletableFuture().cancel(true);
        return List.of(aggregate, members.get(0));
    }

    private static List<CompletableFuture<Object>> with(
            CompletableFuture<Object> longLived, List<CompletableFuture<Object>> others) {
        List<CompletableFuture<Object>> members = new ArrayList<>(others);
        members.add(members.size() / 2, longLived);
        return members;
    }

    private static List<CompletableFuture<Object>> others(int count) {
        return Stream.generate(CompletableFuture<Object>::new).limit(count).toList();
    }

    private static Decided named(String name, Decided decided) {
        return new Decided() {
            @Override
            public List<Object> apply(CompletableFuture<Object> longLived) {
                return decided.apply(longLived);
            }

            @Override
            public String toString() {
                return name;
            }
        };
    }
}
