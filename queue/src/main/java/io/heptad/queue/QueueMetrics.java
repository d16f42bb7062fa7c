package io.heptad.queue;

import io.heptad.core.Metric;
import io.heptad.core.Metric.Kind;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;

/** The figures of a queue under the names that a dashboard knows them by. */
final class QueueMetrics {
    private QueueMetrics() {}

    static List<Metric> of(BoundedQueue<?> queue, SlowPath<?> slow, Losses<?> losses) {
        Map<String, String> tags = Map.of("name", queue.name());
        return List.of(
                gauge("depth", "items", "The items inside", tags, queue::depth),
                gauge("capacity", "items", "The most items that can be inside", tags, queue::capacity),
                gauge(
                        "producers.waiting",
                        "threads",
                        "The producers that wait for room",
                        tags,
                        () -> slow.figures().producers()),
                gauge(
                        "consumers.waiting",
                        "threads",
                        "The consumers that wait for an item",
                        tags,
                        () -> slow.figures().consumers()),
                gauge(
                        "oldest.age",
                        "seconds",
                        "How long the oldest item has been inside",
                        tags,
                        () -> queue.oldestAge().toNanos() / 1e9),
                counter("accepted", "items", "The items that the queue took", tags, slow::accepted),
                counter(
                        "taken",
                        "items",
                        "The items that consumers got",
                        tags,
                        () -> slow.figures().taken()),
                counter("rejected", "items", "The items refused because it was full", tags, losses::rejectedCount),
                counter(
                        "dropped",
                        "items",
                        "The items dropped because it was full, newest and oldest together",
                        tags,
                        () -> losses.droppedNewestCount() + slow.figures().evicted()),
                counter(
                        "evicted",
                        "items",
                        "The oldest items dropped to make room",
                        tags,
                        () -> slow.figures().evicted()),
                counter(
                        "returned",
                        "items",
                        "The items given back by closeNow",
                        tags,
                        () -> slow.figures().returned()),
                counter("timeouts", "calls", "The timed puts that found no room in time", tags, losses::timedOutCount),
                counter("callback.failures", "calls", "The drop hooks that threw", tags, losses::failedCallbackCount));
    }

    private static Metric gauge(
            String figure, String unit, String description, Map<String, String> tags, DoubleSupplier value) {
        return new Metric("heptad.queue." + figure, Kind.GAUGE, unit, description, tags, value);
    }

    private static Metric counter(
            String figure, String unit, String description, Map<String, String> tags, DoubleSupplier value) {
        return new Metric("heptad.queue." + figure, Kind.COUNTER, unit, description, tags, value);
    }
}
