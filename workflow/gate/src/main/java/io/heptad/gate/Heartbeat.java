package io.heptad.gate;

import io.heptad.core.Durations;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Renews the leases of what runs here, three times a lease. One thread, there only while something runs. */
final class Heartbeat<P, E> {
    private final Engine<P, E> engine;
    private final long every;
    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();

    Heartbeat(Engine<P, E> engine) {
        this.engine = engine;
        this.every = Math.max(1, Durations.saturatedNanos(engine.plan.lease()) / 3);
    }

    /** Called when a drive has been added. */
    void start() {
        if (thread.get() == null) {
            Thread mine =
                    Thread.ofVirtual().name(engine.plan.name() + " heartbeat").unstarted(this::run);
            if (thread.compareAndSet(null, mine)) {
                mine.start();
            }
        }
    }

    private void run() {
        Thread mine = Thread.currentThread();
        while (true) {
            long end = System.nanoTime() + every;
            for (long left = every; left > 0 && !isOver(); left = end - System.nanoTime()) {
                LockSupport.parkNanos(this, left);
                Thread.interrupted();
            }
            if (engine.runningCount() == 0) {
                thread.compareAndSet(mine, null);
                // One that was added in between has seen this thread, and has started none.
                if (engine.runningCount() == 0 || !thread.compareAndSet(null, mine)) {
                    return;
                }
            }
            engine.running().forEach(this::renew);
        }
    }

    private boolean isOver() {
        return engine.isClosed() && engine.runningCount() == 0;
    }

    private void renew(Drive<P, E> drive) {
        long start = System.nanoTime();
        try {
            if (engine.plan.store().renew(drive.id, drive.key(), drive.fence(), engine.plan.lease())) {
                drive.renewed(start);
            }
        } catch (InterruptedException nobodysBusiness) {
            // The next beat comes.
        } catch (RuntimeException down) {
            engine.counts.storeFailures.increment(); // the lease has two more beats to go
        } catch (Throwable broken) {
            Reports.uncaught(broken);
        }
    }

    void close() {
        LockSupport.unpark(thread.get());
    }
}
