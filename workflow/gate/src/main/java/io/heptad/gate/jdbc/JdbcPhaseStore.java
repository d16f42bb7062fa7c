package io.heptad.gate.jdbc;

import io.heptad.core.BusyException;
import io.heptad.core.Durations;
import io.heptad.gate.Committed;
import io.heptad.gate.OutboxMessage;
import io.heptad.gate.PhaseStore;
import io.heptad.sync.KeyedLock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A store in a database, for any number of gates in any number of processes: PostgreSQL, or H2 embedded in one. It needs a
 * plain {@link DataSource}, preferably one that keeps connections, the tables of {@link HeptadSchema}, and a {@link Codec}.
 *
 * {@snippet file="io/heptad/gate/jdbc/JdbcSnippetsTest.java" region="store"}
 *
 * <p><b>One writer for each entity</b> is the row of the entity, locked for the few milliseconds of a transaction and never
 * while an action runs. Callers of the same process queue before it in memory, so that any number of them holds one
 * connection. <b>Time</b> is the database's; the clocks of the processes do not matter.
 *
 * <p><b>Statements</b>, as counted by the tests, each transaction with a commit besides:
 *
 * <table>
 *   <caption>Statements of a transaction</caption>
 *   <tr><th>what</th><th>PostgreSQL</th><th>H2</th></tr>
 *   <tr><td>a new entity</td><td>3</td><td>4</td></tr>
 *   <tr><td>a transition without an action</td><td>4</td><td>4</td></tr>
 *   <tr><td>opening an action (T1)</td><td>3</td><td>3</td></tr>
 *   <tr><td>closing it and committing the phase (T2)</td><td>4</td><td>4</td></tr>
 *   <tr><td>a look for what was left behind that finds nothing</td><td>2</td><td>2</td></tr>
 *   <tr><td>a look for timers that finds none</td><td>1</td><td>1</td></tr>
 * </table>
 *
 * <p>Timers and messages of a commit add one each, however many there are; so do a commit that takes timers away, and an
 * action that is opened after a decline at the same version.
 *
 * <p><b>Preconditions.</b> The connections come with auto-commit or without, but with READ COMMITTED, and not as part of a
 * transaction of the caller's. H2 in a file needs {@code ;WRITE_DELAY=0} in its URL; both are refused otherwise. An
 * interrupt of a thread that writes closes the file of an embedded H2; {@code jdbc:h2:async:} keeps it open. PostgreSQL that
 * replicates asynchronously may lose what it has said is committed when a standby takes over. Ids and event ids have at most
 * 200 characters.
 *
 * <p>A payload that this code cannot read ({@link io.heptad.gate.UnreadableException}) fails the one call that reads it;
 * looks for what was left behind pass it by, and count it in {@link PhaseStore.Figures#unreadable()}. Where the database
 * fails, a call throws a {@link StoreException}.
 *
 * <p>The outbox is a table: what bounds it is the relay that empties it.
 *
 * <p>Thread-safe. <b>Memory consistency effects:</b> those of {@link PhaseStore}.
 *
 * @param <P> the phases
 * @param <E> the events
 */
public final class JdbcPhaseStore<P, E> implements PhaseStore<P, E> {
    /*
     * writers   one process's callers for an id, in order, in front of the database's lock: interruptible, with a time limit,
     *           and without a connection. What may still hold the row is another process, or a second store in this one;
     *           they are waited for in slices, because a thread that waits in a driver hears no interrupt.
     * counted   what the last look has found; written by whoever looked, read by metrics.
     */
    static final int ID_MAX = 200;
    private static final int NAME_MAX = 100;
    private static final long SLICE = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long POLL = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int CONFLICTS_MAX = 20;

    private final String gate;
    private final Database database;
    private final Dialect dialect;
    private final Statements sql;
    private final Rows<P, E> rows;
    private final Looks<P, E> looks;
    private final KeyedLock<String> writers = KeyedLock.of("phase store");

    JdbcPhaseStore(String name, Database database, Dialect dialect, Codec codec) {
        this.gate = name;
        this.database = database;
        this.dialect = dialect;
        this.sql = new Statements(dialect);
        this.rows = new Rows<>(codec);
        this.looks = new Looks<>(gate, database, sql, rows);
    }

    /**
     * A store in a database, after a look at it.
     *
     * @param name tells the gates apart that share the tables; all instances of a gate use the same. Not blank, at most 100
     *     characters
     * @param dataSource leads to PostgreSQL or to H2, with the tables of {@link HeptadSchema}
     * @param codec turns phases, events, inputs and results into bytes and back
     * @param <P> the phases
     * @param <E> the events
     * @return the store, which holds no connection
     * @throws IllegalArgumentException if a parameter is out of range, or what the data source leads to cannot keep the
     *     promises of a store
     * @throws StoreException if the database is away or has no such tables
     */
    public static <P, E> JdbcPhaseStore<P, E> of(String name, DataSource dataSource, Codec codec) {
        Text.name("name", name, NAME_MAX);
        Objects.requireNonNull(codec, "codec");
        Database database = new Database(Objects.requireNonNull(dataSource, "dataSource"));
        Dialect dialect = database.transaction("looking at the database", connection -> {
            Dialect found = Dialect.of(connection);
            found.check(connection);
            try (PreparedStatement statement = connection.prepareStatement(new Statements(found).current)) {
                statement.setString(1, name);
                statement.setString(2, name);
                Object ignored = statement.executeQuery();
            }
            return found;
        });
        return new JdbcPhaseStore<>(name, database, dialect, codec);
    }

    // ---- transactions

    @Override
    public <T extends @Nullable Object> T transact(String id, Duration patience, Unit<P, E, T> unit)
            throws InterruptedException {
        Text.name("id", id, ID_MAX);
        Objects.requireNonNull(unit, "unit");
        long limit = Math.max(0, Durations.saturatedNanos(patience));
        long start = System.nanoTime();
        if (writers.holder(id).filter(Thread.currentThread()::equals).isPresent()) {
            throw new IllegalStateException("a transaction for " + id + " is open in this thread already");
        }
        try {
            return writers.withLock(id, patience, () -> alone(id, patience, start, limit, unit));
        } catch (TimeoutException busy) {
            throw busy(id, patience);
        }
    }

    /** Whether one of this process's callers is at the entity, or waits at the database for it. */
    boolean isInside(String id) {
        return writers.holder(id).isPresent();
    }

    private static BusyException busy(String id, Duration patience) {
        return new BusyException("phase store", id + " was not free within " + patience);
    }

    /** In this process nobody else is at it; in another somebody may be. */
    private <T extends @Nullable Object> T alone(
            String id, Duration patience, long start, long limit, Unit<P, E, T> unit) throws InterruptedException {
        boolean met = false; // nobody yet: the statement that waits costs more
        for (int conflicts = 0; ; ) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            long left = limit == Long.MAX_VALUE ? limit : limit - (System.nanoTime() - start);
            Turn<T> turn = new Turn<>(id, met && dialect.waits() ? Math.min(left, SLICE) : 0, unit);
            try {
                return database.transaction("a transaction of " + id, turn);
            } catch (StoreException failed) {
                SQLException cause = turn.failure(failed.said());
                if (!turn.locked && Thread.interrupted()) {
                    InterruptedException interrupted = new InterruptedException();
                    interrupted.initCause(failed);
                    throw interrupted;
                }
                if (dialect.isBusy(cause)) {
                    left = limit == Long.MAX_VALUE ? limit : limit - (System.nanoTime() - start);
                    if (left <= 0) {
                        throw busy(id, patience);
                    }
                    met = true;
                    if (!dialect.waits()) {
                        LockSupport.parkNanos(this, Math.min(left, POLL));
                    }
                } else if (++conflicts > CONFLICTS_MAX
                        || !(turn.metAnotherCreator(cause) || dialect.isConflict(cause))) {
                    throw failed;
                }
            }
        }
    }

    /** The unit, once. */
    private final class Turn<T extends @Nullable Object> implements Database.Work<T> {
        private final String id;
        private final long wait;
        private final Unit<P, E, T> unit;
        private boolean locked;
        private @Nullable JdbcTransaction<P, E> transaction;

        Turn(String id, long wait, Unit<P, E, T> unit) {
            this.id = id;
            this.wait = wait;
            this.unit = unit;
        }

        @Override
        public T on(Connection connection) throws SQLException {
            JdbcTransaction<P, E> mine = lock(connection);
            transaction = mine;
            locked = true;
            try {
                T result = unit.run(mine);
                mine.end();
                return result;
            } finally {
                mine.abandon();
            }
        }

        private JdbcTransaction<P, E> lock(Connection connection) throws SQLException {
            Rows.Entity entity = null;
            Instant now = null;
            try (PreparedStatement statement = connection.prepareStatement(wait > 0 ? sql.lockAndWait : sql.lock)) {
                int at = 1;
                if (wait > 0) {
                    statement.setString(at++, Math.max(1, TimeUnit.NANOSECONDS.toMillis(wait)) + "ms");
                }
                statement.setString(at++, gate);
                statement.setString(at, id);
                try (ResultSet row = statement.executeQuery()) {
                    if (row.next()) {
                        now = Rows.time(row, 1);
                        entity = row.getString(3) == null ? null : rows.entity(row, 2);
                    }
                }
            }
            return new JdbcTransaction<>(gate, id, sql, rows, connection, now == null ? now(connection) : now, entity);
        }

        private Instant now(Connection connection) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(sql.now);
                    ResultSet row = statement.executeQuery()) {
                Object ignored = row.next(); // always
                return Rows.time(row, 1);
            }
        }

        SQLException failure(SQLException thrown) {
            SQLException first = transaction == null ? null : transaction.failure();
            return first == null ? thrown : first;
        }

        boolean metAnotherCreator(SQLException cause) {
            return transaction != null && transaction.metAnotherCreator() && Dialect.isDuplicate(cause);
        }
    }

    // ---- open actions

    private interface Binding {
        void bind(PreparedStatement statement) throws SQLException;
    }

    private boolean change(String what, String text, Binding binding) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return database.statement(what, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(text)) {
                binding.bind(statement);
                return statement.executeUpdate() == 1;
            }
        });
    }

    private void bind(PreparedStatement statement, int at, String id, String key) throws SQLException {
        statement.setString(at, gate);
        statement.setString(at + 1, Objects.requireNonNull(key, "key"));
        statement.setString(at + 2, Objects.requireNonNull(id, "id"));
    }

    @Override
    public boolean renew(String id, String key, long fence, Duration lease) throws InterruptedException {
        return change("renewing " + key, sql.renew, statement -> {
            statement.setLong(1, Rows.micros(lease));
            bind(statement, 2, id, key);
            statement.setLong(5, fence);
        });
    }

    @Override
    public boolean failed(String id, String key, long fence, String error, Duration lease) throws InterruptedException {
        String note = Text.note(error);
        return change("noting a failure of " + key, sql.failed, statement -> {
            statement.setLong(1, Rows.micros(lease));
            statement.setString(2, note);
            bind(statement, 3, id, key);
            statement.setLong(6, fence);
        });
    }

    @Override
    public boolean park(String id, String key, long fence, String reason) throws InterruptedException {
        String note = Text.note(reason);
        return change("parking " + key, sql.park, statement -> {
            statement.setString(1, note);
            bind(statement, 2, id, key);
            statement.setLong(5, fence);
        });
    }

    @Override
    public boolean unpark(String id, String key) throws InterruptedException {
        return change("opening " + key + " again", sql.unpark, statement -> bind(statement, 1, id, key));
    }

    @Override
    public List<Claim> claim(int max, Duration lease) throws InterruptedException {
        return looks.claim(max, lease);
    }

    @Override
    public List<ArmedTimer<E>> claimTimers(int max, Duration lease) throws InterruptedException {
        return looks.claimTimers(max, lease);
    }

    @Override
    public Optional<Duration> nextDue() {
        return looks.nextDue();
    }

    @Override
    public Figures figures() {
        return looks.figures();
    }

    // ---- reading

    private interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    private <T> List<T> list(String what, String text, Binding binding, Row<T> reading) {
        return database.statement(what, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(text)) {
                binding.bind(statement);
                List<T> list = new ArrayList<>();
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        list.add(reading.read(row));
                    }
                }
                return List.copyOf(list);
            }
        });
    }

    private static <T> Optional<T> only(List<T> list) {
        return list.stream().findFirst();
    }

    private Binding of(String id) {
        Objects.requireNonNull(id, "id");
        return statement -> {
            statement.setString(1, gate);
            statement.setString(2, id);
        };
    }

    @Override
    public Optional<Committed<P, E>> current(String id) {
        return only(list("reading " + id, sql.current, of(id), row -> rows.committed(id, rows.entity(row, 1))));
    }

    @Override
    public List<Committed<P, E>> history(String id) {
        return list("reading the history of " + id, sql.history, of(id), row -> rows.committed(id, row, 1));
    }

    @Override
    public List<ActionRow<E>> actions(String id) {
        return list("reading the actions of " + id, sql.actions, of(id), row -> rows.action(row, 1));
    }

    @Override
    public Optional<Answered<P, E>> answered(String id, String eventId) {
        Objects.requireNonNull(eventId, "eventId");
        Binding entity = of(id);
        return only(list(
                "reading an answer of " + id,
                sql.answered,
                statement -> {
                    entity.bind(statement);
                    statement.setString(3, eventId);
                },
                row -> rows.answered(id, row, 1)));
    }

    @Override
    public Optional<ActionRow<E>> unfinished(String key) {
        return only(list(
                "reading " + key,
                sql.byKey,
                statement -> {
                    statement.setString(1, gate);
                    statement.setString(2, Objects.requireNonNull(key, "key"));
                },
                row -> rows.action(row, 1)));
    }

    @Override
    public List<ActionRow<E>> parked(int max) {
        return list("reading what is parked", sql.parked, upTo(max), row -> looks.readable(() -> rows.action(row, 1)))
                .stream()
                .flatMap(Optional::stream)
                .toList();
    }

    private Binding upTo(int max) {
        Looks.atLeastOne("max", max);
        return statement -> {
            statement.setString(1, gate);
            statement.setInt(2, max);
        };
    }

    @Override
    public List<OutboxMessage> outbox(int max) {
        return list(
                "reading the outbox",
                sql.outbox,
                upTo(max),
                row -> new OutboxMessage(
                        row.getString(1), row.getString(2), row.getString(3), row.getString(4), row.getString(5)));
    }

    @Override
    public boolean sent(String messageId) {
        Objects.requireNonNull(messageId, "messageId");
        return database.statement("taking " + messageId + " out of the outbox", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql.sent)) {
                statement.setString(1, gate);
                statement.setString(2, messageId);
                return statement.executeUpdate() == 1;
            }
        });
    }

    @Override
    public boolean joins(Class<?> type) {
        return type == Connection.class;
    }

    @Override
    public String toString() {
        return "PhaseStore " + gate + " on " + dialect.name();
    }
}
