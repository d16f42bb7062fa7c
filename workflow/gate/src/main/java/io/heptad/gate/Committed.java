package io.heptad.gate;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A phase and the event that led to it, written together: one entry of an entity's history.
 *
 * @param id the entity
 * @param version 1 for the first phase, and one more with each commit
 * @param phase the phase it is in from here on
 * @param event what led to it; null for the first phase
 * @param at when it was committed, by the clock of the store
 * @param <P> the phases
 * @param <E> the events
 */
public record Committed<P, E>(
        String id, long version, P phase, @Nullable E event, Instant at) implements Answer<P, E> {
    /** Refuses nulls and a version below 1. */
    public Committed {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(phase, "phase");
        Objects.requireNonNull(at, "at");
        if (version < 1) {
            throw new IllegalArgumentException("version must be at least 1, but is " + version);
        }
    }
}
