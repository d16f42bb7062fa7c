package io.heptad.sync;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Completes futures whose dependents lead back here, without growing the stack. */
final class Completions {
    /*
     * A future runs its dependents inside complete(). One that releases a signal, or opens a latch, completes the next
     * future, inside whose complete() the next dependent runs, and so on: 20,000 of them overflow the stack. So completions
     * are counted per thread. Up to NESTED_MAX they nest, as users of complete() expect: what a release granted is completed
     * when it returns. At NESTED_MAX a further one is queued, and the frame at that depth runs the queue before it returns.
     *
     * Rejected: queueing from depth one. A dependent that releases and then waits for the future that it has released
     * would wait for its own caller. Rejected: another thread from there on. The release would then return too early.
     *
     * The thread locals hold only JDK types, and only while a completion runs.
     */
    static final int NESTED_MAX = 8;

    private static final ThreadLocal<int @Nullable []> NESTED = new ThreadLocal<>();
    private static final ThreadLocal<@Nullable ArrayDeque<Runnable>> LATER = new ThreadLocal<>();

    private Completions() {}

    /**
     * Runs it now, or inside the deepest completion that is running on this thread.
     *
     * @param completion completes futures; must not throw
     */
    static void run(Runnable completion) {
        int[] nested = NESTED.get();
        if (nested == null) {
            NESTED.set(new int[] {1});
            try {
                completion.run();
            } finally {
                NESTED.remove();
            }
        } else if (nested[0] < NESTED_MAX) {
            nested[0]++;
            try {
                completion.run();
            } finally {
                if (nested[0] == NESTED_MAX) {
                    runLater();
                }
                nested[0]--;
            }
        } else {
            ArrayDeque<Runnable> later = LATER.get();
            if (later == null) {
                later = new ArrayDeque<>();
                LATER.set(later);
            }
            later.add(completion);
        }
    }

    private static void runLater() {
        ArrayDeque<Runnable> later = LATER.get();
        if (later == null) {
            return;
        }
        for (Runnable next = later.poll(); next != null; next = later.poll()) {
            try {
                next.run();
            } catch (Throwable thrown) {
                // Only the virtual machine throws here (out of memory, stack); the rest of the queue must still run.
                report(thrown);
            }
        }
        LATER.remove();
    }

    /** For what no future can carry and no caller sees. A handler that throws harms nobody. */
    static void report(Throwable thrown) {
        Thread current = Thread.currentThread();
        try {
            current.getUncaughtExceptionHandler().uncaughtException(current, thrown);
        } catch (Throwable handlerFailed) {
            // as in the JVM itself: there is nobody left to tell
        }
    }
}
