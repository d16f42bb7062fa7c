package io.heptad.bench;

/** What was asked for does not exist; the message lists what does. */
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UsageException(String message) {
        super(message);
    }
}
