package io.heptad.future;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Completes one future from inside the completion of another without growing the stack.
 */
final class Steps {
    /*
     * complete() runs the dependents of a future before it returns, and one of them may be the listener of the next
     * aggregate in a chain, whose complete() runs its dependents, and so on: a chain of 100,000 overflows any stack.
     * (The JDK's own stages hand the next one back to the loop of the first; code outside the JDK cannot.)
     *
     * So this class counts, per thread, how many completions are on the stack. Up to NESTED_MAX they nest, as users of
     * complete() expect. At NESTED_MAX a further one is queued, and the frame at that depth runs the queue before it
     * returns: constant depth from there, and all is done when the outermost complete() returns.
     *
     * Rejected: queueing from depth one. A callback that completes a member and then waits for the aggregate would wait
     * for its own caller; with nesting first, that takes a callback in the ninth aggregate of a chain. Rejected:
     * going on in another thread at the limit. It cannot wait for itself, but then complete() returns too early.
     *
     * The thread locals hold only JDK types, and the queue only while it is in use, so that a thread which outlives
     * this class does not keep its class loader.
     */
    static final int NESTED_MAX = 8;

    private static final ThreadLocal<int[]> NESTED = ThreadLocal.withInitial(() -> new int[1]);
    private static final ThreadLocal<@Nullable ArrayDeque<Runnable>> LATER = new ThreadLocal<>();

    private Steps() {}

    /**
     * Runs the step now, or within the deepest step that is running on this thread.
     *
     * @param step completes or cancels futures; must not throw
     */
    static void run(Runnable step) {
        int[] nested = NESTED.get();
        if (nested[0] == NESTED_MAX) {
            ArrayDeque<Runnable> later = LATER.get();
            if (later == null) {
                later = new ArrayDeque<>();
                LATER.set(later);
            }
            later.add(step);
            return;
        }
        nested[0]++;
        try {
            step.run();
        } finally {
            try {
                if (nested[0] == NESTED_MAX) {
                    runLater();
                }
            } finally {
                nested[0]--;
            }
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

    /** For what no future can carry. A handler that throws harms nobody. */
    static void report(Throwable thrown) {
        Thread current = Thread.currentThread();
        try {
            current.getUncaughtExceptionHandler().uncaughtException(current, thrown);
        } catch (Throwable handlerFailed) {
            // as in the JVM itself: there is nobody left to tell
        }
    }
}
