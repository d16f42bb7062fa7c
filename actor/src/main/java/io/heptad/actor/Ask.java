package io.heptad.actor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A question on its way: the asker's future, and the reply that goes with the message. */
final class Ask<R extends @Nullable Object> extends CompletableFuture<R> implements Reply<R> {
    /*
     * Whoever completes it first has answered. Each that tries takes it off the list of pending ones before. Where its message is
     * (in line, in hand, handled) is written by the runner; a thread that looks for a circle of waiting actors reads it:
     * only an ask whose message is not handled yet waits for the actor that runs now. The links belong to the lock of the
     * list.
     */
    static final int IN_LINE = 0;
    static final int IN_HAND = 1;
    static final int HANDLED = 2;

    /** No time limit. */
    static final long NEVER = Long.MAX_VALUE;

    private static final VarHandle PLACE;

    static {
        try {
            PLACE = MethodHandles.lookup().findVarHandle(Ask.class, "place", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final Asks asks;

    /** When it ends, by System.nanoTime; meaningless if it has no limit. */
    final long deadline;

    /** How long it may take, in nanoseconds; {@link #NEVER}: no limit, or the caller watches the time itself. */
    final long limit;

    /** Where its message is as long as it is in line. Written before the letter is put. */
    @Nullable
    Letter<?> letter;

    @Nullable
    Ask<?> before;

    @Nullable
    Ask<?> behind;

    boolean listed;

    /** Somebody was about to end it. It is not listed any more, also if that was before it came there. */
    boolean over;

    @SuppressWarnings("unused") // by PLACE
    private int place;

    Ask(Asks asks, long limit) {
        this.asks = asks;
        this.limit = limit;
        deadline = limit == NEVER ? 0 : System.nanoTime() + limit;
    }

    @Override
    public boolean ok(R value) {
        return complete(value);
    }

    @Override
    public boolean fail(Throwable cause) {
        return completeExceptionally(cause);
    }

    @Override
    public boolean complete(R value) {
        settle();
        return super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable cause) {
        Objects.requireNonNull(cause, "cause");
        settle();
        return super.completeExceptionally(cause);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        settle();
        return super.cancel(mayInterruptIfRunning);
    }

    /** A dependent stage is a future like any other. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }

    /** It is about to end, in this thread or in another that was first: when the asker sees it, nothing is left of it. */
    private void settle() {
        asks.remove(this);
        Letter<?> line = letter;
        if (line != null && place() == IN_LINE) {
            line.lapse();
        }
        letter = null;
    }

    int place() {
        return (int) PLACE.getAcquire(this);
    }

    void place(int now) {
        PLACE.setRelease(this, now);
    }
}
