package io.heptad.sync;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One call's way through a shared bin: which of the keys with the same hash are equal to its own. */
final class Visit<K> {
    /*
     * equals is the user's code: it may be slow (that of java.net.URL asks a name server), may throw, may come back here.
     * So it is asked without the lock, and what it said is remembered for the next look under it. A Held that has left
     * its bin never comes back into one, so an answer cannot get stale.
     */
    final K key;
    final int hash;
    final Thread thread = Thread.currentThread();

    /** What the call is inside of, or stands in line for; null where it is alone in its bin. */
    @Nullable
    Held<K> held;

    /** Where it waits, if it does. */
    @Nullable
    Place place;

    private @Nullable Held<K> equal;
    private List<Held<K>> unequal = List.of();

    Visit(K key, int hash) {
        this.key = key;
        this.hash = hash;
    }

    /** Without the lock. */
    void ask(Held<K> held) {
        if (key.equals(held.key)) {
            equal = held;
        } else {
            List<Held<K>> more = new ArrayList<>(unequal);
            more.add(held);
            unequal = more;
        }
    }

    /** Without the lock: another thread's key, which is alone in the bin. */
    @SuppressWarnings("ReferenceEquality") // the same object needs no question
    boolean isEqual(Object alone) {
        return alone == key || (KeyedLock.hash(alone) == hash && key.equals(alone));
    }

    @SuppressWarnings("ReferenceEquality") // under the lock equals is not asked
    boolean isMine(Held<K> held) {
        return held.key == key || held == equal;
    }

    /** Whether {@link #ask} has to be called first. */
    boolean isUnsure(Held<K> held) {
        return held.hash == hash && !isMine(held) && !unequal.contains(held);
    }
}
