package io.heptad.actor;

import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * What Flight Recorder is told. A disabled event costs one check. The first event class that a JVM initialises costs it
 * 150 ms of CPU, so none is touched before somebody has started Flight Recorder.
 */
final class ActorEvents {
    private ActorEvents() {}

    static void failed(String actor, Throwable failure) {
        if (FlightRecorder.isInitialized()) {
            ActorFailedEvent.emit(actor, failure);
        }
    }

    static void refused(String actor, int capacity) {
        if (FlightRecorder.isInitialized()) {
            MailboxRefusedEvent.emit(actor, capacity);
        }
    }

    static void dropped(String actor, String which) {
        if (FlightRecorder.isInitialized()) {
            MailboxDroppedEvent.emit(actor, which);
        }
    }

    @Nullable
    static MailboxFullEvent beginWait() {
        if (!FlightRecorder.isInitialized()) {
            return null;
        }
        MailboxFullEvent event = new MailboxFullEvent();
        event.begin();
        return event;
    }

    static void endWait(@Nullable MailboxFullEvent event, String actor, int capacity, String outcome) {
        if (event != null) {
            event.end(actor, capacity, outcome);
        }
    }
}
