package io.heptad.stress.pipeline;

import static io.heptad.stress.Schedules.DEADLOCK;
import static io.heptad.stress.Schedules.assertNoneFails;
import static io.heptad.stress.Schedules.check;
import static io.heptad.stress.Schedules.failure;
import static io.heptad.stress.Schedules.start;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.core.ClosedException;
import io.heptad.pipeline.DrainReport;
import io.heptad.pipeline.OnError;
import io.heptad.pipeline.Pipeline;
import io.heptad.pipeline.StageResidue;
import io.heptad.stress.Schedules.Block;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Pipelines whose workers are platform threads: no schedule loses an item, lets it leave twice or out of order, or leaves a
 * worker or a caller waiting. Guards are also taken away, and a schedule is found that shows it.
 */
class PipelineFrayTest {
    private static final Duration LONG = Duration.ofSeconds(Long.MAX_VALUE);

    /** Each starts two or three threads and a pipeline: some fifty in a second. */
    private static final int MOST = Boolean.getBoolean("heptad.stress.full") ? 300 : 60;

    private interface Put {
        boolean put(Integer item) throws InterruptedException;
    }

    private interface Close {
        End close(Duration most) throws InterruptedException;
    }

    /** What a report says: the figures, and what was handed back. */
    private record End(boolean drained, long out, List<Object> left) {}

    /** A pipeline, shipped or weakened. */
    private record Line(Put put, Runnable shut, Close close) {
        void put(int... items) throws InterruptedException {
            for (int item : items) {
                put.put(item);
            }
        }
    }

    /** What came out, in its order, and the threads of the workers. */
    private static final class Out implements Consumer<Integer>, ThreadFactory {
        private final List<Integer> items = Collections.synchronizedList(new ArrayList<>());
        private final List<Thread> threads = new ArrayList<>();

        @Override
        public Thread newThread(Runnable worker) {
            Thread thread = new Thread(worker);
            threads.add(thread);
            return thread;
        }

        @Override
        public void accept(Integer item) {
            items.add(item);
        }
    }

    private static Line shipped(Pipeline<Integer> pipeline) {
        return new Line(pipeline::put, pipeline::close, most -> {
            DrainReport report = pipeline.close(most);
            return new End(
                    report.drained(),
                    report.stats().out(),
                    report.residue().stream()
                            .map(StageResidue::items)
                            .flatMap(List::stream)
                            .toList());
        });
    }

    private static Line plain(Out out) {
        return shipped(Pipeline.of("p", Integer.class)
                .then("a", 1, item -> item, options -> options.capacity(2))
                .threads(out)
                .start());
    }

    private static Line inOrder(Out out) {
        return shipped(Pipeline.of("p", Integer.class)
                .then("a", 2, item -> item, options -> options.ordered().window(2))
                .into(out)
                .threads(out)
                .start());
    }

    private static Line byKey(Out out) {
        return shipped(Pipeline.of("p", Integer.class)
                .then(
                        "a",
                        2,
                        item -> item,
                        options -> options.orderedBy(item -> 0).window(2))
                .into(out)
                .threads(out)
                .start());
    }

    private static Line twoStages(Out out) {
        return shipped(Pipeline.of("p", Integer.class)
                .then("a", 2, item -> item)
                .then("b", 1, item -> item)
                .into(out)
                .threads(out)
                .start());
    }

    /** Everything goes through, in the order in which it came. */
    private static Block threeGoThrough(Function<Out, Line> made, boolean ordered) {
        return () -> {
            Out out = new Out();
            Line line = made.apply(out);
            line.put(1, 2, 3);
            line.shut.run();
            for (Thread worker : out.threads) { // a wait with a limit, as that of a drain, is no deadlock to Fray
                worker.join();
            }
            End end = line.close.close(Duration.ZERO);
            check(end.drained && end.out == 3, "not all");
            List<Integer> came =
                    ordered ? out.items : out.items.stream().sorted().toList();
            check(came.equals(List.of(1, 2, 3)), "not once each, and in order: " + came);
        };
    }

    /** What a drain hands back has not left, and all else has. */
    private static Block aDrainMeetsAWorker(Function<Out, Line> made) {
        return () -> {
            Line line = made.apply(new Out());
            line.put(1, 2);
            End end = line.close.close(Duration.ZERO);
            check(end.left.stream().distinct().count() == end.left.size(), "handed back twice");
            check(end.out + end.left.size() == 2, "out " + end.out + ", handed back " + end.left);
        };
    }

    private static Block aStopMeetsAPut() {
        return () -> {
            Pipeline<Integer> pipeline = Pipeline.of("p", Integer.class)
                    .then(
                            "a",
                            1,
                            item -> {
                                throw new IllegalStateException();
                            },
                            options -> options.onError(OnError.STOP))
                    .threads(Thread::new)
                    .start();
            boolean[] inside = {false};
            pipeline.put(0);
            Thread other = start(() -> {
                try {
                    inside[0] = pipeline.put(1);
                } catch (ClosedException e) {
                    // sent away
                }
            });
            DrainReport report = pipeline.close(LONG);
            other.join();
            check(report.failure().isPresent() && !report.drained(), "not told of the failure");
            check(report.stats().in() == (inside[0] ? 2 : 1), "not inside");
            check(report.left() == (inside[0] ? 1 : 0), "not handed back");
        };
    }

    @Test
    void whatATimedOutDrainHandsBackHasNotLeft() {
        assertNoneFails(MOST, aDrainMeetsAWorker(PipelineFrayTest::plain));
    }

    @Test
    void twoWorkersKeepTheOrder() {
        assertNoneFails(MOST, threeGoThrough(PipelineFrayTest::inOrder, true));
    }

    @Test
    void twoWorkersKeepTheOrderOfAKey() {
        assertNoneFails(MOST, threeGoThrough(PipelineFrayTest::byKey, true));
    }

    @Test
    void theNextStageGetsWhatTheLastWorkerHas() {
        assertNoneFails(MOST, threeGoThrough(PipelineFrayTest::twoStages, false));
    }

    @Test
    void aStopLeavesNobodyWaiting() {
        assertNoneFails(MOST, aStopMeetsAPut());
    }

    @Test
    void findsAResultThatNobodyPassesOn() {
        assertThat(failure(threeGoThrough(
                        out -> {
                            var pipeline = io.heptad.mutant.pipeline.passesonwithoutanotherlook.Pipeline.of(
                                            "p", Integer.class)
                                    .then(
                                            "a",
                                            2,
                                            item -> item,
                                            options -> options.ordered().window(2))
                                    .into(out)
                                    .threads(out)
                                    .start();
                            return new Line(pipeline::put, pipeline::close, most -> {
                                var report = pipeline.close(most);
                                return new End(report.drained(), report.stats().out(), List.of());
                            });
                        },
                        true)))
                .isNotNull();
    }

    @Test
    void findsAWorkerThatIsNotToldOfRoom() {
        assertThat(failure(threeGoThrough(
                        out -> {
                            var pipeline = io.heptad.mutant.pipeline.makesroomandwakesnobody.Pipeline.of(
                                            "p", Integer.class)
                                    .then(
                                            "a",
                                            2,
                                            item -> item,
                                            options -> options.ordered().window(2))
                                    .into(out)
                                    .threads(out)
                                    .start();
                            return new Line(pipeline::put, pipeline::close, most -> {
                                var report = pipeline.close(most);
                                return new End(report.drained(), report.stats().out(), List.of());
                            });
                        },
                        true)))
                .hasToString(DEADLOCK);
    }

    @Test
    void findsAWorkerThatIsNotToldOfTheNextInLine() {
        assertThat(failure(threeGoThrough(
                        out -> {
                            var pipeline = io.heptad.mutant.pipeline.servesthelineandwakesnobody.Pipeline.of(
                                            "p", Integer.class)
                                    .then(
                                            "a",
                                            2,
                                            item -> item,
                                            options ->
                                                    options.orderedBy(item -> 0).window(2))
                                    .into(out)
                                    .threads(out)
                                    .start();
                            return new Line(pipeline::put, pipeline::close, most -> {
                                var report = pipeline.close(most);
                                return new End(report.drained(), report.stats().out(), List.of());
                            });
                        },
                        true)))
                .hasToString(DEADLOCK);
    }
}
