package io.heptad.pipeline;

import java.time.Duration;
import java.util.Objects;

/**
 * What one stage looked like at one moment; part of {@link PipelineStats}, which says what is consistent with what.
 *
 * @param name the name of the stage
 * @param workers how many items it works on at once, at most
 * @param busy workers that work on an item
 * @param blocked workers that are done with an item and wait for room in the next queue
 * @param capacity the bound of the queue before the stage, in items
 * @param depth the items in that queue
 * @param in the items that came to the stage: accepted by its queue, or dropped or refused at its door; what the first stage
 *     refused to its caller is not among them
 * @param out the items that the stage has passed on. A flat stage passes on as many as its work makes of an item
 * @param failed the items that left by the failure route
 * @param busyTime the time that its workers have been busy, added up; it only grows
 * @param oldestAge how long the item that came first has been in the stage, waiting or worked on; zero if it is empty
 * @param dropped the items that its queue dropped ({@code DROP_NEWEST}, {@code DROP_OLDEST})
 * @param busyShare how much of their time the workers were busy lately, from 0 to 1: see {@link PipelineStats#bottleneck()}
 * @param blockedShare how much of their time the workers were blocked lately, from 0 to 1
 */
public record StageStats(
        String name,
        int workers,
        int busy,
        int blocked,
        int capacity,
        int depth,
        long in,
        long out,
        long failed,
        Duration busyTime,
        Duration oldestAge,
        long dropped,
        double busyShare,
        double blockedShare) {

    /** Refuses nulls. */
    public StageStats {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(busyTime, "busyTime");
        Objects.requireNonNull(oldestAge, "oldestAge");
    }

    /**
     * A stage that dropped nothing and of which only the present is known: the shares are those of the moment.
     *
     * @param name the name of the stage
     * @param workers how many items it works on at once, at least 1
     * @param busy workers that work on an item
     * @param blocked workers that wait for room in the next queue
     * @param capacity the bound of its queue
     * @param depth the items in its queue
     * @param in the items that came
     * @param out the items passed on
     * @param failed the items that failed
     * @param busyTime the busy time, added up
     * @param oldestAge the age of the item that came first
     */
    public StageStats(
            String name,
            int workers,
            int busy,
            int blocked,
            int capacity,
            int depth,
            long in,
            long out,
            long failed,
            Duration busyTime,
            Duration oldestAge) {
        this(
                name,
                workers,
                busy,
                blocked,
                capacity,
                depth,
                in,
                out,
                failed,
                busyTime,
                oldestAge,
                0,
                (double) busy / Math.max(1, workers),
                (double) blocked / Math.max(1, workers));
    }

    /** Its queue is full, or within a quarter of it: a take that is under way makes a full queue look short by one. */
    boolean full() {
        return depth * 4L >= capacity * 3L;
    }

    /** Lately it was rather its own work that took the time than the stages behind it. */
    boolean ratherBusy() {
        return busyShare > 0 ? busyShare >= blockedShare : blockedShare == 0;
    }
}
