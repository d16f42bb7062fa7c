package io.heptad.core;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Map;

/**
 * Binds shapes to Micrometer. The one class of Heptad that needs it: without Micrometer everything else works.
 *
 * {@snippet file="io/heptad/core/Snippets.java" region="heptad-metrics"}
 *
 * <p>A {@link Metric.Kind#GAUGE} becomes a gauge and a {@link Metric.Kind#COUNTER} a function counter, both read when
 * the registry is scraped, by the registry's thread. Prometheus, for one, shows {@code heptad.queue.depth} as
 * {@code heptad_queue_depth_items}. The unit is appended once, also where the name already ends in it.
 *
 * <p>The registry holds the shapes strongly: remove the meters, or drop the registry, to let a shape go. Micrometer keeps
 * the first of two meters with the same name and tags, so give shapes of one kind different names. Prometheus also
 * wants the same tag keys on all meters of a name: give all shapes of one kind the same further tags.
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
        for (Map.Entry<String, String> tag : metric.tags().entrySet()) {
            all = all.and(tag.getKey(), tag.getValue());
        }
        String unit = metric.unit().isEmpty() ? null : metric.unit(); // "" would leave a trailing _ in Prometheus
        switch (metric.kind()) {
            case GAUGE ->
                Gauge.builder(metric.name(), metric.value(), value -> value.getAsDouble())
                        .description(metric.description())
                        .baseUnit(unit)
                        .tags(all)
                        .strongReference(true)
                        .register(registry);
            case COUNTER ->
                // Micrometer holds a counter's object weakly; the function keeps the metric reachable.
                FunctionCounter.builder(
                                metric.name(), metric, weak -> metric.value().getAsDouble())
                        .description(metric.description())
                        .baseUnit(unit)
                        .tags(all)
                        .register(registry);
        }
    }
}
