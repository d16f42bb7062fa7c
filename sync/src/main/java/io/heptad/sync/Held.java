package io.heptad.sync;

import org.jspecify.annotations.Nullable;

/** A key that some thread is inside of, in a bin that is shared. */
final class Held<K> {
    /*
     * Made only where keys meet in a bin; whoever is alone there needs none. All that is not final belongs to the lock of
     * the bin.
     */
    final K key;
    final int hash;

    /** Who is inside; null: the thread that was alone in the bin, which the bin knows. */
    @Nullable
    Thread owner;

    /** Who waits for the key; made for the first of them. */
    private @Nullable Line line;

    /** The next one in its bucket. */
    @Nullable
    Held<K> next;

    Held(K key, int hash, @Nullable Thread owner) {
        this.key = key;
        this.hash = hash;
        this.owner = owner;
    }

    void add(Place place) {
        if (line == null) {
            line = new Line();
        }
        line.add(place);
    }

    void remove(Place place) {
        if (line != null) {
            line.remove(place);
        }
    }

    @Nullable
    Place firstWaiting() {
        return line == null ? null : line.first();
    }

    int waiting() {
        return line == null ? 0 : line.size();
    }
}
