package io.heptad.core;

import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleSupplier;

/**
 * One figure of a shape: what it is called, what it means, and how to read it now. Names are
 * {@code heptad.<shape>.<figure>}; every metric of Heptad carries the tag {@code name}.
 *
 * @param name a dotted lower-case name, such as {@code heptad.queue.depth}
 * @param kind whether the value may fall ({@link Kind#GAUGE}) or only grow ({@link Kind#COUNTER})
 * @param unit the unit of the value, such as {@code items} or {@code seconds}; empty for a pure number
 * @param description one sentence for whoever reads it during an incident
 * @param tags the labels that tell this shape from others of its kind; copied
 * @param value reads the figure; cheap, never blocks, never throws
 */
public record Metric(
        String name, Kind kind, String unit, String description, Map<String, String> tags, DoubleSupplier value) {

    /** How the value moves. */
    public enum Kind {
        /** A level: rises and falls. */
        GAUGE,
        /** A total: starts at zero and only grows. */
        COUNTER
    }

    /** Copies the tags; refuses nulls. */
    public Metric {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(unit, "unit");
        Objects.requireNonNull(description, "description");
        tags = Map.copyOf(tags);
        Objects.requireNonNull(value, "value");
    }
}
