package io.heptad.pool;

import io.heptad.pool.Settled.Failed;
import io.heptad.pool.Settled.Succeeded;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How every item of a batch ended, in the order of the input: what succeeded, what failed and why, and what to try again.
 *
 * {@snippet file="io/heptad/pool/BatchSnippets.java" region="report"}
 *
 * @param settled one for each item, in the order of the input
 * @param <I> the item
 * @param <O> its result
 */
public record BatchReport<I extends @Nullable Object, O extends @Nullable Object>(List<Settled<I, O>> settled) {
    /** How many causes a summary lists. */
    private static final int CAUSES_MAX = 10;

    /** Keeps a copy. */
    public BatchReport {
        settled = List.copyOf(settled);
    }

    /**
     * The items that succeeded.
     *
     * @return in the order of the input
     */
    public List<Succeeded<I, O>> succeeded() {
        List<Succeeded<I, O>> succeeded = new ArrayList<>();
        for (Settled<I, O> one : settled) {
            if (one instanceof Succeeded<I, O> success) {
                succeeded.add(success);
            }
        }
        return succeeded;
    }

    /**
     * The items that failed.
     *
     * @return in the order of the input
     */
    public List<Failed<I, O>> failed() {
        List<Failed<I, O>> failed = new ArrayList<>();
        for (Settled<I, O> one : settled) {
            if (one instanceof Failed<I, O> failure) {
                failed.add(failure);
            }
        }
        return failed;
    }

    /**
     * What a next pass would work on.
     *
     * @return the items that failed, in the order of the input
     */
    public List<I> retryInput() {
        List<I> items = new ArrayList<>();
        for (Failed<I, O> failure : failed()) {
            items.add(failure.item());
        }
        return items;
    }

    /**
     * The report in a few lines, for people: how many, how long the bodies took (median, 99th percentile, longest, and
     * the sum, which is the time that slots were in use), and the failures by the class of their cause, most frequent
     * first, each with the message of the first.
     *
     * @return one line and one for each of the ten most frequent causes
     */
    public String summary() {
        List<Failed<I, O>> failed = failed();
        StringBuilder text = new StringBuilder()
                .append(settled.size())
                .append(settled.size() == 1 ? " item: " : " items: ")
                .append(settled.size() - failed.size())
                .append(" succeeded, ")
                .append(failed.size())
                .append(" failed");
        if (!settled.isEmpty()) {
            Duration[] times = settled.stream().map(Settled::took).sorted().toArray(Duration[]::new);
            Duration sum = Duration.ZERO;
            for (Duration time : times) {
                sum = sum.plus(time);
            }
            text.append("; took p50 ")
                    .append(millis(times[rank(times.length, 50)]))
                    .append(", p99 ")
                    .append(millis(times[rank(times.length, 99)]))
                    .append(", max ")
                    .append(millis(times[times.length - 1]))
                    .append(", in all ")
                    .append(millis(sum));
        }
        Map<Class<?>, List<Throwable>> byCause = new LinkedHashMap<>();
        for (Failed<I, O> failure : failed) {
            byCause.computeIfAbsent(failure.cause().getClass(), type -> new ArrayList<>())
                    .add(failure.cause());
        }
        byCause.entrySet().stream()
                .sorted(Comparator.comparingInt(cause -> -cause.getValue().size()))
                .limit(CAUSES_MAX)
                .forEach(cause -> text.append("\n  ")
                        .append(cause.getValue().size())
                        .append(" x ")
                        .append(cause.getValue().get(0)));
        if (byCause.size() > CAUSES_MAX) {
            text.append("\n  and ").append(byCause.size() - CAUSES_MAX).append(" more causes");
        }
        return text.toString();
    }

    /** The nearest rank: the smallest time that at least so many percent of the items needed at most. */
    private static int rank(int items, int percent) {
        return (int) (((long) items * percent + 99) / 100) - 1;
    }

    private static String millis(Duration time) {
        return time.toMillis() + " ms";
    }
}
