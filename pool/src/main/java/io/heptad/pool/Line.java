package io.heptad.pool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A FIFO of waiters, linked through themselves: joining, leaving from the head and leaving from the middle are O(1).
 * Guarded by the lock of {@link Slots}; only {@link #first} may be read without it.
 */
final class Line {
    private static final VarHandle HEAD;

    static {
        try {
            HEAD = MethodHandles.lookup().findVarHandle(Line.class, "head", Waiter.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    @Nullable
    private volatile Waiter<?> head;

    @Nullable
    private Waiter<?> tail;

    boolean isEmpty() {
        return tail == null;
    }

    @Nullable
    Waiter<?> first() {
        return head;
    }

    void append(Waiter<?> waiter) {
        Waiter<?> last = tail;
        tail = waiter;
        waiter.prev = last;
        if (last == null) {
            HEAD.setRelease(this, waiter);
        } else {
            last.next = waiter;
        }
    }

    /** Takes out the one that has been here longest; the line must not be empty. */
    Waiter<?> removeFirst() {
        Waiter<?> first = head;
        if (first == null) {
            throw new AssertionError("nobody in line");
        }
        remove(first);
        return first;
    }

    /** Takes it out; it must be in this line. */
    void remove(Waiter<?> waiter) {
        Waiter<?> before = waiter.prev;
        Waiter<?> after = waiter.next;
        if (before == null) {
            HEAD.setRelease(this, after);
        } else {
            before.next = after;
        }
        if (after == null) {
            tail = before;
        } else {
            after.prev = before;
        }
        waiter.prev = null;
        waiter.next = null;
    }
}
