package io.heptad.bench;

/** What a ratio compares. In each, less is better, so a ratio is the peer's figure over ours. */
public enum Figure {
    /** Time for one operation. */
    TIME,
    /** Bytes allocated by one operation. */
    ALLOCATED,
    /** Bytes that one item holds on the heap while it waits, as {@link HeldBytes} measured it. */
    HELD
}
