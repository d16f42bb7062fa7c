package io.heptad.actor;

/** Something that will happen unless it is taken back. Any thread may do that, more than once, at any time. */
@FunctionalInterface
public interface Cancellable {
    /**
     * Takes it back.
     *
     * @return true if it will not happen because of this call; false if it has happened, is under way, or was taken back
     *     before
     */
    boolean cancel();
}
