package io.heptad.sync;

import io.heptad.core.Metric;
import java.util.List;

/** The figures of a signal under the names that a dashboard knows them by. */
final class SignalMetrics {
    private SignalMetrics() {}

    static List<Metric> of(Signal signal, SignalCounts counts) {
        Figures of = new Figures("signal", signal.name());
        return List.of(
                of.gauge("available", "permits", "Permits that can be taken now", signal::available),
                of.gauge("max", "permits", "The most permits that are remembered", signal::maxPermits),
                of.gauge("waiting", "waiters", "Threads and futures in line", signal::waiting),
                of.gauge(
                        "oldest.wait",
                        "seconds",
                        "How long the first in line has waited",
                        () -> signal.oldestWaitNanos() / 1e9),
                of.counter("waited", "calls", "Calls that stood in line and got their permits", counts.waited::sum),
                of.counter("timeouts", "calls", "Calls that found too few permits in time", counts.timedOut::sum),
                of.counter("interrupts", "calls", "Calls that were interrupted in line", counts.interrupted::sum),
                of.counter("cancelled", "futures", "Futures settled from outside while in line", counts.cancelled::sum),
                of.counter("refused", "calls", "Releases that would have passed the bound", counts.refused::sum));
    }
}
