package io.heptad.pipeline;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Items are passed on in the order in which they were taken, one at a time. */
final class OrderedPassage implements Passage {
    /*
     * A place is given with the take, both under `taking`: so places follow the queue. A result goes into the ring at its
     * place (place % window) and stays until its turn. Whoever puts one in also passes on all whose turn it is, unless
     * somebody is at that already, who will find this one: both look under `lock`. A failed item leaves GAP at its place.
     *
     * next - turn never exceeds the window, so no two places share a slot of the ring, and what is begun and not passed on
     * is bounded. Nothing is passed on under a lock. Lock order: taking, then lock; the queue's own lock is last.
     *
     * Rejected: each worker waits for its turn with its result in hand. It needs no ring, and one slow item idles all others.
     */
    private static final Object GAP = "gap";

    private record Entry(@Nullable Parcel parcel, Object output) {}

    private final Stage stage;
    private final int window;
    private final ReentrantLock taking = new ReentrantLock();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();

    /** The place of the next item; guarded by taking. */
    private long next;

    /** Whose turn it is to be passed on; guarded by lock. */
    private long turn;

    /** Guarded by lock. */
    private final @Nullable Entry[] ring;

    /** Somebody is passing on; guarded by lock. */
    private boolean passing;

    OrderedPassage(Stage stage, int window) {
        this.stage = stage;
        this.window = window;
        ring = new @Nullable Entry[window];
    }

    @Override
    @Nullable
    public Parcel next(Worker worker) {
        stage.lock(taking, worker);
        try {
            if (!awaitRoom(worker)) {
                return null;
            }
            Parcel parcel = stage.take(worker);
            if (parcel != null) {
                parcel.place = next++;
            }
            return parcel;
        } finally {
            taking.unlock();
        }
    }

    /** False when the pipeline is halted. */
    private boolean awaitRoom(Worker worker) {
        lock.lock();
        try {
            while (next - turn >= window) {
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

    @Override
    @Nullable
    public Parcel ended(Worker worker, Parcel parcel, @Nullable Object output) {
        if (output == null) {
            put(parcel.place, new Entry(null, GAP));
        } else if (worker.passes(parcel)) {
            put(parcel.place, new Entry(parcel, output));
            worker.free();
        }
        passOn(worker);
        return null;
    }

    private void put(long place, Entry entry) {
        lock.lock();
        try {
            ring[slot(place)] = entry;
        } finally {
            lock.unlock();
        }
    }

    private void passOn(Worker worker) {
        boolean mine = false;
        for (; ; ) {
            Entry entry;
            lock.lock();
            try {
                if (mine) {
                    turn++;
                    room.signal();
                } else if (passing) {
                    return;
                }
                entry = ring[slot(turn)];
                mine = entry != null && !stage.isOver();
                passing = mine;
                if (entry == null || !mine) {
                    return;
                }
                ring[slot(turn)] = null;
                if (entry.parcel != null) {
                    worker.holds(entry.parcel);
                }
            } finally {
                lock.unlock();
            }
            if (entry.parcel != null) {
                stage.goOn(worker, entry.parcel, entry.output);
            }
        }
    }

    private int slot(long place) {
        return (int) (place % window);
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
            for (long place = turn; place < turn + window; place++) {
                Entry entry = ring[slot(place)];
                ring[slot(place)] = null;
                if (entry != null && entry.parcel != null) {
                    stage.handBack(residue, entry.parcel, entry.output);
                }
            }
        } finally {
            lock.unlock();
        }
    }
}
