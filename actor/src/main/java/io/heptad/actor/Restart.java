package io.heptad.actor;

/** Goes on with a new state, so often within the time. */
record Restart(int max, long withinNanos) implements Supervision {}
