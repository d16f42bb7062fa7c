package io.heptad.gate.jdbc;

import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.gate.PhaseStore.ArmedTimer;
import io.heptad.gate.PhaseStore.Claim;
import io.heptad.gate.PhaseStore.Figures;
import io.heptad.gate.UnreadableException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The looks, over all entities of a gate, for what was left behind and for what is due. */
final class Looks<P, E> {
    /*
     * Each look reads candidates without a lock, decodes them, locks those it can read (of their entities, respectively of
     * the timers: SKIP LOCKED, so that no look waits for an entity or for another look), and takes the ones that are still
     * as they were read. Where that yields fewer than were asked for, it goes on behind the last candidate: neither rows that
     * cannot be read, nor a look of another instance that was faster, may hide what comes after them.
     *
     * Reading before taking is what keeps an instance with old code from taking over, and holding, what only new code can
     * finish.
     */
    private static final Instant START = Instant.parse("0001-01-02T00:00:00Z");
    private static final Duration STUCK = Duration.ofSeconds(1);

    private final String gate;
    private final Database database;
    private final Statements sql;
    private final Rows<P, E> rows;
    private final LongAdder unreadable = new LongAdder();
    private volatile Figures counted = new Figures(0, 0, Duration.ZERO, 0);
    /** Whether the last look of each kind has left what was due, and came to the end of it: it could not take that. */
    private volatile boolean actionsStuck;

    private volatile boolean timersStuck;

    Looks(String gate, Database database, Statements sql, Rows<P, E> rows) {
        this.gate = gate;
        this.database = database;
        this.sql = sql;
        this.rows = rows;
    }

    static int atLeastOne(String parameter, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(parameter + " must be at least 1, but is " + value);
        }
        return value;
    }

    private static void check(int max, Duration lease) throws InterruptedException {
        Object ignored = atLeastOne("max", max);
        if (Objects.requireNonNull(lease, "lease").isNegative() || lease.isZero()) {
            throw new IllegalArgumentException("lease must be above zero, but is " + lease);
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    interface Reading<T> {
        T read() throws SQLException;
    }

    /** What can be read; what cannot is counted. */
    <T> Optional<T> readable(Reading<T> reading) throws SQLException {
        try {
            return Optional.of(reading.read());
        } catch (UnreadableException later) {
            unreadable.increment();
            return Optional.empty();
        }
    }

    Figures figures() {
        Figures last = counted;
        return new Figures(last.open(), last.parked(), last.oldestOpen(), unreadable.sum());
    }

    /** A place in the order of candidates. */
    private record Cursor(Instant at, long number) {}

    /** One page of candidates. */
    private record Page<T>(List<T> readable, int size, Cursor end) {}

    // ---- actions

    List<Claim> claim(int max, Duration lease) throws InterruptedException {
        check(max, lease);
        return database.transaction("looking for what was left behind", connection -> {
            List<Claim> claims = new ArrayList<>();
            Page<ActionRow<E>> page;
            Cursor cursor = new Cursor(START, 0);
            int seen = 0;
            int asked;
            do {
                asked = max - claims.size();
                page = expired(connection, cursor, asked);
                claims.addAll(take(connection, page.readable, lease));
                seen += page.size;
                cursor = page.end;
            } while (page.size == asked && claims.size() < max);
            actionsStuck = claims.size() < max && claims.size() < seen;
            count(connection);
            return List.copyOf(claims);
        });
    }

    private Page<ActionRow<E>> expired(Connection connection, Cursor from, int max) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.expired)) {
            statement.setString(1, gate);
            bind(statement, 2, from, max);
            return page(statement, from, row -> {
                Cursor at = new Cursor(Rows.time(row, 9), row.getLong(Statements.ACTION_COLUMNS + 1));
                ActionRow<E> read = readable(() -> {
                            Object ignored = rows.phase(
                                    row.getString(2),
                                    Objects.requireNonNull(Rows.encoded(row, Statements.ACTION_COLUMNS + 2)));
                            return rows.action(row, 1);
                        })
                        .orElse(null);
                return new Candidate<>(at, read);
            });
        }
    }

    private record Candidate<T>(Cursor at, @Nullable T read) {}

    private interface Row<T> {
        Candidate<T> read(ResultSet row) throws SQLException;
    }

    private static void bind(PreparedStatement statement, int at, Cursor from, int max) throws SQLException {
        Rows.set(statement, at, from.at);
        Rows.set(statement, at + 1, from.at);
        statement.setLong(at + 2, from.number);
        statement.setInt(at + 3, max);
    }

    private static <T> Page<T> page(PreparedStatement statement, Cursor from, Row<T> reading) throws SQLException {
        List<T> readable = new ArrayList<>();
        Cursor end = from;
        int size = 0;
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                Candidate<T> candidate = reading.read(row);
                if (candidate.read != null) {
                    readable.add(candidate.read);
                }
                end = candidate.at;
                size++;
            }
        }
        return new Page<>(readable, size, end);
    }

    private List<Claim> take(Connection connection, List<ActionRow<E>> candidates, Duration lease) throws SQLException {
        if (candidates.isEmpty()) {
            return List.of();
        }
        Set<String> free = new HashSet<>();
        try (PreparedStatement statement = connection.prepareStatement(Statements.lockEntities(candidates.size()))) {
            for (int i = 0; i < candidates.size(); i++) {
                statement.setString(2 * i + 1, gate);
                statement.setString(2 * i + 2, candidates.get(i).id());
            }
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    free.add(row.getString(1));
                }
            }
        }
        List<ActionRow<E>> locked =
                candidates.stream().filter(row -> free.contains(row.id())).toList();
        if (locked.isEmpty()) {
            return List.of();
        }
        List<Claim> claims = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(sql.take)) {
            for (ActionRow<E> row : locked) {
                statement.setLong(1, Rows.micros(lease));
                statement.setString(2, gate);
                statement.setString(3, row.key());
                statement.setString(4, row.id());
                statement.setLong(5, row.fence());
                statement.addBatch();
            }
            int[] hits = statement.executeBatch();
            for (int i = 0; i < hits.length; i++) {
                if (hits[i] == 1) {
                    ActionRow<E> row = locked.get(i);
                    claims.add(new Claim(row.id(), row.key(), row.fence() + 1));
                }
            }
        }
        return claims;
    }

    private void count(Connection connection) throws SQLException {
        long open = 0;
        long parked = 0;
        Duration oldest = Duration.ZERO;
        try (PreparedStatement statement = connection.prepareStatement(sql.figures)) {
            statement.setString(1, gate);
            statement.setString(2, gate);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    long count = row.getLong(2);
                    if (row.getString(1).equals("parked")) {
                        parked = count;
                    } else if (count > 0) {
                        open = count;
                        oldest = atLeastZero(Duration.between(Rows.time(row, 3), Rows.time(row, 4)));
                    }
                }
            }
        }
        counted = new Figures(open, parked, oldest, 0);
    }

    private static Duration atLeastZero(Duration duration) {
        return duration.isNegative() ? Duration.ZERO : duration;
    }

    // ---- timers

    private record Due<E>(long position, ArmedTimer<E> timer) {}

    List<ArmedTimer<E>> claimTimers(int max, Duration lease) throws InterruptedException {
        check(max, lease);
        return database.transaction("looking for timers", connection -> {
            List<ArmedTimer<E>> claimed = new ArrayList<>();
            Page<Due<E>> page;
            Cursor cursor = new Cursor(START, 0);
            int seen = 0;
            int asked;
            do {
                asked = max - claimed.size();
                page = due(connection, cursor, asked);
                claimed.addAll(takeTimers(connection, page.readable, lease));
                seen += page.size;
                cursor = page.end;
            } while (page.size == asked && claimed.size() < max);
            timersStuck = claimed.size() < max && claimed.size() < seen;
            return List.copyOf(claimed);
        });
    }

    private Page<Due<E>> due(Connection connection, Cursor from, int max) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.dueTimers)) {
            statement.setString(1, gate);
            bind(statement, 2, from, max);
            return page(statement, from, row -> {
                long position = row.getLong(1);
                String id = row.getString(2);
                Instant due = Rows.time(row, 5);
                Due<E> read = readable(() -> {
                            Object ignored = rows.phase(id, Objects.requireNonNull(Rows.encoded(row, 9)));
                            E event = rows.event(id, Objects.requireNonNull(Rows.encoded(row, 6)));
                            return new Due<>(position, new ArmedTimer<>(id, row.getLong(3), row.getInt(4), due, event));
                        })
                        .orElse(null);
                return new Candidate<>(new Cursor(due, position), read);
            });
        }
    }

    private List<ArmedTimer<E>> takeTimers(Connection connection, List<Due<E>> candidates, Duration lease)
            throws SQLException {
        if (candidates.isEmpty()) {
            return List.of();
        }
        Set<Long> free = new HashSet<>();
        try (PreparedStatement statement = connection.prepareStatement(sql.lockTimers(candidates.size()))) {
            for (int i = 0; i < candidates.size(); i++) {
                statement.setLong(i + 1, candidates.get(i).position);
            }
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    free.add(row.getLong(1));
                }
            }
        }
        List<Due<E>> locked =
                candidates.stream().filter(due -> free.contains(due.position)).toList();
        if (locked.isEmpty()) {
            return List.of();
        }
        try (PreparedStatement statement = connection.prepareStatement(sql.takeTimers(locked.size()))) {
            statement.setLong(1, Rows.micros(lease));
            for (int i = 0; i < locked.size(); i++) {
                statement.setLong(i + 2, locked.get(i).position);
            }
            Object ignored = statement.executeUpdate();
        }
        return locked.stream().map(Due::timer).toList();
    }

    // ---- when to look next

    Optional<Duration> nextDue() {
        return database.statement("looking when something is due", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql.nextDue)) {
                statement.setString(1, gate);
                statement.setString(2, gate);
                try (ResultSet row = statement.executeQuery()) {
                    Object ignored = row.next(); // always
                    Instant now = Rows.time(row, 1);
                    Optional<Duration> action = left(now, Rows.timeOrNull(row, 2), actionsStuck);
                    Optional<Duration> timer = left(now, Rows.timeOrNull(row, 3), timersStuck);
                    return action.isEmpty() || (timer.isPresent() && timer.get().compareTo(action.get()) < 0)
                            ? timer
                            : action;
                }
            }
        });
    }

    /** What is due, but could not be taken a moment ago, is not looked for in a circle. */
    private static Optional<Duration> left(Instant now, @Nullable Instant due, boolean stuck) {
        if (due == null) {
            return Optional.empty();
        }
        Duration left = atLeastZero(Duration.between(now, due));
        return Optional.of(stuck && left.isZero() ? STUCK : left);
    }
}
