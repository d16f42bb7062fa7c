package io.heptad.core;

/** The shape is closed: it takes nothing more and, where it is asked for items, has none left. */
public final class ClosedException extends RefusedException {
    private static final long serialVersionUID = 1L;

    /**
     * A refusal because the shape is closed.
     *
     * @param shape the name of the closed shape
     */
    public ClosedException(String shape) {
        super(shape, shape + " is closed");
    }
}
