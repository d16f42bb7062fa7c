package io.heptad.core;

import java.util.List;

/**
 * A live thing with a name and figures that anyone may read at any time, also while it is stuck.
 *
 * <p>Reading never blocks, never waits for a lock that user code can hold, and never changes what is measured. Each figure
 * is right by itself; two figures read one after the other may belong to different instants (a shape's {@code stats()}
 * says which of its figures come from one). Bind it to Micrometer with {@link HeptadMetrics}, or walk the list:
 *
 * {@snippet file="io/heptad/core/Snippets.java" region="measured"}
 */
public interface Measured {
    /**
     * The name given at construction; it tags every metric of this shape.
     *
     * @return the name, never blank
     */
    String name();

    /**
     * The figures of this shape. The list is fixed for the life of the shape; the values are read when asked for.
     *
     * @return an unmodifiable list, the same metrics in the same order at each call
     */
    List<Metric> metrics();
}
