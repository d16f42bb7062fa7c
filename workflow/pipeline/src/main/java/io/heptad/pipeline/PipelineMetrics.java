package io.heptad.pipeline;

import io.heptad.core.Metric;
import io.heptad.core.Metric.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;

/** The figures of a pipeline, as metrics: of the whole with the tag {@code name}, of a stage with the tag {@code stage} too. */
final class PipelineMetrics {
    private final List<Metric> metrics = new ArrayList<>();

    private PipelineMetrics() {}

    static List<Metric> of(Engine engine, LongAdder timedOut) {
        PipelineMetrics of = new PipelineMetrics();
        of.whole(engine, timedOut);
        engine.all().forEach(stage -> of.stage(engine, stage));
        return List.copyOf(of.metrics);
    }

    private void whole(Engine engine, LongAdder timedOut) {
        Map<String, String> tags = Map.of("name", engine.name);
        add(
                Kind.COUNTER,
                "in",
                "items",
                "The items that came in",
                tags,
                () -> engine.first().figures.counts().in());
        add(
                Kind.COUNTER,
                "out",
                "items",
                "The items that came out at the end",
                tags,
                () -> engine.stages().getLast().figures.counts().out());
        add(
                Kind.GAUGE,
                "inflight",
                "items",
                "The items inside, or handed back at the end",
                tags,
                () -> engine.reading().inFlight());
        add(
                Kind.COUNTER,
                "rejected",
                "items",
                "The items refused to the caller because the first queue was full",
                tags,
                () -> engine.first().figures.counts().rejected());
        add(Kind.COUNTER, "timeouts", "calls", "The timed puts that found no room in time", tags, timedOut::sum);
        add(Kind.COUNTER, "callback.failures", "calls", "The hooks that threw", tags, engine.callbacks::failures);
    }

    private void stage(Engine engine, Stage stage) {
        Map<String, String> tags = Map.of("name", engine.name, "stage", stage.name);
        add(Kind.GAUGE, "stage.workers", "threads", "The workers", tags, stage.workers::size);
        add(
                Kind.GAUGE,
                "stage.busy",
                "threads",
                "The workers that work on an item",
                tags,
                () -> stage.figures.doing(Span.Doing.BUSY));
        add(
                Kind.GAUGE,
                "stage.blocked",
                "threads",
                "The workers that wait for room in the next queue",
                tags,
                () -> stage.figures.doing(Span.Doing.BLOCKED));
        add(Kind.GAUGE, "stage.depth", "items", "The items in the queue before the stage", tags, stage.queue::depth);
        add(Kind.GAUGE, "stage.capacity", "items", "The most items in that queue", tags, stage.queue::capacity);
        add(
                Kind.GAUGE,
                "stage.oldest.age",
                "seconds",
                "How long the item that came first has been in the stage",
                tags,
                () -> stage.figures.oldestAge(engine.now()).toNanos() / 1e9);
        add(
                Kind.COUNTER,
                "stage.busy.time",
                "seconds",
                "The time that the workers have been busy, added up",
                tags,
                () -> stage.figures.busyNanos(engine.now()) / 1e9);
        add(
                Kind.COUNTER,
                "stage.blocked.time",
                "seconds",
                "The time that the workers have been blocked, added up",
                tags,
                () -> stage.figures.blockedNanos(engine.now()) / 1e9);
        add(
                Kind.COUNTER,
                "stage.in",
                "items",
                "The items that came to the stage",
                tags,
                () -> stage.figures.counts().in());
        add(
                Kind.COUNTER,
                "stage.out",
                "items",
                "The items that the stage has passed on",
                tags,
                () -> stage.figures.counts().out());
        add(
                Kind.COUNTER,
                "stage.failed",
                "items",
                "The items that left by the failure route",
                tags,
                () -> stage.figures.counts().failed());
        add(
                Kind.COUNTER,
                "stage.dropped",
                "items",
                "The items that the queue dropped",
                tags,
                () -> stage.figures.counts().dropped());
    }

    private void add(
            Kind kind, String figure, String unit, String description, Map<String, String> tags, DoubleSupplier value) {
        metrics.add(new Metric("heptad.pipeline." + figure, kind, unit, description, tags, value));
    }
}
