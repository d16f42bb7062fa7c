package io.heptad.queue;

import org.jspecify.annotations.Nullable;

/** Parked threads, first come first served; any of them may leave at any time. All under the lock of the slow path. */
final class WaitingLine<E> {
    private @Nullable Waiter<E> first;
    private @Nullable Waiter<E> last;
    private int size;

    @Nullable
    Waiter<E> first() {
        return first;
    }

    boolean isEmpty() {
        return first == null;
    }

    int size() {
        return size;
    }

    void add(Waiter<E> waiter) {
        waiter.previous = last;
        if (last == null) {
            first = waiter;
        } else {
            last.next = waiter;
        }
        last = waiter;
        size++;
    }

    void remove(Waiter<E> waiter) {
        Waiter<E> before = waiter.previous;
        Waiter<E> behind = waiter.next;
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
        waiter.previous = null;
        waiter.next = null;
        size--;
    }
}
