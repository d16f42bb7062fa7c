package io.heptad.pipeline;

import java.util.Objects;

/**
 * An item that left the pipeline by the failure route, told to {@link Pipeline.Builder#onFailure}. Immutable, as far as the
 * item is.
 *
 * @param stage the stage in which it failed, or whose full queue refused it
 * @param item what the stage was given, not what was put into the pipeline
 * @param cause what the work threw, itself; a {@link io.heptad.core.FullException} if the queue of the stage refused it
 */
public record FailedItem(String stage, Object item, Throwable cause) {
    /** Refuses nulls. */
    public FailedItem {
        Objects.requireNonNull(stage, "stage");
        Objects.requireNonNull(item, "item");
        Objects.requireNonNull(cause, "cause");
    }
}
