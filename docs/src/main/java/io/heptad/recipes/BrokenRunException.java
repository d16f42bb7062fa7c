package io.heptad.recipes;

/** A recipe saw something that its page says cannot happen. The run ends with a failure, whatever it has printed. */
public final class BrokenRunException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * A broken run.
     *
     * @param message what was promised and what was seen
     */
    public BrokenRunException(String message) {
        super(message);
    }
}
