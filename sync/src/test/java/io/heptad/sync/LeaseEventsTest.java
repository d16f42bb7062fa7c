package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Flight Recorder sees of leases, with no wiring. */
@Watched
class LeaseEventsTest {
    @TempDir
    private Path directory;

    @Test
    void recordsEachLeaseThatRanOutAndNoneThatWasGivenBack() throws Exception {
        ManualClock clock = new ManualClock();
        Leases leases = Leases.inMemory(clock);
        Path file = directory.resolve("leases.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.heptad.LeaseLost");
            recording.start();
            Lease back =
                    leases.acquire("given back", "A", Duration.ofSeconds(10)).orElseThrow();
            leases.acquire("ran out", "A", Duration.ofSeconds(10));
            leases.release(back);
            clock.advance(Duration.ofSeconds(10));
            leases.acquire("another", "B", Duration.ofSeconds(10));
            recording.stop();
            recording.dump(file);
        }

        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.getString("resource")).isEqualTo("ran out");
            assertThat(event.getString("holder")).isEqualTo("A");
            assertThat(event.getLong("token")).isEqualTo(2);
            assertThat(event.getString("reason")).isEqualTo("ran out");
            assertThat(event.getEventType().getCategoryNames()).containsExactly("Heptad");
        });
    }

    @Test
    void recordsEachOfThoseThatRanOutTogetherWhoeverFindsThem() throws Exception {
        ManualClock clock = new ManualClock();
        Leases leases = Leases.inMemory(clock);
        Path file = directory.resolve("together.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.heptad.LeaseLost");
            recording.start();
            for (String finder : List.of("acquire", "renew", "release")) {
                Lease one = leases.acquire(finder + " 1", "A", Duration.ofSeconds(10))
                        .orElseThrow();
                leases.acquire(finder + " 2", "A", Duration.ofSeconds(10));
                clock.advance(Duration.ofSeconds(10));
                switch (finder) {
                    case "acquire" -> leases.acquire("another", "B", Duration.ofNanos(1));
                    case "renew" -> leases.renew(one, Duration.ofSeconds(10));
                    default -> leases.release(one);
                }
            }
            recording.stop();
            recording.dump(file);
        }

        assertThat(RecordingFile.readAllEvents(file))
                .extracting(event -> event.getString("resource"))
                .contains("acquire 1", "acquire 2", "renew 1", "renew 2", "release 1", "release 2");
    }
}
