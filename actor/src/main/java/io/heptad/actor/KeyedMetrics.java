package io.heptad.actor;

import io.heptad.core.Metric;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;

/** The figures of keyed actors, together and one by one. */
final class KeyedMetrics {
    private final Map<String, String> tags;

    private KeyedMetrics(String name) {
        tags = Map.of("name", name);
    }

    static KeyedStats stats(KeyOwners<?, ?, ?> all) {
        long handled = all.handled.sum();
        long failed = all.failed.sum();
        long expired = all.expired.sum();
        long evicted = all.evicted.sum();
        long undelivered = all.undelivered.sum();
        long returned = all.returned.sum();
        return new KeyedStats(
                all.terms.name(),
                all.bound.capacity(),
                all.bound.used(),
                all.keys(),
                all.live.live(),
                all.live.waiting(),
                waitingSenders(all),
                all.accepted.sum(),
                handled,
                failed,
                expired,
                all.rejected.sum(),
                all.droppedNewest.sum(),
                evicted,
                all.timedOut.sum(),
                undelivered,
                returned,
                all.loaded.sum(),
                all.loadFailures.sum(),
                all.passivated.sum(),
                all.discarded.sum(),
                all.pendingAsks(),
                timers(all));
    }

    private static int waitingSenders(KeyOwners<?, ?, ?> all) {
        int waiting = all.bound.waiting();
        for (KeyOwner<?, ?, ?> owner : all.owners()) {
            waiting += owner.waitingSenders();
        }
        return waiting;
    }

    private static int timers(KeyOwners<?, ?, ?> all) {
        int timers = 0;
        for (KeyOwner<?, ?, ?> owner : all.owners()) {
            timers += owner.timers();
        }
        return timers;
    }

    private static int deepest(KeyOwners<?, ?, ?> all) {
        KeyOwner<?, ?, ?> deepest = all.deepest();
        return deepest == null ? 0 : deepest.queued();
    }

    static List<Metric> of(KeyedActors<?, ?> actors, KeyOwners<?, ?, ?> all) {
        KeyedMetrics of = new KeyedMetrics(actors.name());
        return List.of(
                of.gauge("depth", "messages", "How many messages wait, for all keys together", actors::depth),
                of.gauge("capacity", "messages", "How many may wait, for all keys together", actors::capacity),
                of.gauge("deepest", "messages", "How many wait for the key that has most", () -> deepest(all)),
                of.gauge("keys", "keys", "Keys that something is kept of", all::keys),
                of.gauge("live", "owners", "Owners that have a state", all.live::live),
                of.gauge(
                        "waiting.owners",
                        "owners",
                        "Keys with messages whose owner may not be live yet",
                        all.live::waiting),
                of.gauge("waiting.senders", "threads", "Senders that wait for room", () -> waitingSenders(all)),
                of.gauge("pending.asks", "asks", "Asks without an answer so far", all::pendingAsks),
                of.gauge("timers", "timers", "Messages set for later", () -> timers(all)),
                of.counter("accepted", "messages", "Messages that were taken", all.accepted),
                of.counter("handled", "messages", "Messages whose handler returned", all.handled),
                of.counter("failed", "messages", "Messages whose handler threw", all.failed),
                of.counter("expired", "asks", "Asks that had ended before their turn came", all.expired),
                of.counter("rejected", "sends", "Sends that were told that there is no room", all.rejected),
                of.counter(
                        "dropped",
                        "messages",
                        "Messages dropped by the policy",
                        () -> all.droppedNewest.sum() + all.evicted.sum()),
                of.counter("timeouts", "sends", "Sends that gave up waiting for room", all.timedOut),
                of.counter("undelivered", "messages", "Messages that nobody could handle", all.undelivered),
                of.counter("returned", "messages", "Messages handed back by closeNow", all.returned),
                of.counter("loaded", "states", "States loaded", all.loaded),
                of.counter("load.failures", "states", "Loads that failed", all.loadFailures),
                of.counter("passivated", "states", "States handed over and let go of", all.passivated),
                of.counter("discarded", "states", "States let go of for a restart", all.discarded),
                of.counter("refusals", "calls", "How often the executor would not run an owner", all.refusals),
                of.counter("callback.failures", "calls", "Hooks that threw", all.callbackFailures));
    }

    private Metric gauge(String figure, String unit, String description, DoubleSupplier value) {
        return new Metric("heptad.keyedactors." + figure, Metric.Kind.GAUGE, unit, description, tags, value);
    }

    private Metric counter(String figure, String unit, String description, LongAdder value) {
        return counter(figure, unit, description, value::sum);
    }

    private Metric counter(String figure, String unit, String description, DoubleSupplier value) {
        return new Metric("heptad.keyedactors." + figure, Metric.Kind.COUNTER, unit, description, tags, value);
    }
}
