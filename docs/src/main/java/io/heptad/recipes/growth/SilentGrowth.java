package io.heptad.recipes.growth;

import io.heptad.core.DepthTrend;
import io.heptad.core.FullPolicy;
import io.heptad.queue.BoundedQueue;
import io.heptad.recipes.Option;
import io.heptad.recipes.Options;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A queue whose producer is a little faster than its consumer, for ten minutes of virtual time: once with a bound so
 * large that it is never met, once with a bound that somebody chose. The large one shows no error, only a depth that
 * rises, and every item waits longer than the one before it. The depth and its slope are the only figures that tell.
 */
public final class SilentGrowth {
    /** What can be set. */
    public static final List<Option> OPTIONS = List.of(
            new Option("arrivals", "100", "items a second that the producer wants to put"),
            new Option("service", "90", "items a second that the consumer takes"),
            new Option("minutes", "10", "how long, in virtual time"),
            new Option("capacity", "1000000", "the bound that is never met"),
            new Option("chosen", "90", "the bound that was chosen: what the consumer takes in one second"));

    private static final long SECOND = 1_000_000_000L;

    /** The figures at one point of time. */
    record Look(Duration at, long depth, double slope, Duration waited, long refused) {
        /** Where the depth will be. */
        double forecast(Duration later) {
            return Math.max(0, depth + slope * later.toSeconds());
        }
    }

    private SilentGrowth() {}

    /**
     * Runs both.
     *
     * @param options what was set
     * @param out where the tables go
     * @throws InterruptedException if interrupted
     */
    public static void run(Options options, PrintStream out) throws InterruptedException {
        int arrivals = options.count("arrivals", 1, 100_000);
        int service = options.count("service", 1, 100_000);
        int minutes = options.count("minutes", 1, 600);
        out.printf(Locale.ROOT, "silent-growth: %,d items a second come, %,d are taken%n", arrivals, service);
        for (String bound : List.of("capacity", "chosen")) {
            int capacity = options.count(bound, 1, 100_000_000);
            out.printf(Locale.ROOT, "%na queue of %,d that rejects when full%n", capacity);
            out.printf("  minute     depth   slope/s   in 5 minutes   an item waits   refused%n");
            for (Look look : watch(capacity, arrivals, service, Duration.ofMinutes(minutes))) {
                out.printf(
                        Locale.ROOT,
                        "  %6d %,9d %9.1f %,14.0f %,13.1f s %,9d%n",
                        look.at.toMinutes(),
                        look.depth,
                        look.slope,
                        Math.min(capacity, look.forecast(Duration.ofMinutes(5))),
                        look.waited.toMillis() / 1e3,
                        look.refused);
            }
        }
    }

    /** One look at the end of every minute. Both sides run in this thread, each at its own times. */
    static List<Look> watch(int capacity, int arrivals, int service, Duration length) throws InterruptedException {
        long[] now = {0};
        List<Look> looks = new ArrayList<>();
        // @start region=trend
        try (BoundedQueue<Long> queue = BoundedQueue.of(capacity, FullPolicy.REJECT)) {
            DepthTrend trend = DepthTrend.of(queue::depth, Duration.ofMinutes(1), () -> now[0]);
            // @end
            long put = 0;
            long taken = 0;
            long waited = 0;
            for (long second = 1; second <= length.toSeconds(); second++) {
                for (long end = second * SECOND; ; ) {
                    long nextPut = (put + 1) * SECOND / arrivals;
                    long nextTake = (taken + 1) * SECOND / service;
                    if (Math.min(nextPut, nextTake) > end) {
                        now[0] = end;
                        break;
                    }
                    if (nextPut <= nextTake) {
                        now[0] = nextPut;
                        put++;
                        boolean ignored = queue.offer(nextPut); // refused ones are counted by the queue
                    } else {
                        now[0] = nextTake;
                        taken++;
                        Long since = queue.poll();
                        waited = since == null ? 0 : nextTake - since;
                    }
                }
                trend.sample();
                if (second % 60 == 0) {
                    looks.add(new Look(
                            Duration.ofSeconds(second),
                            queue.depth(),
                            trend.slope(),
                            Duration.ofNanos(waited),
                            queue.stats().rejected()));
                }
            }
            queue.closeNow();
        }
        return looks;
    }
}
