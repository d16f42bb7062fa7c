package io.heptad.bench.gate;

import io.heptad.bench.gate.Door.Turn;
import io.heptad.gate.jdbc.Encoded;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What somebody would write by hand who wants the same rows in the same tables: the same statements in the same transactions,
 * and nothing else. Nobody takes over what it leaves behind, waits for a turn in memory, joins an event that runs, renews a
 * lease, counts, or tells anybody.
 */
final class HandWritten implements Doors {
    private static final int LEASE_SECONDS = 30;

    private static final String LOCK = "SELECT CURRENT_TIMESTAMP, version, phase_type, phase_version, phase FROM"
            + " heptad_entity WHERE gate = ? AND id = ? FOR UPDATE";
    private static final String UNFINISHED = "SELECT action_key FROM heptad_action WHERE gate = ? AND open_entity = ?";
    private static final String INSERT_ENTITY = "INSERT INTO heptad_entity (gate, id, version, phase_type,"
            + " phase_version, phase, updated_at, timers, declines) VALUES (?, ?, 1, ?, ?, ?, CURRENT_TIMESTAMP, 0, 0)";
    private static final String UPDATE_ENTITY =
            "UPDATE heptad_entity SET version = ?, phase_type = ?, phase_version = ?,"
                    + " phase = ?, event_type = ?, event_version = ?, event = ?, updated_at = ?, timers = 0, declines = 0"
                    + " WHERE gate = ? AND id = ? AND version = ?";
    private static final String INSERT_EVENT =
            "INSERT INTO heptad_event (gate, entity_id, event_id, version, phase_type,"
                    + " phase_version, phase, event_type, event_version, event, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String INSERT_ACTION = "INSERT INTO heptad_action (gate, action_key, entity_id, name, kind,"
            + " version, state, open_entity, fence, lease_until, event_id, asked_type, asked_version, asked,"
            + " request_type, request_version, request, first_sent_at, attempts)"
            + " VALUES (?, ?, ?, 'push', 'do', ?, 'open', ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)";
    private static final String CLOSE_ACTION = "UPDATE heptad_action SET state = 'done', open_entity = NULL,"
            + " result_type = ?, result_version = ?, result = ?"
            + " WHERE gate = ? AND action_key = ? AND open_entity = ? AND fence = 1";
    private static final String TURNS =
            "SELECT version, phase_type, phase_version, phase FROM heptad_entity" + " WHERE gate = ? AND id = ?";

    private final String gate;
    private final DataSource source;
    private final LongAdder pushes;

    HandWritten(String gate, DataSource source, LongAdder pushes) {
        this.gate = gate;
        this.source = source;
        this.pushes = pushes;
    }

    private record Row(OffsetDateTime now, long version, Door door) {}

    private interface Work {
        void on(Connection connection) throws SQLException;
    }

    private void transaction(Work work) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            try {
                work.on(connection);
                connection.commit();
            } catch (SQLException | RuntimeException failed) {
                connection.rollback();
                throw failed;
            } finally {
                connection.setAutoCommit(true);
            }
        }
    }

    @Override
    public void create(String id) throws SQLException {
        Encoded phase = Door.CODEC.encode(new Door.Open(0));
        transaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(INSERT_ENTITY)) {
                statement.setString(1, gate);
                statement.setString(2, id);
                set(statement, 3, phase);
                one(statement);
            }
        });
    }

    @Override
    public void turn(String id, Turn turn) throws SQLException {
        if (turn == Turn.PLAIN) {
            transaction(connection -> {
                Row row = lock(connection, id);
                free(connection, id);
                commit(connection, id, turn, row, null);
            });
            return;
        }
        String[] key = new String[1];
        transaction(connection -> key[0] = open(connection, id, turn));
        String result = Doors.push(pushes);
        transaction(connection -> {
            Row row = lock(connection, id);
            close(connection, id, key[0], result);
            commit(connection, id, turn, row, "turn " + row.version());
        });
    }

    private Row lock(Connection connection, String id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LOCK)) {
            statement.setString(1, gate);
            statement.setString(2, id);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new IllegalStateException("no " + id);
                }
                return new Row(row.getObject(1, OffsetDateTime.class), row.getLong(2), door(row, 3));
            }
        }
    }

    private static Door door(ResultSet row, int at) throws SQLException {
        return (Door) Door.CODEC.decode(Encoded.of(row.getString(at), row.getInt(at + 1), row.getBytes(at + 2)));
    }

    private void free(Connection connection, String id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(UNFINISHED)) {
            statement.setString(1, gate);
            statement.setString(2, id);
            try (ResultSet row = statement.executeQuery()) {
                if (row.next()) {
                    throw new IllegalStateException(id + " is busy with " + row.getString(1));
                }
            }
        }
    }

    private String open(Connection connection, String id, Turn turn) throws SQLException {
        Row row = lock(connection, id);
        free(connection, id);
        String key = "doors/" + id + "/" + row.version() + "/push/do/1";
        try (PreparedStatement statement = connection.prepareStatement(INSERT_ACTION)) {
            statement.setString(1, gate);
            statement.setString(2, key);
            statement.setString(3, id);
            statement.setLong(4, row.version());
            statement.setString(5, id);
            statement.setObject(6, row.now().plusSeconds(LEASE_SECONDS));
            statement.setString(7, "turn " + row.version());
            set(statement, 8, Door.CODEC.encode(turn));
            set(statement, 11, Door.CODEC.encode(row.door().turns()));
            statement.setObject(14, row.now());
            one(statement);
        }
        return key;
    }

    private void close(Connection connection, String id, String key, String result) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(CLOSE_ACTION)) {
            set(statement, 1, Door.CODEC.encode(result));
            statement.setString(4, gate);
            statement.setString(5, key);
            statement.setString(6, id);
            one(statement);
        }
    }

    private void commit(Connection connection, String id, Turn turn, Row row, @Nullable String eventId)
            throws SQLException {
        Encoded phase = Door.CODEC.encode(row.door().turned());
        Encoded event = Door.CODEC.encode(turn);
        try (PreparedStatement statement = connection.prepareStatement(UPDATE_ENTITY)) {
            statement.setLong(1, row.version() + 1);
            set(statement, 2, phase);
            set(statement, 5, event);
            statement.setObject(8, row.now());
            statement.setString(9, gate);
            statement.setString(10, id);
            statement.setLong(11, row.version());
            one(statement);
        }
        try (PreparedStatement statement = connection.prepareStatement(INSERT_EVENT)) {
            statement.setString(1, gate);
            statement.setString(2, id);
            if (eventId == null) {
                statement.setNull(3, Types.VARCHAR);
            } else {
                statement.setString(3, eventId);
            }
            statement.setLong(4, row.version() + 1);
            set(statement, 5, phase);
            set(statement, 8, event);
            statement.setObject(11, row.now());
            one(statement);
        }
    }

    private static void set(PreparedStatement statement, int at, Encoded encoded) throws SQLException {
        statement.setString(at, encoded.type());
        statement.setInt(at + 1, encoded.version());
        statement.setBytes(at + 2, encoded.bytes());
    }

    private static void one(PreparedStatement statement) throws SQLException {
        if (statement.executeUpdate() != 1) {
            throw new IllegalStateException("not one row: " + statement);
        }
    }

    @Override
    public long turns(String id) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement(TURNS)) {
            statement.setString(1, gate);
            statement.setString(2, id);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new IllegalStateException("no " + id);
                }
                Door door = door(row, 2);
                if (door.turns() != row.getLong(1) - 1) {
                    throw new AssertionError(door + " has lost a turn");
                }
                return door.turns();
            }
        }
    }
}
