package io.heptad.pipeline;

import io.heptad.pipeline.Span.Doing;
import io.heptad.queue.BoundedQueue;
import io.heptad.queue.QueueStats;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;

/** What a stage says of itself: the queue has counted what came, the workers what they ended. */
final class StageFigures {
    private final List<Worker> workers;
    private final BoundedQueue<Parcel> queue;
    private final boolean flat;
    private final boolean first;

    /** Items that came from another stage, and for which no key could be had. */
    private final LongAdder keyless = new LongAdder();

    /** The most that readers were told of the time that workers were busy, and blocked. */
    private final AtomicLong saidBusy = new AtomicLong();

    private final AtomicLong saidBlocked = new AtomicLong();

    StageFigures(List<Worker> workers, BoundedQueue<Parcel> queue, boolean flat, boolean first) {
        this.workers = workers;
        this.queue = queue;
        this.flat = flat;
        this.first = first;
    }

    void countKeyless() {
        keyless.increment();
    }

    /** What a stage counts, read in the order that {@link PipelineStats} promises: what went out before what came in. */
    record Counts(long done, long out, long failed, long dropped, long in, long rejected, int depth) {
        /** What is here, if so many have got to the next stage. */
        long inside(long gone) {
            return in - gone - failed - dropped;
        }
    }

    Counts counts() {
        long done = sum(Worker::done);
        long out = flat ? sum(Worker::out) : done;
        long failed = sum(Worker::failed);
        QueueStats stats = queue.stats();
        long refused = first ? 0 : stats.rejected() + keyless.sum();
        return new Counts(
                done,
                out,
                failed + refused,
                stats.droppedNewest() + stats.evicted(),
                stats.accepted() + stats.droppedNewest() + refused,
                stats.rejected(),
                stats.depth());
    }

    private long sum(ToLongFunction<Worker> figure) {
        long sum = 0;
        for (Worker worker : workers) {
            sum += figure.applyAsLong(worker);
        }
        return sum;
    }

    int doing(Doing what) {
        return (int) sum(worker -> worker.span().doing() == what ? 1 : 0);
    }

    /** Never less than it said before, though a worker may have read the clock before and told of it after. */
    long busyNanos(long now) {
        return saidBusy.accumulateAndGet(sum(worker -> worker.span().busyNanos(now)), Math::max);
    }

    long blockedNanos(long now) {
        return saidBlocked.accumulateAndGet(sum(worker -> worker.span().blockedNanos(now)), Math::max);
    }

    /** Items are taken in the order in which they came, so what is in hands came before what is in the queue. */
    Duration oldestAge(long now) {
        long oldest = Worker.NEVER;
        for (Worker worker : workers) {
            long since = worker.since();
            if (since != Worker.NEVER && (oldest == Worker.NEVER || since - oldest < 0)) {
                oldest = since;
            }
        }
        return oldest == Worker.NEVER ? queue.oldestAge() : Duration.ofNanos(Math.max(0, now - oldest));
    }
}
