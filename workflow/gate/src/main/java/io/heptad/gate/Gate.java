package io.heptad.gate;

import io.heptad.core.Backoff;
import io.heptad.core.Durations;
import io.heptad.core.FullPolicy;
import io.heptad.core.Measured;
import io.heptad.core.Metric;
import io.heptad.core.Work;
import io.heptad.future.Outcome;
import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.gate.PhaseStore.State;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The one way in for every event of an entity that moves through phases: it asks the {@link Transition} whether the event is
 * legal, performs what must happen before the commit, commits phase and event together, and lets the rest follow.
 *
 * {@snippet file="io/heptad/gate/GateSnippetsTest.java" region="gate"}
 *
 * <p><b>What it promises</b>, if the other side of each action answers a repeated key with what it answered first:
 *
 * <ol>
 *   <li>One event at a time for each entity, in all processes that share the store; entities do not wait for each other.
 *   <li>An action that must happen is written down before it is called, and called again with the same key until its
 *       outcome is known, by this process or another: killed at any instant, it is neither done twice nor forgotten.
 *   <li>Phase and event are committed together, and only after their action; a definite no changes no phase.
 *   <li>What must be undone is undone: the no, the event that it becomes and the undo that this leads to are one commit.
 *   <li>Best-effort reactions come after the commit, from a line of their own; those that are lost are counted.
 * </ol>
 *
 * <p><b>Classes of consequence.</b> Where a thing is registered is what it is owed; moving it to another class changes the
 * registration and nothing else. {@link Builder#action action}: remote, must happen, can be undone. {@link
 * Builder#irreversible irreversible}: remote, must happen, cannot. {@link Builder#local local}: inside of the commit.
 * {@link Builder#durably durably}: a message in the commit, sent at least once. {@link Builder#afterwards afterwards}: may
 * be lost.
 *
 * <p><b>Threads.</b> Actions, best-effort reactions, sweeps and heartbeats run in virtual threads of the gate. The
 * transition, what makes phases, events and messages, and local actions run in the transaction, in whichever thread has it:
 * what an action has come to is committed by the caller who waits for it, or else by the action's own thread. An interrupt
 * ends the wait of a caller, and nothing else.
 *
 * <p><b>Closing.</b> {@link #close} takes no more events. Calls that run come to their end and are committed; what would
 * have to be tried again is left in the store, as are timers and messages, for another gate on the same store. Best-effort
 * reactions that wait are run. A gate that is dropped without being closed keeps its sweeping thread.
 *
 * <p><b>Memory consistency effects:</b> what a thread did before it handed an event in <i>happens-before</i> the action of
 * that event, and its commit <i>happens-before</i> what anyone does who has read it, and before its reactions.
 *
 * <p>Any thread may call any method; an action must not hand an event to its own entity. A state machine in a row of a
 * database with an idempotency key is old practice; the intent that is written before the call is due to Pat Helland ("Life
 * beyond Distributed Transactions", 2007), the undo to Garcia-Molina and Salem ("Sagas", 1987), the fence to Gray and
 * Cheriton ("Leases", 1989).
 *
 * @param <P> the phases: best a sealed interface of records
 * @param <E> the events: the same
 */
public final class Gate<P, E> implements Measured, AutoCloseable {
    private static final int PARKED_MAX = 1_000;

    private final Engine<P, E> engine;
    private final List<Metric> metrics;

    private Gate(Plan<P, E> plan) {
        this.engine = new Engine<>(plan);
        this.metrics = GateMetrics.of(engine);
    }

    /**
     * A gate with choices.
     *
     * @param name its name in keys, metrics, events and exceptions: not blank, without '/'. It is part of the keys that the
     *     other side knows, so gates on one store have one name, and it does not change while actions are unfinished
     * @param transition what may happen
     * @param <P> the phases
     * @param <E> the events
     * @return a builder
     * @throws IllegalArgumentException if the name is blank or contains '/'
     */
    public static <P, E> Builder<P, E> builder(String name, Transition<P, E> transition) {
        return new Builder<>(name, transition);
    }

    // ---- events

    /**
     * Makes an entity. Again with the same first phase gives the same answer, also when the entity has moved on.
     *
     * @param id its id, not blank
     * @param first the phase that it begins with
     * @return the first commit
     * @throws KeyReusedException if it is there and began with another phase
     * @throws io.heptad.core.FullException if the store has no room
     * @throws io.heptad.core.ClosedException if the gate is closed
     */
    public Committed<P, E> create(String id, P first) {
        Checks.notBlank("id", id);
        Objects.requireNonNull(first, "first");
        return engine.create(id, first);
    }

    /**
     * Hands an event in, as {@link #handle(String, Object, String, Duration)}, with the patience of the gate and without an
     * id for the event: handed in twice it is two events, and the second is most likely illegal.
     *
     * @param id the entity
     * @param event the event
     * @return what became of it
     * @throws IllegalTransitionException if it must not happen in the phase
     * @throws NoSuchEntityException if there is no such entity
     * @throws io.heptad.core.BusyException if another event's action was still unfinished when the patience was out, or waits
     *     for a person
     * @throws io.heptad.core.FullException if as many actions run as may, and none ended in time
     * @throws io.heptad.core.ClosedException if the gate is closed
     * @throws IllegalStateException if called from inside of an action of the same entity
     * @throws InterruptedException if interrupted while waiting; what was begun goes on
     */
    public Answer<P, E> handle(String id, E event) throws InterruptedException {
        return handleNamed(id, event, null, engine.plan.patience());
    }

    /**
     * Hands an event in.
     *
     * <p>Without a remote action it is committed or refused at once. With one, the intent is written, the action called, and
     * the outcome committed; the caller waits for that as long as it has patience. The action does not end with the
     * patience: it goes on until its outcome is known.
     *
     * <p>When the store throws, this throws it, and whether the event was taken is not known: hand it in again with the same
     * event id.
     *
     * @param id the entity
     * @param event the event
     * @param eventId names this event: handed in again, in whatever process, it gets the first answer, or waits for it. Not
     *     blank
     * @param patience how long to wait for actions that are unfinished, this event's own and those before it; zero or less:
     *     not at all. A commit in progress is waited for besides, up to a second
     * @return what became of it
     * @throws IllegalTransitionException if it must not happen in the phase
     * @throws KeyReusedException if another event came with this id
     * @throws NoSuchEntityException if there is no such entity
     * @throws io.heptad.core.BusyException if another event's action was still unfinished when the patience was out, or waits
     *     for a person
     * @throws io.heptad.core.FullException if as many actions run as may, and none ended in time
     * @throws io.heptad.core.ClosedException if the gate is closed
     * @throws IllegalStateException if called from inside of an action of the same entity
     * @throws InterruptedException if interrupted while waiting; what was begun goes on
     */
    public Answer<P, E> handle(String id, E event, String eventId, Duration patience) throws InterruptedException {
        return handleNamed(id, event, Checks.notBlank("eventId", eventId), patience);
    }

    private Answer<P, E> handleNamed(String id, E event, @Nullable String eventId, Duration patience)
            throws InterruptedException {
        Checks.notBlank("id", id);
        Objects.requireNonNull(event, "event");
        return engine.handle(id, event, eventId, patience);
    }

    // ---- looking

    /**
     * The phase that an entity is in; while an action is unfinished, the one before it.
     *
     * @param id the entity
     * @return its newest commit; empty if there is no such entity
     */
    public Optional<Committed<P, E>> current(String id) {
        return engine.plan.store().current(Checks.notBlank("id", id));
    }

    /**
     * The phases that an entity has been in, and the events that led to them, moves back included.
     *
     * @param id the entity
     * @return what the store keeps of them, oldest first; empty if there is no such entity
     */
    public List<Committed<P, E>> history(String id) {
        return engine.plan.store().history(Checks.notBlank("id", id));
    }

    // ---- what waits for a person

    /**
     * Actions that nobody tries any more, because only a person can decide: a programming error, an undo that was declined or
     * has nothing to undo, code that has changed under an open action, a key that is too old to be repeated.
     *
     * @return up to 1,000 of them, oldest first
     */
    public List<OpenAction> parked() {
        return engine.plan.store().parked(PARKED_MAX).stream()
                .map(row -> new OpenAction(
                        row.key(),
                        row.id(),
                        row.action(),
                        row.undo(),
                        String.valueOf(row.event()),
                        row.firstSentAt(),
                        row.attempts(),
                        row.lastError()))
                .toList();
    }

    /**
     * Says what became of a parked action, for whoever has found out: the event goes on as if the action had answered so. It
     * is written down with the action that a person has said it.
     *
     * @param key the key of the action
     * @param outcome its result, of the action's type (whatever it is for an undo); or the cause of a definite no, which an
     *     undo cannot have
     * @throws NoSuchElementException if no action of this key is unfinished
     * @throws IllegalStateException if it is not parked, or not any more, or if the transition does not lead on from here
     * @throws IllegalArgumentException if the outcome cannot be one of this action
     */
    public void resolve(String key, Outcome<?> outcome) {
        Objects.requireNonNull(outcome, "outcome");
        ActionRow<E> row = parked(key);
        Step<P, E> step = Engine.uninterruptibly(() -> engine.plan.store().transact(row.id(), Drive.LOCK, tx -> {
            try {
                return switch (outcome) {
                    case Outcome.Success<?>(Object result) ->
                        engine.protocol.finish(tx, row, row.fence(), result(row, result), "resolved by a person: done");
                    case Outcome.Failure<?>(Throwable cause) -> {
                        String reason = Protocol.reason(cause);
                        yield engine.protocol.decline(
                                tx, row, row.fence(), reason, "resolved by a person: declined, " + reason);
                    }
                };
            } catch (Thrown thrown) {
                throw new IllegalStateException(key + " cannot be resolved: " + thrown.getMessage(), thrown.getCause());
            }
        }));
        if (step instanceof Step.Lost<P, E>) {
            throw new IllegalStateException(key + " is not parked any more");
        }
        GateEvents.parked(name(), key, "resolved", outcome.isSuccess() ? "done" : "declined");
        engine.goOn(engine.after(step));
    }

    private @Nullable Object result(ActionRow<E> row, @Nullable Object result) {
        if (row.undo()) {
            return null;
        }
        Plan.Registered<?, ?> registered = engine.plan.actions().get(row.action());
        try {
            return registered == null ? result : Protocol.typed(registered.action(), result);
        } catch (ClassCastException wrong) {
            throw new IllegalArgumentException("outcome: " + wrong.getMessage(), wrong);
        }
    }

    /**
     * Lets the gate try a parked action again, because what was wrong has been put right.
     *
     * @param key the key of the action
     * @throws NoSuchElementException if no action of this key is unfinished
     * @throws IllegalStateException if it is not parked, or not any more
     */
    public void retry(String key) {
        ActionRow<E> row = parked(key);
        if (!Engine.uninterruptibly(() -> engine.plan.store().unpark(row.id(), key))) {
            throw new IllegalStateException(key + " is not parked any more");
        }
        GateEvents.parked(name(), key, "tried again", "");
        engine.sweeper.nudge();
    }

    private ActionRow<E> parked(String key) {
        engine.requireOpen();
        ActionRow<E> row = engine.plan
                .store()
                .unfinished(Checks.notBlank("key", key))
                .orElseThrow(() -> new NoSuchElementException(name() + ": no action " + key + " is unfinished"));
        if (row.state() != State.PARKED) {
            throw new IllegalStateException(key + " is not parked: it is being tried");
        }
        return row;
    }

    /**
     * Looks now for what was left behind and for what is due, and brings it to its end, or to its next try. The gate does so
     * by itself from time to time; at a start, or in a test, one may not want to wait for that. An action that runs in this
     * process, or whose lease has not ended, is left alone.
     *
     * @return how many actions and timers were taken up. If this thread is interrupted, they go on without it, its interrupt
     *     status stays set, and the count is zero
     * @throws io.heptad.core.ClosedException if the gate is closed
     */
    public int recover() {
        engine.requireOpen();
        try {
            return engine.sweeper.recover();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    // ---- figures

    @Override
    public String name() {
        return engine.plan.name();
    }

    @Override
    public List<Metric> metrics() {
        return metrics;
    }

    /**
     * The figures at this moment.
     *
     * @return the figures; see {@link GateStats} for which belong together
     */
    public GateStats stats() {
        return GateMetrics.stats(engine);
    }

    // ---- the end

    /** Takes no more events, and returns at once; see above for what becomes of the others. */
    @Override
    public void close() {
        engine.close();
    }

    /**
     * Closes, and waits for the actions that run here. From inside of one of them it does not wait.
     *
     * @param timeout how long to wait; zero or less: not at all
     * @return true if none runs any more
     * @throws InterruptedException if interrupted while waiting; it is closed all the same
     */
    public boolean close(Duration timeout) throws InterruptedException {
        long nanos = Math.max(0, Durations.saturatedNanos(timeout));
        engine.close();
        return engine.awaitEnd(nanos);
    }

    @Override
    public String toString() {
        return "Gate " + name() + ": " + engine.runningCount() + " actions running";
    }

    /**
     * The choices of a gate.
     *
     * @param <P> the phases
     * @param <E> the events
     */
    public static final class Builder<P, E> {
        private final Registry<P, E> registry;
        private @Nullable PhaseStore<P, E> store;
        private Duration lease = Duration.ofSeconds(30);
        private Duration patience = Duration.ofSeconds(10);
        private Duration keysLast = Duration.ofHours(24);
        private Duration sweepEvery = Duration.ofSeconds(1);
        private int calls = 256;
        private Predicate<Throwable> declines = thrown -> false;
        private Backoff backoff = Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(30))
                .withFullJitter();

        private Builder(String name, Transition<P, E> transition) {
            this.registry = new Registry<>(name, transition);
        }

        /**
         * Where everything is kept.
         *
         * @param store the store; in memory unless another is given
         * @return this
         */
        public Builder<P, E> store(PhaseStore<P, E> store) {
            this.store = Objects.requireNonNull(store, "store");
            return this;
        }

        /**
         * A remote action that must happen, and its undo.
         *
         * @param action the action
         * @param doer does it
         * @param undoer undoes it
         * @param <I> its input
         * @param <R> its result
         * @return this
         * @throws IllegalArgumentException if there is an action of this name already
         */
        public <I, R> Builder<P, E> action(
                Action<I, R> action, Doer<? super I, ? extends R> doer, Undoer<? super I, ? super R> undoer) {
            registry.remote(action, doer, Objects.requireNonNull(undoer, "undoer"));
            return this;
        }

        /**
         * A remote action that must happen and cannot be undone. Saying so is a decision: there is no way to leave the undo
         * out by mistake.
         *
         * @param action the action
         * @param doer does it
         * @param <I> its input
         * @param <R> its result
         * @return this
         * @throws IllegalArgumentException if there is an action of this name already
         */
        public <I, R> Builder<P, E> irreversible(Action<I, R> action, Doer<? super I, ? extends R> doer) {
            registry.remote(action, doer, null);
            return this;
        }

        /**
         * Where the other side can be asked what became of a key. It is asked before an action is repeated, and instead of
         * that when the key is {@linkplain #keysLast too old}.
         *
         * @param action a remote action
         * @param lookup asks
         * @param <I> its input
         * @param <R> its result
         * @return this
         * @throws IllegalArgumentException if it has a lookup already
         */
        public <I, R> Builder<P, E> lookup(Action<I, R> action, Lookup<I, R> lookup) {
            registry.lookup(action, lookup);
            return this;
        }

        /**
         * An action that happens inside the commit's transaction, on its connection, such as reserving the stock in the same
         * database. For stores that commit on one.
         *
         * @param action the action
         * @param doer does it
         * @param <I> its input
         * @param <R> its result
         * @return this
         * @throws IllegalArgumentException if there is an action of this name already
         */
        public <I, R> Builder<P, E> local(Action<I, R> action, LocalDoer<? super I, ? extends R> doer) {
            registry.local(action, new Plan.OnConnection<>(Registry.<I, R>narrow(doer)), Connection.class);
            return this;
        }

        /**
         * An action that happens right before the commit, with the entity locked. For stores in memory, which have no
         * connection: nothing takes its effect back if the commit fails after it.
         *
         * @param action the action
         * @param work does it
         * @param <I> its input
         * @param <R> its result
         * @return this
         * @throws IllegalArgumentException if there is an action of this name already
         */
        public <I, R> Builder<P, E> local(Action<I, R> action, Work<? super I, ? extends R> work) {
            registry.local(action, new Plan.InMemory<I, R>(Objects.requireNonNull(work, "work")), null);
            return this;
        }

        /**
         * The line of the best-effort reactions.
         *
         * @param capacity how many wait, at least 1
         * @param whenFull what happens to one more: not {@link FullPolicy#BLOCK}, which would let a slow reaction hold up
         *     the events
         * @return this
         * @throws IllegalArgumentException if the capacity is below 1 or the policy is BLOCK
         */
        public Builder<P, E> reactions(int capacity, FullPolicy whenFull) {
            registry.line(capacity, whenFull);
            return this;
        }

        /**
         * A best-effort reaction: after the commit, from the {@linkplain #reactions line}, with workers of its own. It may be
         * lost: when the line is full, when it throws, when the process dies. Each of the first two is counted.
         *
         * @param reaction its name, not blank
         * @param entering the phases that it is for
         * @param react what to do; called after every commit that leads to such a phase, first phases included
         * @param <T> the type of these phases
         * @return this
         * @throws IllegalArgumentException if there is a reaction of this name already
         */
        public <T extends P> Builder<P, E> afterwards(
                String reaction, Class<T> entering, Consumer<? super Committed<T, E>> react) {
            registry.afterwards(reaction, entering, react);
            return this;
        }

        /**
         * A reaction that must come: a message, written in the commit, which a relay sends at least once.
         *
         * @param reaction its name, not blank
         * @param entering the phases that it is for
         * @param message makes the message, in the transaction; pure, as the transition is
         * @param <T> the type of these phases
         * @return this
         * @throws IllegalArgumentException if there is a reaction of this name already
         */
        public <T extends P> Builder<P, E> durably(
                String reaction, Class<T> entering, Function<? super Committed<T, E>, OutboxMessage> message) {
            registry.durably(reaction, entering, message);
            return this;
        }

        /**
         * How long an action stays with an instance that does not renew it: after that time a crash is noticed. Renewed three
         * times a lease while the action runs.
         *
         * @param lease above zero; 30 seconds unless another is given
         * @return this
         * @throws IllegalArgumentException if it is not above zero
         */
        public Builder<P, E> lease(Duration lease) {
            this.lease = Checks.positive("lease", lease);
            return this;
        }

        /**
         * How long callers wait for unfinished actions if they do not say.
         *
         * @param patience zero or less: not at all; 10 seconds unless another is given
         * @return this
         */
        public Builder<P, E> patience(Duration patience) {
            this.patience = Objects.requireNonNull(patience, "patience");
            return this;
        }

        /**
         * The pause before the next try.
         *
         * @param backoff the pause after the n-th call without a known outcome; 100 ms doubling to 30 s, with full jitter,
         *     unless another is given
         * @return this
         */
        public Builder<P, E> backoff(Backoff backoff) {
            this.backoff = Objects.requireNonNull(backoff, "backoff");
            return this;
        }

        /**
         * Which exceptions of actions are a definite no: the card was refused, the stock is gone. Nothing else is; what is
         * not known to have failed may have happened.
         *
         * @param declines true for a definite no; nothing is one unless this says so
         * @return this
         */
        public Builder<P, E> declines(Predicate<Throwable> declines) {
            this.declines = Objects.requireNonNull(declines, "declines");
            return this;
        }

        /**
         * How long the other side remembers a key. An action, or an undo, whose outcome is still not known by then is not
         * repeated any more: it is looked up, where there is a {@link #lookup}, and else parked.
         *
         * @param keysLast above zero, from the first call on; 24 hours unless another is given
         * @return this
         * @throws IllegalArgumentException if it is not above zero
         */
        public Builder<P, E> keysLast(Duration keysLast) {
            this.keysLast = Checks.positive("keysLast", keysLast);
            return this;
        }

        /**
         * How often to look for what was left behind.
         *
         * @param sweepEvery above zero; a second unless another is given. {@code Duration.ofSeconds(Long.MAX_VALUE)} for
         *     never: then only {@link Gate#recover} does, and neither timers nor later tries come by themselves
         * @return this
         * @throws IllegalArgumentException if it is not above zero
         */
        public Builder<P, E> sweepEvery(Duration sweepEvery) {
            this.sweepEvery = Checks.positive("sweepEvery", sweepEvery);
            return this;
        }

        /**
         * How many actions may run at once, in this gate.
         *
         * @param calls at least 1; 256 unless another is given. One more waits for its caller's patience
         * @return this
         * @throws IllegalArgumentException if it is below 1
         */
        public Builder<P, E> calls(int calls) {
            this.calls = Checks.atLeastOne("calls", calls);
            return this;
        }

        /**
         * Builds the gate and lets it look for what another has left behind.
         *
         * @return an open gate
         * @throws IllegalStateException if what was registered does not go together; it says what
         */
        public Gate<P, E> build() {
            PhaseStore<P, E> chosen = store == null ? PhaseStore.inMemory() : store;
            Gate<P, E> gate =
                    new Gate<>(registry.plan(chosen, lease, patience, backoff, declines, keysLast, sweepEvery, calls));
            gate.engine.start();
            return gate;
        }
    }
}
