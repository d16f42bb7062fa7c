package io.heptad.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.awaitility.Awaitility.await;

import io.heptad.contract.Watched;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Watched
class DepthEventsTest {
    /** A shape that only answers, and counts how often it was asked. */
    private static final class Shelf implements Bounded {
        private final String name;
        private final long depth;
        private final AtomicInteger readings = new AtomicInteger();

        Shelf(String name, long depth) {
            this.name = name;
            this.depth = depth;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public List<Metric> metrics() {
            return List.of();
        }

        @Override
        public long capacity() {
            return 100;
        }

        @Override
        public FullPolicy whenFull() {
            return FullPolicy.REJECT;
        }

        @Override
        public long depth() {
            readings.incrementAndGet();
            if (depth < 0) {
                throw new IllegalStateException("no depth");
            }
            return depth;
        }
    }

    @TempDir
    private Path directory;

    private int openBefore;

    @BeforeEach
    void countTheOpen() {
        openBefore = DepthEvents.open();
    }

    @AfterEach
    void leaveNothingOpen() {
        assertThat(DepthEvents.open()).isLessThanOrEqualTo(openBefore);
    }

    private static Recording start() {
        Recording recording = new Recording();
        recording.enable(DepthEvent.class).withPeriod(Duration.ofMillis(20));
        recording.start();
        return recording;
    }

    private List<RecordedEvent> stop(Recording recording) throws IOException {
        Path file = Files.createTempFile(directory, "depth", ".jfr");
        recording.stop();
        recording.dump(file);
        recording.close();
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("io.heptad.Depth"))
                .toList();
    }

    private static List<RecordedEvent> of(String shape, List<RecordedEvent> events) {
        return events.stream()
                .filter(event -> shape.equals(event.getString("shape")))
                .toList();
    }

    /** So many more periods have passed for this shape. */
    private static void awaitReadings(Shelf shelf, int more) {
        int enough = shelf.readings.get() + more;
        await().until(() -> shelf.readings.get() >= enough);
    }

    @Test
    void recordsEveryOpenShapeOncePerPeriod() throws IOException {
        Shelf first = new Shelf("first", 7);
        Shelf second = new Shelf("second", 8);
        DepthEvents.include(first);
        DepthEvents.include(second);
        DepthEvents.include(second);
        Recording recording = start();
        awaitReadings(second, 3);
        List<RecordedEvent> events = stop(recording);
        DepthEvents.exclude(first);
        DepthEvents.exclude(second);

        assertThat(of("first", events)).isNotEmpty().allSatisfy(event -> {
            assertThat(event.getString("type")).isEqualTo("Shelf");
            assertThat(event.getLong("depth")).isEqualTo(7);
            assertThat(event.getLong("capacity")).isEqualTo(100);
            assertThat(event.getString("whenFull")).isEqualTo("REJECT");
            assertThat(event.getString("failure")).isNull();
            assertThat(event.getStackTrace()).isNull();
        });
        assertThat(of("second", events))
                .isNotEmpty()
                .allSatisfy(event -> assertThat(event.getLong("depth")).isEqualTo(8));
        assertThat(of("second", events).size() - of("first", events).size())
                .as("included twice, recorded once")
                .isBetween(-1, 1);
    }

    @Test
    void recordsNothingOfAShapeThatWasExcluded() throws IOException {
        Shelf open = new Shelf("open", 1);
        Shelf closed = new Shelf("closed", 2);
        DepthEvents.include(open);
        DepthEvents.include(closed);
        DepthEvents.exclude(closed);
        DepthEvents.exclude(closed);
        Recording recording = start();
        awaitReadings(open, 2);
        List<RecordedEvent> events = stop(recording);
        DepthEvents.exclude(open);

        assertThat(of("open", events)).isNotEmpty();
        assertThat(of("closed", events)).isEmpty();
        assertThat(closed.readings).hasValue(0);
    }

    @Test
    void needsNoSettingInARecording() throws IOException {
        Shelf shelf = new Shelf("plain", 5);
        DepthEvents.include(shelf);
        Recording recording = new Recording();
        recording.start();
        awaitReadings(shelf, 1);
        List<RecordedEvent> events = stop(recording);
        DepthEvents.exclude(shelf);

        assertThat(of("plain", events)).isNotEmpty();
    }

    @Name("io.heptad.test.Tick")
    static final class Tick extends Event {}

    @Test
    void asksNobodyWhileNoRecordingWantsIt() {
        Shelf shelf = new Shelf("quiet", 1);
        DepthEvents.include(shelf);
        AtomicInteger ticks = new AtomicInteger();
        Runnable tick = ticks::incrementAndGet;
        FlightRecorder.addPeriodicEvent(Tick.class, tick);
        try (Recording other = new Recording()) {
            other.disable(DepthEvent.class);
            other.enable(Tick.class).withPeriod(Duration.ofMillis(20));
            other.start();
            await().until(() -> ticks.get() >= 5);
        } finally {
            FlightRecorder.removePeriodicEvent(tick);
        }

        assertThat(shelf.readings).hasValue(0);
        DepthEvents.exclude(shelf);
    }

    @Test
    void aShapeThatThrowsDoesNotSilenceTheOthers() throws IOException {
        List<Shelf> shelves = IntStream.range(0, 20)
                .mapToObj(i -> new Shelf(i % 2 == 0 ? "good" + i : "bad" + i, i % 2 == 0 ? i : -1))
                .toList();
        shelves.forEach(DepthEvents::include);
        Recording recording = start();
        shelves.forEach(shelf -> awaitReadings(shelf, 2));
        List<RecordedEvent> events = stop(recording);
        shelves.forEach(DepthEvents::exclude);

        for (int i = 0; i < 20; i += 2) {
            int depth = i;
            assertThat(of("good" + i, events)).hasSizeGreaterThanOrEqualTo(2).allSatisfy(event -> {
                assertThat(event.getLong("depth")).isEqualTo(depth);
                assertThat(event.getString("failure")).isNull();
            });
            assertThat(of("bad" + (i + 1), events))
                    .hasSizeGreaterThanOrEqualTo(2)
                    .allSatisfy(event ->
                            assertThat(event.getString("failure")).isEqualTo("java.lang.IllegalStateException"));
        }
    }

    @Test
    void recordingsMayComeAndGo() throws IOException {
        Shelf shelf = new Shelf("patient", 3);
        DepthEvents.include(shelf);
        for (int i = 0; i < 5; i++) {
            Recording recording = start();
            awaitReadings(shelf, 1);
            assertThat(of("patient", stop(recording))).isNotEmpty();
        }
        Recording one = start();
        Recording two = start();
        awaitReadings(shelf, 2);
        assertThat(of("patient", stop(one))).isNotEmpty();
        assertThat(of("patient", stop(two))).isNotEmpty();
        DepthEvents.exclude(shelf);
    }

    @Test
    void aShapeThatWasDroppedOpenIsCollected() {
        WeakReference<Bounded> dropped = includeAndDrop();

        await().until(() -> {
            System.gc();
            return dropped.get() == null && DepthEvents.open() <= openBefore;
        });
    }

    private static WeakReference<Bounded> includeAndDrop() {
        Shelf shelf = new Shelf("dropped", 1);
        DepthEvents.include(shelf);
        return new WeakReference<>(shelf);
    }

    @Test
    void aHundredThousandShapesThatCameAndWentLeaveNothing() {
        for (int i = 0; i < 100_000; i++) {
            Shelf shelf = new Shelf("passing", i);
            DepthEvents.include(shelf);
            DepthEvents.exclude(shelf);
        }

        assertThat(DepthEvents.open()).isLessThanOrEqualTo(openBefore);
    }

    @Test
    void shapesComeAndGoWhileTheyAreRecorded() throws Exception {
        Shelf steady = new Shelf("steady", 4);
        DepthEvents.include(steady);
        Recording recording = start();
        List<Thread> threads = IntStream.range(0, 4)
                .mapToObj(worker -> Thread.ofPlatform().start(() -> {
                    for (int i = 0; i < 5_000; i++) {
                        Shelf shelf = new Shelf("passing", 1);
                        DepthEvents.include(shelf);
                        DepthEvents.exclude(shelf);
                    }
                }))
                .toList();
        for (Thread thread : threads) {
            thread.join();
        }
        awaitReadings(steady, 1);
        assertThat(of("steady", stop(recording))).isNotEmpty();
        DepthEvents.exclude(steady);
    }

    @Test
    void refusesNulls() {
        assertThatNullPointerException()
                .isThrownBy(() -> DepthEvents.include(null))
                .withMessage("shape");
        assertThatNullPointerException()
                .isThrownBy(() -> DepthEvents.exclude(null))
                .withMessage("shape");
    }
}
