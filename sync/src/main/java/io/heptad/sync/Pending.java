package io.heptad.sync;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** The future of {@link Signal#acquireAsync}: in line until it is granted, or until anybody else settles it. */
final class Pending extends CompletableFuture<Void> {
    /*
     * Whoever settles it from outside (cancel, complete, a timeout of its own) first asks its place for leave, under the
     * lock of the signal. If the place was granted before, the permits are there, and it completes with them: the caller
     * that came too late is told so by "false". So it never happens that the permits are granted and the future says
     * otherwise, and no grant ever has to be taken back.
     */
    private final Signal signal;
    final Place place;

    Pending(Signal signal, int permits) {
        this.signal = signal;
        this.place = new Place(this, permits);
    }

    /** The permits are there. */
    void granted() {
        super.complete(null);
    }

    /** False: it has been granted, and now says so. */
    private boolean leave() {
        if (signal.leave(place) != Place.State.GRANTED) {
            return true;
        }
        Completions.run(this::granted);
        return false;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return leave() && super.cancel(mayInterruptIfRunning);
    }

    @Override
    public boolean complete(Void value) {
        return leave() && super.complete(null); // there is no other Void
    }

    @Override
    public boolean completeExceptionally(Throwable cause) {
        Objects.requireNonNull(cause, "cause");
        return leave() && super.completeExceptionally(cause);
    }

    /** The inherited one would not ask for leave. */
    @Override
    public CompletableFuture<Void> completeAsync(Supplier<? extends Void> supplier, Executor executor) {
        Objects.requireNonNull(supplier, "supplier");
        executor.execute(() -> {
            if (isDone()) {
                return;
            }
            try {
                complete(supplier.get());
            } catch (Throwable failure) {
                completeExceptionally(failure);
            }
        });
        return this;
    }

    @Override
    public void obtrudeValue(Void value) {
        leave();
        super.obtrudeValue(null);
    }

    @Override
    public void obtrudeException(Throwable cause) {
        Objects.requireNonNull(cause, "cause");
        leave();
        super.obtrudeException(cause);
    }
}
