package io.heptad.actor;

import io.heptad.core.ClosedException;
import io.heptad.core.Durations;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The state of a key from a load to the passivation that follows, and what a handler may do in that time. */
final class Life<K, S, M> implements ActorContext<M> {
    /*
     * Belongs to the activation of its owner, but for timers: those come and go in any thread, and a volatile count in them
     * says whether there are some. Restarts happen within one life, so that too many of them are noticed.
     */
    private static final VarHandle TIMERS;

    static {
        try {
            TIMERS = MethodHandles.lookup().findVarHandle(Life.class, "timers", Timers.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final KeyOwner<K, S, M> owner;
    private final KeyOwners<K, S, M> all;

    /** Null: it was discarded, and there is nothing to store. */
    private @Nullable S state;

    private boolean over;
    private volatile boolean ended;
    private volatile @Nullable Timers<M> timers;
    private @Nullable Mishaps restarts;

    private Life(KeyOwner<K, S, M> owner, S state) {
        this.owner = owner;
        this.all = owner.all;
        this.state = state;
    }

    /** Loads it; throws what the load threw. */
    static <K, S, M> Life<K, S, M> load(KeyOwner<K, S, M> owner) {
        return new Life<>(owner, loaded(owner));
    }

    private static <K, S, M> S loaded(KeyOwner<K, S, M> owner) {
        return Objects.requireNonNull(
                owner.all.load.apply(owner.key),
                () -> "load must return a state, but returned null for " + owner.name());
    }

    void handle(Item<M> item) {
        Ask<?> ask = item.ask;
        M message = item.message; // one look: an ask that ends just now clears it
        if (message == null || (ask != null && ask.isDone())) {
            all.expired.increment();
            return;
        }
        if (ask != null) {
            ask.place(Ask.IN_HAND);
        }
        try {
            S after = all.terms.behavior().handle(Objects.requireNonNull(state), message, this);
            state = Objects.requireNonNull(after, "the state that the behavior returned");
            all.handled.increment();
        } catch (Throwable failure) {
            failed(failure, ask);
        } finally {
            if (ask != null) {
                ask.place(Ask.HANDLED);
            }
        }
    }

    private void failed(Throwable failure, @Nullable Ask<?> ask) {
        all.failed.increment();
        ActorEvents.failed(owner.name(), failure);
        Owner.report(failure);
        if (ask != null) {
            ask.completeExceptionally(failure);
        }
        switch (all.terms.supervision()) {
            case Resume goOn -> {}
            case Restart restart -> restart(restart);
            case Stop end -> over = true;
        }
    }

    private void restart(Restart restart) {
        Mishaps known = restarts;
        if (known == null) {
            known = new Mishaps();
            restarts = known;
        }
        if (!known.mayRestart(restart, all.now())) {
            over = true;
            return;
        }
        Timers<M> set = timers;
        if (set != null) {
            set.clear();
        }
        state = null;
        all.discarded.increment();
        try {
            state = loaded(owner);
            all.loaded.increment();
        } catch (Throwable failure) {
            all.loadFailures.increment();
            ActorEvents.failed(owner.name(), failure);
            Owner.report(failure);
            over = true;
        }
    }

    /** No message is handled any more. */
    boolean isOver() {
        return over;
    }

    /** Ends it: nothing comes later, and the state is handed over. */
    void end() {
        ended = true;
        Timers<M> set = timers;
        if (set != null) {
            set.close();
        }
        S last = state;
        state = null;
        if (last != null) {
            all.passivate(owner, last);
        }
    }

    /** Whether something is to come that it set itself. */
    boolean isAwaited() {
        return timers() > 0;
    }

    int timers() {
        Timers<M> set = timers;
        return set == null ? 0 : set.pending();
    }

    private Timers<M> set() {
        Timers<M> known = timers;
        if (known == null) {
            Timers<M> fresh = new Timers<>(owner, all.terms.alarms());
            known = TIMERS.compareAndSet(this, null, fresh) ? fresh : timers;
        }
        return Objects.requireNonNull(known);
    }

    // What a handler may do

    @Override
    public Actor<M> self() {
        return new Actor<>(new KeyTarget<>(all, owner.key));
    }

    @Override
    public void stop() {
        if (owner.runner() != Thread.currentThread()) {
            throw new IllegalStateException(
                    "stop() is for the handler of " + owner.name() + "; from elsewhere, close it");
        }
        over = true;
    }

    @Override
    public Cancellable sendAfter(Duration delay, M message) {
        long nanos = Durations.saturatedNanos(delay);
        Objects.requireNonNull(message, "message");
        Cancellable timer = set().add(nanos, message);
        if (ended && timer.cancel()) {
            throw new ClosedException(owner.name());
        }
        owner.isAwaited();
        return timer;
    }
}
