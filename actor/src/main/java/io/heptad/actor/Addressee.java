package io.heptad.actor;

import org.jspecify.annotations.Nullable;

/** Who handles one message at a time: an actor, or the owner of a key. */
interface Addressee<M> {
    /** Who it is, in refusals, events and paths. */
    String name();

    /** The thread that works for it now: somebody who waits for it waits for that thread. Null: none does. */
    @Nullable
    Thread runner();

    /** Puts a message whose time has come. What is not taken goes to the dead letters, unless it has stopped. */
    void deliver(M message);

    /** A message set for later has been delivered, or taken back. In any thread, under no lock. */
    default void timerOver() {}
}
