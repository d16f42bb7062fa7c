package io.heptad.gate;

import java.time.Instant;
import java.util.Objects;

/**
 * A definite no of an action: the money was not taken, the parcel not packed, and it will not happen by itself. The phase
 * is what it was. As an {@link Answer} it is the end; a {@link Move} that names an event for it goes on with that event.
 *
 * @param id the entity
 * @param phase the phase it was and is in
 * @param event the event whose action was declined
 * @param action the action that was declined
 * @param reason the message of what the action threw
 * @param at when the decline was written down, by the clock of the store
 * @param <P> the phases
 * @param <E> the events
 */
public record Declined<P, E>(String id, P phase, E event, String action, String reason, Instant at)
        implements Answer<P, E> {
    /** Refuses nulls. */
    public Declined {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(phase, "phase");
        Objects.requireNonNull(event, "event");
        Objects.requireNonNull(action, "action");
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(at, "at");
    }
}
