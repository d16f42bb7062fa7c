package io.heptad.sync;

import java.util.Set;

/**
 * The figures of a {@link Latch}, read together.
 *
 * <p>What is consistent with what: {@code open}, {@code failed} and {@code remaining} are one read, and so
 * {@code open == (remaining == 0)}. In a latch of named parts {@code missing} belongs to the same instant. While a latch is
 * neither open nor failed, {@code waiting} is what it was at that instant; afterwards it is 0. The counters are each
 * exact, and read after the rest.
 *
 * @param count how many arrivals it takes to open
 * @param remaining how many are still to come, from 0 to {@code count}; of a failed latch, how many were when it failed
 * @param missing the parts that are still to come, in the order in which they were named; of a failed latch, those that
 *     were when it failed; empty for a latch without named parts
 * @param open whether it is open
 * @param failed whether it has failed
 * @param waiting the threads that wait and the futures that are pending
 * @param timedOut the calls of {@code await} whose time ran out, those that did not want to wait included
 * @param refused the calls of {@code await} and {@code opened} refused because enough waited already
 */
public record LatchStats(
        int count,
        int remaining,
        Set<String> missing,
        boolean open,
        boolean failed,
        int waiting,
        long timedOut,
        long refused) {}
