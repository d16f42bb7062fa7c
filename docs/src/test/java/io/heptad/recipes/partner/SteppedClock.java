package io.heptad.recipes.partner;

import io.github.bucket4j.BlockingStrategy;
import io.github.bucket4j.TimeMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Virtual time for the real pool and its real threads: a thread that sleeps here waits until the clock has been stepped
 * to its time, and the clock is stepped, always to the earliest time that somebody waits for, only when every slot that
 * could be in use holds a sleeper. So a run of minutes takes as long as its threads need to hand over, and its figures
 * do not depend on them.
 */
final class SteppedClock implements TimeMeter, BlockingStrategy {
    private record Sleeper(long at, CountDownLatch awake) implements Comparable<Sleeper> {
        @Override
        public int compareTo(Sleeper other) {
            return Long.compare(at, other.at);
        }
    }

    private static final int STALLED_SECONDS = 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final PriorityQueue<Sleeper> sleepers = new PriorityQueue<>();
    private final int slots;
    private final int items;
    private int finished;
    private volatile long now;

    SteppedClock(int slots, int items) {
        this.slots = slots;
        this.items = items;
    }

    void sleep(long nanos) throws InterruptedException {
        CountDownLatch awake = new CountDownLatch(1);
        lock.lock();
        try {
            sleepers.add(new Sleeper(now + nanos, awake));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        awake.await();
    }

    /** One item is through: its slot is free for the next one. */
    void finished() {
        lock.lock();
        try {
            finished++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Steps until all items are through. */
    void drive() throws InterruptedException {
        lock.lock();
        try {
            while (finished < items) {
                if (sleepers.isEmpty() || sleepers.size() < Math.min(slots, items - finished)) {
                    if (!changed.await(STALLED_SECONDS, TimeUnit.SECONDS)) {
                        throw new AssertionError("stalled at " + seconds() + " s: " + finished + " of " + items
                                + " through, " + sleepers.size() + " asleep");
                    }
                    continue;
                }
                now = sleepers.element().at;
                List<Sleeper> due = new ArrayList<>();
                while (!sleepers.isEmpty() && sleepers.element().at == now) {
                    due.add(sleepers.remove());
                }
                due.forEach(sleeper -> sleeper.awake.countDown());
            }
        } finally {
            lock.unlock();
        }
    }

    double seconds() {
        return now / 1e9;
    }

    @Override
    public void park(long nanos) throws InterruptedException {
        sleep(nanos);
    }

    @Override
    public long currentTimeNanos() {
        return now;
    }

    @Override
    public boolean isWallClockBased() {
        return false;
    }
}
