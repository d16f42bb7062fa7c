package io.heptad.gate;

import io.heptad.gate.PhaseStore.Claim;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * The way to the events of Flight Recorder. The first event class that a JVM initialises costs it 150 ms of CPU, so none is
 * touched before somebody has started Flight Recorder.
 */
final class GateEvents {
    private GateEvents() {}

    static void transition(String gate, Committed<?, ?> committed) {
        if (FlightRecorder.isInitialized()) {
            GateTransitionEvent event = new GateTransitionEvent();
            if (event.shouldCommit()) {
                event.gate = gate;
                event.entity = committed.id();
                event.version = committed.version();
                event.phase = committed.phase().getClass().getSimpleName();
                event.event = committed.event() == null
                        ? ""
                        : committed.event().getClass().getSimpleName();
                event.commit();
            }
        }
    }

    static @Nullable GateCallEvent call() {
        if (!FlightRecorder.isInitialized()) {
            return null;
        }
        GateCallEvent event = new GateCallEvent();
        event.begin();
        return event;
    }

    static void end(@Nullable GateCallEvent event, String gate, String key, int attempt, String outcome) {
        if (event == null) {
            return;
        }
        event.end();
        if (event.shouldCommit()) {
            event.gate = gate;
            event.key = key;
            event.attempt = attempt;
            event.outcome = outcome;
            event.commit();
        }
    }

    static void parked(String gate, String key, String change, String reason) {
        if (FlightRecorder.isInitialized()) {
            GateParkedEvent event = new GateParkedEvent();
            if (event.shouldCommit()) {
                event.gate = gate;
                event.key = key;
                event.change = change;
                event.reason = reason;
                event.commit();
            }
        }
    }

    static void takeover(String gate, Claim claim) {
        if (FlightRecorder.isInitialized()) {
            GateTakeoverEvent event = new GateTakeoverEvent();
            if (event.shouldCommit()) {
                event.gate = gate;
                event.key = claim.key();
                event.fence = claim.fence();
                event.commit();
            }
        }
    }

    static void dropped(String reaction, Committed<?, ?> committed) {
        if (FlightRecorder.isInitialized()) {
            ReactionDroppedEvent event = new ReactionDroppedEvent();
            if (event.shouldCommit()) {
                event.reaction = reaction;
                event.entity = committed.id();
                event.version = committed.version();
                event.commit();
            }
        }
    }
}
