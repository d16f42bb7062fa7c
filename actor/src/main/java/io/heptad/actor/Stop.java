package io.heptad.actor;

/** Ends the actor. */
enum Stop implements Supervision {
    INSTANCE
}
