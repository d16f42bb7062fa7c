package io.heptad.actor;

/** Goes on with the state from before. */
enum Resume implements Supervision {
    INSTANCE
}
