package io.heptad.gate;

import java.time.Instant;
import java.util.Comparator;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/**
 * Which entity to look at next, and when. As many entries as there are entities at most; each is written under the lock of
 * its entity, and read without.
 */
final class Agenda {
    record Entry(Instant at, String id) {}

    private static final Comparator<Entry> BY_TIME =
            Comparator.comparing(Entry::at).thenComparing(Entry::id);

    private final NavigableSet<Entry> entries = new ConcurrentSkipListSet<>(BY_TIME);

    /** An entity's one entry goes from one time to another; null is none. */
    void move(@Nullable Instant from, @Nullable Instant to, String id) {
        if (from != null && from.equals(to)) {
            return;
        }
        if (to != null) {
            entries.add(new Entry(to, id)); // first: a reader may find two, but never none
        }
        if (from != null) {
            entries.remove(new Entry(from, id));
        }
    }

    /** In the order of their times; one that is moved on meanwhile may come again. */
    Iterable<Entry> inOrder() {
        return entries;
    }

    @Nullable
    Instant first() {
        try {
            return entries.isEmpty() ? null : entries.first().at;
        } catch (java.util.NoSuchElementException gone) {
            return null;
        }
    }
}
