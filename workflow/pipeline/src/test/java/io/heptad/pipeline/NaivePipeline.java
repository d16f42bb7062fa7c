package io.heptad.pipeline;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;

/**
 * Two stages as they are usually written by hand: a loop per worker, and an end mark (a "poison pill") that the first worker
 * to see it passes on. Shows what goes wrong in such a one.
 */
final class NaivePipeline {
    private static final int END = Integer.MIN_VALUE;

    private final BlockingQueue<Integer> first = new ArrayBlockingQueue<>(10);
    private final BlockingQueue<Integer> second = new ArrayBlockingQueue<>(10);
    final List<Thread> workers = new ArrayList<>();
    final List<Integer> out = java.util.Collections.synchronizedList(new ArrayList<>());
    final AtomicInteger dead = new AtomicInteger();

    NaivePipeline(int workersOfFirst, IntUnaryOperator work) {
        for (int i = 0; i < workersOfFirst; i++) {
            start(() -> {
                for (; ; ) {
                    int item = first.take();
                    if (item == END) {
                        first.put(END); // for the other workers
                        second.put(END); // and for the next stage: too early, if another still works
                        return;
                    }
                    second.put(work.applyAsInt(item)); // if the work throws, the worker is gone, and the item with it
                }
            });
        }
        start(() -> {
            for (int item; (item = second.take()) != END; ) {
                out.add(item);
            }
        });
    }

    private interface Body {
        void run() throws InterruptedException;
    }

    private void start(Body body) {
        Thread thread = Thread.ofVirtual().unstarted(() -> {
            try {
                body.run();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException nobodyLooks) {
                dead.incrementAndGet();
            }
        });
        workers.add(thread);
        thread.start();
    }

    void put(int item) throws InterruptedException {
        first.put(item);
    }

    void close() throws InterruptedException {
        first.put(END);
    }

    void kill() {
        workers.forEach(Thread::interrupt);
    }
}
