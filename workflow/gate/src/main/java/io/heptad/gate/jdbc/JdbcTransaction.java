package io.heptad.gate.jdbc;

import io.heptad.gate.Committed;
import io.heptad.gate.Declined;
import io.heptad.gate.OutboxMessage;
import io.heptad.gate.Pending;
import io.heptad.gate.PhaseStore;
import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.gate.PhaseStore.Answered;
import io.heptad.gate.PhaseStore.ArmedTimer;
import io.heptad.gate.PhaseStore.State;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One entity, locked, on one connection. Only for the thread that runs the unit. */
final class JdbcTransaction<P, E> implements PhaseStore.Transaction<P, E> {
    /*
     * stored    the entity as the database has it; entity: as this transaction leaves it. Entity, log entry, timers and
     *           messages are written at the end, together, so that a log entry and the event id that is answered with it
     *           are one INSERT; or earlier, by flush, where something reads or joins in between. Intents and their outcomes
     *           are written at once: their answer is needed.
     * looked    whether `unfinished` is known. It is read in a statement of its own, after the one that locks: that one's
     *           snapshot is older than its lock, and an action can be opened without the entity's row being changed.
     * failure   the first thing that the database refused. Nothing is asked after it, and nothing is committed.
     */
    private static final int KEY_MAX = 600;
    private static final int MESSAGE_ID_MAX = 500;
    private static final int WORD_MAX = 1_000;

    private final String gate;
    private final String id;
    private final Statements sql;
    private final Rows<P, E> rows;
    private final Connection connection;
    private final Writes writes;
    private final Instant now;

    private Rows.@Nullable Entity stored;
    private Rows.@Nullable Entity entity;
    private @Nullable Committed<P, E> current;
    private boolean appended;
    private Writes.@Nullable Entry entry;
    private final List<Writes.Timer> timers = new ArrayList<>(0);
    private final List<OutboxMessage> messages = new ArrayList<>(0);

    private boolean looked;
    private @Nullable ActionRow<E> unfinished;

    private boolean over;
    private boolean creating;
    private @Nullable SQLException failure;

    JdbcTransaction(
            String gate,
            String id,
            Statements sql,
            Rows<P, E> rows,
            Connection connection,
            Instant now,
            Rows.@Nullable Entity stored) {
        this.gate = gate;
        this.id = id;
        this.sql = sql;
        this.rows = rows;
        this.connection = connection;
        this.writes = new Writes(gate, id, sql, connection);
        this.now = now;
        this.stored = stored;
        this.entity = stored;
    }

    /** Writes what is not written yet; nothing may be written after it. */
    void end() throws SQLException {
        if (failure != null) {
            throw failure; // the unit has swallowed it
        }
        flush();
        over = true;
    }

    void abandon() {
        over = true;
    }

    /** Another has made the entity between this transaction's look and its write. */
    boolean metAnotherCreator() {
        return creating;
    }

    @Nullable
    SQLException failure() {
        return failure;
    }

    // ---- reading

    @Override
    public Instant now() {
        return now;
    }

    @Override
    public Optional<Committed<P, E>> current() {
        if (current == null && entity != null) {
            current = rows.committed(id, entity);
        }
        return Optional.ofNullable(current);
    }

    @Override
    public Optional<Committed<P, E>> first() {
        if (entity == null || entity.version() == 1) {
            return current();
        }
        return asking("reading the first phase", sql.first, statement -> {
            statement.setString(1, gate);
            statement.setString(2, id);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(rows.committed(id, row, 1)) : Optional.empty();
            }
        });
    }

    @Override
    public Optional<ActionRow<E>> unfinished() {
        if (!looked && entity != null) {
            unfinished = asking("reading the open action", sql.unfinished, statement -> {
                statement.setString(1, gate);
                statement.setString(2, id);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? rows.action(row, 1) : null;
                }
            });
            looked = true;
        }
        return Optional.ofNullable(unfinished);
    }

    @Override
    public Optional<Answered<P, E>> answered(String eventId) {
        Objects.requireNonNull(eventId, "eventId");
        if (entity == null) {
            return Optional.empty();
        }
        write();
        if (looked) {
            return asking("reading an answer", sql.answered, statement -> {
                statement.setString(1, gate);
                statement.setString(2, id);
                statement.setString(3, eventId);
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? Optional.of(rows.answered(id, row, 1)) : Optional.empty();
                }
            });
        }
        return asking("reading an answer", sql.answeredAndUnfinished, statement -> {
            statement.setString(1, gate);
            statement.setString(2, id);
            statement.setString(3, gate);
            statement.setString(4, id);
            statement.setString(5, eventId);
            try (ResultSet row = statement.executeQuery()) {
                Object ignored = row.next(); // always
                unfinished = row.getString(1) == null ? null : rows.action(row, 1);
                looked = true;
                int event = Statements.ACTION_COLUMNS + 1;
                return row.getString(event + 1) == null ? Optional.empty() : Optional.of(rows.answered(id, row, event));
            }
        });
    }

    @Override
    public Optional<ActionRow<E>> undoable(String action) {
        Objects.requireNonNull(action, "action");
        if (entity == null) {
            return Optional.empty();
        }
        return asking("reading what to undo", sql.undoable, statement -> {
            statement.setString(1, gate);
            statement.setString(2, id);
            statement.setString(3, action);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(rows.action(row, 1)) : Optional.empty();
            }
        });
    }

    @Override
    public int declined(String action, boolean undo) {
        Objects.requireNonNull(action, "action");
        Rows.Entity at = entity;
        if (at == null || at.declines() == 0) {
            return 0;
        }
        return asking("counting declines", sql.declined, statement -> {
            statement.setString(1, gate);
            statement.setString(2, id);
            statement.setString(3, action);
            statement.setString(4, Rows.kind(undo));
            statement.setLong(5, at.version());
            try (ResultSet row = statement.executeQuery()) {
                Object ignored = row.next(); // always
                return row.getInt(1);
            }
        });
    }

    // ---- writing

    @Override
    public void append(Committed<P, E> next) {
        requireOpen();
        long version = entity == null ? 0 : entity.version();
        if (appended || next.version() != version + 1 || !next.id().equals(id)) {
            throw new IllegalStateException(next + " cannot follow version " + version + " of " + id
                    + (appended ? ", which this transaction has written" : ""));
        }
        Encoded phase = Objects.requireNonNull(rows.encode(next.phase()));
        Encoded event = rows.encode(next.event());
        appended = true;
        current = next;
        entity = new Rows.Entity(next.version(), phase, event, next.at(), 0, 0);
        entry = new Writes.Entry(next.version(), phase, event, next.at(), null, null, null, null);
        timers.clear();
    }

    @Override
    public void answer(String eventId, Answered<P, E> answered) {
        Text.name("eventId", eventId, JdbcPhaseStore.ID_MAX);
        Object ignored = writable();
        switch (answered.answer()) {
            case Committed<P, E> committed -> {
                Encoded asked = answered.event().equals(committed.event()) ? null : rows.encode(answered.event());
                Writes.Entry mine = entry;
                if (mine != null && mine.isAnonymous(committed.version())) {
                    entry = mine.named(eventId, asked);
                } else {
                    nameEvent(eventId, committed.version(), asked);
                }
            }
            case Declined<P, E> declined -> decline(eventId, answered.event(), declined);
            case Pending<P, E> pending ->
                throw new IllegalArgumentException("answered must be final, but is " + pending);
        }
    }

    private void nameEvent(String eventId, long version, @Nullable Encoded asked) {
        write();
        int hit = asking("naming an event", sql.nameEvent, statement -> {
            statement.setString(1, eventId);
            Rows.set(statement, 2, asked);
            statement.setString(5, gate);
            statement.setString(6, id);
            statement.setLong(7, version);
            return statement.executeUpdate();
        });
        if (hit != 1) {
            throw new IllegalStateException("version " + version + " of " + id + " cannot be the answer to " + eventId
                    + ": it is the answer to another event id, or is not there");
        }
    }

    private void decline(String eventId, E asked, Declined<P, E> declined) {
        Encoded phase = Objects.requireNonNull(rows.encode(declined.phase()));
        Encoded event = rows.encode(declined.event());
        Encoded other = asked.equals(declined.event()) ? null : rows.encode(asked);
        write();
        writing(() -> writes.entry(new Writes.Entry(
                null, phase, event, declined.at(), eventId, other, declined.action(), Text.note(declined.reason()))));
    }

    @Override
    public void open(ActionRow<E> row) {
        Object ignored = writable();
        Text.name("key", row.key(), KEY_MAX);
        Text.name("eventId", row.eventId(), JdbcPhaseStore.ID_MAX);
        Text.name("action", row.action(), WORD_MAX);
        ActionRow<E> there = unfinished().orElse(null);
        if (there != null || !row.isUnfinished() || !row.id().equals(id)) {
            throw new IllegalStateException("cannot open " + row.key() + " of " + id + ": "
                    + (there == null ? "it is finished, or another's: " + row : there.key() + " is unfinished"));
        }
        Encoded asked = rows.encode(row.asked());
        Encoded event = row.event().equals(row.asked()) ? null : rows.encode(row.event());
        Encoded request = rows.encode(row.request());
        asking("opening " + row.key(), sql.insertAction, statement -> {
            statement.setString(1, gate);
            statement.setString(2, row.key());
            statement.setString(3, id);
            statement.setString(4, row.action());
            statement.setString(5, Rows.kind(row.undo()));
            Rows.set(statement, 6, row.undoes());
            statement.setLong(7, row.version());
            statement.setString(8, Rows.state(row.state()));
            statement.setString(9, id);
            statement.setLong(10, row.fence());
            Rows.set(statement, 11, row.leaseUntil());
            statement.setString(12, row.eventId());
            Rows.set(statement, 13, asked);
            Rows.set(statement, 16, event);
            Rows.set(statement, 19, request);
            Rows.set(statement, 22, row.firstSentAt());
            statement.setInt(23, row.attempts());
            Rows.set(statement, 24, row.lastError() == null ? null : Text.note(row.lastError()));
            try {
                return statement.executeUpdate();
            } catch (SQLException refused) {
                if (Dialect.isDuplicate(refused)) {
                    failure = refused;
                    throw new IllegalStateException(
                            "cannot open " + row.key() + " of " + id + ": the key was used before", refused);
                }
                throw refused;
            }
        });
        unfinished = row;
    }

    @Override
    public boolean close(String key, long fence, State state, @Nullable Object result, @Nullable String note) {
        if (state != State.DONE && state != State.DECLINED) {
            throw new IllegalArgumentException("state must be DONE or DECLINED, but is " + state);
        }
        Rows.Entity at = writable();
        Objects.requireNonNull(key, "key");
        Encoded encoded = rows.encode(result);
        int hit = asking("closing " + key, sql.close, statement -> {
            statement.setString(1, Rows.state(state));
            Rows.set(statement, 2, encoded);
            Rows.set(statement, 5, note == null ? null : Text.note(note));
            statement.setString(6, gate);
            statement.setString(7, key);
            statement.setString(8, id);
            statement.setLong(9, fence);
            return statement.executeUpdate();
        });
        if (hit != 1) {
            return false;
        }
        looked = true;
        unfinished = null;
        if (state == State.DECLINED) {
            entity = new Rows.Entity(at.version(), at.phase(), at.event(), at.at(), at.timers(), at.declines() + 1);
        }
        return true;
    }

    @Override
    public void arm(Instant due, E event) {
        Rows.Entity at = writable();
        Encoded encoded = Objects.requireNonNull(rows.encode(event));
        timers.add(new Writes.Timer(at.timers(), due, encoded));
        entity = new Rows.Entity(at.version(), at.phase(), at.event(), at.at(), at.timers() + 1, at.declines());
    }

    @Override
    public boolean disarm(ArmedTimer<E> timer) {
        Rows.Entity at = writable();
        if (timer.version() != at.version() || !timer.id().equals(id)) {
            return false;
        }
        write();
        return asking("taking a timer away", sql.deleteTimer, statement -> {
            statement.setString(1, gate);
            statement.setString(2, id);
            statement.setLong(3, timer.version());
            statement.setInt(4, timer.number());
            return statement.executeUpdate() == 1;
        });
    }

    @Override
    public void add(OutboxMessage message) {
        Object ignored = writable();
        Text.name("id", message.id(), MESSAGE_ID_MAX);
        Text.name("orderKey", message.orderKey(), WORD_MAX);
        Text.name("destination", message.destination(), WORD_MAX);
        Text.name("type", message.type(), WORD_MAX);
        if (Text.storable("payload", message.payload()).length() > Encoded.BYTES_MAX) {
            throw new IllegalArgumentException("payload of " + message.id() + " must have at most " + Encoded.BYTES_MAX
                    + " characters, but has " + message.payload().length());
        }
        messages.add(message);
    }

    @Override
    public <T> Optional<T> unwrap(Class<T> type) {
        if (type != Connection.class) {
            return Optional.empty();
        }
        requireOpen();
        write();
        return Optional.of(type.cast(Guarded.around(connection)));
    }

    // ---- statements

    private interface Asking<T extends @Nullable Object> {
        T ask(PreparedStatement statement) throws SQLException;
    }

    private <T extends @Nullable Object> T asking(String what, String text, Asking<T> asking) {
        requireOpen();
        if (failure != null) {
            throw new StoreException(what + " of " + id, failure);
        }
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            return asking.ask(statement);
        } catch (SQLException failed) {
            failure = failed;
            throw new StoreException(what + " of " + id, failed);
        }
    }

    private void write() {
        requireOpen();
        writing(this::flush);
    }

    private interface Writing {
        void write() throws SQLException;
    }

    private void writing(Writing writing) {
        if (failure != null) {
            throw new StoreException("writing of " + id, failure);
        }
        try {
            writing.write();
        } catch (SQLException failed) {
            failure = failed;
            throw new StoreException("writing of " + id, failed);
        }
    }

    private void flush() throws SQLException {
        Rows.Entity after = entity;
        if (after == null) {
            return;
        }
        if (!after.equals(stored)) {
            creating = stored == null;
            writes.entity(stored, after);
            creating = false;
            stored = after;
        }
        if (entry != null) {
            writes.entry(entry);
            entry = null;
        }
        if (!timers.isEmpty()) {
            writes.timers(after.version(), timers);
            timers.clear();
        }
        if (!messages.isEmpty()) {
            writes.messages(messages, now);
            messages.clear();
        }
    }

    private void requireOpen() {
        if (over) {
            throw new IllegalStateException("the transaction of " + id + " is over");
        }
    }

    private Rows.Entity writable() {
        requireOpen();
        if (entity == null) {
            throw new IllegalStateException("there is no " + id + " to write about");
        }
        return entity;
    }
}
