package io.heptad.gate.jdbc;

import io.heptad.gate.Committed;
import io.heptad.gate.Declined;
import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.gate.PhaseStore.Answered;
import io.heptad.gate.PhaseStore.State;
import io.heptad.gate.UnreadableException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** From rows to values and back. */
final class Rows<P, E> {
    /** Both databases, and people, can write this year. */
    private static final Instant NEVER = Instant.parse("9999-12-31T00:00:00Z");

    private static final Instant EVER = Instant.parse("0001-01-02T00:00:00Z");
    private static final long LEASE_MAX = TimeUnit.DAYS.toMicros(200 * 365);

    /**
     * A row of the table of entities, payloads as they are.
     *
     * @param version the version it is at
     * @param phase the phase it is in
     * @param event what led there
     * @param at when
     * @param timers how many timers this version has set
     * @param declines how many actions were declined at this version
     */
    record Entity(long version, Encoded phase, @Nullable Encoded event, Instant at, int timers, int declines) {}

    private final Codec codec;

    Rows(Codec codec) {
        this.codec = codec;
    }

    // ---- values

    @Nullable
    Encoded encode(@Nullable Object value) {
        return value == null ? null : Objects.requireNonNull(codec.encode(value), "encoded");
    }

    @SuppressWarnings("unchecked") // what is stored as a phase was one
    P phase(String id, Encoded encoded) {
        return (P) decode(id, encoded);
    }

    @SuppressWarnings("unchecked") // what is stored as an event was one
    E event(String id, Encoded encoded) {
        return (E) decode(id, encoded);
    }

    private Object decode(String id, Encoded encoded) {
        try {
            return Objects.requireNonNull(codec.decode(encoded), "decoded");
        } catch (UnreadableException unreadable) {
            throw new UnreadableException(
                    encoded.type(), encoded.version(), id + ": " + unreadable.getMessage(), unreadable.getCause());
        } catch (RuntimeException broken) {
            throw new UnreadableException(
                    encoded.type(), encoded.version(), id + ": " + encoded + " cannot be read: " + broken, broken);
        }
    }

    // ---- out of rows

    Entity entity(ResultSet row, int at) throws SQLException {
        return new Entity(
                row.getLong(at),
                Objects.requireNonNull(encoded(row, at + 1)),
                encoded(row, at + 4),
                time(row, at + 7),
                row.getInt(at + 8),
                row.getInt(at + 9));
    }

    Committed<P, E> committed(String id, Entity entity) {
        return new Committed<>(
                id,
                entity.version,
                phase(id, entity.phase),
                entity.event == null ? null : event(id, entity.event),
                entity.at);
    }

    ActionRow<E> action(ResultSet row, int at) throws SQLException {
        String id = row.getString(at + 1);
        E asked = event(id, Objects.requireNonNull(encoded(row, at + 10)));
        Encoded event = encoded(row, at + 13);
        Encoded request = encoded(row, at + 16);
        Encoded result = encoded(row, at + 19);
        return new ActionRow<>(
                row.getString(at),
                id,
                row.getString(at + 2),
                row.getString(at + 3).equals("undo"),
                row.getString(at + 4),
                row.getLong(at + 5),
                State.valueOf(row.getString(at + 6).toUpperCase(Locale.ROOT)),
                row.getLong(at + 7),
                time(row, at + 8),
                row.getString(at + 9),
                asked,
                event == null ? asked : event(id, event),
                request == null ? null : decode(id, request),
                result == null ? null : decode(id, result),
                time(row, at + 22),
                row.getInt(at + 23),
                row.getString(at + 24));
    }

    Committed<P, E> committed(String id, ResultSet row, int at) throws SQLException {
        Encoded event = encoded(row, at + 4);
        return new Committed<>(
                id,
                row.getLong(at),
                phase(id, Objects.requireNonNull(encoded(row, at + 1))),
                event == null ? null : event(id, event),
                time(row, at + 12));
    }

    /** A row that has an event id; one without a version is a no. */
    Answered<P, E> answered(String id, ResultSet row, int at) throws SQLException {
        Encoded event = encoded(row, at + 4);
        Encoded asked = encoded(row, at + 7);
        E first = event(id, Objects.requireNonNull(asked == null ? event : asked, "an answered event"));
        if (row.getObject(at) != null) {
            return new Answered<>(first, committed(id, row, at));
        }
        return new Answered<>(
                first,
                new Declined<>(
                        id,
                        phase(id, Objects.requireNonNull(encoded(row, at + 1))),
                        event(id, Objects.requireNonNull(event, "a declined event")),
                        row.getString(at + 10),
                        row.getString(at + 11),
                        time(row, at + 12)));
    }

    static @Nullable Encoded encoded(ResultSet row, int at) throws SQLException {
        String type = row.getString(at);
        return type == null ? null : Encoded.stored(type, row.getInt(at + 1), row.getBytes(at + 2));
    }

    static Instant time(ResultSet row, int at) throws SQLException {
        return Objects.requireNonNull(timeOrNull(row, at));
    }

    static @Nullable Instant timeOrNull(ResultSet row, int at) throws SQLException {
        OffsetDateTime time = row.getObject(at, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    // ---- into rows

    static void set(PreparedStatement statement, int at, @Nullable Encoded encoded) throws SQLException {
        if (encoded == null) {
            statement.setNull(at, Types.VARCHAR);
            statement.setNull(at + 1, Types.INTEGER);
            statement.setNull(at + 2, Types.BINARY);
        } else {
            statement.setString(at, encoded.type());
            statement.setInt(at + 1, encoded.version());
            statement.setBytes(at + 2, encoded.shared());
        }
    }

    static void set(PreparedStatement statement, int at, @Nullable String text) throws SQLException {
        if (text == null) {
            statement.setNull(at, Types.VARCHAR);
        } else {
            statement.setString(at, text);
        }
    }

    static void set(PreparedStatement statement, int at, Instant time) throws SQLException {
        Instant kept = time.isAfter(NEVER) ? NEVER : time.isBefore(EVER) ? EVER : time.truncatedTo(ChronoUnit.MICROS);
        statement.setObject(at, OffsetDateTime.ofInstant(kept, ZoneOffset.UTC));
    }

    static int set(PreparedStatement statement, int at, Entity entity) throws SQLException {
        statement.setLong(at, entity.version);
        set(statement, at + 1, entity.phase);
        set(statement, at + 4, entity.event);
        set(statement, at + 7, entity.at);
        statement.setInt(at + 8, entity.timers);
        statement.setInt(at + 9, entity.declines);
        return at + 10;
    }

    static long micros(Duration lease) {
        return Math.min(TimeUnit.MICROSECONDS.convert(lease), LEASE_MAX);
    }

    static String state(State state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    static String kind(boolean undo) {
        return undo ? "undo" : "do";
    }
}
