package io.heptad.pool;

import io.heptad.core.Metric;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;

/** The figures of a pool, as metrics. Reading one takes no lock. */
final class PoolMetrics {
    private final Map<String, String> tags;

    private PoolMetrics(Map<String, String> tags) {
        this.tags = tags;
    }

    static List<Metric> of(WorkerPool pool) {
        Slots slots = pool.slots();
        Seats seats = pool.seats();
        Tally tally = pool.tally();
        PoolMetrics of = new PoolMetrics(Map.of("name", pool.name(), "resource", pool.name()));
        return List.of(
                of.gauge("slots", "tasks", "How many tasks may run at once", slots::limit),
                of.gauge("active", "tasks", "Slots held", () -> Slots.active(slots.state())),
                of.gauge(
                        "running",
                        "tasks",
                        "Bodies that really execute; active above running that lasts means slots without work",
                        seats::busy),
                of.gauge("waiting", "tasks", "Tasks and callers in line for a slot", pool::depth),
                of.gauge("depth", "tasks", "The same as waiting, under the name that all shapes use", pool::depth),
                of.gauge("capacity", "tasks", "How many may be in line", pool::capacity),
                of.gauge(
                        "oldest.wait",
                        "seconds",
                        "How long the first in line has waited",
                        () -> pool.oldestWaitNanos() / 1e9),
                of.gauge("saturated", "", "1 while somebody waits although every slot is in use", () -> {
                    long state = slots.state();
                    return Slots.waiting(state) > 0 && Slots.active(state) >= slots.limit() ? 1 : 0;
                }),
                of.counter("submitted", "All that was asked of the pool", pool::submitted),
                of.counter("completed", "Bodies that returned", () -> seats.sum(Seat::completed)),
                of.counter(
                        "failed",
                        "Bodies that threw, and tasks without a thread",
                        () -> seats.sum(Seat::failed) + tally.failed.sum()),
                of.counter(
                        "cancelled",
                        "Tasks and callers that gave up or were stopped",
                        () -> seats.sum(Seat::cancelled) + tally.cancelled.sum()),
                of.counter("rejected", "Refused: no room, no slot in time, or closed", tally.rejected::sum),
                of.counter("dropped", "Dropped by the policy", tally.dropped::sum));
    }

    private Metric gauge(String figure, String unit, String description, DoubleSupplier value) {
        return new Metric("heptad.pool." + figure, Metric.Kind.GAUGE, unit, description, tags, value);
    }

    private Metric counter(String figure, String description, DoubleSupplier value) {
        return new Metric("heptad.pool." + figure, Metric.Kind.COUNTER, "tasks", description, tags, value);
    }
}
