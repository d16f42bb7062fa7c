package io.heptad.bench;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Says which fork runs, what it showed, and how long the rest will take. */
final class Progress {
    private final PrintStream out;
    private final RunMode mode;
    private final int runs;
    private final double planned;
    private final long startNanos = System.nanoTime();
    private int started;
    private double donePlanned;
    private double currentPlanned;
    private int runsInShape;

    Progress(PrintStream out, RunMode mode, Collection<? extends Collection<Contest>> shapes) {
        this.out = out;
        this.mode = mode;
        this.runs = shapes.stream().mapToInt(shape -> runs(mode, shape)).sum();
        this.planned =
                shapes.stream().mapToDouble(shape -> seconds(mode, shape)).sum();
    }

    /** The forks that these contests need. */
    static int runs(RunMode mode, Collection<Contest> contests) {
        return contests.stream()
                .mapToInt(contest -> contest.peers().size() * mode.forks(contest))
                .sum();
    }

    /** The seconds that these contests of one shape are expected to take. */
    static double seconds(RunMode mode, Collection<Contest> contests) {
        int runs = runs(mode, contests);
        return contests.stream()
                .mapToDouble(contest -> contest.peers().size()
                        * mode.forks(contest)
                        * (mode.startSeconds() + mode.forkSeconds(contest, runs)))
                .sum();
    }

    double plannedSeconds() {
        return planned;
    }

    int runs() {
        return runs;
    }

    void shape(int runsInShape) {
        this.runsInShape = runsInShape;
    }

    void starts(Contest contest, String peer, int round) {
        started++;
        currentPlanned = mode.startSeconds() + mode.forkSeconds(contest, runsInShape);
        String which = mode.forks(contest) > 1 ? " fork " + (round + 1) + "/" + mode.forks(contest) : "";
        out.printf(Locale.ROOT, "[%3d/%d] %-58s %-20s%s ", started, runs, contest.label(), peer, which);
        out.flush();
    }

    void ended(Contest contest, @Nullable Reading reading) {
        donePlanned += currentPlanned;
        String showed = reading == null
                ? "FAILED"
                : mode == RunMode.SMOKE
                        ? "ok"
                        : contest.compare().figure() == Figure.HELD
                                ? String.format(
                                        Locale.ROOT,
                                        "%,.1f B/%s",
                                        reading.held(),
                                        contest.compare().operation())
                                : Reading.duration(reading.time());
        out.printf(Locale.ROOT, "%12s   left %s%n", showed, clock(secondsLeft()));
    }

    /** The plan for what is left, stretched as what is done was stretched. */
    private double secondsLeft() {
        double tookSeconds = (System.nanoTime() - startNanos) / 1e9;
        double left = planned - donePlanned;
        return donePlanned > 0 ? left * Math.clamp(tookSeconds / donePlanned, 0.2, 10) : left;
    }

    static String clock(double seconds) {
        Duration whole = Duration.ofSeconds(Math.round(seconds));
        return String.format(Locale.ROOT, "%d:%02d", whole.toMinutes(), whole.toSecondsPart());
    }
}
