package io.heptad.sync;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Alarms that go off when a test lets time pass, in that thread, in the order of their times. For one thread. A clock that
 * is moved by itself makes the alarms late.
 */
final class ManualAlarm implements Alarm {
    private record Set(long at, Runnable then) {}

    private final ManualClock clock;
    private final List<Set> pending = new ArrayList<>();

    ManualAlarm(ManualClock clock) {
        this.clock = clock;
    }

    @Override
    public Runnable in(long nanos, Runnable then) {
        Set set = new Set(clock.nanosPassed() + Math.max(0, nanos), then);
        pending.add(set);
        return () -> pending.remove(set);
    }

    int pending() {
        return pending.size();
    }

    /** Lets so much time pass; may be called from what an alarm runs: then that is what takes so long. */
    void advance(Duration by) {
        long end = clock.nanosPassed() + by.toNanos();
        while (true) {
            Set next = pending.stream().min(Comparator.comparing(Set::at)).orElse(null);
            if (next == null || next.at > end) {
                clock.reach(end);
                return;
            }
            pending.remove(next);
            clock.reach(next.at);
            next.then.run();
        }
    }

    /** What is due now. */
    void run() {
        advance(Duration.ZERO);
    }
}
