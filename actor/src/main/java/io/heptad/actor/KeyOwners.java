package io.heptad.actor;

import io.heptad.core.Backoff;
import io.heptad.core.ClosedException;
import io.heptad.core.DrainRate;
import io.heptad.core.Durations;
import io.heptad.core.FullException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The table of keys, and all that their owners share. */
final class KeyOwners<K, S, M> {
    /*
     * An owner is in the table from the first message for its key until it is GONE. Nothing of ours is done under the locks
     * of the table: what can be decided there is only which owner is in it. Whoever meets one that is GONE takes it out (by
     * identity, so never its successor) and tries again.
     *
     * kept counts owners from before they are put in until after they were taken out; closed is written before close()
     * goes through the table, and read by a sender, under the lock of the owner, after that is in it. So a sender either
     * sees closed, or close() sees its owner; and closed with kept == 0 is the end.
     *
     * inside tells a sender that its thread works for one of these owners. It is no static: each KeyedActors has its own.
     */
    static final int TRIES = 10;

    private static final Backoff PAUSES = Backoff.exponential(Duration.ofMillis(1), Duration.ofMillis(500));
    private static final Duration DRAIN_WINDOW = Duration.ofSeconds(10);

    /** Asks that are open share a list with its lock; so many lists, and keys seldom meet there. */
    private static final int ASK_LISTS = 16;

    final Terms<S, M> terms;
    final Function<? super K, ? extends S> load;
    private final @Nullable BiConsumer<? super K, ? super S> onPassivate;
    final TotalBound bound;
    final LiveOwners live;
    final KeyedSending<K, S, M> sending;
    private final ConcurrentHashMap<K, KeyOwner<K, S, M>> table = new ConcurrentHashMap<>();
    private final AtomicInteger kept = new AtomicInteger();

    @SuppressWarnings("ThreadLocalUsage") // each has its own, and what an activation sets it takes back
    private final ThreadLocal<@Nullable KeyOwner<?, ?, ?>> inside = new ThreadLocal<>();

    private final Asks[] asks = new Asks[ASK_LISTS];
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final @Nullable DrainRate drained;
    private volatile boolean closed;

    final LongAdder accepted = new LongAdder();
    final LongAdder handled = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder expired = new LongAdder();
    final LongAdder rejected = new LongAdder();
    final LongAdder droppedNewest = new LongAdder();
    final LongAdder evicted = new LongAdder();
    final LongAdder timedOut = new LongAdder();
    final LongAdder undelivered = new LongAdder();
    final LongAdder returned = new LongAdder();
    final LongAdder loaded = new LongAdder();
    final LongAdder loadFailures = new LongAdder();
    final LongAdder passivated = new LongAdder();
    final LongAdder discarded = new LongAdder();
    final LongAdder refusals = new LongAdder();
    final LongAdder callbackFailures = new LongAdder();

    KeyOwners(
            Terms<S, M> terms,
            int totalQueued,
            int maxLive,
            Duration idleAfter,
            Function<? super K, ? extends S> load,
            @Nullable BiConsumer<? super K, ? super S> onPassivate) {
        this.terms = terms;
        this.load = load;
        this.onPassivate = onPassivate;
        bound = new TotalBound(totalQueued);
        live = new LiveOwners(maxLive, Durations.saturatedNanos(idleAfter), this::now, terms.alarms());
        for (int i = 0; i < ASK_LISTS; i++) {
            asks[i] = new Asks(terms.name(), terms.alarms());
        }
        sending = new KeyedSending<>(this);
        DrainRate rate = null;
        try {
            rate = DrainRate.of(bound::released, DRAIN_WINDOW, terms.ticker());
        } catch (Throwable broken) {
            // A clock that throws costs the advice when to come back.
        }
        drained = rate;
    }

    // The table

    /** The owner of a key, made if need be. It may be gone by the time it is used. */
    KeyOwner<K, S, M> ownerOf(K key) {
        KeyOwner<K, S, M> known = table.get(key);
        if (known != null) {
            return known;
        }
        KeyOwner<K, S, M> fresh = new KeyOwner<>(this, key);
        kept.incrementAndGet();
        boolean put = false;
        try {
            known = table.putIfAbsent(key, fresh);
            put = known == null;
        } finally {
            if (!put) {
                oneLess();
            }
        }
        return known == null ? fresh : known;
    }

    @Nullable
    KeyOwner<K, S, M> known(K key) {
        return table.get(key);
    }

    /** An owner has gone; called once for each. */
    void remove(KeyDoor<?, ?, ?> owner) {
        try {
            unlist(owner);
        } finally {
            oneLess();
        }
    }

    /** Takes an owner that has gone out of the table, if it is still there. */
    void unlist(KeyDoor<?, ?, ?> owner) {
        try {
            table.remove(owner.key, owner);
        } catch (Throwable broken) {
            Owner.report(broken); // hashCode or equals; whoever comes next takes it out
        }
    }

    private void oneLess() {
        if (kept.decrementAndGet() == 0 && closed) {
            finish();
        }
    }

    List<KeyOwner<K, S, M>> owners() {
        return new ArrayList<>(table.values());
    }

    int keys() {
        return table.size();
    }

    /** One with the most mail; null if there is no mail. */
    @Nullable
    KeyOwner<K, S, M> deepest() {
        KeyOwner<K, S, M> deepest = null;
        int depth = 0;
        for (KeyOwner<K, S, M> owner : table.values()) {
            int queued = owner.queued();
            if (queued > depth) {
                deepest = owner;
                depth = queued;
            }
        }
        return deepest;
    }

    // Activations

    void execute(KeyOwner<K, S, M> owner) {
        Executor executor = terms.executor();
        if (executor == null) {
            Thread.ofVirtual().name(terms.name()).start(owner);
        } else {
            executor.execute(owner);
        }
    }

    /** After a pause that grows with the attempts. */
    void later(int attempt, Runnable then) {
        Object ignored = terms.alarms().in(Durations.saturatedNanos(PAUSES.delay(attempt)), then);
    }

    /** For which owner the calling thread works; null: for none. */
    @Nullable
    KeyOwner<?, ?, ?> inside() {
        return inside.get();
    }

    /** The calling thread works for this owner until {@link #exit}, which is to be told what it did before. */
    @Nullable
    KeyOwner<?, ?, ?> enter(KeyOwner<?, ?, ?> owner) {
        KeyOwner<?, ?, ?> outer = inside.get();
        inside.set(owner);
        return outer;
    }

    void exit(@Nullable KeyOwner<?, ?, ?> outer) {
        if (outer == null) {
            inside.remove();
        } else {
            inside.set(outer);
        }
    }

    // The user's code, but for load and behavior

    void passivate(KeyOwner<K, S, M> owner, S state) {
        passivated.increment();
        if (onPassivate == null) {
            return;
        }
        try {
            onPassivate.accept(owner.key, state);
        } catch (Throwable failure) {
            callbackFailures.increment();
            ActorEvents.failed(owner.name(), failure);
            Owner.report(failure);
        }
    }

    /** Nobody will handle these; the asks among them fail with the cause, or, where there is none, as if closed. */
    void undeliverable(KeyOwner<K, S, M> owner, List<Item<M>> items, @Nullable Throwable cause) {
        for (Item<M> item : items) {
            bound.release();
            M message = item.message;
            Ask<?> ask = item.ask;
            if (message == null || (ask != null && ask.isDone())) {
                expired.increment();
                continue;
            }
            undelivered.increment();
            if (ask != null) {
                ask.completeExceptionally(cause == null ? new ClosedException(owner.name()) : cause);
            }
            deadLetter(message);
        }
    }

    void deadLetter(M message) {
        var told = terms.deadLetters();
        if (told == null) {
            return;
        }
        try {
            told.accept(message);
        } catch (Throwable failure) {
            callbackFailures.increment();
            Owner.report(failure);
        }
    }

    // The end

    boolean isClosed() {
        return closed;
    }

    void close() {
        closed = true;
        live.close();
        for (KeyOwner<K, S, M> owner : table.values()) {
            owner.close(false);
        }
        if (kept.get() == 0) {
            finish();
        }
    }

    List<M> closeNow() {
        closed = true;
        live.close();
        List<M> messages = new ArrayList<>();
        for (KeyOwner<K, S, M> owner : table.values()) {
            for (Item<M> item : owner.close(true)) {
                bound.release();
                M message = item.message;
                Ask<?> ask = item.ask;
                if (message == null || (ask != null && ask.isDone())) {
                    expired.increment();
                    continue;
                }
                returned.increment();
                messages.add(message);
                if (ask != null) {
                    ask.completeExceptionally(new ClosedException(terms.name()));
                }
            }
        }
        if (kept.get() == 0) {
            finish();
        }
        return messages;
    }

    private void finish() {
        for (Asks open : asks) {
            try {
                open.close();
            } catch (Throwable broken) { // no memory, or no stack left: whoever waits for the end still learns of it
                Owner.report(broken);
            }
        }
        end.complete(null);
    }

    CompletableFuture<Void> end() {
        return end;
    }

    // Figures

    Asks asks(K key) {
        int hash = key.hashCode() * 0x9E3779B9;
        return asks[hash >>> 28 & ASK_LISTS - 1];
    }

    int pendingAsks() {
        int pending = 0;
        for (Asks open : asks) {
            pending += open.pending();
        }
        return pending;
    }

    /** The time; a clock that throws costs an age, never a message. */
    long now() {
        try {
            return terms.ticker().nanos();
        } catch (Throwable broken) {
            return 0;
        }
    }

    Duration oldestAge(K key) {
        KeyOwner<K, S, M> owner = table.get(key);
        return owner == null ? Duration.ZERO : age(owner, now());
    }

    Duration age(KeyDoor<?, ?, ?> owner, long now) {
        return Duration.ofNanos(Math.max(0, now - owner.oldestSince(now)));
    }

    FullException full(long capacity, String detail) {
        Duration retryAfter = null;
        try {
            retryAfter = drained == null ? null : drained.timeToDrain(capacity);
        } catch (Throwable broken) {
            // as above
        }
        return new FullException(terms.name(), capacity, capacity, retryAfter, detail);
    }

    /** What the key calls itself; a key that cannot is no reason to fail. */
    static String text(Object key) {
        try {
            return String.valueOf(key);
        } catch (Throwable broken) {
            return "(" + key.getClass().getName() + ", whose toString throws " + broken + ")";
        }
    }
}
