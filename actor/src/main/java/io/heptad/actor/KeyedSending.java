package io.heptad.actor;

import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The ways to the owner of a key: send, offer, ask, call, and the timers of its handler. */
final class KeyedSending<K, S, M> {
    private final KeyOwners<K, S, M> all;
    private final FullPolicy whenFull;

    KeyedSending(KeyOwners<K, S, M> all) {
        this.all = all;
        this.whenFull = all.terms.whenFull();
    }

    // Messages

    /** Follows the policy; see {@link KeyedActors#send(Object, Object, java.time.Duration)}. */
    boolean send(K key, M message, long nanos) throws InterruptedException {
        Objects.requireNonNull(key, "key");
        Item<M> item = new Item<>(Objects.requireNonNull(message, "message"), null, all.now());
        Sending.checkInterrupt();
        KeyDoor.Outcome outcome =
                whenFull == FullPolicy.BLOCK ? enter(key, item, nanos) : post(key, item, Mail.Patience.NONE);
        switch (outcome) {
            case IN -> {
                return accepted();
            }
            case CLOSED -> throw closed();
            case LATE -> {
                all.timedOut.increment();
                return false;
            }
            default -> {}
        }
        return switch (whenFull) {
            case BLOCK, REJECT -> throw full(item, outcome);
            case DROP_NEWEST -> {
                all.droppedNewest.increment();
                ActorEvents.dropped(all.terms.name(), "newest");
                all.deadLetter(message);
                yield false;
            }
            case DROP_OLDEST -> evict(key, item, outcome);
        };
    }

    /** Never waits, never drops another; see {@link KeyedActors#offer}. */
    boolean offer(K key, M message) {
        Objects.requireNonNull(key, "key");
        Item<M> item = new Item<>(Objects.requireNonNull(message, "message"), null, all.now());
        KeyDoor.Outcome outcome = post(key, item, Mail.Patience.NONE);
        return switch (outcome) {
            case IN -> accepted();
            case CLOSED -> throw closed();
            default -> {
                rejected(item, outcome);
                yield false;
            }
        };
    }

    /** A message whose time has come. What is not taken goes to the dead letters, unless all is closed. */
    void deliver(K key, M message) {
        try {
            boolean ignored = send(key, message, Sending.NO_LIMIT); // one that is dropped is a dead letter already
        } catch (FullException full) {
            all.deadLetter(message);
        } catch (ClosedException | InterruptedException over) {
            // What was set before is taken back.
        } catch (Throwable broken) {
            Owner.report(broken); // hashCode or equals of the key
            all.deadLetter(message);
        }
    }

    // Questions

    /** Never waits; see {@link KeyedActors#ask}. */
    <R extends @Nullable Object> Ask<R> ask(K key, Function<? super Reply<R>, ? extends M> message, long nanos) {
        Asks asks = all.asks(Objects.requireNonNull(key, "key"));
        Ask<R> ask = new Ask<>(asks, nanos);
        Item<M> item = question(ask, message);
        if (nanos <= 0) {
            ask.completeExceptionally(Asks.late(all.terms.name(), nanos));
            return ask;
        }
        asks.add(ask);
        try {
            KeyDoor.Outcome outcome = post(key, item, Mail.Patience.NONE);
            switch (outcome) {
                case IN -> asked(item, ask);
                case CLOSED -> ask.completeExceptionally(closed());
                default -> ask.completeExceptionally(full(item, outcome));
            }
        } catch (Throwable broken) {
            ask.completeExceptionally(broken);
            throw broken;
        }
        return ask;
    }

    /** Waits for room and for the answer; see {@link KeyedActors#call}. */
    <R extends @Nullable Object> R call(K key, Function<? super Reply<R>, ? extends M> message, long nanos)
            throws InterruptedException, TimeoutException {
        Sending.checkInterrupt();
        long deadline = nanos == Sending.NO_LIMIT ? 0 : System.nanoTime() + nanos;
        Asks asks = all.asks(Objects.requireNonNull(key, "key"));
        Ask<R> ask = new Ask<>(asks, Ask.NEVER);
        Item<M> item = question(ask, message);
        if (nanos <= 0) {
            throw Asks.late(all.terms.name(), nanos);
        }
        Waits.Wait outer = Waits.enter(new Waits.Wait(new KeyTarget<>(all, key)) {
            @Override
            boolean isPending() {
                return !ask.isDone() && ask.place() != Ask.HANDLED;
            }
        });
        try {
            asks.add(ask);
            putQuestion(key, item, ask, nanos);
            Sending.awaitAnswer(all.terms.name(), ask, nanos, deadline);
        } catch (Throwable givenUp) {
            if (ask.completeExceptionally(givenUp)) {
                throw givenUp;
            }
            if (givenUp instanceof InterruptedException) {
                Thread.currentThread().interrupt(); // the answer came first, and the interrupt is for the caller
            }
        } finally {
            Waits.leave(outer);
        }
        return Sending.answerOf(all.terms.name(), ask);
    }

    private void putQuestion(K key, Item<M> item, Ask<?> ask, long nanos)
            throws InterruptedException, TimeoutException {
        KeyDoor.Outcome outcome =
                whenFull == FullPolicy.BLOCK ? enter(key, item, nanos) : post(key, item, Mail.Patience.NONE);
        switch (outcome) {
            case IN -> asked(item, ask);
            case CLOSED -> throw closed();
            case LATE -> {
                all.timedOut.increment();
                throw Asks.late(all.terms.name(), nanos);
            }
            default -> throw full(item, outcome);
        }
    }

    private <R extends @Nullable Object> Item<M> question(Ask<R> ask, Function<? super Reply<R>, ? extends M> message) {
        M question = Objects.requireNonNull(
                Objects.requireNonNull(message, "message").apply(ask), "the message that the function made");
        Item<M> item = new Item<>(question, ask, all.now());
        ask.letter = item;
        return item;
    }

    private void asked(Item<M> item, Ask<?> ask) {
        all.accepted.increment();
        if (item.message == null || ask.isDone()) {
            item.owner().lapsed(item); // it ended before it lay there
        }
    }

    /** How many are before the message of an ask in the line of its key, and one; empty if it is not in line. */
    OptionalInt position(K key, CompletableFuture<?> ask) {
        KeyOwner<K, S, M> owner = all.known(key);
        if (owner != null && ask instanceof Ask<?> mine && mine.letter instanceof Item<?> item) {
            int position = owner.position(item);
            return position == 0 ? OptionalInt.empty() : OptionalInt.of(position);
        }
        return OptionalInt.empty();
    }

    // Into the mail of the owner that there is

    private KeyDoor.Outcome post(K key, Item<M> item, Mail.Patience patience) {
        for (; ; ) {
            KeyOwner<K, S, M> owner = all.ownerOf(key);
            item.owner(owner);
            KeyDoor.Outcome outcome = owner.post(item, patience);
            if (outcome != KeyDoor.Outcome.GONE) {
                return outcome;
            }
            all.unlist(owner);
        }
    }

    /** Under BLOCK: waits for room, but not for oneself. */
    private KeyDoor.Outcome enter(K key, Item<M> item, long nanos) throws InterruptedException {
        KeyOwner<?, ?, ?> inside = all.inside();
        boolean mine = inside != null && inside.key.equals(key);
        Mail.Patience patience =
                nanos <= 0 || mine ? Mail.Patience.NONE : inside != null ? Mail.Patience.DOOR : Mail.Patience.ANY;
        MailboxFullEvent event = patience == Mail.Patience.NONE ? null : ActorEvents.beginWait();
        KeyDoor.Outcome outcome = post(key, item, patience);
        if (outcome == KeyDoor.Outcome.STANDS) {
            return await(item, nanos, event);
        }
        boolean full = outcome == KeyDoor.Outcome.KEY_FULL || outcome == KeyDoor.Outcome.ALL_FULL;
        return full && nanos <= 0 ? KeyDoor.Outcome.LATE : outcome;
    }

    private KeyDoor.Outcome await(Item<M> item, long nanos, @Nullable MailboxFullEvent event)
            throws InterruptedException {
        KeyOwner<?, ?, M> owner = item.owner();
        Sender me = Objects.requireNonNull(item.sender);
        String how = "interrupted";
        try {
            KeyDoor.Outcome outcome = park(owner, item, me, nanos);
            how = switch (outcome) {
                case IN -> "accepted";
                case CLOSED -> "closed";
                case LATE -> "timed out";
                default -> "refused";
            };
            return outcome;
        } catch (ActorDeadlockException deadlock) {
            how = "deadlock";
            throw deadlock;
        } finally {
            ActorEvents.endWait(event, owner.name(), all.terms.capacity(), how);
        }
    }

    private KeyDoor.Outcome park(KeyOwner<?, ?, M> owner, Item<M> item, Sender me, long nanos)
            throws InterruptedException {
        Waits.Wait outer;
        try {
            outer = Waits.enter(new Waits.Wait(owner) {
                @Override
                boolean isPending() {
                    return me.state() == Sender.State.WAITING && me.atDoor;
                }
            });
        } catch (ActorDeadlockException deadlock) {
            if (owner.leave(item, me)) {
                throw deadlock;
            }
            return outcome(owner, item, me);
        }
        try {
            Sender.Wake wake = me.await(all, nanos);
            if (wake != Sender.Wake.ENDED && owner.leave(item, me)) {
                if (wake == Sender.Wake.INTERRUPTED) {
                    throw new InterruptedException();
                }
                return KeyDoor.Outcome.LATE;
            }
            if (wake == Sender.Wake.INTERRUPTED) {
                me.thread.interrupt(); // let in first: that stands, and the interrupt is for the caller
            }
        } finally {
            Waits.leave(outer);
        }
        return outcome(owner, item, me);
    }

    private KeyDoor.Outcome outcome(KeyOwner<?, ?, M> owner, Item<M> item, Sender me) {
        return switch (me.state()) {
            case LET_IN -> {
                item.since(all.now());
                owner.letIn();
                yield KeyDoor.Outcome.IN;
            }
            case FULL -> KeyDoor.Outcome.ALL_FULL;
            case CLOSED -> KeyDoor.Outcome.CLOSED;
            case WAITING, LEFT -> throw new AssertionError(me.state());
        };
    }

    // In the place of another

    /** The oldest message of the key makes room; if it has none, the oldest of a key that has most. */
    private boolean evict(K key, Item<M> item, KeyDoor.Outcome full) {
        for (KeyDoor.Outcome outcome = full; ; outcome = post(key, item, Mail.Patience.NONE)) {
            if (outcome == KeyDoor.Outcome.IN) {
                return accepted();
            }
            if (outcome == KeyDoor.Outcome.CLOSED) {
                throw closed();
            }
            KeyDoor.Replaced<M> replaced = item.owner().replace(item);
            if (replaced.oldest() != null) {
                boolean in = accepted();
                evicted(item.owner(), replaced.oldest());
                return in;
            }
            if (outcome == KeyDoor.Outcome.ALL_FULL && takesRoomOfAnother(key, item)) {
                return accepted();
            }
        }
    }

    /** Takes the room of the oldest message of a key that has most. False: something has changed, look again. */
    private boolean takesRoomOfAnother(K key, Item<M> item) {
        KeyOwner<K, S, M> victim = all.deepest();
        if (victim == null) {
            return false;
        }
        Item<M> oldest = victim.giveUpOldest();
        if (oldest == null) {
            return false;
        }
        boolean in = false;
        try {
            in = postWithPlace(key, item) == KeyDoor.Outcome.IN;
        } finally { // hashCode or equals of the key may throw
            if (!in) {
                all.bound.release();
            }
            evicted(victim, oldest);
        }
        return in;
    }

    private KeyDoor.Outcome postWithPlace(K key, Item<M> item) {
        for (; ; ) {
            KeyOwner<K, S, M> owner = all.ownerOf(key);
            item.owner(owner);
            KeyDoor.Outcome outcome = owner.postWithPlace(item);
            if (outcome != KeyDoor.Outcome.GONE) {
                return outcome;
            }
            all.unlist(owner);
        }
    }

    private void evicted(KeyOwner<?, ?, M> from, Item<M> item) {
        M message = item.message;
        Ask<?> ask = item.ask;
        if (message == null || (ask != null && ask.isDone())) {
            all.expired.increment();
            return;
        }
        all.evicted.increment();
        ActorEvents.dropped(from.name(), "oldest");
        if (ask != null) {
            ask.completeExceptionally(all.full(all.terms.capacity(), "dropped for a later message"));
        }
        all.deadLetter(message);
    }

    // Answers

    private boolean accepted() {
        all.accepted.increment();
        return true;
    }

    private ClosedException closed() {
        return new ClosedException(all.terms.name());
    }

    private void rejected(Item<M> item, KeyDoor.Outcome outcome) {
        all.rejected.increment();
        ActorEvents.refused(
                outcome == KeyDoor.Outcome.KEY_FULL ? item.owner().name() : all.terms.name(), capacity(outcome));
    }

    private int capacity(KeyDoor.Outcome outcome) {
        return outcome == KeyDoor.Outcome.KEY_FULL ? all.terms.capacity() : all.bound.capacity();
    }

    /** Counted, recorded, and to be thrown. */
    private FullException full(Item<M> item, KeyDoor.Outcome outcome) {
        rejected(item, outcome);
        String which =
                outcome == KeyDoor.Outcome.KEY_FULL ? "for key " + KeyOwners.text(item.owner().key) : "for all keys";
        String why =
                whenFull == FullPolicy.BLOCK && all.inside() != null ? ", and a handler does not wait for that" : "";
        return all.full(capacity(outcome), which + why);
    }
}
