package io.heptad.sync;

/**
 * The figures of a {@link KeyedLock}, read one by one while others come and go; at rest they agree. The counts only grow.
 *
 * @param keys keys that a thread is inside of
 * @param waiting threads in line for any of them
 * @param waited calls that stood in line and got in
 * @param timedOut calls that did not get in in time, those that would not wait included
 * @param interrupted calls that were interrupted while they stood in line
 */
public record KeyedLockStats(int keys, int waiting, long waited, long timedOut, long interrupted) {}
