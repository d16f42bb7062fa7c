package io.heptad.actor;

import java.util.List;

/**
 * Actors would wait for each other in a circle, and so for ever: each handles one message at a time, and the message of
 * each waits for the next actor. It is thrown to the one whose {@code call}, or whose {@code send} to a full mailbox,
 * would have closed the circle; the others go on.
 *
 * {@snippet file="io/heptad/actor/Snippets.java" region="deadlock"}
 *
 * <p>Ask instead of calling, and let the answer come as a message; or let the questions go one way only.
 */
public final class ActorDeadlockException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** Serializable, and immutable. */
    @SuppressWarnings("serial") // a list of List.copyOf, which is
    private final List<String> path;

    /**
     * A circle.
     *
     * @param path the names of the actors, each waiting for the next; the first is also the last
     */
    public ActorDeadlockException(List<String> path) {
        super("actors would wait for each other for ever: " + String.join(" -> ", path));
        this.path = List.copyOf(path);
    }

    /**
     * Who waits for whom.
     *
     * @return the names of the actors, each waiting for the next; the first, whose call this is, is also the last
     */
    public List<String> path() {
        return path;
    }
}
