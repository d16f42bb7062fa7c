package io.heptad.pipeline;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How a pipeline ended: returned by {@link Pipeline#close(java.time.Duration)}.
 *
 * <p>Nothing vanishes: what was accepted went out, failed, was dropped and counted, or is in {@code residue}. In a pipeline
 * without flat stages {@code stats().inFlight() == left()}, from counts that know nothing of each other.
 *
 * @param drained whether everything that was accepted has gone through, and no thread of the pipeline is left
 * @param residue what was handed back, one entry for each stage that had something left, in the order of the stages
 * @param failure why the pipeline stopped by itself ({@link OnError#STOP}); empty if it did not
 * @param stats the figures at the end
 */
public record DrainReport(
        boolean drained, List<StageResidue> residue, Optional<Throwable> failure, PipelineStats stats) {
    /** Copies the list. */
    public DrainReport {
        residue = List.copyOf(residue);
        Objects.requireNonNull(failure, "failure");
        Objects.requireNonNull(stats, "stats");
    }

    /**
     * How many items were handed back.
     *
     * @return the size of all residues together
     */
    public long left() {
        return residue.stream()
                .mapToLong(stage -> stage.begun().size() + stage.waiting().size())
                .sum();
    }
}
