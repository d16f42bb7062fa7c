package io.heptad.core;

import static io.heptad.core.ChildJvm.CLASS_PATH;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A shape costs an application that records nothing next to nothing: the first event class would cost 150 ms. */
@Watched
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // each test starts a JVM
class DepthEventsStartTest {
    private static final String MAIN = "io.heptad.core.DepthEventsStart";

    @Test
    void openingAShapeDoesNotStartFlightRecorder() throws Exception {
        assertThat(ChildJvm.run("-Xlog:class+load", "-cp", CLASS_PATH, MAIN))
                .contains("recorder before: false, after: false", "io.heptad.core.DepthEvents source")
                .doesNotContain("io.heptad.core.DepthEvent source", "jdk.jfr.internal.MetadataRepository source");
    }

    @Test
    void aRecordingThatStartsLaterSeesTheShape() throws Exception {
        assertThat(ChildJvm.run("-cp", CLASS_PATH, MAIN, "record"))
                .contains("recorder before: false, after: false", "recorded: true");
    }

    @Test
    void aRecordingThatStartedBeforeSeesTheShape() throws Exception {
        assertThat(ChildJvm.run("-XX:StartFlightRecording:settings=none", "-cp", CLASS_PATH, MAIN))
                .contains("recorder before: true, after: true", "recorded: true");
    }
}
