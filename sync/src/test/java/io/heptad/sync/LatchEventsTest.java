package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.nio.file.Path;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Flight Recorder sees of a latch, with no wiring. */
@Watched
class LatchEventsTest {
    @Test
    void recordsTheFirstFailureAndHowManyWereTold(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("latch.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.heptad.LatchFailed").withStackTrace();
            recording.start();
            Latch latch = Latch.ofParts("startup", "cache", "config");
            latch.arrive("cache");
            var waiting = latch.opened();
            latch.fail(new IllegalStateException("no such file"));
            latch.fail(new IllegalStateException("later"));
            Latch open = Latch.of(0);
            open.fail(new IllegalStateException("too late"));
            assertThat(waiting).isCompletedExceptionally();
            recording.stop();
            recording.dump(file);
        }

        assertThat(RecordingFile.readAllEvents(file)).singleElement().satisfies(event -> {
            assertThat(event.getString("latch")).isEqualTo("startup");
            assertThat(event.getString("missing")).isEqualTo("[config]");
            assertThat(event.getInt("waiting")).isEqualTo(1);
            assertThat(event.getString("cause")).isEqualTo("java.lang.IllegalStateException: no such file");
            assertThat(event.getStackTrace()).isNotNull();
        });
    }
}
