package io.heptad.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Flight Recorder sees of a pipeline, with no wiring. */
@Watched
class PipelineEventsTest {
    @TempDir
    private Path directory;

    private List<RecordedEvent> recorded(String event, Callable<?> body) throws Exception {
        Path file = directory.resolve("pipeline.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(event).withThreshold(Duration.ZERO).with("period", "everyChunk");
            recording.start();
            body.call();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(one -> one.getEventType().getName().equals(event))
                .sorted(Comparator.comparing(RecordedEvent::getEndTime))
                .toList();
    }

    @Test
    void recordsHowLongAWorkerWaitedForTheNextStage() throws Exception {
        List<RecordedEvent> events = recorded("io.heptad.StageBlocked", () -> {
            Valve second = new Valve();
            Pipeline<Integer> pipeline = Pipeline.of("letters", Integer.class)
                    .then("one", 1, item -> item)
                    .then("two", 1, second.<Integer>work())
                    .start();
            for (int i = 0; i < 3; i++) {
                pipeline.put(i);
            }
            second.untilItHolds(1);
            Wait.until().until(() -> pipeline.stats().stages().get(0).blocked() == 1);
            second.open();
            return pipeline.close(Wait.LONG);
        });

        assertThat(events).isNotEmpty().allSatisfy(event -> {
            assertThat(event.getString("pipeline")).isEqualTo("letters");
            assertThat(event.getString("stage")).isEqualTo("one");
            assertThat(event.getString("next")).isEqualTo("two");
            assertThat(event.getDuration()).isPositive();
            assertThat(event.getEventType().getCategoryNames()).containsExactly("Heptad");
        });
    }

    @Test
    void recordsEveryFailureWithItsStageAndClass() throws Exception {
        List<RecordedEvent> events = recorded("io.heptad.StageFailed", () -> {
            Pipeline<Integer> pipeline = Pipeline.of("letters", Integer.class)
                    .then("one", 1, item -> 1 / item)
                    .then(
                            "two",
                            1,
                            item -> {
                                throw new IllegalStateException();
                            },
                            options -> options.onError(OnError.STOP))
                    .start();
            pipeline.put(0);
            pipeline.put(1);
            return pipeline.close(Wait.LONG);
        });

        assertThat(events).extracting(event -> event.getString("stage")).containsExactly("one", "two");
        assertThat(events)
                .extracting(event -> event.getString("cause"))
                .containsExactly("java.lang.ArithmeticException", "java.lang.IllegalStateException");
        assertThat(events).extracting(event -> event.getBoolean("stops")).containsExactly(false, true);
    }

    @Test
    void recordsTheDepthOfEachStageAndOfTheIntakeWhileItIsOpen() throws Exception {
        List<RecordedEvent> events = recorded("io.heptad.Depth", () -> {
            Pipeline<Integer> open = Pipeline.of("open letters", Integer.class)
                    .then("one", 1, item -> item, options -> options.capacity(3))
                    .then("two", 1, item -> item, options -> options.capacity(5))
                    .start();
            Pipeline<Integer> closed = Pipeline.of("closed letters", Integer.class)
                    .then("one", 1, item -> item)
                    .start();
            closed.close(Wait.LONG);
            assertThatThrownBy(() -> Pipeline.of("no letters", Integer.class)
                            .then("one", 1, item -> item)
                            .threads(task -> null)
                            .start())
                    .isInstanceOf(IllegalStateException.class);
            return open;
        });

        List<RecordedEvent> ours = events.stream()
                .filter(event -> event.getString("shape").contains(" letters"))
                .toList();
        assertThat(ours)
                .extracting(event -> event.getString("shape"))
                .containsOnly("open letters", "open letters/one", "open letters/two");
        assertThat(ours.stream()
                        .filter(event -> event.getString("shape").equals("open letters"))
                        .findFirst()
                        .orElseThrow()
                        .getLong("capacity"))
                .isEqualTo(3);
    }
}
