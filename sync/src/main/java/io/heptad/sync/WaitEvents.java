package io.heptad.sync;

import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * The way to the wait events of Flight Recorder. The first event class that a JVM initialises costs it 150 ms of CPU, so
 * none is touched before somebody has started Flight Recorder.
 */
final class WaitEvents {
    private WaitEvents() {}

    static @Nullable SignalWaitEvent signalWait() {
        if (!FlightRecorder.isInitialized()) {
            return null;
        }
        SignalWaitEvent event = new SignalWaitEvent();
        event.begin();
        return event;
    }

    static void end(@Nullable SignalWaitEvent event, Signal signal, int permits, String outcome) {
        if (event == null) {
            return;
        }
        event.end();
        if (event.shouldCommit()) {
            event.signal = signal.name();
            event.permits = permits;
            event.outcome = outcome;
            event.commit();
        }
    }

    static @Nullable KeyWaitEvent keyWait() {
        if (!FlightRecorder.isInitialized()) {
            return null;
        }
        KeyWaitEvent event = new KeyWaitEvent();
        event.begin();
        return event;
    }

    static void end(@Nullable KeyWaitEvent event, KeyedLock<?> lock, Object key, String outcome) {
        if (event == null) {
            return;
        }
        event.end();
        if (event.shouldCommit()) {
            event.lock = lock.name();
            event.key = KeyedLock.text(key);
            event.outcome = outcome;
            event.commit();
        }
    }
}
