package io.heptad.gate.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;

/**
 * In what the databases differ.
 *
 * @param name which database
 * @param clock an expression for its time now
 * @param due the same, for what is compared with a column: it stands still for a statement, so that an index can be asked
 * @param later an expression for its time now and so many microseconds, which are the one parameter
 * @param waits whether there is a statement that waits for an entity's lock, as long as its one parameter more says
 * @param ddl the file with its tables
 */
record Dialect(Name name, String clock, String due, String later, boolean waits, String ddl) {
    enum Name {
        POSTGRESQL,
        H2
    }

    /** {@code now()} stands still inside of a transaction; a lease that was waited for would be over already. */
    private static final String POSTGRESQL_CLOCK = "clock_timestamp()";

    /** {@code clock_timestamp()} may differ from row to row, so PostgreSQL asks it at every row, of which there may be many. */
    private static final String POSTGRESQL_DUE = "statement_timestamp()";

    /**
     * Stands still inside of a transaction too: from its first statement on. So that statement never waits on H2, and its
     * time is that at which the entity was locked.
     */
    private static final String H2_CLOCK = "CURRENT_TIMESTAMP";

    static Dialect postgresql() {
        return postgresql(POSTGRESQL_CLOCK, POSTGRESQL_DUE);
    }

    private static Dialect postgresql(String clock, String due) {
        return new Dialect(
                Name.POSTGRESQL, clock, due, clock + " + ? * interval '1 microsecond'", true, "heptad-postgresql.sql");
    }

    static Dialect h2() {
        return h2(H2_CLOCK);
    }

    private static Dialect h2(String clock) {
        return new Dialect(Name.H2, clock, clock, "DATEADD(MICROSECOND, ?, " + clock + ")", false, "heptad-h2.sql");
    }

    /** The database at the other end. */
    static Dialect of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return switch (product.toLowerCase(Locale.ROOT)) {
            case "postgresql" -> postgresql();
            case "h2" -> h2();
            default ->
                throw new IllegalArgumentException("dataSource must lead to PostgreSQL or H2, but leads to " + product);
        };
    }

    /** The same database with another clock. */
    Dialect at(String otherClock) {
        return name == Name.H2 ? h2(otherClock) : postgresql(otherClock, otherClock);
    }

    /** Refuses what would break a promise of the store without anybody's noticing. */
    void check(Connection connection) throws SQLException {
        int isolation = connection.getTransactionIsolation();
        if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
            throw new IllegalArgumentException(
                    "dataSource must give connections with READ COMMITTED, but they have level " + isolation
                            + ": behind a lock that was waited for, a stricter one reads what was there before");
        }
        if (name == Name.H2) {
            String delay = setting(connection, "WRITE_DELAY", "0");
            if (!delay.equals("0")) {
                throw new IllegalArgumentException("dataSource must write at every commit, but H2 writes up to " + delay
                        + " ms later, and a crash loses what it has said is committed: add ;WRITE_DELAY=0 to the URL "
                        + connection.getMetaData().getURL());
            }
        }
    }

    private static String setting(Connection connection, String name, String otherwise) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT setting_value FROM information_schema.settings WHERE setting_name = ?")) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getString(1) : otherwise;
            }
        }
    }

    /** Somebody else has it: nothing was done, and it may be free soon. */
    boolean isBusy(SQLException failed) {
        return name == Name.H2 ? failed.getErrorCode() == 50200 : "55P03".equals(failed.getSQLState());
    }

    /** Two were in each other's way, and this one was rolled back: it may be run again. */
    boolean isConflict(SQLException failed) {
        String state = failed.getSQLState();
        return "40001".equals(state) || "40P01".equals(state) || (name == Name.H2 && failed.getErrorCode() == 90131);
    }

    static boolean isDuplicate(SQLException failed) {
        return "23505".equals(failed.getSQLState());
    }
}
