package io.heptad.stress;

import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Where the states of keys are kept from one owner to the next; it notices if two owners are there at once. */
public final class Sums {
    private final ConcurrentHashMap<String, Integer> sums = new ConcurrentHashMap<>();
    private final AtomicInteger owners = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    /**
     * An owner comes.
     *
     * @param key of this key
     * @return what was stored for it
     */
    public int load(String key) {
        most.accumulateAndGet(owners.incrementAndGet(), Math::max);
        return sums.getOrDefault(key, 0);
    }

    /**
     * A handler, which takes its time.
     *
     * @param sum the state
     * @param more what comes
     * @return the state after
     */
    public int add(int sum, int more) {
        Bodies.spin(4);
        return sum + more;
    }

    /**
     * An owner goes.
     *
     * @param key of this key
     * @param sum its state
     */
    public void store(String key, int sum) {
        sums.put(key, sum);
        owners.decrementAndGet();
    }

    /**
     * How it ended.
     *
     * @param closed closes, and says whether all has ended
     * @param deep how many messages are left
     * @param keys how many keys are left
     * @return the sum of all keys, how many owners there were at once, and {@code gone} if nothing is left
     * @throws Exception as closing does
     */
    public String left(Callable<Boolean> closed, Callable<Long> deep, Callable<Integer> keys) throws Exception {
        boolean ended = closed.call();
        int sum = sums.values().stream().mapToInt(Integer::intValue).sum();
        boolean gone = ended && owners.get() == 0 && deep.call() == 0 && keys.call() == 0;
        return "sum " + sum + ", " + most.get() + " at most, "
                + (gone
                        ? "gone"
                        : "ended " + ended + ", " + owners.get() + " owners, " + deep.call() + " deep, " + keys.call()
                                + " keys");
    }
}
