package io.heptad.actor;

import java.util.concurrent.Semaphore;

/** A handler that reports for duty and waits to be let go, one message after the other. Ignores interrupts. */
final class Held {
    private final Semaphore begun = new Semaphore(0);
    private final Semaphore leave = new Semaphore(0);

    /** Called in the handler. */
    void here() {
        begun.release();
        leave.acquireUninterruptibly();
    }

    void awaitBegun() {
        begun.acquireUninterruptibly();
    }

    /** Lets one go on. */
    void step() {
        leave.release();
    }

    /** Lets all go on, those that come too. */
    void release() {
        leave.release(1_000_000);
    }
}
