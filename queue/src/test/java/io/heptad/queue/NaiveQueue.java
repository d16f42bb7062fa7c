package io.heptad.queue;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The queue as it is often written, on one thread with promises: a take that frees a place wakes a producer, and the
 * woken producer goes on later, when it is its turn. In between, anybody can come.
 *
 * <p>Own rendering of the usual sample, faults included: what it shows is tested in {@link NaiveQueueTest}.
 */
final class NaiveQueue<E> {
    private final int capacity;
    private final boolean checksAgain;
    private final ArrayDeque<E> items = new ArrayDeque<>();
    private final ArrayDeque<CompletableFuture<E>> consumers = new ArrayDeque<>();
    private final ArrayDeque<Runnable> producers = new ArrayDeque<>();
    private final ArrayDeque<Runnable> turns = new ArrayDeque<>();

    /**
     * A queue of this capacity.
     *
     * @param checksAgain whether a woken producer looks again if there is room ("while"), or trusts its wake-up ("if")
     */
    NaiveQueue(int capacity, boolean checksAgain) {
        this.capacity = capacity;
        this.checksAgain = checksAgain;
    }

    CompletableFuture<Boolean> put(E item) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        CompletableFuture<E> starving = consumers.poll();
        if (starving != null) {
            starving.complete(item);
            done.complete(true);
        } else if (items.size() >= capacity) {
            park(item, done::complete);
        } else {
            items.add(item);
            done.complete(true);
        }
        return done;
    }

    private void park(E item, Consumer<Boolean> done) {
        producers.add(() -> turns.add(() -> {
            if (checksAgain && items.size() >= capacity) {
                park(item, done);
            } else {
                items.add(item);
                done.accept(true);
            }
        }));
    }

    CompletableFuture<E> take() {
        CompletableFuture<E> result = new CompletableFuture<>();
        E item = items.poll();
        if (item == null) {
            consumers.add(result);
        } else {
            Runnable woken = producers.poll();
            if (woken != null) {
                woken.run();
            }
            result.complete(item);
        }
        return result;
    }

    /** Lets everybody who was woken go on. */
    void turn() {
        for (Runnable next; (next = turns.poll()) != null; ) {
            next.run();
        }
    }

    int depth() {
        return items.size();
    }

    int waitingConsumers() {
        return consumers.size();
    }
}
