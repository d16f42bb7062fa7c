package io.heptad.pool;

import jdk.jfr.FlightRecorder;

/**
 * The way to the events of Flight Recorder. The first event class that a JVM initialises costs it 150 ms of CPU, so none is
 * touched before somebody has started Flight Recorder.
 */
final class PoolEvents {
    private PoolEvents() {}

    /** Whether somebody records the waits for a slot. */
    static boolean slotWaits() {
        return FlightRecorder.isInitialized() && SlotWaitEvent.on();
    }

    static void refused(String pool, String reason, long state) {
        if (FlightRecorder.isInitialized()) {
            PoolRefusedEvent.emit(pool, reason, state);
        }
    }
}
