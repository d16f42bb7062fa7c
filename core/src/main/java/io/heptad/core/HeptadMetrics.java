package io.heptad.core;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;

/**
 * Binds shapes to Micrometer. The one class of Heptad that needs it: without Micrometer everything else works.
 *
 * {@snippet file="io/heptad/core/Snippets.java" region="heptad-metrics"}
 *
 * <p>A {@link Metric.Kind#GAUGE} becomes a gauge and a {@link Metric.Kind#COUNTER} a function counter, both read when
 * the registry is scraped. The registry holds the shapes strongly: remove the meters, or drop the registry, to let a
 * shape go.
 */
public final class HeptadMetrics implements MeterBinder {
    private final Tags tags;
    private final List<Measured> shapes;

    /**
     * Binds shapes with no tags but their own.
     *
     * @param shapes the shapes to bind
     */
    public HeptadMetrics(Measured... shapes) {
        this(Tags.empty(), shapes);
    }

    /**
     * Binds shapes with further tags.
     *
     * @param tags added to every meter; a shape's own tag of the same key wins
     * @param shapes the shapes to bind
     */
    public HeptadMetrics(Iterable<Tag> tags, Measured... shapes) {
        this.tags = Tags.of(tags);
        this.shapes = List.of(shapes);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (Measured shape : shapes) {
            for (Metric metric : shape.metrics()) {
                bind(metric, registry);
            }
        }
    }

    private void bind(Metric metric, MeterRegistry registry) {
        Tags all = tags;
        for (var tag : metric.tags().entrySet()) {
            all = all.and(tag.getKey(), tag.getValue());
        }
        switch (metric.kind()) {
            case GAUGE ->
                Gauge.builder(metric.name(), metric.value(), value -> value.getAsDouble())
                        .description(metric.description())
                        .baseUnit(metric.unit())
                        .tags(all)
                        .strongReference(true)
                        .register(registry);
            case COUNTER ->
                // Micrometer holds a counter's object weakly; the function keeps the metric reachable.
                FunctionCounter.builder(
                                metric.name(), metric, weak -> metric.value().getAsDouble())
                        .description(metric.description())
                        .baseUnit(metric.unit())
                        .tags(all)
                        .register(registry);
        }
    }
}
