package io.heptad.actor;

import io.heptad.core.Bounded;
import io.heptad.core.ClosedException;
import io.heptad.core.DepthEvents;
import io.heptad.core.Durations;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.core.Metric;
import io.heptad.core.Ticker;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One owner for each entity: a room, a seat, a device. Messages for one key are handled one at a time, in order, by the
 * one owner of that key; keys have nothing to do with each other. An owner comes with the first message, goes when it has
 * been idle, and comes again.
 *
 * {@snippet file="io/heptad/actor/KeyedSnippets.java" region="rooms"}
 *
 * <p><b>The three questions.</b> What bounds it: of one key {@code perKey} messages wait, of all keys together
 * {@code totalQueued}, which is {@link #capacity()}. When either is full, {@link #whenFull()} decides (table below). How deep
 * it is: {@link #depth()} for all, {@link #depth(Object)}, {@link #oldestAge(Object)} and {@link #position} for one key,
 * {@link #backlog} for those with most; {@link #stats()}, {@link #metrics()}, and Flight Recorder, where the events of
 * {@link Actor} name the key.
 *
 * <table>
 * <caption>One more than the key, or all keys together, may have</caption>
 * <tr><th>Policy</th><th>{@code send}</th></tr>
 * <tr><td>{@code BLOCK}</td><td>waits, first come first served: for its key, then for the bound over all keys</td></tr>
 * <tr><td>{@code REJECT}</td><td>throws {@link FullException}</td></tr>
 * <tr><td>{@code DROP_NEWEST}</td><td>drops the message, returns false</td></tr>
 * <tr><td>{@code DROP_OLDEST}</td><td>drops the oldest message of its own key; where all keys together are full and its own
 *     has none, the oldest of a key that has most (found by a look at all owners). Returns true</td></tr>
 * </table>
 *
 * <p>{@code offer} and {@code ask} never wait and never drop another's message; {@code call} waits within its time under
 * {@code BLOCK}, and throws {@code FullException} under the other policies. A key that floods fills its own line and no
 * other: as long as {@code totalQueued} leaves room beside it, no other key is refused.
 *
 * <p><b>One owner at any instant.</b> The state of a key is what {@code load} gave for its first message; the owner that has
 * it is <i>live</i>. It is <i>passivated</i>, that is its state handed to {@code onPassivate} and let go of, when it has
 * been idle for {@code idleAfter}, when others need its place ({@code maxLive}), when its handler calls
 * {@link ActorContext#stop()}, and at the end. A message that comes meanwhile waits in its line, and is handled by the
 * next owner, whose load begins after {@code onPassivate} has returned. {@code load}, {@code onPassivate} and the handler of
 * one key never run at the same time, and none of them runs under a lock. What has no state and no messages leaves nothing
 * behind.
 *
 * <p><b>How many are live.</b> With {@code maxLive}, so many at most. The first message for one more passivates the owner
 * that has been idle for longest. If none is idle, the key stands in line, first come first served, and its messages wait in
 * their mailbox, within both bounds; an owner that becomes idle leaves for it at once, and one that has handled 64
 * messages in a row leaves although it has more, and stands in line itself. Without {@code maxLive} and without {@code
 * idleAfter} an owner stays until the end: then the keys must be few. An owner with a timer set is not idle.
 *
 * <p><b>When {@code load} fails</b>, by an exception, an error, or null, nothing of the key stays behind: the messages that
 * wait for it at that moment go to the dead letters, the asks among them fail with the cause, and the next message loads
 * again. When {@code onPassivate} throws, that is counted and reported, and the state is gone all the same: the next load
 * finds what was stored before.
 *
 * <p><b>Failure.</b> What a handler throws is counted and reported, answers the ask it was about, and concerns its key only:
 * {@link Supervision#resume()} goes on with the state from before; {@link Supervision#restart} lets go of it, without {@code
 * onPassivate}, and loads again; {@link Supervision#stop()}, and one restart too many, passivate the owner with the state
 * from before, and leave what waits for the key to the dead letters, as {@link ActorContext#stop()} does; the next message
 * begins anew. An executor that refuses is asked again for about a second; then what waits for that key fails.
 *
 * <p><b>From inside a handler</b> of the same object, a {@code send} never waits for its own key, for the bound over all
 * keys, or for a key that stands in line to be live: it could be what they wait for. Under {@code BLOCK} it throws {@code
 * FullException} instead. It waits for another key's full mailbox, and {@code call} for its answer; owners that would wait
 * for each other in a circle are found, as for {@link Actor}. One that waits stays live: with {@code maxLive} it must be
 * above the longest chain of such waits.
 *
 * <p><b>Close.</b> After {@link #close()} nothing more is accepted, what waits is handled, and every owner is passivated.
 * {@link #closeNow()} gives what waits to its caller instead.
 *
 * <p>Any thread may call any method, also a handler. {@code hashCode} and {@code equals} of keys are called by a
 * {@link java.util.concurrent.ConcurrentHashMap}: they should be quick, and not call this.
 *
 * <p><b>Memory consistency effects:</b> what a thread did before it sent a message <i>happens-before</i> what the handler
 * does with it; what the handler of a key did for one message <i>happens-before</i> the next, and before {@code
 * onPassivate}; that <i>happens-before</i> the next {@code load} of the key, and before the return of
 * {@link #close(Duration)} with true.
 *
 * <p>The idea is that of the virtual actors of Microsoft's Orleans, in one process.
 *
 * @param <K> the keys
 * @param <M> the messages, best a sealed interface of records
 */
public final class KeyedActors<K, M> implements Bounded, AutoCloseable {
    private final KeyOwners<K, ?, M> owners;
    private final KeyedSending<K, ?, M> sending;
    private final List<Metric> metrics;

    private <S> KeyedActors(KeyOwners<K, S, M> owners) {
        this.owners = owners;
        this.sending = owners.sending;
        this.metrics = KeyedMetrics.of(this, owners);
    }

    /**
     * Owners to be built: first their bounds, then what they do.
     *
     * {@snippet file="io/heptad/actor/KeyedSnippets.java" region="builder"}
     *
     * @param name who they are, in metrics, events and refusals
     * @param key the type of the keys
     * @param protocol the type of the messages
     * @param <K> the keys
     * @param <M> the messages
     * @return what to choose first: the mailbox of a key
     * @throws IllegalArgumentException if {@code name} is blank
     */
    public static <K, M> Start<K, M> named(String name, Class<K> key, Class<M> protocol) {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(protocol, "protocol");
        return new Start<>(name);
    }

    /**
     * The first choice: the bound of one key, and what happens when it is full.
     *
     * @param <K> the keys
     * @param <M> the messages
     */
    public static final class Start<K, M> {
        private final String name;

        private Start(String name) {
            this.name = Terms.checkedName(name);
        }

        /**
         * The mailbox of each key.
         *
         * @param perKey the most messages that wait for one key, at least 1
         * @param whenFull what happens to one more, also if it is the bound over all keys that is met
         * @return what to choose next: that bound
         * @throws IllegalArgumentException if {@code perKey} is below 1
         */
        public Sized<K, M> mailbox(int perKey, FullPolicy whenFull) {
            atLeastOne("perKey", perKey);
            return new Sized<>(name, perKey, Objects.requireNonNull(whenFull, "whenFull"));
        }
    }

    /**
     * The second choice: the bound over all keys.
     *
     * @param <K> the keys
     * @param <M> the messages
     */
    public static final class Sized<K, M> {
        private final String name;
        private final int perKey;
        private final FullPolicy whenFull;

        private Sized(String name, int perKey, FullPolicy whenFull) {
            this.name = name;
            this.perKey = perKey;
            this.whenFull = whenFull;
        }

        /**
         * The most messages that wait for all keys together. A multiple of the mailbox of a key, so that keys that flood
         * leave room for the others: with {@code n} times as much, {@code n - 1} of them do.
         *
         * @param totalQueued so many, at least 1
         * @return what to choose next: the state
         * @throws IllegalArgumentException if {@code totalQueued} is below 1
         */
        public Bound<K, M> totalQueued(int totalQueued) {
            atLeastOne("totalQueued", totalQueued);
            return new Bound<>(this, totalQueued);
        }
    }

    /**
     * The third choice: what an owner has and what it does.
     *
     * @param <K> the keys
     * @param <M> the messages
     */
    public static final class Bound<K, M> {
        private final Sized<K, M> sized;
        private final int totalQueued;

        private Bound(Sized<K, M> sized, int totalQueued) {
            this.sized = sized;
            this.totalQueued = totalQueued;
        }

        /**
         * The state and the handler.
         *
         * @param load gets the state of a key, such as from a store, or makes the first one; never null. It may block and
         *     may throw
         * @param behavior what an owner does with a message
         * @param <S> the state
         * @return the choices that have a default
         */
        public <S> Builder<K, S, M> state(Function<? super K, ? extends S> load, Behavior<S, M> behavior) {
            return new Builder<>(
                    this, Objects.requireNonNull(load, "load"), Objects.requireNonNull(behavior, "behavior"));
        }
    }

    /**
     * The choices that have a default.
     *
     * @param <K> the keys
     * @param <S> the state
     * @param <M> the messages
     */
    public static final class Builder<K, S, M> {
        private final Sized<K, M> sized;
        private final int totalQueued;
        private final Function<? super K, ? extends S> load;
        private final Behavior<S, M> behavior;
        private int maxLive = Integer.MAX_VALUE;
        private Duration idleAfter = Duration.ofSeconds(Long.MAX_VALUE);
        private @Nullable BiConsumer<? super K, ? super S> onPassivate;
        private Supervision supervision = Supervision.resume();
        private @Nullable Executor executor;
        private @Nullable Consumer<? super M> deadLetters;
        private Ticker ticker = Ticker.system();
        private Alarm alarms = Alarm.SYSTEM;

        private Builder(Bound<K, M> bound, Function<? super K, ? extends S> load, Behavior<S, M> behavior) {
            this.sized = bound.sized;
            this.totalQueued = bound.totalQueued;
            this.load = load;
            this.behavior = behavior;
        }

        /**
         * How many owners may have a state at once; no limit unless set. See {@link KeyedActors} for what happens to one
         * more.
         *
         * @param maxLive so many, at least 1
         * @return this builder
         * @throws IllegalArgumentException if {@code maxLive} is below 1
         */
        public Builder<K, S, M> maxLive(int maxLive) {
            atLeastOne("maxLive", maxLive);
            this.maxLive = maxLive;
            return this;
        }

        /**
         * After what time without messages an owner is passivated; never unless set.
         *
         * @param idleAfter so long; zero or less: as soon as no message waits
         * @return this builder
         */
        public Builder<K, S, M> idleAfter(Duration idleAfter) {
            this.idleAfter = Objects.requireNonNull(idleAfter, "idleAfter");
            return this;
        }

        /**
         * Called with the state of an owner that is passivated, to store it. In the thread of the owner, which it may
         * block; what it throws is counted and reported. Each state that {@code load} gave reaches it once, as the handler
         * left it, but for those that a restart lets go of.
         *
         * @param onPassivate the hook
         * @return this builder
         */
        public Builder<K, S, M> onPassivate(BiConsumer<? super K, ? super S> onPassivate) {
            this.onPassivate = Objects.requireNonNull(onPassivate, "onPassivate");
            return this;
        }

        /**
         * What becomes of an owner when its handler throws; {@link Supervision#resume()} unless set.
         *
         * @param supervision what follows a failure
         * @return this builder
         */
        public Builder<K, S, M> supervision(Supervision supervision) {
            this.supervision = Objects.requireNonNull(supervision, "supervision");
            return this;
        }

        /**
         * Runs the owners, instead of a virtual thread for each that has something to do: for handlers, loads and hooks
         * that never block. After 64 messages an owner gives its thread back and gets in line again. It does not go with
         * {@code BLOCK}, as for {@link Actor.Builder#executor}.
         *
         * @param executor runs what it is given, once
         * @return this builder
         * @throws IllegalArgumentException if the mailbox blocks
         */
        public Builder<K, S, M> executor(Executor executor) {
            this.executor = Terms.checkedExecutor(executor, sized.whenFull);
            return this;
        }

        /**
         * Called with each message that was to be handled and will not be: its state could not be loaded, its owner was
         * stopped, the policy dropped it, or it was set by a timer and not accepted. Not with those that
         * {@link KeyedActors#closeNow()} returns, nor with asks that ended before their turn. In the thread that finds it
         * out, under no lock, in order for those of one key. What it throws is counted and reported.
         *
         * @param deadLetters the hook
         * @return this builder
         */
        public Builder<K, S, M> deadLetters(Consumer<? super M> deadLetters) {
            this.deadLetters = Objects.requireNonNull(deadLetters, "deadLetters");
            return this;
        }

        /**
         * The clock of ages, of {@link FullException#retryAfter()}, of idleness and of restarts. Waits with a limit, and
         * the moment at which an owner is looked at for its idleness, follow the system's clock.
         *
         * @param ticker the clock
         * @return this builder
         */
        public Builder<K, S, M> ticker(Ticker ticker) {
            this.ticker = Objects.requireNonNull(ticker, "ticker");
            return this;
        }

        /** Timers that a test steps. */
        Builder<K, S, M> alarms(Alarm alarms) {
            this.alarms = alarms;
            return this;
        }

        /**
         * Starts it; that starts no thread.
         *
         * @return owners, ready for messages
         */
        public KeyedActors<K, M> start() {
            Terms<S, M> terms = new Terms<>(
                    sized.name,
                    sized.perKey,
                    sized.whenFull,
                    behavior,
                    supervision,
                    executor,
                    deadLetters,
                    ticker,
                    alarms);
            KeyedActors<K, M> actors =
                    new KeyedActors<>(new KeyOwners<>(terms, totalQueued, maxLive, idleAfter, load, onPassivate));
            DepthEvents.include(actors);
            return actors;
        }
    }

    private static void atLeastOne(String parameter, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(parameter + " must be at least 1, but is " + value);
        }
    }

    // Messages

    /**
     * Sends a message to the owner of a key, following the policy if there is no room. Only {@code BLOCK} ever waits.
     *
     * @param key whose owner gets it
     * @param message the message
     * @return true if it was taken; false if it was dropped ({@code DROP_NEWEST})
     * @throws FullException if there is no room and the policy is {@code REJECT}; under {@code BLOCK}, if the sender is
     *     inside a handler that must not wait for it
     * @throws ActorDeadlockException if waiting would close a circle of owners that wait for each other
     * @throws ClosedException if this is closed, also while the call waits; the message is not inside
     * @throws InterruptedException if the thread is interrupted on entry, under any policy, or while it waits; the message
     *     is not inside
     */
    public boolean send(K key, M message) throws InterruptedException {
        return sending.send(key, message, Sending.NO_LIMIT);
    }

    /**
     * Sends a message, waiting at most so long for room if the policy is {@code BLOCK}; under the other policies, which
     * never wait, as {@link #send(Object, Object)}.
     *
     * @param key whose owner gets it
     * @param message the message
     * @param timeout the longest wait for room; zero or less: none
     * @return true if it was taken; false if there was no room in time ({@code BLOCK}), or it was dropped
     *     ({@code DROP_NEWEST})
     * @throws FullException as for {@link #send(Object, Object)}
     * @throws ActorDeadlockException as for {@link #send(Object, Object)}
     * @throws ClosedException if this is closed, also while the call waits; the message is not inside
     * @throws InterruptedException if the thread is interrupted on entry, under any policy, or while it waits; the message
     *     is not inside
     */
    public boolean send(K key, M message, Duration timeout) throws InterruptedException {
        return sending.send(key, message, Durations.saturatedNanos(timeout));
    }

    /**
     * Sends a message if there is room now. Never waits, never drops another, and takes no notice of interrupts, whatever
     * the policy.
     *
     * @param key whose owner gets it
     * @param message the message
     * @return true if it was taken; false, counted as rejected, if there is no room or others wait in line for it
     * @throws ClosedException if this is closed
     */
    public boolean offer(K key, M message) {
        return sending.offer(key, message);
    }

    /**
     * Sends a question and returns at once, whatever the policy; the answer comes later. An ask that has ended before its
     * turn comes, by time or because its future was completed or cancelled, leaves the line at once, is counted, and its
     * room goes to the next.
     *
     * {@snippet file="io/heptad/actor/KeyedSnippets.java" region="position"}
     *
     * <p>The future fails with what the handler threw, or answered by {@link Reply#fail}; with what {@code load} threw; with
     * {@link TimeoutException} after the time; with {@link FullException} if there was no room; with {@link
     * ClosedException} if this was closed, or its owner stopped, before it was answered. A handler may keep the reply and
     * give it later, also after its owner was passivated.
     *
     * @param key whose owner is asked
     * @param message makes the message, with the reply in it; called once, in this call, and what it throws, this throws
     * @param timeout how long the answer may take; zero or less: the ask is late at once and is not sent
     * @param <R> the answer
     * @return the answer to come
     */
    public <R extends @Nullable Object> CompletableFuture<R> ask(
            K key, Function<? super Reply<R>, ? extends M> message, Duration timeout) {
        return sending.ask(key, message, Durations.saturatedNanos(timeout));
    }

    /**
     * Sends a question and waits for the answer. Under {@code BLOCK} a wait for room counts within the time.
     *
     * @param key whose owner is asked
     * @param message makes the message, with the reply in it; called once, in this call, and what it throws, this throws
     * @param timeout how long it may take in all; zero or less: not sent
     * @param <R> the answer
     * @return the answer; what the handler threw or failed with is thrown, itself if it is unchecked, otherwise as the
     *     cause of a {@link java.util.concurrent.CompletionException}
     * @throws TimeoutException if there was no answer in time; a message that still waits is skipped
     * @throws FullException if there is no room, and the policy is not {@code BLOCK} or the caller must not wait
     * @throws ActorDeadlockException if waiting would close a circle of owners that wait for each other, such as a call of
     *     the handler's own key
     * @throws ClosedException if this is closed, or ends before the answer
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; a message that still waits is
     *     skipped
     */
    public <R extends @Nullable Object> R call(K key, Function<? super Reply<R>, ? extends M> message, Duration timeout)
            throws InterruptedException, TimeoutException {
        return sending.call(key, message, Durations.saturatedNanos(timeout));
    }

    // The end

    /**
     * Accepts nothing more and returns at once; what waits is handled, and then every owner is passivated. Senders that wait
     * for room get {@link ClosedException}. Idempotent; a handler may call it too.
     */
    @Override
    public void close() {
        owners.close();
        DepthEvents.exclude(this);
    }

    /**
     * Closes, and waits until all that was accepted has been handled and every state was handed over. Called by a handler of
     * this, it does not wait.
     *
     * @param timeout how long to wait; zero or less: not at all
     * @return true if nothing is left; false if not yet: it goes on, and closing again may wait again
     * @throws InterruptedException if interrupted while it waits; this is closed
     */
    public boolean close(Duration timeout) throws InterruptedException {
        long nanos = Durations.saturatedNanos(timeout);
        close();
        if (nanos <= 0 || owners.inside() != null) {
            return owners.end().isDone();
        }
        try {
            owners.end().get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException late) {
            return false;
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /**
     * Closes and gives back what waits. Messages in hand are handled to their end, and are not interrupted; then every
     * owner is passivated. Returns at once; {@link #close(Duration)} waits. Asks among what is given back fail with {@link
     * ClosedException}.
     *
     * @return what waited, oldest first for each key; empty on a second call
     */
    public List<M> closeNow() {
        List<M> left = owners.closeNow();
        DepthEvents.exclude(this);
        return left;
    }

    // The three questions

    @Override
    public String name() {
        return owners.terms.name();
    }

    /**
     * What bounds all keys together; {@code perKey} bounds each.
     *
     * @return {@code totalQueued}, in messages
     */
    @Override
    public long capacity() {
        return owners.bound.capacity();
    }

    @Override
    public FullPolicy whenFull() {
        return owners.terms.whenFull();
    }

    /**
     * How many messages wait, for all keys together; those in hand are not among them. Never blocks.
     *
     * @return the depth, in messages, from 0 to the capacity
     */
    @Override
    public long depth() {
        return owners.bound.used();
    }

    /**
     * How many messages wait for one key; the one in hand is not among them. Never blocks. A message shows here a moment
     * after it shows in {@link #depth()}, so the two are not of one instant.
     *
     * @param key the key
     * @return the depth, in messages, from 0 to {@code perKey}
     */
    public int depth(K key) {
        KeyOwner<?, ?, ?> owner = owners.known(Objects.requireNonNull(key, "key"));
        return owner == null ? 0 : owner.queued();
    }

    /**
     * How long the first message for a key has waited.
     *
     * @param key the key
     * @return its age; zero if none waits
     */
    public Duration oldestAge(K key) {
        return owners.oldestAge(Objects.requireNonNull(key, "key"));
    }

    /**
     * The place in line of what was asked. Reads along the line of its key.
     *
     * @param key whose owner was asked
     * @param ask the future that {@link #ask} returned
     * @return 1 if it is the next to be handled, 2 for the one behind that, and so on; empty if it does not wait in the line
     *     of this key: it is in hand, has ended, or was asked elsewhere
     */
    public OptionalInt position(K key, CompletableFuture<?> ask) {
        return sending.position(Objects.requireNonNull(key, "key"), Objects.requireNonNull(ask, "ask"));
    }

    /**
     * The keys for which most messages wait. Looks at every owner.
     *
     * @param top how many of them, at least 1
     * @return at most so many, the deepest first, and of equal ones the one that has waited for longest; each is right by
     *     itself
     * @throws IllegalArgumentException if {@code top} is below 1
     */
    public List<Backlog<K>> backlog(int top) {
        atLeastOne("top", top);
        return backlog(owners, top);
    }

    private static <K, S, M> List<Backlog<K>> backlog(KeyOwners<K, S, M> owners, int top) {
        long now = owners.now();
        return owners.owners().stream()
                .map(owner -> new Backlog<>(owner.key, owner.queued(), owners.age(owner, now)))
                .filter(backlog -> backlog.depth() > 0)
                .sorted(Comparator.<Backlog<K>>comparingInt(Backlog::depth)
                        .thenComparing(Backlog::oldestAge)
                        .reversed())
                .limit(top)
                .toList();
    }

    /**
     * All figures. Looks at every owner; waits for a few instructions of another thread at most.
     *
     * @return the figures; {@link KeyedStats} says what is consistent with what
     */
    public KeyedStats stats() {
        return KeyedMetrics.stats(owners);
    }

    /**
     * The figures of {@link #stats()} as {@code heptad.keyedactors.…}, tagged with the name; {@code deepest} is the depth of
     * the key with most messages, and looks at every owner.
     *
     * @return the metrics, always the same list
     */
    @Override
    public List<Metric> metrics() {
        return metrics;
    }

    @Override
    public String toString() {
        return name() + "[" + depth() + "/" + capacity() + " " + whenFull() + ", " + owners.keys() + " keys, "
                + owners.live.live() + " live" + (owners.isClosed() ? ", closed]" : "]");
    }

    /** For tests that step through a race. */
    KeyOwners<K, ?, M> owners() {
        return owners;
    }
}
