package io.heptad.gate;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a {@link Gate} keeps phases, events, unfinished actions, timers and outgoing messages. Users choose one; only who
 * writes another implements it.
 *
 * {@snippet file="io/heptad/gate/GateSnippetsTest.java" region="store"}
 *
 * <p><b>What a store owes.</b> The gate's promises stand on these five, and {@code PhaseStoreContract} tests them:
 *
 * <ol>
 *   <li>{@link #transact} is one transaction with the entity locked: no other unit for that id runs from its begin to its
 *       end, in any process, and its writes are there all together or not at all. A crash, or an exception from the unit,
 *       at any moment leaves nothing of it. When it has returned, its writes survive a crash of every process.
 *   <li>An entity has at most one action that is {@link State#OPEN} or {@link State#PARKED}, whatever a caller does.
 *   <li>A {@link ActionRow#fence()} only rises. Every write about an open action names the fence it knows, and changes
 *       nothing if another is there.
 *   <li>Time is the store's own, one clock for all instances: leases, timers and {@link Committed#at()} are by it.
 *   <li>What was stored and cannot be read any more (a type that is gone, a payload of a newer version) fails the one call
 *       that reads it, with a message that names entity, type and version; {@link #claim} and {@link #claimTimers} leave
 *       it where it is and count it.
 * </ol>
 *
 * <p>Commit errors are ambiguous: a method that throws may have been carried out. The gate looks again before it decides.
 *
 * <p>Values (phases, events, inputs, results) are handed over as objects. A store of bytes turns them into
 * {@code (type, version, bytes)} and back; they should be immutable and equal by value, as records are.
 *
 * <p>Any thread may call any method. <b>Memory consistency effects:</b> what a thread did before a transaction returned
 * <i>happens-before</i> what any thread does that sees its writes.
 *
 * @param <P> the phases
 * @param <E> the events
 */
public interface PhaseStore<P, E> {

    /** What is known of an action. */
    enum State {
        /** It may have been called, and may have happened: somebody has to find out. */
        OPEN,
        /** As open, but nobody tries any more: a person has to decide. The entity is locked by it. */
        PARKED,
        /** It happened, and its result is known. */
        DONE,
        /** It definitely did not happen. */
        DECLINED
    }

    /**
     * One remote action of one entity: the intent, and later its outcome.
     *
     * @param key what the other side knows it by, unique; the same over all tries and restarts
     * @param id the entity
     * @param action the name of the action
     * @param undo whether this undoes one
     * @param undoes the key of what this undoes; null for a do, and for an undo that found nothing to undo
     * @param version the version the entity had when this was opened, and has while it is open
     * @param state what is known
     * @param fence who may write about it: 1 for whoever opened it, one more with each take-over
     * @param leaseUntil until when whoever has the fence is expected to be alive; from then on another may take over
     * @param eventId the id of the event that the caller sent
     * @param asked the event that the caller sent
     * @param event the event that this action is for: that one, or the one that a decline became
     * @param request the exact input of the action
     * @param result its result; null unless it is done, and for results that are {@code Void}
     * @param firstSentAt when it was first called at the earliest
     * @param attempts how many calls ended without a known outcome
     * @param lastError the last of these, or why it is parked, or who resolved it; null if there is nothing to say
     * @param <E> the events
     */
    record ActionRow<E>(
            String key,
            String id,
            String action,
            boolean undo,
            @Nullable String undoes,
            long version,
            State state,
            long fence,
            Instant leaseUntil,
            String eventId,
            E asked,
            E event,
            @Nullable Object request,
            @Nullable Object result,
            Instant firstSentAt,
            int attempts,
            @Nullable String lastError) {
        /** Refuses nulls where none may be, and numbers out of range. */
        public ActionRow {
            Checks.notBlank("key", key);
            Checks.notBlank("id", id);
            Checks.notBlank("action", action);
            Checks.notBlank("eventId", eventId);
            Objects.requireNonNull(state, "state");
            Objects.requireNonNull(leaseUntil, "leaseUntil");
            Objects.requireNonNull(asked, "asked");
            Objects.requireNonNull(event, "event");
            Objects.requireNonNull(firstSentAt, "firstSentAt");
            if (version < 1 || fence < 1 || attempts < 0) {
                throw new IllegalArgumentException(
                        "version and fence must be at least 1 and attempts at least 0, but are " + version + ", "
                                + fence + ", " + attempts);
            }
        }

        /**
         * Whether the entity is locked by it.
         *
         * @return true while it is open or parked
         */
        public boolean isUnfinished() {
            return state == State.OPEN || state == State.PARKED;
        }

        /** The same action later on; what says when and why it was opened never changes. */
        ActionRow<E> as(
                State state,
                long fence,
                Instant leaseUntil,
                @Nullable Object result,
                int attempts,
                @Nullable String lastError) {
            return new ActionRow<>(
                    key,
                    id,
                    action,
                    undo,
                    undoes,
                    version,
                    state,
                    fence,
                    leaseUntil,
                    eventId,
                    asked,
                    event,
                    request,
                    result,
                    firstSentAt,
                    attempts,
                    lastError);
        }
    }

    /**
     * What a repeated event id is answered with.
     *
     * @param event the event that came with the id
     * @param answer what became of it: committed or declined
     * @param <P> the phases
     * @param <E> the events
     */
    record Answered<P, E>(E event, Answer<P, E> answer) {
        /** Refuses nulls. */
        public Answered {
            Objects.requireNonNull(event, "event");
            Objects.requireNonNull(answer, "answer");
        }
    }

    /**
     * An event that comes by itself, unless the entity has moved on by then.
     *
     * @param id the entity
     * @param version the version that armed it: it is armed as long as the entity has this version
     * @param number which of the timers that this version armed, from 0
     * @param due when
     * @param event the event
     * @param <E> the events
     */
    record ArmedTimer<E>(String id, long version, int number, Instant due, E event) {
        /** Refuses nulls. */
        public ArmedTimer {
            Objects.requireNonNull(id, "id");
            Objects.requireNonNull(due, "due");
            Objects.requireNonNull(event, "event");
        }
    }

    /**
     * An action that was taken over.
     *
     * @param id the entity
     * @param key the action
     * @param fence the fence under which it may be written about from now on
     */
    record Claim(String id, String key, long fence) {}

    /**
     * What is unfinished in the whole store, for all instances.
     *
     * @param open actions that are open
     * @param parked actions that wait for a person
     * @param oldestOpen how long ago the oldest of the open ones was opened; zero if there is none
     * @param unreadable rows that could not be read, and were left where they are; each is counted once for each look
     */
    record Figures(long open, long parked, Duration oldestOpen, long unreadable) {}

    /**
     * What one transaction reads and writes of one entity. Only for the thread that was handed it, and only until the unit
     * returns. Reads see the writes of this transaction.
     *
     * @param <P> the phases
     * @param <E> the events
     */
    interface Transaction<P, E> {
        /**
         * The store's time, read once when the entity was locked.
         *
         * @return the time
         */
        Instant now();

        /**
         * The phase that the entity is in.
         *
         * @return its newest commit; empty if there is no such entity
         */
        Optional<Committed<P, E>> current();

        /**
         * The phase that the entity began with.
         *
         * @return its commit of version 1, kept for good; empty if there is no such entity
         */
        Optional<Committed<P, E>> first();

        /**
         * The action that locks the entity.
         *
         * @return the one that is open or parked, if any
         */
        Optional<ActionRow<E>> unfinished();

        /**
         * What an event id was answered with.
         *
         * @param eventId the id
         * @return the event that came with it and its answer, if this entity has had it and still knows it
         */
        Optional<Answered<P, E>> answered(String eventId);

        /**
         * What an undo would undo.
         *
         * @param action the name of the action
         * @return its newest do that is done and that no undo has undone; kept until one has
         */
        Optional<ActionRow<E>> undoable(String action);

        /**
         * How often an action was declined since the entity has its present version: the generation of the next key.
         *
         * @param action the name of the action
         * @param undo whether undos are asked for
         * @return the count
         */
        int declined(String action, boolean undo);

        /**
         * Writes the phase and the event, and takes all timers of earlier versions away. At most once in a transaction.
         *
         * @param next version 1 for a new entity, else one more than the current
         * @throws IllegalStateException if it is another version
         */
        void append(Committed<P, E> next);

        /**
         * Writes down what an event id is answered with.
         *
         * @param eventId the id
         * @param answered the event and its answer
         */
        void answer(String eventId, Answered<P, E> answered);

        /**
         * Writes down an intent.
         *
         * @param row open or parked, of this entity
         * @throws IllegalStateException if the entity has an unfinished action, or the key was ever used
         */
        void open(ActionRow<E> row);

        /**
         * Writes down the outcome of the unfinished action.
         *
         * @param key the action
         * @param fence the fence under which the caller knows it
         * @param state {@link State#DONE} or {@link State#DECLINED}
         * @param result the result, if there is one
         * @param note what to keep as {@link ActionRow#lastError()}; null to keep what is there
         * @return false, and nothing is written, if there is no unfinished action with this key and fence: somebody else
         *     has taken it over or finished it
         */
        boolean close(String key, long fence, State state, @Nullable Object result, @Nullable String note);

        /**
         * Sets a timer for the version that the entity has now, after {@link #append} if there is one.
         *
         * @param due when
         * @param event the event
         */
        void arm(Instant due, E event);

        /**
         * Takes a timer away, because it fires now.
         *
         * @param timer the timer
         * @return false if it is not armed any more
         */
        boolean disarm(ArmedTimer<E> timer);

        /**
         * Writes a message down.
         *
         * @param message the message
         * @throws io.heptad.core.FullException if the outbox is full; the transaction cannot be committed
         */
        void add(OutboxMessage message);

        /**
         * What the commit is made on, for work that must be part of it.
         *
         * @param type the type wanted, such as {@code java.sql.Connection}
         * @param <T> that type
         * @return the very object, if the store has one of the type
         */
        default <T> Optional<T> unwrap(Class<T> type) {
            return Optional.empty();
        }
    }

    /**
     * What is to be done in one transaction. The store may run it again from the start when a commit conflicts, so it must
     * have no effect but through the transaction.
     *
     * @param <P> the phases
     * @param <E> the events
     * @param <T> what it returns
     */
    @FunctionalInterface
    interface Unit<P, E, T extends @Nullable Object> {
        /**
         * Reads and writes.
         *
         * @param transaction the transaction
         * @return what {@link #transact} returns once it is committed
         */
        T run(Transaction<P, E> transaction);
    }

    /**
     * Locks an entity, runs the unit and commits. There need not be such an entity: {@link Transaction#append} makes it.
     *
     * @param id the entity
     * @param patience how long to wait for the entity
     * @param unit what to do; what it throws is thrown here, and nothing is written
     * @param <T> what it returns
     * @return what the unit returned
     * @throws io.heptad.core.BusyException if the entity was not free in time
     * @throws IllegalStateException if this thread is inside of a transaction for this id already
     * @throws InterruptedException if interrupted while it waits; the unit did not run
     */
    <T extends @Nullable Object> T transact(String id, Duration patience, Unit<P, E, T> unit)
            throws InterruptedException;

    // ---- open actions, each call a transaction of its own

    /**
     * Puts the end of a lease off.
     *
     * @param id the entity
     * @param key the action
     * @param fence the fence under which the caller knows it
     * @param lease from now
     * @return false if it is not open under this fence any more
     * @throws InterruptedException if interrupted before it was done
     */
    boolean renew(String id, String key, long fence, Duration lease) throws InterruptedException;

    /**
     * Writes down that a call ended without a known outcome: one attempt more.
     *
     * @param id the entity
     * @param key the action
     * @param fence the fence under which the caller knows it
     * @param error what happened
     * @param lease from now; when it ends, anyone may try again
     * @return false if it is not open under this fence any more
     * @throws InterruptedException if interrupted before it was done
     */
    boolean failed(String id, String key, long fence, String error, Duration lease) throws InterruptedException;

    /**
     * Leaves an open action for a person.
     *
     * @param id the entity
     * @param key the action
     * @param fence the fence under which the caller knows it
     * @param reason why
     * @return false if it is not open under this fence any more
     * @throws InterruptedException if interrupted before it was done
     */
    boolean park(String id, String key, long fence, String reason) throws InterruptedException;

    /**
     * Opens a parked action again, with a lease that has ended: whoever looks next takes it over.
     *
     * @param id the entity
     * @param key the action
     * @return false if it is not parked
     * @throws InterruptedException if interrupted before it was done
     */
    boolean unpark(String id, String key) throws InterruptedException;

    /**
     * Takes over open actions whose lease has ended, those that ended first first: a higher fence, a new lease. Two that
     * ask at once never get the same one, and neither waits for the other.
     *
     * @param max how many at most
     * @param lease from now
     * @return what was taken over
     * @throws InterruptedException if interrupted before anything was taken over
     */
    List<Claim> claim(int max, Duration lease) throws InterruptedException;

    /**
     * Timers that are due, armed, and of entities without an unfinished action. They are not handed out again before
     * {@code lease} is over; what fires one is {@link Transaction#disarm}.
     *
     * @param max how many at most
     * @param lease from now
     * @return the timers, those that were due first first
     * @throws InterruptedException if interrupted before anything was taken
     */
    List<ArmedTimer<E>> claimTimers(int max, Duration lease) throws InterruptedException;

    /**
     * When {@link #claim} or {@link #claimTimers} may next have something, as far as is known now.
     *
     * @return how long from now, zero if at once; empty if nothing is waiting, or if nobody can say
     */
    Optional<Duration> nextDue();

    // ---- reading, without a lock

    /**
     * The phase that an entity is in.
     *
     * @param id the entity
     * @return its newest commit; empty if there is no such entity
     */
    Optional<Committed<P, E>> current(String id);

    /**
     * What has been committed for an entity.
     *
     * @param id the entity
     * @return the commits that the store keeps, oldest first; empty if there is no such entity
     */
    List<Committed<P, E>> history(String id);

    /**
     * The remote actions of an entity, finished ones too.
     *
     * @param id the entity
     * @return the actions that the store keeps, oldest first; empty if there is no such entity
     */
    List<ActionRow<E>> actions(String id);

    /**
     * What an event id was answered with.
     *
     * @param id the entity
     * @param eventId the id
     * @return the event that came with it and its answer, if the entity has had it and still knows it
     */
    Optional<Answered<P, E>> answered(String id, String eventId);

    /**
     * An action by its key.
     *
     * @param key the key
     * @return the action, if it is unfinished
     */
    Optional<ActionRow<E>> unfinished(String key);

    /**
     * Actions that wait for a person.
     *
     * @param max how many at most
     * @return the actions, oldest first
     */
    List<ActionRow<E>> parked(int max);

    /**
     * What is unfinished. Cheap, because metrics ask for it: a store that would have to ask a database answers with what it
     * found at the last {@link #claim}.
     *
     * @return the figures
     */
    Figures figures();

    /**
     * Messages that were committed and not yet {@link #sent}.
     *
     * @param max how many at most
     * @return the messages, in the order of their commits
     */
    List<OutboxMessage> outbox(int max);

    /**
     * Takes a message out of the outbox.
     *
     * @param messageId its id
     * @return false if it is not there
     */
    boolean sent(String messageId);

    /**
     * Whether {@link Transaction#unwrap} has an object of a type.
     *
     * @param type the type, such as {@code java.sql.Connection}
     * @return true if every transaction has one
     */
    default boolean joins(Class<?> type) {
        return false;
    }

    /**
     * A store in the memory of this process, for 1,000,000 entities and the newest 100 history entries, event ids and
     * actions of each, on a clock that never jumps: the time of day is read once, and from then on only {@link
     * System#nanoTime} moves it.
     *
     * <p>It keeps every promise of a store but the last part of the first: what is in it ends with the process.
     *
     * @param <P> the phases
     * @param <E> the events
     * @return an empty store
     */
    static <P, E> PhaseStore<P, E> inMemory() {
        Instant start = Instant.now();
        long origin = System.nanoTime();
        return inMemory(1_000_000, 100, () -> start.plusNanos(System.nanoTime() - origin));
    }

    /**
     * A store in the memory of this process, as {@link #inMemory()}, with bounds and a clock of your own.
     *
     * @param entities how many entities there may be, at least 1; another one is refused with a
     *     {@link io.heptad.core.FullException}. As many messages fit into the outbox
     * @param history how many history entries, answered event ids and finished actions are kept for each entity, at least
     *     1; the oldest go first. An event id that was forgotten is new. Kept besides: the first phase, and the newest
     *     result of each action that an undo may need
     * @param clock says what time it is; called by the asking thread. It should not step back: then leases and timers wait
     * @param <P> the phases
     * @param <E> the events
     * @return an empty store
     * @throws IllegalArgumentException if a bound is below 1
     */
    static <P, E> PhaseStore<P, E> inMemory(int entities, int history, InstantSource clock) {
        return new MemoryPhaseStore<>(entities, history, clock);
    }
}
