package io.heptad.bench;

import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.ScalarResult;

/**
 * How many bytes of heap one item holds: the live heap after a collection, with the items minus without, divided by
 * their number. Stacks of parked virtual threads live on the heap and are counted; platform thread stacks are not.
 *
 * <p>A benchmark hands its figure to {@link #record}; as a JMH profiler this class carries it into the results.
 */
public final class HeldBytes implements InternalProfiler {
    static final String LABEL = "held.bytes";
    private static final double NONE = -1;

    /** Written by the benchmark's thread, read by JMH's after the iteration, which it joins. */
    private static volatile double recorded = NONE;

    /** Made by JMH. */
    public HeldBytes() {}

    /** The figure of this iteration, in bytes an item. */
    public static void record(double bytesPerItem) {
        recorded = bytesPerItem;
    }

    /** Bytes of heap that are live now; collects until two readings agree within 64 KiB, at most ten times. */
    public static long live() {
        long before = Long.MAX_VALUE;
        for (int i = 0; i < 10; i++) {
            System.gc();
            long now = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            if (Math.abs(before - now) < 64 * 1024) {
                return now;
            }
            before = now;
        }
        return before;
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        recorded = NONE;
    }

    @Override
    public Collection<ScalarResult> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double figure = recorded;
        return figure == NONE ? List.of() : List.of(new ScalarResult(LABEL, figure, "B/item", AggregationPolicy.AVG));
    }

    @Override
    public String getDescription() {
        return "Bytes of live heap for one item";
    }
}
