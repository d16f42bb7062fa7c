package io.heptad.core;

import java.util.Objects;

/** Somebody else's work on the same entity is unfinished; the same call may succeed once that has ended. */
public final class BusyException extends RefusedException {
    private static final long serialVersionUID = 1L;

    /**
     * A refusal because an entity is in use.
     *
     * @param shape the name of the shape that refused
     * @param detail what is unfinished, for the message
     */
    public BusyException(String shape, String detail) {
        super(shape, shape + " is busy: " + Objects.requireNonNull(detail, "detail"));
    }
}
