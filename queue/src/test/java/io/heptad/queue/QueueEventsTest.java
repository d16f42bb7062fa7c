package io.heptad.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
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

/** What Flight Recorder sees of a queue, with no wiring. */
@Watched
class QueueEventsTest {
    @TempDir
    private Path directory;

    private List<RecordedEvent> recorded(String event, Callable<?> body) throws Exception {
        Path file = directory.resolve("queue.jfr");
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

    private static BoundedQueue<String> full(FullPolicy policy) throws InterruptedException {
        BoundedQueue<String> queue =
                BoundedQueue.<String>builder(2, policy).name("letters").build();
        queue.put("a");
        queue.put("b");
        return queue;
    }

    @Test
    void recordsHowLongAProducerWaitedAndHowThatEnded() throws Exception {
        List<RecordedEvent> events = recorded("io.heptad.QueueFull", () -> {
            BoundedQueue<String> queue = full(FullPolicy.BLOCK);
            Call<Boolean> served = parkedPut(queue);
            served.thread().join(Duration.ofMillis(20));
            queue.take();
            served.outcome();
            queue.put("no", Duration.ofMillis(1));
            Call<Boolean> interrupted = parkedPut(queue);
            interrupted.interrupt();
            interrupted.outcome();
            Call<Boolean> closed = parkedPut(queue);
            queue.close();
            closed.outcome();
            return null;
        });

        assertThat(events)
                .extracting(event -> event.getString("outcome"))
                .containsExactly("accepted", "timed out", "interrupted", "closed");
        assertThat(events).allSatisfy(event -> {
            assertThat(event.getString("queue")).isEqualTo("letters");
            assertThat(event.getLong("capacity")).isEqualTo(2);
            assertThat(event.getEventType().getCategoryNames()).containsExactly("Heptad");
        });
        assertThat(events.get(0).getDuration()).isGreaterThanOrEqualTo(Duration.ofMillis(19));
    }

    private static Call<Boolean> parkedPut(BoundedQueue<String> queue) {
        Call<Boolean> put = Call.platform(() -> queue.put("c"));
        Call.until(() -> queue.stats().waitingProducers() == 1);
        return put;
    }

    @Test
    void recordsEveryRefusal() throws Exception {
        List<RecordedEvent> events = recorded("io.heptad.QueueRefused", () -> {
            BoundedQueue<String> queue = full(FullPolicy.REJECT);
            assertThatThrownBy(() -> queue.put("c")).isInstanceOf(FullException.class);
            assertThat(queue.offer("d")).isFalse();
            return null;
        });

        assertThat(events).hasSize(2).allSatisfy(event -> {
            assertThat(event.getString("queue")).isEqualTo("letters");
            assertThat(event.getLong("capacity")).isEqualTo(2);
            assertThat(event.getLong("depth")).isEqualTo(2);
        });
    }

    @Test
    void recordsEveryDropAndWhichEndItWas() throws Exception {
        List<RecordedEvent> events = recorded("io.heptad.QueueDropped", () -> {
            full(FullPolicy.DROP_NEWEST).put("c");
            full(FullPolicy.DROP_OLDEST).put("c");
            return null;
        });

        assertThat(events).extracting(event -> event.getString("which")).containsExactly("newest", "oldest");
        assertThat(events).extracting(event -> event.getString("queue")).containsOnly("letters");
    }

    @Test
    void recordsTheDepthOfAnOpenQueueOnly() throws Exception {
        List<RecordedEvent> events = recorded("io.heptad.Depth", () -> {
            BoundedQueue<String> open = BoundedQueue.<String>builder(7, FullPolicy.REJECT)
                    .name("open letters")
                    .build();
            open.put("a");
            BoundedQueue<String> closed = BoundedQueue.<String>builder(7, FullPolicy.REJECT)
                    .name("closed letters")
                    .build();
            closed.close();
            return List.of(open, closed);
        });

        List<RecordedEvent> ours = events.stream()
                .filter(event -> event.getString("shape").endsWith(" letters"))
                .toList();
        assertThat(ours).isNotEmpty().allSatisfy(event -> {
            assertThat(event.getString("shape")).isEqualTo("open letters");
            assertThat(event.getLong("depth")).isEqualTo(1);
            assertThat(event.getLong("capacity")).isEqualTo(7);
            assertThat(event.getString("whenFull")).isEqualTo("REJECT");
        });
    }

    @Test
    void recordsNothingWhileEverythingIsTaken() throws Exception {
        List<RecordedEvent> events = recorded("io.heptad.QueueFull", () -> {
            BoundedQueue<String> queue = full(FullPolicy.BLOCK);
            queue.take();
            queue.put("c");
            assertThat(queue.put("d", Duration.ZERO)).isFalse();
            return null;
        });

        assertThat(events).isEmpty();
    }
}
