package io.heptad.actor;

import java.time.Duration;
import java.util.Objects;

/**
 * What waits for the owner of one key.
 *
 * {@snippet file="io/heptad/actor/KeyedSnippets.java" region="backlog"}
 *
 * @param <K> the key
 * @param key whose messages they are
 * @param depth how many wait, the one that is being handled not included
 * @param oldestAge how long the first of them has waited
 */
public record Backlog<K>(K key, int depth, Duration oldestAge) {
    /** Refuses nulls. */
    public Backlog {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(oldestAge, "oldestAge");
    }
}
