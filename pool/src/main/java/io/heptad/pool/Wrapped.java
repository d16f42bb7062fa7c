package io.heptad.pool;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A body inside the runnable that the user's wrapper made around it, in the thread that submits. */
final class Wrapped<T extends @Nullable Object> implements Callable<T> {
    private final Callable<? extends T> body;
    private final @Nullable Runnable around;

    /** What the wrapper threw instead of wrapping. */
    private final @Nullable Throwable broken;

    // Written and read by the one thread that runs the task.
    private boolean ran;
    private @Nullable T value;
    private @Nullable Throwable failure;

    Wrapped(Callable<? extends T> body, UnaryOperator<Runnable> wrapper) {
        this.body = body;
        Runnable made = null;
        Throwable thrown = null;
        try {
            made = Objects.requireNonNull(wrapper.apply(this::runOnce), "wrapTasks returned null");
        } catch (Throwable failed) {
            thrown = failed;
        }
        around = made;
        broken = thrown;
    }

    Callable<? extends T> body() {
        return body;
    }

    @Nullable
    Throwable broken() {
        return broken;
    }

    private void runOnce() {
        if (ran) {
            return; // the result is in; a wrapper that retries does so around nothing
        }
        ran = true;
        try {
            value = body.call();
        } catch (Throwable thrown) {
            failure = thrown;
            Wrapped.<RuntimeException>sneak(thrown); // so that the wrapper sees it too, as if it had called the body
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Throwable> void sneak(Throwable thrown) throws X {
        throw (X) thrown;
    }

    @Override
    @SuppressWarnings("NullAway") // null only where T admits it
    public T call() throws Exception {
        if (around == null) {
            throw new IllegalStateException("wrapTasks failed", broken);
        }
        try {
            around.run();
        } catch (Throwable thrown) {
            if (failure == null) {
                throw thrown;
            }
        }
        if (failure != null) {
            Wrapped.<RuntimeException>sneak(failure);
        }
        if (!ran) {
            throw new IllegalStateException("the runnable that wrapTasks returned did not run the task");
        }
        return value;
    }
}
