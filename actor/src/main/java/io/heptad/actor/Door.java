package io.heptad.actor;

import io.heptad.core.DepthEvents;
import io.heptad.core.FullPolicy;
import io.heptad.core.Metric;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What others meet of an {@link Owner}: its mailbox, its figures, and the parts that it has besides. {@link Sending} is how
 * messages come in.
 */
abstract sealed class Door<S, M> implements Addressee<M>, Target<M> permits Owner {
    /*
     * The upper half of one object rather than a second one: a million idle owners would pay for that. asks, timers,
     * mishaps, figures and ended are made when first needed, by whoever is first, by CAS.
     */
    private static final VarHandle ASKS;
    private static final VarHandle TIMERS;
    private static final VarHandle MISHAPS;
    private static final VarHandle ENDED;
    private static final VarHandle FIGURES;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            ASKS = lookup.findVarHandle(Door.class, "asks", Asks.class);
            TIMERS = lookup.findVarHandle(Door.class, "timers", Timers.class);
            MISHAPS = lookup.findVarHandle(Door.class, "mishaps", Mishaps.class);
            FIGURES = lookup.findVarHandle(Door.class, "figures", Figures.class);
            ENDED = lookup.findVarHandle(Door.class, "ended", CompletableFuture.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    final Terms<S, M> terms;
    final Mailbox<M> mailbox;
    final Actor<M> actor;
    volatile @Nullable Asks asks;
    volatile @Nullable Timers<M> timers;
    volatile @Nullable CompletableFuture<Void> ended;
    private volatile @Nullable Mishaps mishaps;
    private volatile @Nullable Figures figures;

    Door(Terms<S, M> terms) {
        this.terms = terms;
        mailbox = new Mailbox<>(terms.capacity(), terms.ticker());
        actor = new Actor<>(this);
    }

    private Owner<S, M> owner() {
        return (Owner<S, M>) this;
    }

    abstract boolean isStopped();

    @Override
    public String name() {
        return terms.name();
    }

    // Messages, and the end: see Sending

    @Override
    public boolean send(M message, long nanos) throws InterruptedException {
        return Sending.send(owner(), message, nanos);
    }

    @Override
    public boolean offer(M message) {
        return Sending.offer(owner(), message);
    }

    @Override
    public void deliver(M message) {
        Sending.deliver(owner(), message);
    }

    @Override
    public <R extends @Nullable Object> CompletableFuture<R> ask(
            Function<? super Reply<R>, ? extends M> message, long nanos) {
        return Sending.ask(owner(), message, nanos);
    }

    @Override
    public <R extends @Nullable Object> R call(Function<? super Reply<R>, ? extends M> message, long nanos)
            throws InterruptedException, TimeoutException {
        return Sending.call(owner(), message, nanos);
    }

    @Override
    public boolean awaitEnd(long nanos) throws InterruptedException {
        return Sending.awaitEnd(owner(), nanos);
    }

    /** It got its first letter: from now on its depth is recorded. In the sender's thread. */
    void awoke() {
        DepthEvents.include(actor);
        if (mailbox.isClosed()) {
            DepthEvents.exclude(actor); // it has gone, or will: whoever comes last takes it off
        }
    }

    // Figures

    @Override
    public int capacity() {
        return terms.capacity();
    }

    @Override
    public FullPolicy whenFull() {
        return terms.whenFull();
    }

    @Override
    public int depth() {
        return mailbox.span().depth();
    }

    @Override
    public boolean isClosed() {
        return mailbox.isClosed();
    }

    @Override
    public Duration oldestAge() {
        return figures().oldestAge();
    }

    @Override
    public ActorStats stats() {
        return figures().stats();
    }

    @Override
    public List<Metric> metrics() {
        return figures().metrics();
    }

    @Nullable
    Mishaps mishapsSoFar() {
        return mishaps;
    }

    int pendingAsks() {
        Asks known = asks;
        return known == null ? 0 : known.pending();
    }

    int pendingTimers() {
        Timers<M> known = timers;
        return known == null ? 0 : known.pending();
    }

    /** The time; a clock that throws costs an age, never a message. */
    long now() {
        try {
            long now = terms.ticker().nanos();
            return now == Letter.UNKNOWN ? now + 1 : now;
        } catch (Throwable broken) {
            return Letter.UNKNOWN;
        }
    }

    // Parts that are made when needed

    Asks asks() {
        Asks known = asks;
        if (known == null) {
            Asks fresh = new Asks(terms.name(), terms.alarms());
            known = ASKS.compareAndSet(this, null, fresh) ? fresh : asks;
        }
        return Objects.requireNonNull(known);
    }

    private Figures figures() {
        Figures known = figures;
        if (known == null) {
            Figures fresh = new Figures(owner());
            known = FIGURES.compareAndSet(this, null, fresh) ? fresh : figures;
        }
        return Objects.requireNonNull(known);
    }

    final Timers<M> timers() {
        Timers<M> known = timers;
        if (known == null) {
            Timers<M> fresh = new Timers<>(this, terms.alarms());
            known = TIMERS.compareAndSet(this, null, fresh) ? fresh : timers;
        }
        return Objects.requireNonNull(known);
    }

    Mishaps mishaps() {
        Mishaps known = mishaps;
        if (known == null) {
            Mishaps fresh = new Mishaps();
            known = MISHAPS.compareAndSet(this, null, fresh) ? fresh : mishaps;
        }
        return Objects.requireNonNull(known);
    }

    /** Complete once it has stopped. */
    CompletableFuture<Void> ended() {
        CompletableFuture<Void> end = ended;
        if (end == null) {
            CompletableFuture<Void> fresh = new CompletableFuture<>();
            end = ENDED.compareAndSet(this, null, fresh) ? fresh : Objects.requireNonNull(ended);
        }
        if (isStopped()) {
            end.complete(null);
        }
        return end;
    }

    // Whom to tell

    /** Nobody will handle it. In any thread; harms nobody. */
    void deadLetter(M message) {
        var told = terms.deadLetters();
        if (told == null) {
            return;
        }
        try {
            told.accept(message);
        } catch (Throwable failure) {
            mishaps().callbackFailures.incrementAndGet();
            Owner.report(failure);
        }
    }
}
