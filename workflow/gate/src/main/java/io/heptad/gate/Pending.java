package io.heptad.gate;

import java.util.Objects;

/**
 * The event's own action is unfinished, and the caller's patience is. It goes on without the caller: the gate tries until
 * it knows, or parks it for a person. The same event id asked again gets the answer once there is one.
 *
 * @param key the key of the unfinished action; the newest one, if the first has led to another
 * @param <P> the phases
 * @param <E> the events
 */
public record Pending<P, E>(String key) implements Answer<P, E> {
    /** Refuses null. */
    public Pending {
        Objects.requireNonNull(key, "key");
    }
}
