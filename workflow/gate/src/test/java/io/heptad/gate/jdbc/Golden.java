package io.heptad.gate.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Rows as text, the same for every database: a line with the table, then one line for each column that is not null, then an
 * empty line. Payloads are the text that they are in UTF-8, times are in UTC. Left out are the name of the gate, and the
 * numbers that the database gives.
 */
final class Golden {
    private static final List<String> TABLES =
            List.of("heptad_entity", "heptad_event", "heptad_action", "heptad_timer", "heptad_outbox");
    private static final List<String> NUMBERED = List.of("heptad_action", "heptad_timer", "heptad_outbox");

    private Golden() {}

    /** All rows of a gate. */
    static String dump(TestDatabase database, String gate) throws SQLException {
        StringBuilder text = new StringBuilder();
        for (String table : TABLES) {
            List<String> rows = rows(database, gate, table);
            if (!NUMBERED.contains(table)) {
                rows.sort(null);
            }
            rows.forEach(text::append);
        }
        return text.toString();
    }

    private static String number(String table) {
        return table.equals("heptad_action") ? "number" : "position";
    }

    private static List<String> rows(TestDatabase database, String gate, String table) throws SQLException {
        String order = NUMBERED.contains(table) ? " ORDER BY " + number(table) : "";
        List<String> rows = new ArrayList<>();
        try (Connection connection = database.source().getConnection();
                PreparedStatement statement =
                        connection.prepareStatement("SELECT * FROM " + table + " WHERE gate = ?" + order)) {
            statement.setString(1, gate);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    rows.add(table + "\n" + columns(row, table) + "\n");
                }
            }
        }
        return rows;
    }

    private static String columns(ResultSet row, String table) throws SQLException {
        ResultSetMetaData columns = row.getMetaData();
        StringBuilder text = new StringBuilder();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            String name = columns.getColumnName(i).toLowerCase(Locale.ROOT);
            boolean given = NUMBERED.contains(table) && name.equals(number(table));
            Object value = row.getObject(i);
            if (value != null && !name.equals("gate") && !given) {
                text.append("  ")
                        .append(name)
                        .append(" = ")
                        .append(text(row, i, value))
                        .append('\n');
            }
        }
        return text.toString();
    }

    private static String text(ResultSet row, int column, Object value) throws SQLException {
        return switch (value) {
            case byte[] bytes -> new String(bytes, UTF_8);
            case OffsetDateTime at -> at.toInstant().toString();
            case Timestamp ignored ->
                row.getObject(column, OffsetDateTime.class).toInstant().toString();
            default -> value.toString();
        };
    }

    /** Writes the rows of a dump as those of a gate. */
    static void load(TestDatabase database, String dump, String gate) throws SQLException {
        for (String block : dump.strip().split("\n\n", -1)) {
            List<String> lines = block.lines().toList();
            Map<String, String> columns = new LinkedHashMap<>();
            columns.put("gate", gate);
            for (String line : lines.subList(1, lines.size())) {
                int at = line.indexOf(" = ");
                columns.put(line.substring(2, at), line.substring(at + 3));
            }
            insert(database, lines.getFirst(), columns);
        }
    }

    private static void insert(TestDatabase database, String table, Map<String, String> columns) throws SQLException {
        String names = String.join(", ", columns.keySet());
        String marks = "?" + ", ?".repeat(columns.size() - 1);
        try (Connection connection = database.source().getConnection();
                PreparedStatement types =
                        connection.prepareStatement("SELECT " + names + " FROM " + table + " WHERE 1 = 0");
                ResultSet none = types.executeQuery();
                PreparedStatement statement = connection.prepareStatement(
                        "INSERT INTO " + table + " (" + names + ") VALUES (" + marks + ")")) {
            int at = 1;
            for (String value : columns.values()) {
                switch (none.getMetaData().getColumnTypeName(at).toLowerCase(Locale.ROOT)) {
                    case "bytea", "binary varying" -> statement.setBytes(at, value.getBytes(UTF_8));
                    case "timestamptz", "timestamp with time zone" ->
                        statement.setObject(at, Instant.parse(value).atOffset(ZoneOffset.UTC));
                    case "int4", "int8", "integer", "bigint" -> statement.setLong(at, Long.parseLong(value));
                    default -> statement.setString(at, value);
                }
                at++;
            }
            assertThat(statement.executeUpdate()).isEqualTo(1);
        }
    }

    /** The tables with their columns, types, and which must not be null. */
    static String tables(TestDatabase database) throws SQLException {
        StringBuilder text = new StringBuilder();
        try (Connection connection = database.source().getConnection()) {
            for (String table : TABLES) {
                text.append(table).append('\n');
                String stored = database == TestDatabase.POSTGRESQL ? table : table.toUpperCase(Locale.ROOT);
                try (ResultSet column = connection
                        .getMetaData()
                        .getColumns(connection.getCatalog(), connection.getSchema(), stored, "%")) {
                    while (column.next()) {
                        text.append("  ")
                                .append(column.getString("COLUMN_NAME").toLowerCase(Locale.ROOT))
                                .append(' ')
                                .append(column.getString("TYPE_NAME").toLowerCase(Locale.ROOT))
                                .append(column.getString("IS_NULLABLE").equals("NO") ? " not null" : "")
                                .append('\n');
                    }
                }
                text.append('\n');
            }
        }
        return text.toString();
    }

    /** What is pinned; a missing file is empty. */
    static String pinned(String file) {
        try (InputStream in = Golden.class.getResourceAsStream("golden/" + file)) {
            return in == null ? "" : new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Fails if it is not what is pinned, and leaves what it is beside the tests' reports. */
    static void check(String file, String actual) throws IOException {
        if (!actual.equals(pinned(file))) {
            Path written = Path.of("target", "golden", file);
            Files.createDirectories(written.getParent());
            Files.writeString(written, actual);
        }
        assertThat(actual)
                .as(
                        "The stored form has changed. Rows that released code has written must be read for ever: if the change is"
                                + " meant, keep %s, for reading, and pin the new form beside it under the next number (it is in"
                                + " target/golden)",
                        file)
                .isEqualTo(pinned(file));
    }
}
