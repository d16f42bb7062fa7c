package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Flight Recorder sees of those who wait, with no wiring; and what the figures of a signal say. */
@Watched
class WaitEventsTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    private List<RecordedEvent> recorded(String event, Callable<?> body) throws Exception {
        Path file = directory.resolve("waits.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(event).withThreshold(Duration.ZERO);
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
    void recordsHowLongAThreadWaitedForPermitsAndHowThatEnded() throws Exception {
        List<RecordedEvent> events = recorded("io.heptad.SignalWait", () -> {
            Signal signal = Signal.of("jobs", 0, 5);
            Called served = inLine(signal);
            served.thread().join(Duration.ofMillis(20));
            signal.release(2);
            served.outcome();
            signal.acquire(2, Duration.ofMillis(1));
            Called interrupted = inLine(signal);
            interrupted.interrupt();
            interrupted.outcome();
            signal.release();
            signal.acquire(); // did not wait
            return signal.acquire(Duration.ZERO); // nor did this
        });

        assertThat(events)
                .extracting(event -> event.getString("outcome"))
                .containsExactly("acquired", "timed out", "interrupted");
        assertThat(events).allSatisfy(event -> {
            assertThat(event.getString("signal")).isEqualTo("jobs");
            assertThat(event.getInt("permits")).isEqualTo(2);
            assertThat(event.getEventType().getCategoryNames()).containsExactly("Heptad");
        });
        assertThat(events.get(0).getDuration()).isGreaterThanOrEqualTo(Duration.ofMillis(19));
    }

    private static Called inLine(Signal signal) {
        Called call = Called.platform(() -> signal.acquire(2, LONG));
        Called.until(() -> signal.waiting() == 1);
        return call;
    }

    @Test
    void recordsHowLongAThreadWaitedForAKeyAndHowThatEnded() throws Exception {
        List<RecordedEvent> events = recorded("io.heptad.KeyWait", () -> {
            KeyedLock<String> lock = KeyedLock.of("orders");
            CountDownLatch leave = new CountDownLatch(1);
            Called inside = Called.platform(() -> lock.withLock("a", () -> {
                leave.await();
                return "left";
            }));
            Called.until(() -> lock.keys() == 1);
            lock.withLock("b", () -> 1); // did not wait
            Called late = Called.platform(() -> lock.withLock("a", Duration.ofMillis(1), () -> "ran"));
            late.outcome();
            Called interrupted = inLine(lock);
            interrupted.interrupt();
            interrupted.outcome();
            Called served = inLine(lock);
            leave.countDown();
            return List.of(inside.outcome(), served.outcome());
        });

        assertThat(events)
                .extracting(event -> event.getString("outcome"))
                .containsExactly("timed out", "interrupted", "acquired");
        assertThat(events).allSatisfy(event -> {
            assertThat(event.getString("lock")).isEqualTo("orders");
            assertThat(event.getString("key")).isEqualTo("a");
        });
    }

    private static Called inLine(KeyedLock<String> lock) {
        Called call = Called.platform(() -> lock.withLock("a", LONG, () -> "ran"));
        Called.until(() -> lock.waiting("a") == 1);
        return call;
    }

    @Test
    void theFiguresOfASignalTellWhatBecameOfItsCalls() throws Exception {
        Signal signal = Signal.of("jobs", 0, 5);
        assertThat(signal.stats()).isEqualTo(new SignalStats(0, 0, 5, 0, 0, 0, 0, 0, Duration.ZERO));
        Called served = inLine(signal);
        signal.acquireAsync().cancel(true);
        assertThat(signal.toString()).isEqualTo("jobs[0/5, 1 waiting]");
        assertThat(signal.stats().oldestWait()).isPositive();
        signal.acquire(Duration.ZERO);
        signal.release(2);
        served.outcome();
        signal.release(4);

        assertThat(signal.stats()).isEqualTo(new SignalStats(4, 0, 5, 1, 1, 0, 1, 0, Duration.ZERO));
        assertThat(signal.metrics()).isSameAs(signal.metrics());
        assertThat(signal.metrics())
                .allSatisfy(metric -> assertThat(metric.tags()).containsEntry("name", "jobs"))
                .extracting(metric -> metric.name() + " " + metric.value().getAsDouble())
                .containsExactly(
                        "heptad.signal.available 4.0",
                        "heptad.signal.max 5.0",
                        "heptad.signal.waiting 0.0",
                        "heptad.signal.oldest.wait 0.0",
                        "heptad.signal.waited 1.0",
                        "heptad.signal.timeouts 1.0",
                        "heptad.signal.interrupts 0.0",
                        "heptad.signal.cancelled 1.0",
                        "heptad.signal.refused 0.0");
    }
}
