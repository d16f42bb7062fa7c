package io.heptad.queue;

import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * What Flight Recorder is told. A disabled event costs one check. The first event class that a JVM initialises costs it
 * 150 ms of CPU, so none is touched before somebody has started Flight Recorder.
 */
final class QueueEvents {
    private final String queue;
    private final int capacity;

    QueueEvents(String queue, int capacity) {
        this.queue = queue;
        this.capacity = capacity;
    }

    @Nullable
    QueueFullEvent beginWait() {
        if (!FlightRecorder.isInitialized()) {
            return null;
        }
        QueueFullEvent event = new QueueFullEvent();
        event.begin();
        return event;
    }

    void endWait(@Nullable QueueFullEvent event, String outcome) {
        if (event == null) {
            return;
        }
        event.end();
        if (event.shouldCommit()) {
            event.queue = queue;
            event.capacity = capacity;
            event.outcome = outcome;
            event.commit();
        }
    }

    void refused(long depth) {
        if (!FlightRecorder.isInitialized()) {
            return;
        }
        QueueRefusedEvent event = new QueueRefusedEvent();
        if (event.isEnabled()) {
            event.queue = queue;
            event.capacity = capacity;
            event.depth = depth;
            event.commit();
        }
    }

    void dropped(String which) {
        if (!FlightRecorder.isInitialized()) {
            return;
        }
        QueueDroppedEvent event = new QueueDroppedEvent();
        if (event.isEnabled()) {
            event.queue = queue;
            event.capacity = capacity;
            event.which = which;
            event.commit();
        }
    }
}
