package io.heptad.recipes.partner;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Looks at the figures ten times a second, as a scraper would, and keeps their peaks and a curve of bounded length. */
final class Sampler implements AutoCloseable {
    private static final int POINTS = 600;
    private static final long EVERY_MILLIS = 100;
    private static final double MIB = 1 << 20;

    /** One look: seconds since the start, items settled, slots in use, MiB of heap, MiB after its last collection. */
    record Point(double seconds, long done, double active, double heap, double live) {}

    private final MeterRegistry registry;
    private final LongSupplier done;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("sampler").factory());
    private final List<MemoryPoolMXBean> heap = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .toList();
    private final long start = System.nanoTime();

    // Written by the clock's thread, read after it has ended.
    private List<Point> points = new ArrayList<>();
    private int every = 1;
    private int ticks;
    private double activePeak;
    private double waitingPeak;
    private long usedPeak;
    private long livePeak;

    Sampler(MeterRegistry registry, LongSupplier done) {
        this.registry = registry;
        this.done = done;
        var unused = clock.scheduleAtFixedRate(this::look, 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        double active = sum("heptad.pool.active");
        activePeak = Math.max(activePeak, active);
        waitingPeak = Math.max(waitingPeak, sum("heptad.pool.waiting"));
        long used = used();
        usedPeak = Math.max(usedPeak, used);
        long live = live();
        livePeak = Math.max(livePeak, live);
        if (ticks++ % every == 0) {
            double seconds = (System.nanoTime() - start) / 1e9;
            points.add(new Point(seconds, done.getAsLong(), active, used / MIB, live / MIB));
            if (points.size() == POINTS) { // a longer run gets a coarser curve, not a longer one
                List<Point> half = new ArrayList<>();
                for (int i = 0; i < POINTS; i += 2) {
                    half.add(points.get(i));
                }
                points = half;
                every *= 2;
            }
        }
    }

    private double sum(String gauge) {
        return registry.find(gauge).gauges().stream().mapToDouble(Gauge::value).sum();
    }

    /** Bytes of heap in use now, garbage included. */
    static long used() {
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Bytes of heap that survived the last collection. */
    private long live() {
        long bytes = 0;
        for (MemoryPoolMXBean pool : heap) {
            MemoryUsage after = pool.getCollectionUsage();
            bytes += after == null ? 0 : after.getUsed();
        }
        return bytes;
    }

    /** The heap in half a line, for the progress. */
    String heap() {
        return String.format(Locale.ROOT, "  heap %d MiB, %d live", used() >> 20, live() >> 20);
    }

    double activePeak() {
        return activePeak;
    }

    double waitingPeak() {
        return waitingPeak;
    }

    long usedPeak() {
        return usedPeak;
    }

    long livePeak() {
        return livePeak;
    }

    List<Point> points() {
        return points;
    }

    /** Takes a last look and stops looking. */
    @Override
    public void close() {
        var unused = clock.submit(this::look);
        clock.close();
    }
}
