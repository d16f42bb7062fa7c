package io.heptad.queue;

import org.jspecify.annotations.Nullable;

/** A parked thread: a producer with its item, or a consumer that is owed one. */
final class Waiter<E> {
    /*
     * state is written under the lock, once, and read by the parked thread without it: that volatile write publishes
     * item. The links belong to the lock.
     */
    enum State {
        WAITING,
        GRANTED,
        CLOSED
    }

    final Thread thread = Thread.currentThread();

    @Nullable
    E item;

    volatile State state = State.WAITING;

    @Nullable
    Waiter<E> previous;

    @Nullable
    Waiter<E> next;

    Waiter(@Nullable E item) {
        this.item = item;
    }
}
