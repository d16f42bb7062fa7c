package io.heptad.pipeline;

import java.time.Instant;
import java.util.Objects;

/**
 * One item's way through one stage, told to the listener of {@link Pipeline.Builder#journey}. The steps with the same number
 * are one item's journey; what a flat stage makes of an item carries the item's number.
 *
 * @param journey the number of the item, from 1, given when it was put into the pipeline
 * @param item what the stage was given
 * @param stage the name of the stage
 * @param entered when it came to the stage: into its queue
 * @param left when it left the stage
 * @param outcome how it left
 */
public record JourneyStep(long journey, Object item, String stage, Instant entered, Instant left, Outcome outcome) {
    /** How an item left a stage. */
    public enum Outcome {
        /** It went on to the next stage, or out of the last. */
        PASSED,
        /** By the failure route. */
        FAILED,
        /** It was dropped by the queue of the stage. */
        DROPPED
    }

    /** Refuses nulls. */
    public JourneyStep {
        Objects.requireNonNull(item, "item");
        Objects.requireNonNull(stage, "stage");
        Objects.requireNonNull(entered, "entered");
        Objects.requireNonNull(left, "left");
        Objects.requireNonNull(outcome, "outcome");
    }
}
