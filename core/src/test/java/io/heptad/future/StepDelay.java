package io.heptad.future;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Timers that end when the test says so. */
final class StepDelay implements Delay {
    private final Map<Object, Runnable> pending = new LinkedHashMap<>();
    private long lastNanos;

    @Override
    public Runnable start(long nanos, Runnable then) {
        Object timer = new Object();
        pending.put(timer, then);
        lastNanos = nanos;
        return () -> pending.remove(timer);
    }

    int pending() {
        return pending.size();
    }

    long lastNanos() {
        return lastNanos;
    }

    /** All timers end, in the order of their start. */
    void elapse() {
        List<Runnable> ended = List.copyOf(pending.values());
        pending.clear();
        ended.forEach(Runnable::run);
    }
}
