package io.heptad.recipes.partner;

import io.heptad.recipes.BrokenRunException;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** What was done, what was not and why, and what to do about it. */
final class Report {
    /** How many items that were not begun are written to the retry input; more would take too long after Ctrl-C. */
    private static final long UNBEGUN_ROWS = 200_000;

    private final Settings settings;
    private final Items items;
    private final RetryFile retries;
    private final Tally tally;
    private final Histogram calls;
    private final MeterRegistry registry;
    private final Witness witness;
    private final long start;

    Report(
            Settings settings,
            Items items,
            RetryFile retries,
            Tally tally,
            Histogram calls,
            MeterRegistry registry,
            Witness witness,
            long start) {
        this.settings = settings;
        this.items = items;
        this.retries = retries;
        this.tally = tally;
        this.calls = calls;
        this.registry = registry;
        this.witness = witness;
        this.start = start;
    }

    /** Writes the report, the retry input and the charts; throws if the run was not what it promises to be. */
    void print(PrintStream out, Sampler sampler, boolean stopped) throws IOException {
        double seconds = (System.nanoTime() - start) / 1e9;
        long failedRows = retries.count();
        boolean all = items.left(UNBEGUN_ROWS, item -> retries.add(item, "not done"));
        retries.publish();
        int peak = witness.peak();

        line(
                out,
                "%n%s %,d of %,d items in %.1f s: %,.0f a second",
                stopped ? "Stopped after" : tally.done() < items.total() ? "Out of time after" : "Done:",
                tally.done(),
                items.total(),
                seconds,
                tally.done() / seconds);
        line(out, "  succeeded        %,12d", tally.succeeded());
        line(out, "  failed           %,12d", tally.failed());
        tally.causes().forEach((cause, count) -> line(out, "    %-14s %,12d", cause, count));
        if (tally.done() < items.total()) {
            line(out, "  not done         %,12d", items.total() - tally.done());
        }
        line(
                out,
                "  retry input      %s: %,d rows%s",
                settings.output().resolve("retry-input.csv"),
                retries.count(),
                retries.count() == failedRows
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                ", %,d of them not done%s",
                                retries.count() - failedRows,
                                all ? "" : " (the later ones are left out)"));
        if (retries.count() > 0) {
            line(out, "    again: mvn -Pdemo -Dinput=%s", settings.output().resolve("retry-input.csv"));
        }
        line(out, "peak in flight: %d (counted by the %s)", peak, settings.stub() ? "stub" : "partner");
        line(out, "  the partner      %s", witness.says());
        times(out, "one call", calls);
        times(out, "an item", tally.took());
        line(
                out,
                "  Micrometer       succeeded %,d, failed %,d, cancelled %,d, active at most %.0f of %d, waiting at most %.0f",
                counted("heptad.pool.completed"),
                counted("heptad.pool.failed"),
                counted("heptad.pool.cancelled"),
                sampler.activePeak(),
                settings.slots(),
                sampler.waitingPeak());
        line(
                out,
                "  heap             at most %d MiB in use, %d MiB after a collection, of %d MiB",
                sampler.usedPeak() >> 20,
                sampler.livePeak() >> 20,
                Runtime.getRuntime().maxMemory() >> 20);
        if (!stopped) {
            charts(out, sampler);
        }
        out.flush();

        if (peak > settings.slots()) {
            throw new BrokenRunException(
                    "the partner saw " + peak + " requests at a time from " + settings.slots() + " slots");
        }
        if (tally.done() < items.total() && all && retries.count() - failedRows != items.total() - tally.done()) {
            throw new BrokenRunException(
                    "of " + items.total() + " items only " + tally.done() + " have an outcome, and no row says why");
        }
    }

    private void charts(PrintStream out, Sampler sampler) {
        try {
            for (Path chart : Charts.draw(settings.output(), calls, tally.took(), sampler.points())) {
                line(out, "  chart            %s", chart);
            }
        } catch (IOException | RuntimeException | LinkageError noFontsHere) {
            // A chart needs the fonts of the system; the batch does not.
            line(out, "  chart            none: %s", noFontsHere);
        }
    }

    private static void times(PrintStream out, String what, Histogram micros) {
        line(
                out,
                "  %-16s p50 %s   p99 %s   max %s   (%,d)",
                what,
                time(micros.getValueAtPercentile(50)),
                time(micros.getValueAtPercentile(99)),
                time(micros.getMaxValue()),
                micros.getTotalCount());
    }

    private static String time(long micros) {
        return micros < 1_000 ? micros + " us" : String.format(Locale.ROOT, "%,.1f ms", micros / 1e3);
    }

    private long counted(String name) {
        return (long) registry.find(name).functionCounters().stream()
                .mapToDouble(FunctionCounter::count)
                .sum();
    }

    private static void line(PrintStream out, String format, Object... values) {
        out.printf(Locale.ROOT, format + "%n", values);
    }
}
