package io.heptad.pipeline;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Items with the same key are worked on one after another, in the order in which they were taken. */
final class KeyedPassage implements Passage {
    /*
     * A key that somebody works on has an entry in `lines`: the items of it that were taken meanwhile. Taking an item and
     * putting it in line are one step under `taking`, so lines follow the queue. Whoever ends with an item of a key goes
     * on with the next in its line, or removes the entry; both under `lock`, so that nobody puts an item into a line that
     * nobody looks at any more.
     *
     * At most `spare` items stand in lines; then nobody takes before one has left. Lock order: taking, then lock; the queue's
     * own lock is last. A key's hashCode and equals run under lock; the function that gives the key does not.
     */
    private final Stage stage;
    private final int spare;
    private final ReentrantLock taking = new ReentrantLock();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();

    /** Guarded by lock. */
    private final Map<Object, ArrayDeque<Parcel>> lines = new HashMap<>();

    /** How many stand in lines; guarded by lock. */
    private int aside;

    KeyedPassage(Stage stage, int workers, int window) {
        this.stage = stage;
        spare = window - workers;
    }

    @Override
    @Nullable
    public Parcel next(Worker worker) {
        stage.lock(taking, worker);
        try {
            for (; ; ) {
                if (!awaitRoom(worker)) {
                    return null;
                }
                Parcel parcel = stage.take(worker);
                if (parcel == null || !standsInLine(worker, parcel)) {
                    return parcel;
                }
            }
        } finally {
            taking.unlock();
        }
    }

    /** Whoever is here has no item: the one that it takes may stand in line, or be worked on by it. */
    private boolean awaitRoom(Worker worker) {
        lock.lock();
        try {
            while (aside > spare) {
                if (stage.isOver()) {
                    return false;
                }
                stage.idle(worker);
                room.awaitUninterruptibly();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean standsInLine(Worker worker, Parcel parcel) {
        Object key = Objects.requireNonNull(parcel.key);
        lock.lock();
        try {
            ArrayDeque<Parcel> line = lines.get(key);
            if (line == null) {
                lines.put(key, new ArrayDeque<>(0));
                return false;
            }
            line.add(parcel);
            aside++;
            return true;
        } catch (Throwable broken) { // a hashCode or equals: what it was about is in this worker's hands
            worker.holds(parcel);
            throw broken;
        } finally {
            lock.unlock();
        }
    }

    @Override
    @Nullable
    public Parcel ended(Worker worker, Parcel parcel, @Nullable Object output) {
        Object key = Objects.requireNonNull(parcel.key);
        if (output != null) {
            stage.goOn(worker, parcel, output);
        }
        worker.taking();
        Parcel following;
        lock.lock();
        try {
            ArrayDeque<Parcel> line = Objects.requireNonNull(lines.get(key));
            following = stage.isOver() ? null : line.poll();
            if (following != null) {
                aside--;
                room.signal();
            } else if (line.isEmpty()) {
                lines.remove(key);
            }
        } finally {
            lock.unlock();
        }
        if (following == null) {
            worker.free();
        }
        return following;
    }

    @Override
    public void wake() {
        lock.lock();
        try {
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void handBack(Residue residue) {
        lock.lock();
        try {
            lines.values().forEach(line -> {
                line.forEach(parcel -> residue.waiting(stage.index, parcel.item));
                line.clear();
            });
        } finally {
            lock.unlock();
        }
    }
}
