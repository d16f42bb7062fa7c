package io.heptad.actor;

import io.heptad.core.Bounded;
import io.heptad.core.ClosedException;
import io.heptad.core.Durations;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.core.Metric;
import io.heptad.core.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One owner of one state: everybody else sends it messages, and it handles them one at a time. Nothing is shared, so
 * nothing can race, and check-then-act is safe without a lock.
 *
 * {@snippet file="io/heptad/actor/Snippets.java" region="account"}
 *
 * <p><b>The three questions.</b> What bounds it: its mailbox, exactly, for any number from 1. When that is full,
 * {@link #whenFull()} decides (table below). How deep it is: {@link #depth()}, {@link #stats()}, {@link #metrics()}, and
 * Flight Recorder ({@code io.heptad.ActorFailed}, {@code MailboxFull}, {@code MailboxRefused}, {@code MailboxDropped}, and
 * the periodic {@code Depth} from the first message on).
 *
 * <table>
 * <caption>One more than the mailbox holds</caption>
 * <tr><th>Policy</th><th>{@code send}</th><th>{@code call}</th></tr>
 * <tr><td>{@code BLOCK}</td><td>waits for room, first come first served</td><td>waits within its time</td></tr>
 * <tr><td>{@code REJECT}</td><td>throws {@link FullException}</td><td>throws {@code FullException}</td></tr>
 * <tr><td>{@code DROP_NEWEST}</td><td>drops the message, returns false</td><td>throws {@code FullException}</td></tr>
 * <tr><td>{@code DROP_OLDEST}</td><td>drops the oldest message, returns true</td>
 *     <td>throws {@code FullException}</td></tr>
 * </table>
 *
 * <p>{@code offer} and {@code ask} never wait and never drop another's message: on a full mailbox {@code offer} returns
 * false, and the future of {@code ask} fails with {@code FullException}. What the policy drops goes to the dead letters.
 *
 * <p><b>Order.</b> The messages of one sender are handled in the order in which it sent them. Senders that wait are served
 * in order, and nothing sent later overtakes them. One message is handled wholly before the next begins.
 *
 * <p><b>Threads.</b> An actor without work has none. Each activation is a virtual thread, or runs on the executor that was
 * given ({@link Builder#executor}), and handles what there is; a handler may block in it, and nobody but its own senders
 * waits for that. An actor that a handler tells may run next in the same thread, when the handler has returned; if it does not
 * return soon, another thread takes it. So a thread-local that a handler sets may be seen by other actors, as in any pool.
 *
 * <p><b>Failure.</b> A handler that throws ends neither the loop nor the thread: {@link Supervision} says what follows, and
 * the asker of that message gets what was thrown. An executor that refuses is asked again, with pauses, for about a
 * second; then what waits fails, and the next message tries anew.
 *
 * <p><b>Close.</b> After {@link #close()} nothing more is accepted, what is in the mailbox is handled, and then the stop
 * hook runs, once. {@link #closeNow()} gives what is in the mailbox to its caller instead; {@link ActorContext#stop()} and
 * {@link Supervision#stop()} leave it to the dead letters. Asks without an answer then fail with {@link ClosedException},
 * and timers never go off.
 *
 * <p><b>Circles.</b> Actors that would wait for each other for ever, in {@code call} or in {@code send} to a full mailbox,
 * are found: the one that would close the circle gets {@link ActorDeadlockException}, which names the path. Not found:
 * waits for the future of an ask, waits in threads that a handler started itself, and actors kept waiting because the
 * threads of their executor are all taken. A handler that has given its {@link Reply} to another thread and then calls the
 * asker back is taken for a circle.
 *
 * <p>Messages must be immutable, or given away: the actor sees the sender's object, not a copy. A record that holds a list
 * copies it in its constructor.
 *
 * <p>Any thread may call any method, also a handler; none of them waits but those that say so. An actor lives in the memory
 * of this process and dies with it.
 *
 * <p><b>Memory consistency effects:</b> what a thread did before it sent a message <i>happens-before</i> what the handler
 * does with it; what the handler did for one message <i>happens-before</i> the next; what it did before it answered
 * <i>happens-before</i> what the asker does with the answer; what the stop hook did <i>happens-before</i> the return of
 * {@link #close(Duration)} with true.
 *
 * <p>The idea is Carl Hewitt's, as Erlang made it practical; the state word that hands an actor from thread to thread
 * follows Akka's dispatcher, and the mailbox is the linked queue of Michael and Scott with numbered nodes.
 *
 * @param <M> the messages, best a sealed interface of records
 */
public final class Actor<M> implements Bounded, AutoCloseable {
    private final Target<M> target;

    Actor(Target<M> target) {
        this.target = target;
    }

    /**
     * An actor with virtual threads that goes on after a failure with the state from before.
     *
     * @param name who it is, in metrics, events and refusals
     * @param mailbox the most messages that wait, at least 1
     * @param whenFull what happens to one more
     * @param initial the first state; immutable, or touched by the behavior only
     * @param behavior what it does with a message
     * @param <S> the state
     * @param <M> the messages
     * @return the actor, ready for messages
     * @throws IllegalArgumentException if {@code name} is blank or {@code mailbox} below 1
     */
    public static <S, M> Actor<M> of(
            String name, int mailbox, FullPolicy whenFull, S initial, Behavior<S, M> behavior) {
        Objects.requireNonNull(initial, "initial");
        return new Start<M>(name)
                .mailbox(mailbox, whenFull)
                .state(() -> initial, behavior)
                .start();
    }

    /**
     * An actor with more to choose.
     *
     * {@snippet file="io/heptad/actor/Snippets.java" region="builder"}
     *
     * @param name who it is, in metrics, events and refusals
     * @param protocol the type of its messages
     * @param <M> the messages
     * @return what to choose first: the mailbox
     * @throws IllegalArgumentException if {@code name} is blank
     */
    public static <M> Start<M> named(String name, Class<M> protocol) {
        Objects.requireNonNull(protocol, "protocol");
        return new Start<>(name);
    }

    /**
     * The first choice for an actor: its bound, and what happens when it is full.
     *
     * @param <M> the messages
     */
    public static final class Start<M> {
        private final String name;

        private Start(String name) {
            this.name = Terms.checkedName(name);
        }

        /**
         * The mailbox.
         *
         * @param mailbox the most messages that wait, at least 1
         * @param whenFull what happens to one more
         * @return what to choose next: the state
         * @throws IllegalArgumentException if {@code mailbox} is below 1
         */
        public Sized<M> mailbox(int mailbox, FullPolicy whenFull) {
            return new Sized<>(name, Terms.checkedMailbox(mailbox), Objects.requireNonNull(whenFull, "whenFull"));
        }
    }

    /**
     * The second choice for an actor: what it owns, and what it does.
     *
     * @param <M> the messages
     */
    public static final class Sized<M> {
        private final String name;
        private final int mailbox;
        private final FullPolicy whenFull;

        private Sized(String name, int mailbox, FullPolicy whenFull) {
            this.name = name;
            this.mailbox = mailbox;
            this.whenFull = whenFull;
        }

        /**
         * The state and the handler.
         *
         * @param initial makes the first state, in {@link Builder#start()}, and one for each restart, in the actor's thread
         * @param behavior what the actor does with a message
         * @param <S> the state
         * @return the choices that have a default
         */
        public <S> Builder<S, M> state(Supplier<? extends S> initial, Behavior<S, M> behavior) {
            return new Builder<>(
                    this, Objects.requireNonNull(initial, "initial"), Objects.requireNonNull(behavior, "behavior"));
        }
    }

    /**
     * The choices of an actor that have a default. A builder may start more than one actor.
     *
     * @param <S> the state
     * @param <M> the messages
     */
    public static final class Builder<S, M> {
        private final Sized<M> sized;
        private final Supplier<? extends S> initial;
        private final Behavior<S, M> behavior;
        private Supervision supervision = Supervision.resume();
        private @Nullable Executor executor;
        private @Nullable Consumer<? super S> onStop;
        private @Nullable Consumer<? super M> deadLetters;
        private Ticker ticker = Ticker.system();
        private Alarm alarms = Alarm.SYSTEM;

        private Builder(Sized<M> sized, Supplier<? extends S> initial, Behavior<S, M> behavior) {
            this.sized = sized;
            this.initial = initial;
            this.behavior = behavior;
        }

        /**
         * What becomes of the actor when its handler throws; {@link Supervision#resume()} unless set.
         *
         * @param supervision what follows a failure
         * @return this builder
         */
        public Builder<S, M> supervision(Supervision supervision) {
            this.supervision = Objects.requireNonNull(supervision, "supervision");
            return this;
        }

        /**
         * Runs the activations, instead of a virtual thread for each: the fast lane for handlers that never block, on a
         * {@link java.util.concurrent.ForkJoinPool} in async mode for example. After a number of messages an actor gives
         * its thread back and gets in line again.
         *
         * <p>It does not go with {@code BLOCK}: senders that wait in the executor's threads could keep the actor that they
         * wait for from running.
         *
         * @param executor runs what it is given, once, in any thread; the caller's own is fine
         * @return this builder
         * @throws IllegalArgumentException if the mailbox blocks
         */
        public Builder<S, M> executor(Executor executor) {
            this.executor = Terms.checkedExecutor(executor, sized.whenFull);
            return this;
        }

        /**
         * Called with the last state when the actor has stopped, in whatever way: once, last of all, after the handler has
         * returned. It is the place to save or release what the state holds. What it throws is counted and reported.
         * States that a restart replaced are not given to it.
         *
         * @param onStop the hook
         * @return this builder
         */
        public Builder<S, M> onStop(Consumer<? super S> onStop) {
            this.onStop = Objects.requireNonNull(onStop, "onStop");
            return this;
        }

        /**
         * Called with each message that was to be handled and will not be: left behind when the actor stopped, dropped by
         * the policy, set by a timer and not accepted. Not with those that {@link Actor#closeNow()} returns, nor with asks
         * that ended before their turn. In the thread that finds it out, under no lock, in order for those left behind.
         * What it throws is counted and reported.
         *
         * @param deadLetters the hook
         * @return this builder
         */
        public Builder<S, M> deadLetters(Consumer<? super M> deadLetters) {
            this.deadLetters = Objects.requireNonNull(deadLetters, "deadLetters");
            return this;
        }

        /**
         * The clock for ages, for the time of {@link Supervision#restart} and for the drain rate behind
         * {@link FullException#retryAfter()}. Timeouts and timers follow the system's clock. A ticker that throws costs an
         * age, never a message.
         *
         * @param ticker the clock
         * @return this builder
         */
        public Builder<S, M> ticker(Ticker ticker) {
            this.ticker = Objects.requireNonNull(ticker, "ticker");
            return this;
        }

        /** For tests that step through time. */
        Builder<S, M> alarms(Alarm alarms) {
            this.alarms = alarms;
            return this;
        }

        /**
         * Makes the first state, in this call, and starts the actor. What the supplier throws, this throws.
         *
         * @return the actor, ready for messages; it has no thread before the first one
         */
        public Actor<M> start() {
            Terms<S, M> terms = new Terms<>(
                    sized.name,
                    sized.mailbox,
                    sized.whenFull,
                    behavior,
                    supervision,
                    executor,
                    deadLetters,
                    ticker,
                    alarms);
            S first = Objects.requireNonNull(initial.get(), "the state that initial gave");
            return new Owner<>(terms, first, initial, onStop).self();
        }
    }

    // Messages

    /**
     * Sends a message, following the policy if the mailbox is full. Only {@code BLOCK} ever waits.
     *
     * @param message the message
     * @return true if the mailbox took it; false if it was dropped ({@code DROP_NEWEST})
     * @throws FullException if the mailbox is full and rejects; or if it blocks, and this is the actor's own handler, which
     *     would wait for itself
     * @throws ActorDeadlockException if the mailbox is full, and waiting for room would close a circle of waiting actors
     * @throws ClosedException if the actor is closed, also while this waits; the message is not inside
     * @throws InterruptedException if the thread is interrupted on entry, under any policy, or while it waits; the message
     *     is not inside
     */
    public boolean send(M message) throws InterruptedException {
        return target.send(message, Long.MAX_VALUE);
    }

    /**
     * Sends a message, waiting at most so long for room if the policy is {@code BLOCK}; under the other policies, which
     * never wait, as {@link #send(Object)}.
     *
     * @param message the message
     * @param timeout the longest wait for room; zero or less: none
     * @return true if the mailbox took it; false if there was no room in time ({@code BLOCK}), or it was dropped
     *     ({@code DROP_NEWEST})
     * @throws FullException as for {@link #send(Object)}
     * @throws ActorDeadlockException as for {@link #send(Object)}
     * @throws ClosedException if the actor is closed, also while this waits; the message is not inside
     * @throws InterruptedException if the thread is interrupted on entry, under any policy, or while it waits; the message
     *     is not inside
     */
    public boolean send(M message, Duration timeout) throws InterruptedException {
        return target.send(message, Durations.saturatedNanos(timeout));
    }

    /**
     * Sends a message if there is room now. Never waits, never drops another, and takes no notice of interrupts, whatever
     * the policy.
     *
     * @param message the message
     * @return true if the mailbox took it; false, counted as rejected, if it is full or others wait in line for room
     * @throws ClosedException if the actor is closed
     */
    public boolean offer(M message) {
        return target.offer(message);
    }

    /**
     * Sends a question and returns at once, whatever the policy; the answer comes later. An ask that has ended before its
     * turn comes, by time or because its future was completed or cancelled, is skipped and counted, and its message is let
     * go of at once.
     *
     * {@snippet file="io/heptad/actor/Snippets.java" region="ask"}
     *
     * <p>The future fails with what the handler threw, or answered by {@link Reply#fail}; with {@link TimeoutException}
     * after the time; with {@link FullException} if the mailbox was full; with {@link ClosedException} if the actor was
     * closed, or stopped before it answered. Nothing of it stays behind: no timer, no entry.
     *
     * @param message makes the message, with the reply in it; called once, in this call, and what it throws, this throws
     * @param timeout how long the answer may take; zero or less: the ask is late at once and is not sent
     * @param <R> the answer
     * @return the answer to come
     */
    public <R extends @Nullable Object> CompletableFuture<R> ask(
            Function<? super Reply<R>, ? extends M> message, Duration timeout) {
        return target.ask(message, Durations.saturatedNanos(timeout));
    }

    /**
     * Sends a question and waits for the answer. Under {@code BLOCK} a wait for room counts within the time.
     *
     * @param message makes the message, with the reply in it; called once, in this call, and what it throws, this throws
     * @param timeout how long it may take in all; zero or less: not sent
     * @param <R> the answer
     * @return the answer; what the handler threw or failed with is thrown, itself if it is unchecked, otherwise as the
     *     cause of a {@link java.util.concurrent.CompletionException}
     * @throws TimeoutException if there was no answer in time; a message that still waits is skipped
     * @throws FullException if the mailbox is full and does not block
     * @throws ActorDeadlockException if waiting would close a circle of waiting actors, such as a call of itself
     * @throws ClosedException if the actor is closed, or stops before it answers
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; a message that still waits is
     *     skipped
     */
    public <R extends @Nullable Object> R call(Function<? super Reply<R>, ? extends M> message, Duration timeout)
            throws InterruptedException, TimeoutException {
        return target.call(message, Durations.saturatedNanos(timeout));
    }

    // The end

    /**
     * Accepts nothing more and returns at once; what is in the mailbox is handled, and then the actor stops. Senders that
     * wait for room get {@link ClosedException}. Idempotent; the handler may call it too.
     */
    @Override
    public void close() {
        target.close();
    }

    /**
     * Closes, and waits until all that was accepted has been handled and the stop hook has returned. Called by the actor's
     * own handler, or where the wait would close a circle of waiting actors, it does not wait.
     *
     * @param timeout how long to wait; zero or less: not at all
     * @return true if the actor has stopped; false if not yet
     * @throws InterruptedException if interrupted while it waits; the actor is closed
     */
    public boolean close(Duration timeout) throws InterruptedException {
        long nanos = Durations.saturatedNanos(timeout);
        target.close();
        return target.awaitEnd(nanos);
    }

    /**
     * Closes and gives back what is in the mailbox. Messages that the handler takes at the same time go to it or into the
     * list, never both. The message in hand is handled to its end, and is not interrupted; then the actor stops. Returns at once; {@link #close(Duration)} waits. Asks among what is given back fail with
     * {@link ClosedException}.
     *
     * @return what was in the mailbox, oldest first; empty on a second call
     */
    public List<M> closeNow() {
        return target.closeNow();
    }

    // The three questions

    @Override
    public String name() {
        return target.name();
    }

    @Override
    public long capacity() {
        return target.capacity();
    }

    @Override
    public FullPolicy whenFull() {
        return target.whenFull();
    }

    /**
     * How many messages wait now; the one in hand is not among them. Never blocks.
     *
     * @return the depth, in messages, from 0 to the capacity
     */
    @Override
    public long depth() {
        return target.depth();
    }

    /**
     * How long the first message in the mailbox has waited; zero if it is empty. It costs senders next to nothing and is a
     * lower bound: the time of a message is taken when it finds the mailbox empty, of one in 64 besides, and whenever
     * somebody reads the age.
     *
     * @return the age, never negative
     */
    public Duration oldestAge() {
        return target.oldestAge();
    }

    /**
     * All figures, read one after the other without a lock.
     *
     * @return the figures; {@link ActorStats} says what is consistent with what
     */
    public ActorStats stats() {
        return target.stats();
    }

    /**
     * The figures of {@link #stats()} as {@code heptad.actor.…}, tagged with the name; {@code dropped} is what either
     * dropping policy dropped, {@code refusals} counts how often the executor would not run the actor, and
     * {@code callback.failures} the hooks that threw.
     *
     * @return the metrics, always the same list
     */
    @Override
    public List<Metric> metrics() {
        return target.metrics();
    }

    @Override
    public String toString() {
        return name() + "[" + depth() + "/" + capacity() + " " + whenFull() + (target.isClosed() ? " closed]" : "]");
    }

    /** What is behind it. */
    Target<M> target() {
        return target;
    }
}
