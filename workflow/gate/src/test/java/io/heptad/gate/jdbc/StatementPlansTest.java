package io.heptad.gate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * How the databases mean to find the rows of each statement: never by the gate alone, which would be all rows that there ever
 * were. A plan is made once and kept; one that was made while the tables were empty, or while no action was open, is still in
 * use when 10,000 are.
 */
class StatementPlansTest {
    private static final int HISTORY = 30_000;

    /** Once in a while, and made anew when the database has counted its rows: what they join may be found otherwise before. */
    private static final Set<String> OF_A_SWEEP = Set.of("expired", "dueTimers", "nextDue");

    /** Look at all that is open, or parked, or armed, in an index that holds no more. */
    private static final Set<String> OF_WHAT_IS_OPEN = Set.of("figures", "parked", "nextDue", "dueTimers");

    private static final Set<String> OPEN = Set.of(
            "heptad_action_expired", "heptad_action_parked", "heptad_action_open_entity_gate_key", "heptad_timer_due");

    /** Sends all that there is. */
    private static final String OUTBOX = "outbox";

    private static final Pattern MORE_THAN_THE_GATE = Pattern.compile(
            "(?i)\\b(id\\b|entity_id|open_entity =|action_key|event_id|lease_until|claimed_until|position|state|in\\(row)");

    private static Map<String, String> statements(Dialect dialect) throws IllegalAccessException {
        Statements sql = new Statements(dialect);
        Map<String, String> all = new TreeMap<>();
        for (Field field : Statements.class.getDeclaredFields()) {
            if (field.getType() == String.class && !Modifier.isPrivate(field.getModifiers())) {
                String text = (String) field.get(sql);
                if (text.matches("(SELECT|UPDATE|DELETE) .*heptad_.*")) {
                    all.put(field.getName(), text);
                }
            }
        }
        all.put("lockEntities", Statements.lockEntities(3));
        all.put("lockTimers", sql.lockTimers(3));
        all.put("takeTimers", sql.takeTimers(3));
        assertThat(all).hasSizeGreaterThan(30);
        return all;
    }

    /** Entities with three events and three actions each, all done, and as many timers that are due tomorrow. */
    private static void fill(Connection connection, boolean h2) throws SQLException {
        String numbers = h2
                ? "(SELECT x AS i FROM system_range(1, " + HISTORY + ")) g"
                : "generate_series(1, " + HISTORY + ") AS g(i)";
        String id = h2 ? "CAST(i / 3 AS varchar)" : "(i / 3)::text";
        String bytes = h2 ? "X'00'" : "'\\x00'::bytea";
        String tomorrow = "CURRENT_TIMESTAMP + INTERVAL '1' DAY";
        for (String statement : List.of(
                "INSERT INTO heptad_entity (gate, id, version, phase_type, phase_version, phase, updated_at, timers, declines)"
                        + " SELECT DISTINCT 'g', " + id + ", 1, 'p', 1, " + bytes + ", CURRENT_TIMESTAMP, 1, 0 FROM "
                        + numbers,
                "INSERT INTO heptad_event (gate, entity_id, version, event_id, phase_type, phase_version, phase, at)"
                        + " SELECT 'g', " + id + ", MOD(i, 3), NULL, 'p', 1, " + bytes + ", CURRENT_TIMESTAMP FROM "
                        + numbers,
                "INSERT INTO heptad_action (gate, action_key, entity_id, name, kind, version, state, fence, lease_until,"
                        + " event_id, asked_type, asked_version, asked, first_sent_at, attempts) SELECT 'g', 'k' || i, "
                        + id
                        + ", 'charge', 'do', 1, 'done', 1, CURRENT_TIMESTAMP, 'v', 't', 1, " + bytes
                        + ", CURRENT_TIMESTAMP, 0 FROM " + numbers,
                "INSERT INTO heptad_timer (gate, entity_id, version, number, due, claimed_until, event_type, event_version,"
                        + " event) SELECT 'g', " + id + ", 1, MOD(i, 3), " + tomorrow + ", " + tomorrow + ", 't', 1, "
                        + bytes
                        + " FROM " + numbers,
                "INSERT INTO heptad_outbox (gate, id, order_key, destination, type, payload, at)"
                        + " SELECT 'g', 'm' || i, 'o', 'd', 't', 'p', CURRENT_TIMESTAMP FROM " + numbers,
                "ANALYZE")) {
            execute(connection, statement);
        }
    }

    private static void execute(Connection connection, String statement) throws SQLException {
        try (Statement one = connection.createStatement()) {
            one.execute(statement);
        }
    }

    private static List<String> lines(ResultSet rows) throws SQLException {
        List<String> lines = new ArrayList<>();
        while (rows.next()) {
            lines.addAll(rows.getString(1).lines().map(String::strip).toList());
        }
        return lines;
    }

    /** By which index a plan finds rows, and by what conditions. */
    private record Access(String index, String conditions) {
        boolean isNarrow(String statement) {
            return MORE_THAN_THE_GATE.matcher(conditions).find()
                    || (OF_WHAT_IS_OPEN.contains(statement) && OPEN.contains(index));
        }
    }

    /** What looks through all that a gate has ever had. */
    private static List<String> wide(Map<String, List<Access>> plans) {
        List<String> wide = new ArrayList<>();
        plans.forEach((name, accesses) -> {
            assertThat(accesses).as("the plan of %s", name).isNotEmpty();
            accesses.stream()
                    .filter(access -> !access.isNarrow(name) && !name.equals(OUTBOX))
                    .forEach(access -> wide.add(name + ": " + access));
        });
        return wide;
    }

    private static Map<String, List<Access>> ofTurns(Map<String, List<Access>> plans) {
        plans.keySet().removeAll(OF_A_SWEEP);
        return plans;
    }

    // ---- PostgreSQL

    private static final Pattern SCAN = Pattern.compile("(?: using |Bitmap Index Scan on |Seq Scan on )(heptad_\\w+)");

    /** Plans for whatever the parameters are, as a prepared statement has them from its sixth time on. */
    private static Map<String, List<Access>> postgresql(Connection connection)
            throws SQLException, IllegalAccessException {
        Map<String, List<Access>> plans = new TreeMap<>();
        for (Map.Entry<String, String> one : statements(Dialect.postgresql()).entrySet()) {
            Matcher mark = Pattern.compile("\\?").matcher(one.getValue());
            int[] count = new int[1];
            String numbered = mark.replaceAll(hit -> "\\$" + ++count[0]);
            execute(connection, "PREPARE one AS " + numbered);
            String nulls = String.join(", ", Collections.nCopies(count[0], "NULL"));
            try (Statement explain = connection.createStatement();
                    ResultSet rows = explain.executeQuery("EXPLAIN EXECUTE one(" + nulls + ")")) {
                plans.put(one.getKey(), accesses(lines(rows)));
            }
            execute(connection, "DEALLOCATE one");
        }
        return plans;
    }

    private static List<Access> accesses(List<String> plan) {
        List<Access> accesses = new ArrayList<>();
        for (int i = 0; i < plan.size(); i++) {
            Matcher scan = SCAN.matcher(plan.get(i));
            if (scan.find()) {
                String next = i + 1 < plan.size() ? plan.get(i + 1) : "";
                accesses.add(new Access(scan.group(1), next.startsWith("Index Cond:") ? next : ""));
            }
        }
        return accesses;
    }

    @Test
    void postgresqlFindsRowsByMoreThanTheirGateWhetherItsTablesAreEmptyOrFullWithNothingOpen() throws Exception {
        PGSimpleDataSource shared = (PGSimpleDataSource) TestDatabase.POSTGRESQL.source();
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(shared.getUrl());
        source.setUser(shared.getUser());
        source.setCurrentSchema("plans");
        try (Connection connection = source.getConnection()) {
            execute(connection, "CREATE SCHEMA plans");
            HeptadSchema.create(source);
            execute(connection, "SET plan_cache_mode = force_generic_plan");
            assertThat(wide(ofTurns(postgresql(connection)))).as("empty").isEmpty();
            fill(connection, false);
            assertThat(wide(postgresql(connection))).as("full, nothing open").isEmpty();
            execute(connection, "UPDATE heptad_timer SET due = CURRENT_TIMESTAMP, claimed_until = CURRENT_TIMESTAMP");
            execute(connection, "ANALYZE");
            assertThat(postgresql(connection).get("dueTimers"))
                    .as("all timers due: actions that are done stay out of it")
                    .extracting(Access::index)
                    .doesNotContain("heptad_action");
        } finally {
            TestDatabase.POSTGRESQL.execute("DROP SCHEMA plans CASCADE");
        }
    }

    // ---- H2

    private static final Pattern ACCESS = Pattern.compile("/\\* PUBLIC\\.(\\w+)(.*?) \\*/");

    private static Map<String, List<Access>> h2(Connection connection) throws SQLException, IllegalAccessException {
        Map<String, List<Access>> plans = new TreeMap<>();
        for (Map.Entry<String, String> one : statements(Dialect.h2()).entrySet()) {
            try (PreparedStatement explain = connection.prepareStatement("EXPLAIN " + one.getValue())) {
                for (int i = explain.getParameterMetaData().getParameterCount(); i > 0; i--) {
                    explain.setNull(i, Types.VARCHAR);
                }
                try (ResultSet rows = explain.executeQuery()) {
                    plans.put(
                            one.getKey(),
                            ACCESS.matcher(String.join(" ", lines(rows)))
                                    .results()
                                    .map(access ->
                                            new Access(access.group(1).toLowerCase(Locale.ROOT), access.group(2)))
                                    .toList());
                }
            }
        }
        return plans;
    }

    @Test
    void h2FindsRowsByMoreThanTheirGateWhetherItsTablesAreEmptyOrFullWithNothingOpen() throws Exception {
        DataSource source = TestDatabase.h2("jdbc:h2:mem:" + UUID.randomUUID());
        try (Connection connection = source.getConnection()) {
            HeptadSchema.create(source);
            assertThat(wide(ofTurns(h2(connection)))).as("empty").isEmpty();
            fill(connection, true);
            assertThat(wide(h2(connection))).as("full, nothing open").isEmpty();
        }
    }
}
