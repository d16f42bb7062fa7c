package io.heptad.recipes.partner;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A call that did not end well. The message is the cause as the report counts it, so it names no item. */
final class PartnerException extends IOException {
    private static final long serialVersionUID = 1L;

    /** When the partner said to come back. */
    private final @Nullable Duration retryAfter;

    PartnerException(String cause) {
        this(cause, null, null);
    }

    PartnerException(String cause, @Nullable Duration retryAfter, @Nullable Throwable under) {
        super(cause, under);
        this.retryAfter = retryAfter;
    }

    /** When the partner said to come back; zero where it did not say. */
    Duration retryAfter() {
        return retryAfter == null ? Duration.ZERO : retryAfter;
    }

    /** Thousands of these are made and counted; where they were made is always the same place. */
    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}
