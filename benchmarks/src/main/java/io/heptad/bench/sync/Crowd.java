package io.heptad.bench.sync;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Starts some threads of one kind, and joins them. One that fails stops all, so that a failure is reported. */
final class Crowd {
    private final ThreadFactory threads;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    Crowd(String threads) {
        this.threads = switch (threads) {
            case "platform" -> Thread.ofPlatform().daemon().factory();
            case "virtual" -> Thread.ofVirtual().factory();
            default -> throw new IllegalArgumentException("threads is " + threads);
        };
    }

    interface Part {
        void run(int number) throws Exception;
    }

    void run(int size, Part part) throws InterruptedException {
        Thread[] all = new Thread[size];
        for (int i = 0; i < size; i++) {
            int number = i;
            all[i] = threads.newThread(() -> {
                try {
                    part.run(number);
                } catch (Throwable thrown) {
                    if (failure.compareAndSet(null, thrown)) {
                        interrupt(all);
                    }
                }
            });
        }
        for (Thread thread : all) {
            thread.start();
        }
        try {
            for (Thread thread : all) {
                thread.join();
            }
        } catch (InterruptedException hangs) {
            interrupt(all);
            throw hangs;
        }
        if (failure.get() != null) {
            throw new AssertionError("a party failed", failure.get());
        }
    }

    private static void interrupt(Thread[] all) {
        for (Thread thread : all) {
            thread.interrupt();
        }
    }
}
