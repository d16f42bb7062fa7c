package io.heptad.recipes.launch;

import io.heptad.core.FullPolicy;
import io.heptad.future.Futures;
import io.heptad.pool.WorkerPool;
import io.heptad.recipes.BrokenRunException;
import io.heptad.recipes.Option;
import io.heptad.recipes.Options;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Ten calls of 50 ms: one after the other they take 500 ms, launched first they take 50. And five thousand calls:
 * launched first they are five thousand at a time, because a combinator waits and limits nothing; the limit is a pool.
 */
public final class LaunchFirst {
    /** What can be set. */
    public static final List<Option> OPTIONS = List.of(
            new Option("calls", "10", "how many calls are waited for"),
            new Option("length", "50ms", "how long each takes, in virtual time"),
            new Option("crowd", "5000", "how many calls the second part launches at once, a multiple of slots"),
            new Option("slots", "10", "the size of the pool in the second part"));

    /** How a way of calling went: the virtual time until the last result, and the most calls under way at a time. */
    record Run(Duration length, int peak) {}

    private final VirtualTime time = new VirtualTime();
    private final Duration length;
    private int underWay;
    private int peak;

    private LaunchFirst(Duration length) {
        this.length = length;
    }

    /**
     * Runs both parts.
     *
     * @param options what was set
     * @param out where the figures go
     * @throws Exception if a call could not be made
     */
    public static void run(Options options, PrintStream out) throws Exception {
        int calls = options.count("calls", 1, 1_000_000);
        Duration length = options.duration("length");
        int slots = options.count("slots", 1, 10_000);
        int crowd = options.count("crowd", 1, 100_000);
        if (crowd % slots != 0) {
            throw options.refused("crowd", "must be a multiple of slots (" + slots + ")");
        }

        out.printf("launch-first: %,d calls of %d ms each (virtual time)%n", calls, length.toMillis());
        line(out, "a loop that waits", waitingInTheLoop(calls, length));
        line(out, "stream().map(call).map(join)", lazyChain(calls, length));
        line(out, "launched, then Futures.all", launchedFirst(calls, length));

        out.printf(Locale.ROOT, "and %,d calls launched first (real threads)%n", crowd);
        int unlimited = crowd(crowd);
        int pooled = crowd(crowd, slots);
        out.printf(Locale.ROOT, "  %-30s peak %,d%n", "Futures.all over all of them", unlimited);
        out.printf(Locale.ROOT, "  %-30s peak %,d%n", "the same through a pool of " + slots, pooled);
        if (pooled > slots) {
            throw new BrokenRunException(pooled + " calls at a time came through " + slots + " slots");
        }
    }

    private static void line(PrintStream out, String way, Run run) {
        out.printf(Locale.ROOT, "  %-30s %,6d ms   peak %,d%n", way, run.length.toMillis(), run.peak);
    }

    /** The mistake that reads well: each call is made after the one before it has answered. */
    static Run waitingInTheLoop(int calls, Duration length) {
        LaunchFirst run = new LaunchFirst(length);
        // @start region=loop
        List<String> results = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            results.add(run.time.await(run.call(i)));
        }
        // @end
        return run.ended(results, calls);
    }

    /** The same mistake, hidden: a stream pulls one element through the whole chain before it touches the next. */
    static Run lazyChain(int calls, Duration length) {
        LaunchFirst run = new LaunchFirst(length);
        // @start region=lazy
        List<String> results = IntStream.range(0, calls)
                .mapToObj(run::call)
                .map(run.time::await)
                .toList();
        // @end
        return run.ended(results, calls);
    }

    /** All are under way before the first wait. {@code all} takes a collection, so there is no lazy way to call it. */
    static Run launchedFirst(int calls, Duration length) {
        LaunchFirst run = new LaunchFirst(length);
        // @start region=launched
        List<CompletableFuture<String>> launched =
                IntStream.range(0, calls).mapToObj(run::call).toList();
        List<String> results = run.time.await(Futures.all(launched));
        // @end
        return run.ended(results, calls);
    }

    private CompletableFuture<String> call(int number) {
        underWay++;
        peak = Math.max(peak, underWay);
        return time.after(length).thenApply(done -> {
            underWay--;
            return "result " + number;
        });
    }

    private Run ended(List<String> results, int calls) {
        List<String> expected =
                IntStream.range(0, calls).mapToObj(i -> "result " + i).toList();
        if (!results.equals(expected)) {
            throw new BrokenRunException("results must come in input order, but are " + results);
        }
        return new Run(time.now(), peak);
    }

    /** All at once, each in its own virtual thread; every call waits until all are there. */
    static int crowd(int calls) {
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger peak = new AtomicInteger();
        CountDownLatch allHere = new CountDownLatch(calls);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            // @start region=unpooled
            Futures.all(IntStream.range(0, calls)
                            .mapToObj(i -> CompletableFuture.runAsync(
                                    () -> {
                                        peak.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                                        allHere.countDown();
                                        join(allHere);
                                        underWay.decrementAndGet();
                                    },
                                    threads))
                            .toList())
                    .join();
            // @end
        }
        return peak.get();
    }

    /** The same calls through a pool; every call waits until the slots are full, which shows that they really are. */
    static int crowd(int calls, int slots) throws Exception {
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger peak = new AtomicInteger();
        CyclicBarrier full = new CyclicBarrier(slots);
        // @start region=pooled
        try (WorkerPool pool = WorkerPool.of("database-connections", slots, calls, FullPolicy.BLOCK)) {
            Futures.all(IntStream.range(0, calls)
                            .mapToObj(i -> pool.submit(() -> {
                                peak.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                                full.await(30, TimeUnit.SECONDS);
                                underWay.decrementAndGet();
                            }))
                            .toList())
                    .join();
        }
        // @end
        return peak.get();
    }

    private static void join(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
