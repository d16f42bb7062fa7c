package io.heptad.recipes.uploads;

import io.heptad.pipeline.Pipeline;
import io.heptad.pipeline.PipelineStats;
import io.heptad.pipeline.StageStats;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The stages of a pipeline as they are now, again and again: a table that is drawn over itself, or lines. */
final class StageTable implements AutoCloseable {
    /** How to show it. */
    enum Style {
        /** A table on a terminal, lines elsewhere. */
        AUTO,
        /** A table. */
        TABLE,
        /** A line each second. */
        LINES,
        /** Nothing. */
        NONE
    }

    private static final Duration TABLE_EVERY = Duration.ofMillis(200);
    private static final Duration LINE_EVERY = Duration.ofSeconds(1);

    private final Pipeline<?> pipeline;
    private final PrintStream out;
    private final Style style;
    private final long start = System.nanoTime();
    private final CountDownLatch over = new CountDownLatch(1);
    private final Thread thread;
    private int drawn;
    private PipelineStats last;
    private long lastNanos = start;

    private StageTable(Pipeline<?> pipeline, PrintStream out, Style style) {
        this.pipeline = pipeline;
        this.out = out;
        this.style = style;
        last = pipeline.stats();
        thread = Thread.ofVirtual().name("stage-table").unstarted(this::show);
    }

    static StageTable of(Pipeline<?> pipeline, PrintStream out, Style style) {
        return new StageTable(pipeline, out, style == Style.AUTO ? isTerminal() ? Style.TABLE : Style.LINES : style);
    }

    /** Shows the stages from now on. */
    void start() {
        if (style != Style.NONE) {
            thread.start();
        }
    }

    /** Whether a person is watching. JDKs that have a console without a terminal are started with the one that has not. */
    @SuppressWarnings("SystemConsoleNull")
    private static boolean isTerminal() {
        return System.console() != null;
    }

    private void show() {
        Duration every = style == Style.TABLE ? TABLE_EVERY : LINE_EVERY;
        try {
            while (!over.await(every.toMillis(), TimeUnit.MILLISECONDS)) {
                draw();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        draw();
    }

    private void draw() {
        PipelineStats now = pipeline.stats();
        long nanos = System.nanoTime();
        double seconds = Math.max(1e-3, (nanos - lastNanos) / 1e9);
        String bottleneck = now.bottleneck().map(StageStats::name).orElse("");
        if (style == Style.TABLE) {
            table(rows(now, last, seconds, bottleneck));
        } else {
            out.println(line(now, last, seconds, (nanos - start) / 1e9, bottleneck));
        }
        out.flush();
        last = now;
        lastNanos = nanos;
    }

    /** Each row clears the rest of its line; the cursor goes back to the first row before the next drawing. */
    private void table(List<String> rows) {
        StringBuilder text = new StringBuilder();
        if (drawn > 0) {
            text.append("\033[").append(drawn).append('F');
        }
        rows.forEach(row -> text.append(row).append("\033[K\n"));
        drawn = rows.size();
        out.print(text);
    }

    static List<String> rows(PipelineStats now, PipelineStats before, double seconds, String bottleneck) {
        List<String> rows = new ArrayList<>();
        rows.add(String.format(
                "  %-10s %8s %6s %8s %10s %9s %9s", "stage", "workers", "busy", "blocked", "depth", "rate", "oldest"));
        for (int i = 0; i < now.stages().size(); i++) {
            StageStats stage = now.stages().get(i);
            rows.add(String.format(
                    Locale.ROOT,
                    "  %-10s %8d %6d %8d %10s %7.0f/s %6d ms%s",
                    stage.name(),
                    stage.workers(),
                    stage.busy(),
                    stage.blocked(),
                    stage.depth() + "/" + stage.capacity(),
                    (stage.out() - before.stages().get(i).out()) / seconds,
                    stage.oldestAge().toMillis(),
                    stage.name().equals(bottleneck) ? "  <- bottleneck" : ""));
        }
        rows.add(String.format(
                Locale.ROOT,
                "  in %,d = out %,d + failed %,d + inside %,d",
                now.in(),
                now.out(),
                now.failed(),
                now.inFlight()));
        return rows;
    }

    static String line(PipelineStats now, PipelineStats before, double seconds, double at, String bottleneck) {
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "  %5.1f s  out %,d (%,.0f/s)  failed %,d  inside %,d",
                at,
                now.out(),
                (now.out() - before.out()) / seconds,
                now.failed(),
                now.inFlight()));
        for (StageStats stage : now.stages()) {
            line.append(String.format(
                    Locale.ROOT,
                    "  |  %s %d busy %d blocked %d/%d",
                    stage.name(),
                    stage.busy(),
                    stage.blocked(),
                    stage.depth(),
                    stage.capacity()));
        }
        return line.append(bottleneck.isEmpty() ? "" : "  |  bottleneck " + bottleneck)
                .toString();
    }

    /** Draws a last time, and ends. Not interrupted by what ends the run. */
    @Override
    public void close() {
        over.countDown();
        boolean interrupted = false;
        while (thread.getState() != Thread.State.NEW) {
            try {
                thread.join();
                break;
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
