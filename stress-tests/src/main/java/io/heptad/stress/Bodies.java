package io.heptad.stress;

import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Bodies for the slots of one pool; they notice how many of them run at once. */
public final class Bodies {
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    /**
     * A short body.
     *
     * @return {@code ran}
     */
    public String run() {
        int now = inside.incrementAndGet();
        most.accumulateAndGet(now, Math::max);
        spin(8);
        inside.decrementAndGet();
        ended.incrementAndGet();
        return "ran";
    }

    /**
     * How many ran at once.
     *
     * @return the most
     */
    public int most() {
        return most.get();
    }

    /**
     * How many have ended.
     *
     * @return so many
     */
    public int ended() {
        return ended.get();
    }

    /**
     * A body that ends only by an interrupt.
     *
     * @return never
     * @throws InterruptedException when it comes
     */
    public static String waitForInterrupt() throws InterruptedException {
        while (!Thread.interrupted()) {
            LockSupport.park();
        }
        throw new InterruptedException();
    }

    /**
     * A pause of some tens of nanoseconds each.
     *
     * @param times how many
     */
    public static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }

    /**
     * What the pool has left once it is closed.
     *
     * @param closed closes it and says whether all has ended
     * @param active reads the slots held
     * @param waiting reads who is in line
     * @return {@code idle}, or what is not
     * @throws Exception as closing does
     */
    public static String left(Callable<Boolean> closed, Callable<Integer> active, Callable<Integer> waiting)
            throws Exception {
        boolean ended = closed.call();
        return ended && active.call() == 0 && waiting.call() == 0
                ? "idle"
                : "ended " + ended + ", " + active.call() + " active, " + waiting.call() + " waiting";
    }
}
