package io.heptad.future;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.heptad.contract.Watched;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future.State;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Watched
class FuturesTest {
    private final CompletableFuture<String> a = new CompletableFuture<>();
    private final CompletableFuture<String> b = new CompletableFuture<>();
    private final CompletableFuture<String> c = new CompletableFuture<>();
    private final List<CompletableFuture<String>> abc = List.of(a, b, c);
    private final IOException broken = new IOException("broken");

    @Nested
    class All {
        @Test
        void givesTheValuesInInputOrderWhateverTheOrderOfCompletion() {
            CompletableFuture<List<String>> all = Futures.all(abc);
            c.complete("c");
            a.complete("a");
            assertThat(all).isNotDone();
            b.complete("b");
            assertThat(all).isCompletedWithValue(List.of("a", "b", "c"));
        }

        @Test
        void failsAtOnceWithTheFirstCauseItself() {
            CompletableFuture<List<String>> all = Futures.all(abc);
            b.completeExceptionally(broken);
            assertThat(all.exceptionNow()).isSameAs(broken);
            a.completeExceptionally(new IOException("later"));
            c.complete("late");
            assertThat(all.exceptionNow()).isSameAs(broken);
        }

        @Test
        void hidesNoCauseFromItsDependents() {
            List<Throwable> seen = new ArrayList<>();
            Futures.all(abc).whenComplete((values, cause) -> seen.add(cause));
            b.completeExceptionally(broken);
            assertThat(seen).containsExactly(broken);
        }

        @Test
        void addsNothingToACauseThatWasPublishedElsewhere() {
            CompletableFuture<List<String>> all = Futures.all(abc);
            a.completeExceptionally(broken);
            b.completeExceptionally(new IOException("second"));
            assertThat(all.exceptionNow()).isSameAs(broken);
            assertThat(broken).hasNoSuppressedExceptions().hasNoCause();
        }

        @Test
        void waitsForNobodyWhenAMemberHadFailedBefore() {
            b.completeExceptionally(broken);
            assertThat(Futures.all(abc).exceptionNow()).isSameAs(broken);
            assertThat(a.getNumberOfDependents()).isZero();
        }

        @Test
        void namesTheFirstInInputOrderOfThoseThatHadFailedBefore() {
            c.completeExceptionally(new IOException("third"));
            b.completeExceptionally(broken);
            assertThat(Futures.all(abc).exceptionNow()).isSameAs(broken);
        }

        @Test
        void leavesTheOthersAloneAfterAFailure() {
            Futures.all(abc);
            b.completeExceptionally(broken);
            assertThat(a).isNotDone();
            assertThat(c).isNotDone();
        }

        @Test
        void cancelsTheOthersUnderCancelBeforeItFails() {
            CompletableFuture<List<String>> all = Futures.all(abc, Losers.CANCEL);
            List<Boolean> othersWereCancelled = new ArrayList<>();
            all.exceptionally(cause -> {
                othersWereCancelled.add(a.isCancelled() && c.isCancelled());
                return List.of();
            });
            b.completeExceptionally(broken);
            assertThat(othersWereCancelled).containsExactly(true);
            assertThat(all.exceptionNow()).isSameAs(broken);
        }

        @Test
        void cancelsTheOthersUnderCancelWhenAMemberHadFailedBefore() {
            b.completeExceptionally(broken);
            Futures.all(abc, Losers.CANCEL);
            assertThat(a).isCancelled();
            assertThat(c).isCancelled();
        }

        @Test
        void acceptsNullAsAValue() {
            CompletableFuture<List<Void>> all = Futures.all(List.of(
                    CompletableFuture.completedFuture((Void) null),
                    new CompletableFuture<Void>().completeAsync(() -> null)));
            assertThat(all.join()).containsExactly(null, null);
        }

        @Test
        void givesAListThatNobodyCanChange() {
            a.complete("a");
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(() -> Futures.all(List.of(a)).join().set(0, "x"));
        }

        @Test
        void isCancelledIfAMemberIsCancelled() {
            CompletableFuture<List<String>> all = Futures.all(abc);
            b.cancel(true);
            assertThat(all).isCancelled();
        }

        @Test
        void takesMembersOfASubtype() {
            CompletableFuture<List<Number>> all =
                    Futures.all(List.of(CompletableFuture.completedFuture(1), CompletableFuture.completedFuture(2L)));
            assertThat(all.join()).containsExactly(1, 2L);
        }
    }

    @Nested
    class AllSettled {
        @Test
        void reportsSevenSuccessesAndThreeFailuresInInputOrder() {
            List<CompletableFuture<Integer>> ten = IntStream.range(0, 10)
                    .mapToObj(i -> new CompletableFuture<Integer>())
                    .toList();
            CompletableFuture<List<Outcome<Integer>>> settled = Futures.allSettled(ten);
            for (int i = 9; i >= 0; i--) {
                assertThat(settled).isNotDone();
                if (i % 4 == 1) {
                    ten.get(i).completeExceptionally(broken);
                } else {
                    ten.get(i).complete(i);
                }
            }
            assertThat(settled.join())
                    .isEqualTo(IntStream.range(0, 10)
                            .<Outcome<Integer>>mapToObj(
                                    i -> i % 4 == 1 ? new Outcome.Failure<>(broken) : new Outcome.Success<>(i))
                            .toList())
                    .filteredOn(Outcome::isSuccess)
                    .hasSize(7);
        }

        @Test
        void waitsForTheOthersAfterAFailure() {
            CompletableFuture<List<Outcome<String>>> settled = Futures.allSettled(abc);
            a.completeExceptionally(broken);
            b.complete("b");
            assertThat(settled).isNotDone();
            c.cancel(true);
            assertThat(settled.join().get(0)).isEqualTo(new Outcome.Failure<>(broken));
            assertThat(settled.join().get(2))
                    .isInstanceOfSatisfying(
                            Outcome.Failure.class,
                            failure -> assertThat(failure.cause()).isInstanceOf(CancellationException.class));
        }

        @Test
        void answersAtOnceWhenAllHaveEnded() {
            a.complete("a");
            b.completeExceptionally(broken);
            assertThat(Futures.allSettled(List.of(a, b)))
                    .isCompletedWithValue(List.of(new Outcome.Success<>("a"), new Outcome.Failure<>(broken)));
        }

        @ParameterizedTest
        @ValueSource(strings = {"abc", "acb", "bac", "bca", "cab", "cba"})
        void settlesWithTheLastInEveryOrder(String order) {
            CompletableFuture<List<Outcome<String>>> settled = Futures.allSettled(abc);
            for (char member : order.toCharArray()) {
                assertThat(settled).isNotDone();
                abc.get(member - 'a').complete("" + member);
            }
            assertThat(settled.join()).extracting(Outcome::orElseThrow).containsExactly("a", "b", "c");
        }
    }

    @Nested
    class Race {
        @Test
        void isWonByTheFirstValue() {
            CompletableFuture<String> race = Futures.race(abc);
            b.complete("b");
            a.complete("a");
            assertThat(race).isCompletedWithValue("b");
        }

        @Test
        void isWonByTheFirstFailureToo() {
            CompletableFuture<String> race = Futures.race(abc);
            b.completeExceptionally(broken);
            assertThat(race.exceptionNow()).isSameAs(broken);
        }

        @Test
        void isWonInInputOrderByOneThatHadEndedBefore() {
            c.complete("c");
            b.complete("b");
            assertThat(Futures.race(abc)).isCompletedWithValue("b");
        }

        @Test
        void cancelsTheLosersUnderCancelOnly() {
            Futures.race(List.of(a, b), Losers.LEAVE);
            Futures.race(List.of(b, c), Losers.CANCEL);
            b.complete("b");
            assertThat(a).isNotDone();
            assertThat(c).isCancelled();
        }
    }

    @Nested
    class Any {
        @Test
        void ignoresFailuresBeforeTheFirstSuccess() {
            CompletableFuture<String> any = Futures.any(abc);
            a.completeExceptionally(broken);
            b.completeExceptionally(broken);
            assertThat(any).isNotDone();
            c.complete("ok");
            assertThat(any).isCompletedWithValue("ok");
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2, Futures.FEW_MAX, Futures.FEW_MAX + 1, 100})
        void holdsEveryCauseInInputOrderWhenAllHaveFailed(int members) {
            List<CompletableFuture<String>> stages = pending(members);
            List<IOException> causes = new ArrayList<>();
            for (int i = 0; i < members; i++) {
                causes.add(new IOException("cause " + i));
            }
            CompletableFuture<String> any = Futures.any(stages);
            for (int i = members - 1; i >= 0; i--) {
                assertThat(any).isNotDone();
                stages.get(i).completeExceptionally(causes.get(i));
            }
            assertThat(any.exceptionNow())
                    .isInstanceOfSatisfying(
                            AllFailedException.class,
                            failed -> assertThat(failed.causes()).containsExactlyElementsOf(causes))
                    .hasCause(causes.get(0));
            assertThat(causes).allSatisfy(cause -> assertThat(cause).hasNoSuppressedExceptions());
        }

        @ParameterizedTest
        @ValueSource(ints = {2, Futures.FEW_MAX, Futures.FEW_MAX + 1, 100})
        void takesTheFirstSuccessWhereverItComes(int members) {
            for (int winner = 0; winner < members; winner += 7) {
                List<CompletableFuture<String>> stages = pending(members);
                stages.get((winner + 1) % members).completeExceptionally(broken);
                CompletableFuture<String> any = Futures.any(stages, Losers.CANCEL);
                stages.get(winner).complete("won");
                assertThat(any).isCompletedWithValue("won");
                assertThat(stages).allMatch(CompletableFuture::isDone);
            }
        }

        @Test
        void answersAtOnceWhenOneHadSucceededBefore() {
            a.completeExceptionally(broken);
            c.complete("c");
            assertThat(Futures.any(abc)).isCompletedWithValue("c");
            assertThat(b.getNumberOfDependents()).isZero();
        }

        @Test
        void failsAtOnceWhenAllHadFailedBefore() {
            abc.forEach(stage -> stage.completeExceptionally(broken));
            assertThat(Futures.any(abc).exceptionNow()).isInstanceOf(AllFailedException.class);
        }
    }

    @Nested
    class Empty {
        @Test
        void allAndAllSettledOfNoneAreEmpty() {
            assertThat(Futures.all(List.<CompletableFuture<String>>of())).isCompletedWithValue(List.of());
            assertThat(Futures.allSettled(List.<CompletableFuture<String>>of())).isCompletedWithValue(List.of());
        }

        @Test
        void anyOfNoneFailsWithoutCauses() {
            assertThat(Futures.any(List.<CompletableFuture<String>>of()).exceptionNow())
                    .isInstanceOfSatisfying(
                            AllFailedException.class,
                            failed -> assertThat(failed.causes()).isEmpty())
                    .hasMessage("there was no candidate");
        }

        @Test
        void raceOfNoneIsRefusedRatherThanPendingForEver() {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Futures.race(List.<CompletableFuture<String>>of()))
                    .withMessageContaining("stages");
        }
    }

    /** The faults of all four, told apart by what they do with one member that fails and one that succeeds. */
    enum Combinator {
        ALL {
            @Override
            CompletableFuture<?> over(Collection<? extends CompletionStage<String>> stages, Losers losers) {
                return Futures.<String>all(stages, losers);
            }
        },
        RACE {
            @Override
            CompletableFuture<?> over(Collection<? extends CompletionStage<String>> stages, Losers losers) {
                return Futures.<String>race(stages, losers);
            }
        },
        ANY {
            @Override
            CompletableFuture<?> over(Collection<? extends CompletionStage<String>> stages, Losers losers) {
                return Futures.<String>any(stages, losers);
            }
        };

        abstract CompletableFuture<?> over(Collection<? extends CompletionStage<String>> stages, Losers losers);
    }

    @ParameterizedTest
    @EnumSource
    void cancellingTheAggregateCancelsItsMembersUnderCancelOnly(Combinator combinator) {
        combinator.over(List.of(a, b), Losers.LEAVE).cancel(true);
        assertThat(a).isNotDone();
        combinator.over(List.of(a, b), Losers.CANCEL).cancel(true);
        assertThat(a).isCancelled();
        assertThat(b).isCancelled();
    }

    @ParameterizedTest
    @EnumSource
    void aTimeoutOfTheAggregateCountsAsADecision(Combinator combinator) {
        CompletableFuture<?> aggregate = combinator.over(List.of(a, b), Losers.CANCEL);
        aggregate.completeExceptionally(broken); // what orTimeout does
        assertThat(a).isCancelled();
        assertThat(aggregate.exceptionNow()).isSameAs(broken);
    }

    @ParameterizedTest
    @EnumSource
    void aMemberThatRefusesToBeCancelledHarmsNobody(Combinator combinator) throws Exception {
        List<Throwable> reported = new ArrayList<>();
        CompletableFuture<String> stubborn = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterrupt) {
                throw new IllegalStateException("not me");
            }
        };
        CompletableFuture<?> aggregate = combinator.over(List.of(stubborn, a, b), Losers.CANCEL);
        Thread canceller = Thread.ofVirtual()
                .uncaughtExceptionHandler((thread, thrown) -> reported.add(thrown))
                .start(() -> aggregate.cancel(true));
        canceller.join();
        assertThat(a).isCancelled();
        assertThat(b).isCancelled();
        assertThat(reported).hasSize(1);
    }

    @Test
    void completesAlthoughALoserAndTheHandlerThrowWhatTheyLike() throws Exception {
        CompletableFuture<String> foreign = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterrupt) {
                throw new AssertionError("not me");
            }
        };
        CompletableFuture<String> race = Futures.race(List.of(a, foreign, b), Losers.CANCEL);

        Thread.ofVirtual()
                .uncaughtExceptionHandler((thread, thrown) -> {
                    throw new IllegalStateException("nor me", thrown);
                })
                .start(() -> a.complete("won"))
                .join();

        assertThat(race).isCompletedWithValue("won");
        assertThat(b).isCancelled();
    }

    @ParameterizedTest
    @EnumSource
    void namesTheIndexOfANullStageAndTouchesNoOther(Combinator combinator) {
        assertThatNullPointerException()
                .isThrownBy(() -> combinator.over(Arrays.asList(a, b, null), Losers.LEAVE))
                .withMessage("stages[2] is null");
        assertThat(a.getNumberOfDependents()).isZero();
    }

    @Test
    void refusesNullArgumentsByName() {
        assertThatNullPointerException().isThrownBy(() -> Futures.all(null));
        assertThatNullPointerException()
                .isThrownBy(() -> Futures.all(abc, null))
                .withMessage("losers");
        assertThatNullPointerException()
                .isThrownBy(() -> Futures.race(abc, null))
                .withMessage("losers");
        assertThatNullPointerException()
                .isThrownBy(() -> Futures.any(abc, null))
                .withMessage("losers");
        assertThatNullPointerException().isThrownBy(() -> Futures.allSettled(null));
        assertThatNullPointerException()
                .isThrownBy(() -> Futures.allSettled(Arrays.asList(a, null)))
                .withMessage("stages[1] is null");
        assertThatNullPointerException()
                .isThrownBy(() -> Futures.forEachCompleted(abc, null))
                .withMessage("each");
    }

    @ParameterizedTest
    @EnumSource
    void readsTheCollectionOnceAndIgnoresLaterChanges(Combinator combinator) {
        AtomicInteger reads = new AtomicInteger();
        List<CompletionStage<String>> list = new ArrayList<>(abc) {
            @Override
            public Object[] toArray() {
                reads.incrementAndGet();
                return super.toArray();
            }
        };
        CompletableFuture<?> aggregate = combinator.over(list, Losers.LEAVE);
        list.clear();
        abc.forEach(stage -> stage.complete("x"));
        assertThat(aggregate.state()).isEqualTo(State.SUCCESS);
        assertThat(reads).hasValue(1);
    }

    @Nested
    class Causes {
        @Test
        void takesOffTheOneLayerThatADependentStagePutsAroundItsSource() {
            CompletableFuture<Integer> dependent = a.thenApply(String::length);
            CompletableFuture<List<Integer>> all = Futures.all(List.of(dependent, new CompletableFuture<>()));
            a.completeExceptionally(broken);
            assertThat(all.exceptionNow()).isSameAs(broken);
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(all::get)
                    .withCause(broken);
        }

        @Test
        void takesOffOneLayerOnlyHoweverManyThereAre() {
            CompletionException inner = new CompletionException(broken);
            a.completeExceptionally(new CompletionException(inner));
            for (CompletionStage<?> stage : List.of(
                    Futures.allSettled(List.of(a)), Futures.settledWithin(List.of(a), java.time.Duration.ZERO))) {
                assertThat(stage.toCompletableFuture().join()).isEqualTo(List.of(new Outcome.Failure<>(inner)));
            }
            List<Throwable> seen = new ArrayList<>();
            Futures.race(List.of(a)).whenComplete((value, cause) -> seen.add(cause));
            Futures.all(List.of(a)).whenComplete((value, cause) -> seen.add(cause));
            assertThat(seen).containsExactly(inner, inner);
        }

        @Test
        void takesOffTheSameLayerWhetherAMemberEndsBeforeOrAfterTheCall() {
            for (Throwable thrown :
                    List.of(broken, new CompletionException(broken), new CompletionException("no cause", null))) {
                Throwable expected =
                        thrown instanceof CompletionException && thrown.getCause() != null ? broken : thrown;
                List<Throwable> seen = new ArrayList<>();
                CompletableFuture<String> done = CompletableFuture.failedFuture(thrown);
                CompletableFuture<String> late = new CompletableFuture<>();
                for (CompletableFuture<String> stage : List.of(done, late)) {
                    Futures.all(List.of(stage)).whenComplete((value, cause) -> seen.add(cause));
                    Futures.race(List.of(stage)).whenComplete((value, cause) -> seen.add(cause));
                    Futures.any(List.of(stage)).whenComplete((value, cause) -> seen.add(cause.getCause()));
                    Futures.allSettled(List.of(stage))
                            .thenAccept(list -> seen.add(((Outcome.Failure<String>) list.get(0)).cause()));
                }
                late.completeExceptionally(thrown);
                assertThat(seen).hasSize(8).allMatch(cause -> cause == expected);
            }
        }

        @Test
        void passesAnErrorOn() {
            StackOverflowError error = new StackOverflowError();
            CompletableFuture<List<String>> all = Futures.all(abc);
            a.completeExceptionally(error);
            assertThat(all.exceptionNow()).isSameAs(error);
        }
    }

    @Nested
    class ForeignStages {
        static Stream<Function<CompletableFuture<String>, CompletionStage<String>>> kinds() {
            return Stream.of(
                    CompletableFuture::minimalCompletionStage,
                    ForeignStage.Closed::new,
                    ForeignStage.Open::new,
                    future -> {
                        CompletableFuture<String> mine = new CompletableFuture<>() {};
                        future.whenComplete((value, cause) -> {
                            if (cause != null) {
                                mine.completeExceptionally(cause);
                            } else {
                                mine.complete(value);
                            }
                        });
                        return mine;
                    });
        }

        @ParameterizedTest
        @org.junit.jupiter.params.provider.MethodSource("kinds")
        void workAsMembersOfEveryCombinator(Function<CompletableFuture<String>, CompletionStage<String>> kind)
                throws InterruptedException {
            List<CompletionStage<String>> stages = abc.stream().map(kind).toList();
            CompletableFuture<List<String>> all = Futures.all(stages);
            CompletableFuture<List<Outcome<String>>> settled = Futures.allSettled(stages);
            CompletableFuture<String> race = Futures.race(stages);
            CompletableFuture<String> any = Futures.any(stages);
            CompletableFuture<String> within = Futures.within(stages.get(1), java.time.Duration.ofDays(1));
            b.completeExceptionally(broken);
            assertThat(all.exceptionNow()).isSameAs(broken);
            assertThat(race.exceptionNow()).isSameAs(broken);
            assertThat(within.exceptionNow()).isSameAs(broken);
            assertThat(any).isNotDone();
            c.complete("c");
            assertThat(any).isCompletedWithValue("c");
            a.complete("a");
            assertThat(settled.join()).extracting(Outcome::isSuccess).containsExactly(true, false, true);
            List<Integer> indexes = new ArrayList<>();
            Futures.<String>forEachCompleted(stages, (index, outcome) -> indexes.add(index));
            assertThat(indexes).containsExactly(0, 1, 2);
        }

        @Test
        void aMinimalStageCannotBeCancelledAndThatIsNoFault() {
            CompletableFuture<String> race = Futures.race(List.of(a.minimalCompletionStage(), b), Losers.CANCEL);
            race.cancel(true);
            assertThat(b).isCancelled();
            assertThat(a).isNotDone();
        }

        @Test
        void aStageWithoutAFutureIsNamed() {
            CompletionStage<String> none = new ForeignStage<>(a) {
                @Override
                public CompletableFuture<String> toCompletableFuture() {
                    return null;
                }
            };
            assertThatNullPointerException()
                    .isThrownBy(() -> Futures.all(List.of(b, none)))
                    .withMessage("stages[1].toCompletableFuture() is null");
        }
    }

    @Test
    void aCallbackThatThrowsKeepsNoOtherFromRunning() {
        List<String> ran = new ArrayList<>();
        CompletableFuture<List<String>> all = Futures.all(abc);
        all.thenRun(() -> ran.add("first"));
        all.thenRun(() -> {
            throw new AssertionError("on purpose");
        });
        all.thenRun(() -> ran.add("third"));
        abc.forEach(stage -> stage.complete("x"));
        assertThat(ran).containsExactlyInAnyOrder("first", "third");
        assertThat(all).isCompleted();
    }

    @Test
    void eachCombinatorGivesAFutureOfItsOwn() {
        CompletableFuture<String> done = CompletableFuture.completedFuture("x");
        assertThat(Futures.race(List.of(done))).isNotSameAs(done);
        assertThat(Futures.any(List.of(done))).isNotSameAs(done);
        assertThat(Futures.within(done, java.time.Duration.ZERO)).isNotSameAs(done);
    }

    static List<CompletableFuture<String>> pending(int members) {
        return Stream.generate(CompletableFuture<String>::new).limit(members).toList();
    }
}
