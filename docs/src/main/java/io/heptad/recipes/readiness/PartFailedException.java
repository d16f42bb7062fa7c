package io.heptad.recipes.readiness;

/** A part of the service could not be started: which one, and why. */
final class PartFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String reason;

    PartFailedException(String part, Throwable cause) {
        super(part + " failed: " + cause, cause);
        reason = part + " failed: " + cause;
    }

    String reason() {
        return reason;
    }
}
