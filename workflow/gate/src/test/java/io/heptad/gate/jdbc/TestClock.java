package io.heptad.gate.jdbc;

import java.time.Duration;
import java.time.Instant;

/** A clock in the database, which stands unless the test moves it: one row for each test. */
final class TestClock {
    private final TestDatabase database;
    private final String gate;
    private Instant at = Instant.parse("2026-01-01T00:00:00Z");

    TestClock(TestDatabase database, String gate) {
        this.database = database;
        this.gate = gate;
        database.execute("CREATE TABLE IF NOT EXISTS heptad_test_clock (gate varchar(100) PRIMARY KEY, at "
                + "timestamp with time zone NOT NULL)");
        database.execute(
                "INSERT INTO heptad_test_clock VALUES ('" + gate + "', TIMESTAMP WITH TIME ZONE '" + at + "')");
    }

    String expression() {
        return "(SELECT c.at FROM heptad_test_clock c WHERE c.gate = '" + gate + "')";
    }

    void advance(Duration by) {
        at = at.plus(by);
        database.execute(
                "UPDATE heptad_test_clock SET at = TIMESTAMP WITH TIME ZONE '" + at + "' WHERE gate = '" + gate + "'");
    }
}
