package io.heptad.stress;

import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Which way each item left, every time that it did: one that left twice, or never, is seen. */
public final class Ways {
    private static final String OUT = " out";
    private static final String FAILED = " failed";
    private static final String DROPPED = " dropped";

    private final Queue<String> ways = new ConcurrentLinkedQueue<>();

    /**
     * It came out at the end.
     *
     * @param item the item
     */
    public void out(Object item) {
        ways.add(item + OUT);
    }

    /**
     * It left by the failure route.
     *
     * @param item the item
     */
    public void failed(Object item) {
        ways.add(item + FAILED);
    }

    /**
     * A queue dropped it.
     *
     * @param item the item
     */
    public void dropped(Object item) {
        ways.add(item + DROPPED);
    }

    /**
     * They were handed back.
     *
     * @param begun those that a work had begun with
     * @param waiting those that waited
     */
    public void back(Collection<?> begun, Collection<?> waiting) {
        begun.forEach(item -> ways.add(item + " begun"));
        waiting.forEach(item -> ways.add(item + " waiting"));
    }

    /**
     * All of them, item by item.
     *
     * @return {@code 1 out, 2 failed}, for example
     */
    public String all() {
        return String.join(", ", ways.stream().sorted().toList());
    }

    /**
     * What came out, in the order in which it did.
     *
     * @return {@code 1 2}, for example
     */
    public String order() {
        return String.join(
                " ",
                ways.stream()
                        .filter(way -> way.endsWith(OUT))
                        .map(way -> way.substring(0, way.indexOf(' ')))
                        .toList());
    }

    /**
     * Compares the figures of the shape with each other and with what was seen.
     *
     * @param in the items that came
     * @param out those that came out
     * @param failed those that failed
     * @param dropped those that were dropped
     * @param left those that are inside, or were handed back
     * @return {@code accounted}, or all of it
     */
    public String account(long in, long out, long failed, long dropped, long left) {
        boolean sums = in == out + failed + dropped + left
                && in == ways.size()
                && out == count(OUT)
                && failed == count(FAILED)
                && dropped == count(DROPPED);
        return sums
                ? "accounted"
                : "in " + in + " out " + out + " failed " + failed + " dropped " + dropped + " left " + left;
    }

    private long count(String way) {
        return ways.stream().filter(one -> one.endsWith(way)).count();
    }
}
