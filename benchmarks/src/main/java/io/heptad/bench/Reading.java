package io.heptad.bench;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/**
 * What one peer showed in one cell. Times are nanoseconds for one operation, NaN where a figure was not measured.
 *
 * @param peer the peer
 * @param time mean over all iterations of all forks
 * @param error half the width of JMH's 99.9 % confidence interval of the mean; NaN with fewer than two samples
 * @param forks the mean of each fork, in the order in which they ran
 * @param allocated bytes allocated by one operation
 * @param held bytes of heap held by one item, see {@link HeldBytes}
 * @param latency the distribution, in latency benchmarks only
 */
record Reading(
        String peer, double time, double error, List<Double> forks, double allocated, double held, Latency latency) {

    /** Percentiles in nanoseconds. */
    record Latency(double p50, double p99, double p999, long samples) {
        static final Latency NONE = new Latency(Double.NaN, Double.NaN, Double.NaN, 0);
    }

    static Reading of(String peer, RunResult run, boolean latency) {
        Result<?> primary = run.getPrimaryResult();
        double nanos = run.getParams().getTimeUnit().toNanos(1);
        var statistics = primary.getStatistics();
        return new Reading(
                peer,
                primary.getScore() * nanos,
                primary.getScoreError() * nanos,
                run.getBenchmarkResults().stream()
                        .mapToDouble(fork -> fork.getPrimaryResult().getScore() * nanos)
                        .boxed()
                        .toList(),
                secondary(run, "gc.alloc.rate.norm"),
                secondary(run, HeldBytes.LABEL),
                latency
                        ? new Latency(
                                statistics.getPercentile(50) * nanos,
                                statistics.getPercentile(99) * nanos,
                                statistics.getPercentile(99.9) * nanos,
                                statistics.getN())
                        : Latency.NONE);
    }

    double figure(Figure figure) {
        return switch (figure) {
            case TIME -> time;
            case ALLOCATED -> allocated;
            case HELD -> held;
        };
    }

    private static double secondary(RunResult run, String label) {
        for (String key : run.getSecondaryResults().keySet()) {
            if (key.endsWith(label)) {
                return run.getSecondaryResults().get(key).getScore();
            }
        }
        return Double.NaN;
    }

    /** Nanoseconds as a newcomer reads them. */
    static String duration(double nanos) {
        if (Double.isNaN(nanos)) {
            return "-";
        }
        if (nanos < 10 * (double) TimeUnit.MICROSECONDS.toNanos(1)) {
            return String.format(Locale.ROOT, "%,.1f ns", nanos);
        }
        return nanos < 10 * (double) TimeUnit.MILLISECONDS.toNanos(1)
                ? String.format(Locale.ROOT, "%,.1f us", nanos / 1e3)
                : String.format(Locale.ROOT, "%,.1f ms", nanos / 1e6);
    }
}
