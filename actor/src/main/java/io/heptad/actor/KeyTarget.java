package io.heptad.actor;

import io.heptad.core.FullPolicy;
import io.heptad.core.Metric;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A key as an {@link Actor}: what a handler of keyed actors gets as itself. It outlives any one owner of the key. */
final class KeyTarget<K, S, M> implements Target<M>, Addressee<M> {
    private final KeyOwners<K, S, M> all;
    private final K key;

    KeyTarget(KeyOwners<K, S, M> all, K key) {
        this.all = all;
        this.key = key;
    }

    @Override
    public String name() {
        return all.terms.name() + "[" + KeyOwners.text(key) + "]";
    }

    /** Of whoever owns the key now. */
    @Override
    public @Nullable Thread runner() {
        KeyOwner<K, S, M> owner = all.known(key);
        return owner == null ? null : owner.runner();
    }

    @Override
    public void deliver(M message) {
        all.sending.deliver(key, message);
    }

    @Override
    public int capacity() {
        return all.terms.capacity();
    }

    @Override
    public FullPolicy whenFull() {
        return all.terms.whenFull();
    }

    @Override
    public int depth() {
        KeyOwner<K, S, M> owner = all.known(key);
        return owner == null ? 0 : owner.queued();
    }

    @Override
    public Duration oldestAge() {
        return all.oldestAge(key);
    }

    /** Of one key no totals are kept: those are of all keys together, in {@link KeyedStats}. */
    @Override
    public ActorStats stats() {
        KeyOwner<K, S, M> owner = all.known(key);
        return new ActorStats(
                name(),
                capacity(),
                depth(),
                owner != null && owner.runner() != null,
                owner == null ? 0 : owner.waitingSenders(),
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                owner == null ? 0 : owner.timers(),
                oldestAge());
    }

    @Override
    public List<Metric> metrics() {
        return List.of();
    }

    @Override
    public boolean isClosed() {
        return all.isClosed();
    }

    @Override
    public boolean send(M message, long nanos) throws InterruptedException {
        return all.sending.send(key, message, nanos);
    }

    @Override
    public boolean offer(M message) {
        return all.sending.offer(key, message);
    }

    @Override
    public <R extends @Nullable Object> CompletableFuture<R> ask(
            Function<? super Reply<R>, ? extends M> message, long nanos) {
        return all.sending.ask(key, message, nanos);
    }

    @Override
    public <R extends @Nullable Object> R call(Function<? super Reply<R>, ? extends M> message, long nanos)
            throws InterruptedException, TimeoutException {
        return all.sending.call(key, message, nanos);
    }

    @Override
    public void close() {
        throw notClosed();
    }

    @Override
    public boolean awaitEnd(long nanos) {
        throw notClosed();
    }

    @Override
    public List<M> closeNow() {
        throw notClosed();
    }

    private UnsupportedOperationException notClosed() {
        return new UnsupportedOperationException(
                name()
                        + " is not closed by itself: close the keyed actors, or let its handler call stop(), and it comes again");
    }
}
