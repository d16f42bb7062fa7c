package io.heptad.stress;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** What the handlers of a scenario got to see, and how many of them worked at once. */
public final class Seen {
    private final List<Object> all = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger stops = new AtomicInteger();

    /**
     * Handles something, in a few steps in which another may come in.
     *
     * @param message what to remember
     */
    public void handle(Object message) {
        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
        Thread.onSpinWait();
        all.add(message);
        inside.decrementAndGet();
    }

    /** The stop hook. */
    public void stop() {
        stops.incrementAndGet();
    }

    /**
     * What was handled so far.
     *
     * @return it, in order, as a list prints itself
     */
    public String all() {
        return all.toString();
    }

    /**
     * What was handled so far, in no order.
     *
     * @return it, sorted, as a list prints itself
     */
    public String sorted() {
        return all.stream().map(String::valueOf).sorted().toList().toString();
    }

    /**
     * How many handlers worked at once.
     *
     * @return {@code 1 at most}, for example
     */
    public String most() {
        return most.get() + " at most";
    }

    /**
     * How often the stop hook ran.
     *
     * @return {@code 1 stop}, for example
     */
    public String stops() {
        return stops.get() + (stops.get() == 1 ? " stop" : " stops");
    }
}
