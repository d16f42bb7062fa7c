package io.heptad.recipes.durable;

import io.heptad.core.FullPolicy;
import io.heptad.queue.BoundedQueue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A bounded queue that survives its process: the same three questions, with a journal in front. An item is accepted once
 * it is on the disk, and gone once its consumer has said that it is done; what lies between comes back after a crash.
 * So an item can come twice, and never not at all.
 */
final class DurableQueue implements AutoCloseable {
    /** An item and its number in the journal. */
    record Entry(long number, String item) {}

    private final BoundedQueue<Entry> queue;
    private final Journal journal;
    private final int capacity;
    private final ReentrantLock lock = new ReentrantLock(); // the journal and the two below
    private long accepted;
    private int undone;

    private DurableQueue(Journal journal, int capacity, Map<Long, String> left) throws InterruptedException {
        this.journal = journal;
        this.capacity = capacity;
        // Taken and not done still counts, so what comes back after a crash always fits.
        this.queue = BoundedQueue.of(Math.max(capacity, left.size()), FullPolicy.REJECT);
        this.undone = left.size();
        for (var entry : left.entrySet()) {
            accepted = Math.max(accepted, entry.getKey());
            queue.put(new Entry(entry.getKey(), entry.getValue()));
        }
    }

    static DurableQueue open(Path file, int capacity) throws IOException, InterruptedException {
        Map<Long, String> left = Journal.nothing();
        Journal journal = Journal.open(file, left);
        return new DurableQueue(journal, capacity, left);
    }

    /** Accepts the item, or answers false when so many are accepted and not done. */
    boolean offer(String item) throws IOException {
        lock.lock();
        try {
            if (undone >= capacity) {
                return false;
            }
            Entry entry = new Entry(++accepted, item);
            journal.accepted(entry.number, item); // first on the disk, then anywhere else
            undone++;
            return queue.offer(entry);
        } finally {
            lock.unlock();
        }
    }

    Entry take() throws InterruptedException {
        return queue.take();
    }

    void done(Entry entry) throws IOException {
        lock.lock();
        try {
            journal.done(entry.number);
            undone--;
        } finally {
            lock.unlock();
        }
    }

    /** Accepted and not done. */
    int depth() {
        lock.lock();
        try {
            return undone;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() throws IOException {
        queue.closeNow(); // what is inside is in the journal too
        journal.close();
    }
}
