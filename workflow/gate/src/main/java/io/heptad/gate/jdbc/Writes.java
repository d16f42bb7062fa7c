package io.heptad.gate.jdbc;

import io.heptad.gate.OutboxMessage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a transaction writes at its end, one statement for each table. */
record Writes(String gate, String id, Statements sql, Connection connection) {
    /**
     * A row of the log.
     *
     * @param version the version that it commits; null for a final no
     * @param phase the phase from here on
     * @param event what led to it
     * @param at when
     * @param eventId what the caller repeats
     * @param asked what the caller sent, if another event came of it
     * @param action of a no: what was declined
     * @param reason of a no: why
     */
    record Entry(
            @Nullable Long version,
            Encoded phase,
            @Nullable Encoded event,
            Instant at,
            @Nullable String eventId,
            @Nullable Encoded asked,
            @Nullable String action,
            @Nullable String reason) {
        boolean isAnonymous(long ofVersion) {
            return eventId == null && version != null && version == ofVersion;
        }

        Entry named(String newEventId, @Nullable Encoded newAsked) {
            return new Entry(version, phase, event, at, newEventId, newAsked, action, reason);
        }
    }

    record Timer(int number, Instant due, Encoded event) {}

    void entity(Rows.@Nullable Entity before, Rows.Entity after) throws SQLException {
        if (before == null) {
            try (PreparedStatement statement = connection.prepareStatement(sql.insertEntity)) {
                statement.setString(1, gate);
                statement.setString(2, id);
                Object ignored = Rows.set(statement, 3, after);
                ignored = statement.executeUpdate();
            }
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(sql.updateEntity)) {
            int at = Rows.set(statement, 1, after);
            statement.setString(at, gate);
            statement.setString(at + 1, id);
            statement.setLong(at + 2, before.version());
            if (statement.executeUpdate() != 1) {
                throw new IllegalStateException(
                        id + " was written past its lock: it is not at version " + before.version());
            }
        }
        if (before.timers() > 0 && before.version() < after.version()) {
            try (PreparedStatement statement = connection.prepareStatement(sql.deleteTimers)) {
                statement.setString(1, gate);
                statement.setString(2, id);
                statement.setLong(3, after.version());
                Object ignored = statement.executeUpdate();
            }
        }
    }

    void entry(Entry entry) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.insertEvent)) {
            statement.setString(1, gate);
            statement.setString(2, id);
            Rows.set(statement, 3, entry.eventId);
            if (entry.version == null) {
                statement.setNull(4, Types.BIGINT);
            } else {
                statement.setLong(4, entry.version);
            }
            Rows.set(statement, 5, entry.phase);
            Rows.set(statement, 8, entry.event);
            Rows.set(statement, 11, entry.asked);
            Rows.set(statement, 14, entry.action);
            Rows.set(statement, 15, entry.reason);
            Rows.set(statement, 16, entry.at);
            Object ignored = statement.executeUpdate();
        }
    }

    void timers(long version, List<Timer> timers) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.insertTimer)) {
            for (Timer timer : timers) {
                statement.setString(1, gate);
                statement.setString(2, id);
                statement.setLong(3, version);
                statement.setInt(4, timer.number);
                Rows.set(statement, 5, timer.due);
                Rows.set(statement, 6, timer.due);
                Rows.set(statement, 7, timer.event);
                statement.addBatch();
            }
            Object ignored = statement.executeBatch();
        }
    }

    void messages(List<OutboxMessage> messages, Instant now) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.insertMessage)) {
            for (OutboxMessage message : messages) {
                statement.setString(1, gate);
                statement.setString(2, message.id());
                statement.setString(3, message.orderKey());
                statement.setString(4, message.destination());
                statement.setString(5, message.type());
                statement.setString(6, message.payload());
                Rows.set(statement, 7, now);
                statement.addBatch();
            }
            Object ignored = statement.executeBatch();
        }
    }
}
