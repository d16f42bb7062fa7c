package io.heptad.pool;

import java.time.Duration;
import java.util.Objects;

/**
 * What a pool looked like at one moment.
 *
 * <p>{@code active} and {@code waiting} come from one read and belong together. The other figures are read one after
 * the other while the pool goes on; each total only grows from one snapshot to the next, and at rest
 * {@code submitted == completed + failed + cancelled + rejected + dropped}.
 *
 * <p>Two patterns to know: {@link #saturated()} means too few slots or too slow tasks; {@code active} above
 * {@code running} that lasts means slots are held and nothing executes in them.
 *
 * @param resource the scarce resource that the slots stand for
 * @param slots how many tasks may run at once
 * @param active slots held; never above {@code slots}, except after a shrink until enough tasks have ended
 * @param running bodies that really execute; counted apart from the slots
 * @param waiting tasks and callers in line for a slot
 * @param submitted all that was ever asked of the pool, by {@code submit} and {@code run}, whatever became of it
 * @param completed bodies that returned
 * @param failed bodies that threw, and tasks for which no thread could be started
 * @param cancelled tasks cancelled or interrupted before their body ended, and what waited when the pool was closed
 *     by force
 * @param rejected refused: no room, no slot in time, or closed
 * @param dropped taken out of the line, or never let in, by a policy that drops
 * @param oldestWait how long the first in line has waited; zero if nobody is
 */
public record PoolStats(
        String resource,
        int slots,
        int active,
        int running,
        int waiting,
        long submitted,
        long completed,
        long failed,
        long cancelled,
        long rejected,
        long dropped,
        Duration oldestWait) {

    /** Refuses nulls. */
    public PoolStats {
        Objects.requireNonNull(resource, "resource");
        Objects.requireNonNull(oldestWait, "oldestWait");
    }

    /**
     * Whether somebody waits although every slot is in use: the pool is too small, or its tasks are too slow.
     *
     * @return true if the line is not empty and all slots are held
     */
    public boolean saturated() {
        return waiting > 0 && active >= slots;
    }

    PoolStats withOldestWait(Duration wait) {
        return new PoolStats(
                resource, slots, active, running, waiting, submitted, completed, failed, cancelled, rejected, dropped,
                wait);
    }
}
