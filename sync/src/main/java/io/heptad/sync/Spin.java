package io.heptad.sync;

import java.util.concurrent.locks.ReentrantLock;

/** Waiting without parking, where what is waited for takes some ten instructions. */
final class Spin {
    private static final int TRIES = 64;

    private Spin() {}

    static void pause(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }

    /**
     * Locks what nobody holds for long: to park for it costs more than it is held. Not measured under steady contention, where
     * the same tries made the pool slower.
     */
    static void lock(ReentrantLock lock) {
        for (int i = 0; i < TRIES; i++) {
            if (lock.tryLock()) {
                return;
            }
            Thread.onSpinWait();
        }
        lock.lock();
    }
}
