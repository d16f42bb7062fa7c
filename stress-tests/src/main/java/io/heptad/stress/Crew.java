package io.heptad.stress;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that start nothing: an actor plays what they would have run. So the workers of a shape race as the actors do,
 * and a state costs no thread. An interrupt of such a thread reaches whoever plays it, while it does.
 */
public final class Crew implements ThreadFactory {
    private final List<Role> roles = new CopyOnWriteArrayList<>();
    private final AtomicInteger met = new AtomicInteger();

    @Override
    public Thread newThread(Runnable body) {
        Role role = new Role(body);
        roles.add(role);
        return role;
    }

    /**
     * Plays one of them, in the calling thread, to its end.
     *
     * @param worker which, counted from 0 in the order in which they were made
     */
    public void play(int worker) {
        roles.get(worker).play();
    }

    /** Plays all that nobody has played, one after the other. */
    public void playTheRest() {
        roles.forEach(Role::play);
    }

    /**
     * Waits until all actors have come here. Each goes through its states at a pace of its own, and where a step takes long
     * they would hardly ever be in the same one.
     *
     * @param actors how many they are
     */
    public void meet(int actors) {
        met.incrementAndGet();
        Watch.awaitSpinning(() -> met.get() >= actors);
    }

    /** A pause of no certain length, so that what follows comes at another moment each time. */
    public static void linger() {
        Bodies.spin(ThreadLocalRandom.current().nextInt(40));
    }

    private static final class Role extends Thread {
        private final Runnable body;
        private final AtomicBoolean played = new AtomicBoolean();
        private final ReentrantLock lock = new ReentrantLock();

        /** Guarded by lock. */
        private Thread player;

        /** Guarded by lock. */
        private boolean interrupted;

        Role(Runnable body) {
            this.body = body;
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // it does not start
        public void start() {
            // an actor plays it
        }

        @Override
        public void interrupt() {
            lock.lock();
            try {
                interrupted = true;
                if (player != null) {
                    player.interrupt();
                }
            } finally {
                lock.unlock();
            }
        }

        void play() {
            if (!played.compareAndSet(false, true)) {
                return;
            }
            enter(Thread.currentThread());
            try {
                body.run();
            } finally {
                enter(null);
                Thread.interrupted();
            }
        }

        private void enter(Thread thread) {
            lock.lock();
            try {
                player = thread;
                if (thread != null && interrupted) {
                    thread.interrupt();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
