package io.heptad.sync;

import jdk.jfr.FlightRecorder;

/**
 * The way to the event of Flight Recorder. The first event class that a JVM initialises costs it 150 ms of CPU, so none is
 * touched before somebody has started Flight Recorder.
 */
final class LeaseEvents {
    private LeaseEvents() {}

    static boolean on() {
        return FlightRecorder.isInitialized();
    }

    static void lost(Lease lease, String reason) {
        if (FlightRecorder.isInitialized()) {
            LeaseLostEvent.emit(lease, reason);
        }
    }
}
