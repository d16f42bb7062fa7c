package io.heptad.actor;

import io.heptad.core.Metric;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The figures of an actor. Reading one takes no lock; made for the first who asks. */
final class Figures {
    /** Looks at so many letters for one whose time was taken. */
    private static final int LOOKS = 128;

    private final Owner<?, ?> owner;
    private final List<Metric> metrics;

    /** What a reader of the age leaves for the next. A lost race costs a mark, never an age. */
    private volatile @Nullable Mark mark;

    /** The letters up to this number were all inside at this time. */
    private record Mark(long number, long since) {}

    Figures(Owner<?, ?> owner) {
        this.owner = owner;
        metrics = list(Map.of("name", owner.name()));
    }

    Duration oldestAge() {
        Mailbox.Span span = owner.mailbox.span();
        long now = owner.now();
        if (span.depth() == 0 || now == Letter.UNKNOWN) {
            return Duration.ZERO;
        }
        long age = 0;
        long since = owner.mailbox.oldestSince(LOOKS);
        if (since != Letter.UNKNOWN) {
            age = now - since;
        }
        Mark left = mark;
        if (left == null || left.number <= span.left()) {
            mark = new Mark(span.accepted(), now);
        } else {
            age = Math.max(age, now - left.since);
        }
        return Duration.ofNanos(Math.max(age, 0));
    }

    ActorStats stats() {
        long handled = owner.handled();
        long failed = count(all -> all.failed);
        long expired = count(all -> all.expired);
        long evicted = full(all -> all.evicted);
        long undelivered = count(all -> all.undelivered);
        long returned = count(all -> all.returned);
        Mailbox.Span span = owner.mailbox.span(); // last: so what has left is never less than what became of it
        return new ActorStats(
                owner.name(),
                owner.capacity(),
                span.depth(),
                owner.runner() != null,
                waitingSenders(),
                span.accepted(),
                handled,
                failed,
                expired,
                full(all -> all.rejected),
                full(all -> all.droppedNewest),
                evicted,
                full(all -> all.timedOut),
                undelivered,
                returned,
                count(all -> all.restarts),
                owner.pendingAsks(),
                owner.pendingTimers(),
                span.depth() == 0 ? Duration.ZERO : oldestAge());
    }

    List<Metric> metrics() {
        return metrics;
    }

    private List<Metric> list(Map<String, String> tags) {
        return List.of(
                gauge(tags, "depth", "messages", "How many messages wait in the mailbox", owner::depth),
                gauge(tags, "capacity", "messages", "How many may wait there", owner::capacity),
                gauge(tags, "busy", "", "1 while it works", () -> owner.runner() == null ? 0 : 1),
                gauge(
                        tags,
                        "oldest.age",
                        "seconds",
                        "How long the first message has waited, a lower bound",
                        () -> oldestAge().toNanos() / 1e9),
                gauge(tags, "waiting.senders", "threads", "Senders that wait for room", this::waitingSenders),
                gauge(tags, "pending.asks", "asks", "Asks without an answer so far", owner::pendingAsks),
                gauge(tags, "timers", "timers", "Messages set for later", owner::pendingTimers),
                counter(
                        tags,
                        "accepted",
                        "Messages that the mailbox took",
                        () -> owner.mailbox.span().accepted()),
                counter(tags, "handled", "Messages whose handler returned", owner::handled),
                counter(tags, "failed", "Messages whose handler threw", () -> count(all -> all.failed)),
                counter(tags, "expired", "Asks that had ended before their turn came", () -> count(all -> all.expired)),
                counter(
                        tags,
                        "rejected",
                        "Sends that were told that there is no room",
                        () -> full(all -> all.rejected)),
                counter(
                        tags,
                        "dropped",
                        "Messages dropped by the policy",
                        () -> full(all -> all.droppedNewest) + full(all -> all.evicted)),
                counter(tags, "timeouts", "Sends that gave up waiting for room", () -> full(all -> all.timedOut)),
                counter(
                        tags,
                        "undelivered",
                        "Accepted messages that nobody will handle",
                        () -> count(all -> all.undelivered)),
                counter(tags, "returned", "Messages handed back by closeNow", () -> count(all -> all.returned)),
                counter(tags, "restarts", "How often it got a new state", () -> count(all -> all.restarts)),
                counter(tags, "refusals", "How often the executor would not run it", () -> count(all -> all.refusals)),
                counter(tags, "callback.failures", "Hooks that threw", () -> count(all -> all.callbackFailures)));
    }

    private static Metric gauge(
            Map<String, String> tags, String figure, String unit, String description, DoubleSupplier value) {
        return new Metric("heptad.actor." + figure, Metric.Kind.GAUGE, unit, description, tags, value);
    }

    private static Metric counter(Map<String, String> tags, String figure, String description, DoubleSupplier value) {
        return new Metric("heptad.actor." + figure, Metric.Kind.COUNTER, "messages", description, tags, value);
    }

    private int waitingSenders() {
        Overflow<?> overflow = owner.mailbox.overflow();
        return overflow == null ? 0 : overflow.waiting();
    }

    private long count(Function<Mishaps, AtomicLong> figure) {
        Mishaps known = owner.mishapsSoFar();
        return known == null ? 0 : figure.apply(known).get();
    }

    private long full(Function<Overflow<?>, LongAdder> figure) {
        Overflow<?> known = owner.mailbox.overflow();
        return known == null ? 0 : figure.apply(known).sum();
    }
}
