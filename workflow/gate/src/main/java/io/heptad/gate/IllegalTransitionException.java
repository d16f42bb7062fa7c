package io.heptad.gate;

/**
 * The event must not happen in the phase that the entity is in: the transition said {@link Move#illegal}. Nothing was
 * written, no action was called, nobody was told.
 */
public final class IllegalTransitionException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** The entity. */
    private final String id;

    /** The phase as text, because what is thrown may be sent where the types are not known. */
    private final String phase;

    /** The event as text, for the same reason. */
    private final String event;

    /**
     * A refusal.
     *
     * @param gate the name of the gate
     * @param id the entity
     * @param phase the phase that it is in
     * @param event the event
     */
    IllegalTransitionException(String gate, String id, Object phase, Object event) {
        super(gate + " " + id + " is in " + phase + ": " + event + " must not happen there");
        this.id = id;
        this.phase = phase.toString();
        this.event = event.toString();
    }

    /**
     * The entity.
     *
     * @return its id
     */
    public String id() {
        return id;
    }

    /**
     * The phase that the entity was in.
     *
     * @return the phase, as text
     */
    public String phase() {
        return phase;
    }

    /**
     * The event that was refused.
     *
     * @return the event, as text
     */
    public String event() {
        return event;
    }
}
