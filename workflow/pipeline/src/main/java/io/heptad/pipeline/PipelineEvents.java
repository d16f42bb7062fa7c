package io.heptad.pipeline;

import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * What Flight Recorder is told. The first event class that a JVM initialises costs it 150 ms of CPU, so none is touched
 * before somebody has started Flight Recorder.
 */
final class PipelineEvents {
    private final String pipeline;

    PipelineEvents(String pipeline) {
        this.pipeline = pipeline;
    }

    @Nullable
    StageBlockedEvent beginBlock() {
        if (!FlightRecorder.isInitialized()) {
            return null;
        }
        StageBlockedEvent event = new StageBlockedEvent();
        event.begin();
        return event;
    }

    void endBlock(@Nullable StageBlockedEvent event, String stage, String next) {
        if (event == null) {
            return;
        }
        event.end();
        if (event.shouldCommit()) {
            event.pipeline = pipeline;
            event.stage = stage;
            event.next = next;
            event.commit();
        }
    }

    void failed(String stage, Throwable cause, boolean stops) {
        if (!FlightRecorder.isInitialized()) {
            return;
        }
        StageFailedEvent event = new StageFailedEvent();
        if (event.isEnabled()) {
            event.pipeline = pipeline;
            event.stage = stage;
            event.cause = cause.getClass().getName();
            event.stops = stops;
            event.commit();
        }
    }
}
