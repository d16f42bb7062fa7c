package io.heptad.recipes;

/** An option that a recipe does not have, or a value that it cannot take. The message names both. */
public final class BadOptionException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /**
     * An option that cannot be used.
     *
     * @param message which option, which value, and what would have been right
     */
    public BadOptionException(String message) {
        super(message);
    }
}
