package io.heptad.gate;

import io.heptad.core.Durations;
import io.heptad.gate.PhaseStore.ArmedTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Looks for what was left behind and for what is due: open actions whose lease has ended, and timers. Every instance does, at
 * its own pace; none leads.
 */
final class Sweeper<P, E> {
    private static final int BATCH = 64;
    private static final int TIMER_ROUNDS_MAX = 1_000;
    private static final long PAUSE_MIN = 5_000_000;
    private static final long PAUSE_LEFT =
            50_000_000; // what is due and was left had its reason: it is locked, or unreadable

    private final Engine<P, E> engine;
    private final long every;
    private volatile @Nullable Thread thread;
    private volatile boolean nudged;

    Sweeper(Engine<P, E> engine) {
        this.engine = engine;
        this.every = Durations.saturatedNanos(engine.plan.sweepEvery());
    }

    /** Starts to look by itself, unless it was told never to. */
    void start() {
        if (every < Long.MAX_VALUE) {
            Thread mine = Thread.ofVirtual().name(engine.plan.name() + " sweep").unstarted(this::run);
            thread = mine;
            mine.start();
        }
    }

    /** There may be something sooner than was known. */
    void nudge() {
        nudged = true;
        LockSupport.unpark(thread);
    }

    void close() {
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!engine.isClosed()) {
            nudged = false;
            boolean more = false;
            long pause = jittered(every);
            try {
                more = sweep(new ArrayList<>());
                long due = untilDue();
                pause = Math.min(pause, due <= 0 ? PAUSE_LEFT : Math.max(PAUSE_MIN, due));
            } catch (InterruptedException nobodysBusiness) {
                // Nobody who may end this thread does it so.
            } catch (RuntimeException down) {
                engine.counts.storeFailures.increment();
            } catch (Throwable broken) {
                Reports.uncaught(broken);
            }
            long end = System.nanoTime() + pause;
            for (long left = pause;
                    left > 0 && !more && !nudged && !engine.isClosed();
                    left = end - System.nanoTime()) {
                LockSupport.parkNanos(this, left);
                Thread.interrupted();
            }
        }
    }

    /** Instances that were started together do not stay in step. */
    private static long jittered(long nanos) {
        return nanos - ThreadLocalRandom.current().nextLong(nanos / 4 + 1);
    }

    private long untilDue() {
        return engine.plan.store().nextDue().map(Durations::saturatedNanos).orElse(Long.MAX_VALUE);
    }

    /** One look at each; true if there was as much as one look takes. */
    private boolean sweep(List<Drive<P, E>> started) throws InterruptedException {
        engine.counts.sweeps.increment();
        List<Drive<P, E>> taken = engine.takeOver(BATCH);
        started.addAll(taken);
        List<ArmedTimer<E>> due = timers();
        fire(due, started);
        return taken.size() == BATCH || due.size() == BATCH;
    }

    private List<ArmedTimer<E>> timers() throws InterruptedException {
        return engine.plan.store().claimTimers(BATCH, engine.plan.lease());
    }

    private void fire(List<ArmedTimer<E>> due, List<Drive<P, E>> started) throws InterruptedException {
        for (ArmedTimer<E> timer : due) {
            try {
                Drive<P, E> drive = engine.fire(timer);
                if (drive != null) {
                    started.add(drive);
                }
            } catch (RuntimeException failed) {
                engine.counts.storeFailures
                        .increment(); // one entity's failure is not the others'; its timer comes again
                Reports.uncaught(failed);
            }
        }
    }

    /** All that is due now, to its end or to its next try. */
    int recover() throws InterruptedException {
        int count = 0;
        List<Drive<P, E>> started;
        do {
            engine.counts.sweeps.increment();
            started = engine.takeOver(BATCH);
            count += started.size();
            await(started);
        } while (started.size() == BATCH);
        List<ArmedTimer<E>> due = timers();
        for (int round = 0; !due.isEmpty() && round < TIMER_ROUNDS_MAX; round++) {
            started = new ArrayList<>();
            fire(due, started);
            await(started);
            count += due.size();
            due = timers();
        }
        return count;
    }

    private static <P, E> void await(List<Drive<P, E>> started) throws InterruptedException {
        for (Drive<P, E> drive : started) {
            try {
                Object ignored = drive.answer.get();
            } catch (java.util.concurrent.ExecutionException died) {
                // It was reported by its own thread; another look takes over.
            }
        }
    }

    static Duration never() {
        return Duration.ofSeconds(Long.MAX_VALUE);
    }
}
