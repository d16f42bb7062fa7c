package io.heptad.gate;

import io.heptad.core.Metric;
import io.heptad.core.Metric.Kind;
import io.heptad.gate.PhaseStore.Figures;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;

/** The figures of a gate under the names that a dashboard knows them by. */
final class GateMetrics {
    private final Map<String, String> tags;

    private GateMetrics(Map<String, String> tags) {
        this.tags = tags;
    }

    static List<Metric> of(Engine<?, ?> engine) {
        GateMetrics of = new GateMetrics(Map.of("name", engine.plan.name()));
        GateCounts counts = engine.counts;
        Reactions<?, ?> reactions = engine.plan.reactions();
        return List.of(
                of.gauge(
                        "open",
                        "actions",
                        "Actions whose outcome is not known yet",
                        () -> engine.figures().open()),
                of.gauge(
                        "oldest.open",
                        "seconds",
                        "How long ago the oldest of them was opened",
                        () -> engine.figures().oldestOpen().toNanos() / 1e9),
                of.gauge(
                        "parked",
                        "actions",
                        "Actions that wait for a person",
                        () -> engine.figures().parked()),
                of.gauge("running", "actions", "Actions that this gate is at now", engine::runningCount),
                of.counter("transitions", "transitions", "Commits of this gate", counts.transitions),
                of.gauge("rate", "transitions/s", "The pace of these commits lately", engine::perSecond),
                of.counter("illegal", "events", "Events that were refused because of the phase", counts.illegal),
                of.counter("declined", "events", "Answers that were a definite no", counts.declined),
                of.counter("busy", "events", "Callers that were turned away unheard", counts.busy),
                of.counter("pending", "events", "Callers whose action outlasted their patience", counts.pending),
                of.counter("calls", "calls", "Calls of actions", counts.calls),
                of.counter("unknown", "calls", "Calls that ended without a known outcome", counts.unknown),
                of.counter("sweeps", "sweeps", "Looks for what was left behind", counts.sweeps),
                of.counter("takeovers", "actions", "Actions that were taken over or taken up again", counts.takeovers),
                of.counter("timers", "timers", "Timers that fired", counts.timers),
                of.counter("store.failures", "calls", "Calls to the store that threw", counts.storeFailures),
                of.gauge("reactions.waiting", "reactions", "Best-effort reactions in line", reactions::waiting),
                of.counter("reactions", "reactions", "Best-effort reactions that have run", reactions.done),
                of.counter("reactions.failed", "reactions", "Best-effort reactions that threw", reactions.failed),
                of.counter("reactions.dropped", "reactions", "Best-effort reactions not run", reactions.dropped));
    }

    static GateStats stats(Engine<?, ?> engine) {
        GateCounts counts = engine.counts;
        Reactions<?, ?> reactions = engine.plan.reactions();
        Figures figures = engine.figures();
        return new GateStats(
                figures.open(),
                figures.oldestOpen(),
                figures.parked(),
                engine.runningCount(),
                counts.transitions.sum(),
                engine.perSecond(),
                counts.illegal.sum(),
                counts.declined.sum(),
                counts.busy.sum(),
                counts.pending.sum(),
                counts.calls.sum(),
                counts.unknown.sum(),
                counts.sweeps.sum(),
                counts.takeovers.sum(),
                counts.timers.sum(),
                counts.storeFailures.sum(),
                reactions.waiting(),
                reactions.done.sum(),
                reactions.failed.sum(),
                reactions.dropped.sum());
    }

    private Metric gauge(String figure, String unit, String description, DoubleSupplier value) {
        return new Metric("heptad.gate." + figure, Kind.GAUGE, unit, description, tags, value);
    }

    private Metric counter(String figure, String unit, String description, LongAdder value) {
        return new Metric("heptad.gate." + figure, Kind.COUNTER, unit, description, tags, value::sum);
    }
}
