package io.heptad.pipeline;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What a pipeline looked like at one moment.
 *
 * <p><b>What is consistent with what.</b> Outputs are read before inputs, the last stage before the first, so no record shows
 * more out than in, in the whole or in any stage. {@code inFlight} is what the stages hold between them: the sum over the
 * stages of what came in, less what the next stage has in, what failed, and what was dropped. Each stage keeps its own counts
 * (the queue counts arrivals, the workers what they ended), so in a pipeline without flat stages
 * {@code in == out + failed + dropped + inFlight} in every record, and an item that got lost would be in flight for ever; the
 * tests compare the counts with what really lies in the queues and hands. At rest the same holds stage by stage.
 *
 * <p>A flat stage makes several items of one, or none. With one, {@code in} counts what was put, {@code out} what came out at
 * the end, and {@code inFlight} what lies in the stages, whatever it was made of.
 *
 * @param stages the stages, first to last
 * @param in the items that the pipeline accepted, and those that its first queue dropped
 * @param out the items that the last stage has passed on
 * @param failed the items that left by the failure route, from any stage
 * @param dropped the items that a queue dropped
 * @param inFlight the items inside; after a drain that ran out of time or a stop, those that were handed back
 */
public record PipelineStats(List<StageStats> stages, long in, long out, long failed, long dropped, long inFlight) {
    /** Copies the list. */
    public PipelineStats {
        stages = List.copyOf(stages);
    }

    /**
     * The stage that cannot keep up: the most downstream one whose queue is full and whose workers are rather busy than
     * blocked. Every queue above a slow stage fills, so the first full queue says little and the last says all.
     *
     * <p><b>Smoothed</b>, so that the instant between a take and the next arrival hides nothing: a queue counts as full from
     * three quarters of its capacity on, and busy against blocked is decided by the time that the workers spent on either
     * since the reading of the figures before the last, or for at least the last tenth of a second.
     *
     * @return the stage; empty while all keep up, or while what limits the pipeline is its source
     */
    public Optional<StageStats> bottleneck() {
        return stages.reversed().stream()
                .filter(stage -> stage.full() && stage.ratherBusy())
                .findFirst();
    }

    /**
     * The stage in which an item has been for the longest: where to look for one that is stuck.
     *
     * @return the stage; empty if nothing is inside
     */
    public Optional<StageStats> oldest() {
        return stages.stream()
                .filter(stage -> stage.oldestAge().isPositive())
                .max(Comparator.comparing(StageStats::oldestAge));
    }
}
