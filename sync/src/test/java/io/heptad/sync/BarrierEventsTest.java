package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.nio.file.Path;
import java.util.concurrent.BrokenBarrierException;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Flight Recorder sees of a barrier, with no wiring. */
@Watched
class BarrierEventsTest {
    @Test
    void recordsEveryBreakAndWhoHadWaited(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("barrier.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.heptad.BarrierBroken").withStackTrace();
            recording.start();
            Barrier barrier = Barrier.ofParties("build", "a", "b");
            Call<Long> a = Call.platform(() -> barrier.await("a"));
            Call.until(() -> barrier.stats().longestWait().toMillis() >= 2);
            barrier.fail(new IllegalStateException("out of disk"));
            barrier.fail(new IllegalStateException("later"));
            assertThat(a.outcome()).isInstanceOf(BrokenBarrierException.class);
            recording.stop();
            recording.dump(file);
        }

        assertThat(RecordingFile.readAllEvents(file)).singleElement().satisfies(event -> {
            assertThat(event.getString("barrier")).isEqualTo("build");
            assertThat(event.getLong("round")).isZero();
            assertThat(event.getString("reason"))
                    .isEqualTo("it failed with java.lang.IllegalStateException: out of disk");
            assertThat(event.getString("missing")).isEqualTo("[b]");
            assertThat(event.getInt("waiting")).isEqualTo(1);
            assertThat(event.getDuration("longestWait").toMillis()).isGreaterThanOrEqualTo(2);
            assertThat(event.getStackTrace()).isNotNull();
        });
    }
}
