package io.heptad.gate;

import java.util.concurrent.CompletionException;

/** What ends a unit from within, so that nothing of it is written. */
abstract sealed class Thrown extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private Thrown(String message, Throwable cause) {
        super(message, cause, false, false);
    }

    private Thrown(String message) {
        super(message, null, false, false);
    }

    /** A user's own code threw: the transition, what makes a phase or an event, a durable reaction, a local action. */
    static final class ByUser extends Thrown {
        private static final long serialVersionUID = 1L;

        ByUser(String what, Throwable cause) {
            super(what + " threw " + cause, cause);
        }

        /** For the caller whose event it was: what was thrown itself, if it may be thrown. */
        RuntimeException rethrown() {
            Throwable cause = getCause();
            if (cause instanceof Error error) {
                throw error;
            }
            return cause instanceof RuntimeException unchecked ? unchecked : new CompletionException(cause);
        }
    }

    /** A local action said a definite no. */
    static final class LocalNo extends Thrown {
        private static final long serialVersionUID = 1L;

        private final String reason;

        LocalNo(String action, Throwable cause) {
            super(action + " was declined: " + Protocol.reason(cause), cause);
            this.reason = Protocol.reason(cause);
        }

        String reason() {
            return reason;
        }
    }

    /** The transition does not lead on from here as it did when the action was opened: a person has to look. */
    static final class Misfit extends Thrown {
        private static final long serialVersionUID = 1L;

        Misfit(String message) {
            super(message);
        }
    }
}
