package io.heptad.core;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * There was no room: the answer of {@link FullPolicy#REJECT}, and of a wait for space or a slot that ran out of time.
 *
 * <p>At an HTTP boundary this is status 429, with {@link #retryAfter()} as the {@code Retry-After} header (RFC 9110,
 * in whole seconds, so round up):
 *
 * {@snippet file="io/heptad/core/Snippets.java" region="full"}
 *
 * <p>It is made and thrown in the caller's thread and holds figures only, not the refused item.
 */
public final class FullException extends RefusedException {
    private static final long serialVersionUID = 1L;

    /** The bound that was met. */
    private final long capacity;

    /** The depth at the refusal. */
    private final long depth;

    /** When to come back. */
    @Nullable
    private final Duration retryAfter;

    /**
     * A refusal for want of room.
     *
     * @param shape the name of the shape that is full
     * @param capacity its bound
     * @param depth how many items it held when it refused
     * @param retryAfter how long until there is likely room, or null where that is not known
     */
    public FullException(String shape, long capacity, long depth, @Nullable Duration retryAfter) {
        this(shape, capacity, depth, retryAfter, "");
    }

    /**
     * A refusal for want of room, which says what kind of it.
     *
     * @param shape the name of the shape that is full
     * @param capacity its bound
     * @param depth how many items it held when it refused
     * @param retryAfter how long until there is likely room, or null where that is not known
     * @param detail such as "no slot in time", for the message; may be empty
     */
    public FullException(String shape, long capacity, long depth, @Nullable Duration retryAfter, String detail) {
        super(
                shape,
                shape + " is full: depth " + depth + " of capacity " + capacity
                        + (detail.isEmpty() ? "" : " (" + detail + ")")
                        + (retryAfter == null ? "" : "; try again in " + retryAfter));
        this.capacity = capacity;
        this.depth = depth;
        this.retryAfter = retryAfter;
    }

    /**
     * The bound that was met.
     *
     * @return the capacity of the shape, in items
     */
    public long capacity() {
        return capacity;
    }

    /**
     * How deep the shape was.
     *
     * @return the depth when it refused, in items
     */
    public long depth() {
        return depth;
    }

    /**
     * When to come back: the depth divided by the recent drain rate. An estimate, not a reservation.
     *
     * @return the time to wait before the next try; empty where nothing drained lately
     */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }
}
