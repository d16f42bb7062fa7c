package io.heptad.core;

import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;

/**
 * A shape did not accept what it was given. The message names the shape and the reason; the subclass is the reason.
 *
 * <p>Nothing of the refused item or task was kept and nothing of it will run. It is a
 * {@link RejectedExecutionException}, so code that already handles a full executor handles a full shape; a
 * {@code switch} over the three kinds needs no default.
 */
public abstract sealed class RefusedException extends RejectedExecutionException
        permits FullException, ClosedException, BusyException {

    private static final long serialVersionUID = 1L;

    /** Who refused. */
    private final String shape;

    RefusedException(String shape, String message) {
        super(message);
        this.shape = Objects.requireNonNull(shape, "shape");
    }

    /**
     * Who refused.
     *
     * @return the {@linkplain Measured#name() name} of the shape
     */
    public final String shape() {
        return shape;
    }
}
