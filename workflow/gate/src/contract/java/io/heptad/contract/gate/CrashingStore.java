package io.heptad.contract.gate;

import io.heptad.gate.Committed;
import io.heptad.gate.OutboxMessage;
import io.heptad.gate.PhaseStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A store as one process sees it that dies at a numbered boundary: from there on nothing of that process reaches the store
 * behind it. Boundaries lie before and after every call, before every step of a transaction, and before its commit.
 */
public final class CrashingStore<P, E> implements PhaseStore<P, E> {
    private final PhaseStore<P, E> store;
    private final Crash crash;

    public CrashingStore(PhaseStore<P, E> store, Crash crash) {
        this.store = store;
        this.crash = crash;
    }

    private interface Call<T extends @Nullable Object> {
        T run() throws InterruptedException;
    }

    private <T extends @Nullable Object> T around(String what, Call<T> call) throws InterruptedException {
        crash.pass("before " + what);
        T result = call.run();
        crash.pass("after " + what);
        return result;
    }

    @Override
    public <T extends @Nullable Object> T transact(String id, Duration patience, Unit<P, E, T> unit)
            throws InterruptedException {
        return around(
                "transaction",
                () -> store.transact(id, patience, tx -> {
                    T result = unit.run(new Steps<>(tx, crash));
                    crash.pass("before commit");
                    return result;
                }));
    }

    private record Steps<P, E>(Transaction<P, E> tx, Crash crash) implements Transaction<P, E> {
        @Override
        public Instant now() {
            return tx.now();
        }

        @Override
        public Optional<Committed<P, E>> current() {
            return tx.current();
        }

        @Override
        public Optional<Committed<P, E>> first() {
            return tx.first();
        }

        @Override
        public Optional<ActionRow<E>> unfinished() {
            return tx.unfinished();
        }

        @Override
        public Optional<Answered<P, E>> answered(String eventId) {
            return tx.answered(eventId);
        }

        @Override
        public Optional<ActionRow<E>> undoable(String action) {
            return tx.undoable(action);
        }

        @Override
        public int declined(String action, boolean undo) {
            return tx.declined(action, undo);
        }

        @Override
        public void append(Committed<P, E> next) {
            crash.pass("before append");
            tx.append(next);
        }

        @Override
        public void answer(String eventId, Answered<P, E> answered) {
            crash.pass("before answer");
            tx.answer(eventId, answered);
        }

        @Override
        public void open(ActionRow<E> row) {
            crash.pass("before open");
            tx.open(row);
        }

        @Override
        public boolean close(String key, long fence, State state, @Nullable Object result, @Nullable String note) {
            crash.pass("before close");
            return tx.close(key, fence, state, result, note);
        }

        @Override
        public void arm(Instant due, E event) {
            crash.pass("before arm");
            tx.arm(due, event);
        }

        @Override
        public boolean disarm(ArmedTimer<E> timer) {
            crash.pass("before disarm");
            return tx.disarm(timer);
        }

        @Override
        public void add(OutboxMessage message) {
            crash.pass("before add");
            tx.add(message);
        }
    }

    @Override
    public boolean renew(String id, String key, long fence, Duration lease) throws InterruptedException {
        return around("renew", () -> store.renew(id, key, fence, lease));
    }

    @Override
    public boolean failed(String id, String key, long fence, String error, Duration lease) throws InterruptedException {
        return around("failed", () -> store.failed(id, key, fence, error, lease));
    }

    @Override
    public boolean park(String id, String key, long fence, String reason) throws InterruptedException {
        return around("park", () -> store.park(id, key, fence, reason));
    }

    @Override
    public boolean unpark(String id, String key) throws InterruptedException {
        return around("unpark", () -> store.unpark(id, key));
    }

    @Override
    public List<Claim> claim(int max, Duration lease) throws InterruptedException {
        return around("claim", () -> store.claim(max, lease));
    }

    @Override
    public List<ArmedTimer<E>> claimTimers(int max, Duration lease) throws InterruptedException {
        return around("claim timers", () -> store.claimTimers(max, lease));
    }

    @Override
    public Optional<Duration> nextDue() {
        return store.nextDue();
    }

    @Override
    public Optional<Committed<P, E>> current(String id) {
        return store.current(id);
    }

    @Override
    public List<Committed<P, E>> history(String id) {
        return store.history(id);
    }

    @Override
    public List<ActionRow<E>> actions(String id) {
        return store.actions(id);
    }

    @Override
    public Optional<Answered<P, E>> answered(String id, String eventId) {
        return store.answered(id, eventId);
    }

    @Override
    public Optional<ActionRow<E>> unfinished(String key) {
        return store.unfinished(key);
    }

    @Override
    public List<ActionRow<E>> parked(int max) {
        return store.parked(max);
    }

    @Override
    public Figures figures() {
        return store.figures();
    }

    @Override
    public List<OutboxMessage> outbox(int max) {
        return store.outbox(max);
    }

    @Override
    public boolean sent(String messageId) {
        return store.sent(messageId);
    }
}
