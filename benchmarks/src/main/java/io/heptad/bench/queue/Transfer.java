package io.heptad.bench.queue;

import java.util.Arrays;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Moves items through a line with as many producers as consumers, and checks that what was received is what was sent:
 * every consumer takes its share and no more, and the sums agree. The items are made beforehand, so that nothing but
 * the line allocates. Starting and joining the threads is inside the time; over this many items it weighs little, and
 * the same for everybody.
 */
final class Transfer {
    /** Divisible by every number of pairs. */
    static final int ITEMS = 192_000;

    private static final int DISTINCT = 1024;

    /** Sums lie apart by a cache line and its neighbour. */
    private static final int APART = 16;

    private final Line line;
    private final Integer[] items;
    private final int pairs;
    private final int each;
    private final ThreadFactory threads;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    Transfer(Line line, Integer[] items, int pairs, String threads, int n) {
        this.line = line;
        this.items = items;
        this.pairs = pairs;
        this.each = n / pairs;
        this.threads = switch (threads) {
            case "platform" -> Thread.ofPlatform().daemon().factory();
            case "virtual" -> Thread.ofVirtual().factory();
            default -> throw new IllegalArgumentException("threads is " + threads);
        };
    }

    static Integer[] items() {
        Integer[] items = new Integer[DISTINCT];
        // Above the cache of small Integers, so each is an object of its own, as real items are.
        Arrays.setAll(items, i -> 1_000_000 + 7919 * i);
        return items;
    }

    long run() throws InterruptedException {
        Thread[] all = new Thread[2 * pairs];
        long[] received = new long[pairs * APART];
        for (int pair = 0; pair < pairs; pair++) {
            int sum = pair * APART;
            all[2 * pair] = threads.newThread(() -> guarded(all, this::produce));
            all[2 * pair + 1] = threads.newThread(() -> guarded(all, () -> received[sum] = consume()));
        }
        for (Thread thread : all) {
            thread.start();
        }
        try {
            for (Thread thread : all) {
                thread.join();
            }
        } catch (InterruptedException hangs) {
            interrupt(all);
            throw hangs;
        }
        if (failure.get() != null) {
            throw new AssertionError("a producer or consumer failed", failure.get());
        }
        return check(received);
    }

    private void produce() throws InterruptedException {
        for (int i = 0; i < each; i++) {
            line.put(items[i & (DISTINCT - 1)]);
        }
    }

    private long consume() throws InterruptedException {
        long sum = 0;
        for (int i = 0; i < each; i++) {
            sum += line.take();
        }
        return sum;
    }

    private long check(long[] received) {
        long sent = 0;
        for (int i = 0; i < each; i++) {
            sent += items[i & (DISTINCT - 1)];
        }
        sent *= pairs;
        long got = Arrays.stream(received).sum();
        if (got != sent) {
            throw new AssertionError("items were lost or doubled: their sum was " + sent + ", but came out as " + got);
        }
        return got;
    }

    private interface Part {
        void run() throws InterruptedException;
    }

    /** One part that fails stops all, so that a failure is reported and not waited for. */
    private void guarded(Thread[] all, Part part) {
        try {
            part.run();
        } catch (Throwable thrown) {
            if (failure.compareAndSet(null, thrown)) {
                interrupt(all);
            }
        }
    }

    private static void interrupt(Thread[] all) {
        for (Thread thread : all) {
            thread.interrupt();
        }
    }
}
