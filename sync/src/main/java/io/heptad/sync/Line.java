package io.heptad.sync;

import org.jspecify.annotations.Nullable;

/** Who waits, first come first served; any of them may leave at any time. All under the lock of whoever owns it. */
final class Line {
    private @Nullable Place first;
    private @Nullable Place last;
    private int size;

    @Nullable
    Place first() {
        return first;
    }

    int size() {
        return size;
    }

    void add(Place place) {
        place.previous = last;
        if (last == null) {
            first = place;
        } else {
            last.next = place;
        }
        last = place;
        size++;
    }

    void remove(Place place) {
        Place before = place.previous;
        Place behind = place.next;
        if (before == null) {
            first = behind;
        } else {
            before.next = behind;
        }
        if (behind == null) {
            last = before;
        } else {
            behind.previous = before;
        }
        place.previous = null;
        place.next = null;
        size--;
    }
}
