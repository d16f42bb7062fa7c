package io.heptad.recipes;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Supplier;
import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** How far a run is. Told by one thread. */
public sealed interface Progress extends AutoCloseable {
    /** How to show it. */
    enum Style {
        /** A bar on a terminal, lines elsewhere. */
        AUTO,
        /** A bar. */
        BAR,
        /** A line for every twentieth of the way. */
        LINES,
        /** Nothing. */
        NONE
    }

    /**
     * So many are done.
     *
     * @param done how many, from 1
     */
    void done(long done);

    @Override
    void close();

    /**
     * Shows how far a run is.
     *
     * @param style how
     * @param task what the bar is called
     * @param total how many there are to do
     * @param out where to show it
     * @param extra the end of each line
     * @return the display, to be closed when the run is over
     */
    static Progress of(Style style, String task, long total, PrintStream out, Supplier<String> extra) {
        return switch (style) {
            case AUTO -> of(isTerminal() ? Style.BAR : Style.LINES, task, total, out, extra);
            case BAR -> new Bar(task, total, out);
            case LINES -> new Lines(total, out, extra);
            case NONE -> new None();
        };
    }

    /** Whether a person is watching. JDKs that have a console without a terminal are started with the one that has not. */
    @SuppressWarnings("SystemConsoleNull")
    private static boolean isTerminal() {
        return System.console() != null;
    }

    /** A bar that is drawn over itself, with the rate and the time that is left. */
    final class Bar implements Progress {
        /*
         * The width is fixed. Left to itself the library opens the terminal to ask for it, and on the way sets the
         * signals of the process to the system's defaults: Ctrl-C would end the run without its report.
         */
        private static final int WIDTH = 79;

        private final PrintStream out;
        private final ProgressBar bar;

        Bar(String task, long total, PrintStream out) {
            this.out = out;
            this.bar = new ProgressBarBuilder()
                    .setTaskName(task)
                    .setInitialMax(total)
                    .setStyle(ProgressBarStyle.ASCII)
                    .setUpdateIntervalMillis(200)
                    .setConsumer(new DelegatingProgressBarConsumer(this::draw, WIDTH))
                    .showSpeed()
                    .build();
        }

        private void draw(String line) {
            out.print("\r" + line);
            out.flush();
        }

        @Override
        public void done(long done) {
            bar.stepTo(done);
        }

        @Override
        public void close() {
            bar.close();
            out.println();
        }
    }

    /** A line for every twentieth of the way, and at least one every five seconds. */
    final class Lines implements Progress {
        private static final long PATIENCE_NANOS = 5_000_000_000L;

        private final long total;
        private final PrintStream out;
        private final Supplier<String> extra;
        private final long start = System.nanoTime();
        private long lastNanos = start;
        private long nextMark;

        Lines(long total, PrintStream out, Supplier<String> extra) {
            this.total = total;
            this.out = out;
            this.extra = extra;
            this.nextMark = Math.max(1, total / 20);
        }

        @Override
        public void done(long done) {
            boolean mark = done >= nextMark || done == total;
            if (!mark && (done & 15) != 0) {
                return; // the clock is not worth reading for every item
            }
            long now = System.nanoTime();
            if (!mark && now - lastNanos < PATIENCE_NANOS) {
                return;
            }
            lastNanos = now;
            while (nextMark <= done) {
                nextMark += Math.max(1, total / 20);
            }
            double seconds = Math.max(1e-9, (now - start) / 1e9);
            double rate = done / seconds;
            Duration left = Duration.ofSeconds(Math.round((total - done) / rate));
            out.printf(
                    Locale.ROOT,
                    "  %3d%%  %,d of %,d  %,.0f/s  %d:%02d left%s%n",
                    100 * done / total,
                    done,
                    total,
                    rate,
                    left.toMinutes(),
                    left.toSecondsPart(),
                    extra.get());
        }

        @Override
        public void close() {
            out.flush();
        }
    }

    /** Nothing at all. */
    final class None implements Progress {
        @Override
        public void done(long done) {
            // Nobody watches.
        }

        @Override
        public void close() {
            // Nothing was opened.
        }
    }
}
