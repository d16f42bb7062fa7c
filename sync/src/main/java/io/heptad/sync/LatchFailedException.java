package io.heptad.sync;

/**
 * What a {@link Latch} waits for will not come. Everyone who waits, and everyone who comes later, gets one of their own;
 * the cause is the same for all and is the one given to {@link Latch#fail}.
 *
 * <p>The message names the latch, what was missing when it failed, and the cause.
 */
public final class LatchFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Which latch it was. */
    private final String latch;

    LatchFailedException(String latch, String missing, Throwable cause) {
        super("latch " + latch + " failed with " + missing + " missing: " + cause, cause);
        this.latch = latch;
    }

    /**
     * Which latch it was.
     *
     * @return the {@linkplain Latch#name() name} of the latch
     */
    public String latch() {
        return latch;
    }
}
