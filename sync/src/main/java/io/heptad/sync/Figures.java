package io.heptad.sync;

import io.heptad.core.Metric;
import io.heptad.core.Metric.Kind;
import java.util.Map;
import java.util.function.DoubleSupplier;

/** Makes the metrics of one shape, under the names that a dashboard knows them by. */
record Figures(String shape, String name) {
    Metric gauge(String figure, String unit, String description, DoubleSupplier value) {
        return metric(Kind.GAUGE, figure, unit, description, value);
    }

    Metric counter(String figure, String unit, String description, DoubleSupplier value) {
        return metric(Kind.COUNTER, figure, unit, description, value);
    }

    private Metric metric(Kind kind, String figure, String unit, String description, DoubleSupplier value) {
        return new Metric("heptad." + shape + "." + figure, kind, unit, description, Map.of("name", name), value);
    }
}
