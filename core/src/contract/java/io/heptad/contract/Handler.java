package io.heptad.contract;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** The consumer's side of a shape under test: stuck inside each item until the test lets it go. */
public final class Handler {
    private final Semaphore leave = new Semaphore(0);
    private volatile boolean free;
    private final AtomicInteger entered = new AtomicInteger();
    private final List<Item> handled = new CopyOnWriteArrayList<>();

    /** Called by the shape for each item, one at a time. Ignores interrupts, as a hung call would. */
    public void handle(Item item) {
        entered.incrementAndGet();
        if (!free) {
            leave.acquireUninterruptibly();
        }
        handled.add(item);
    }

    /** How many items it has begun. */
    int entered() {
        return entered.get();
    }

    /** What it has ended, in that order. */
    List<Item> handled() {
        return List.copyOf(handled);
    }

    /** Lets it end one item, and waits for that. */
    void step() {
        int before = handled.size();
        leave.release();
        Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> handled.size() > before);
    }

    /** Lets it run freely from now on. */
    void release() {
        free = true;
        leave.release(1_000); // more than can have passed the flag unseen
    }
}
