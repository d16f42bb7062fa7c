package io.heptad.recipes.partner;

import io.heptad.pool.Settled;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * The settled items folded as they come: counts, times and the retry file, all in constant memory. Used by the thread
 * that runs the batch; others may read {@link #done()}.
 */
final class Tally implements Consumer<Settled<String, String>> {
    private final Items items;
    private final RetryFile retries;
    private final Map<String, Long> causes = new TreeMap<>();
    private final Histogram took = new Histogram(3_600_000_000L, 3); // microseconds, up to an hour
    private long succeeded;
    private long failed;
    private volatile long done; // the sum of both, for whoever watches

    Tally(Items items, RetryFile retries) {
        this.items = items;
        this.retries = retries;
    }

    // @start region=fold
    @Override
    public void accept(Settled<String, String> one) {
        switch (one) {
            case Settled.Succeeded<String, String> ok -> succeeded++;
            case Settled.Failed<String, String> no
            when wasStopped(no.cause()) -> {
                return; // not an outcome: it stays among the items that are left
            }
            case Settled.Failed<String, String> no -> {
                failed++;
                String cause = cause(no.cause());
                causes.merge(cause, 1L, Long::sum);
                retries.add(no.item(), cause);
            }
        }
        took.recordValue(Math.min(one.took().toNanos() / 1_000, took.getHighestTrackableValue()));
        items.settled(one.item());
        done = succeeded + failed;
    }
    // @end

    /** How a batch that is stopped reports what was running and what it had not begun. */
    private static boolean wasStopped(Throwable cause) {
        return cause instanceof InterruptedException || cause instanceof CancellationException;
    }

    private static String cause(Throwable thrown) {
        return switch (thrown) {
            case PartnerException said -> String.valueOf(said.getMessage());
            case PatientCall.DeadlineException late -> "deadline: " + late.getMessage();
            default -> thrown.toString();
        };
    }

    long succeeded() {
        return succeeded;
    }

    long failed() {
        return failed;
    }

    long done() {
        return done;
    }

    /** How many failed, by cause. */
    Map<String, Long> causes() {
        return causes;
    }

    /** How long each item held its slot, in microseconds. */
    Histogram took() {
        return took;
    }
}
