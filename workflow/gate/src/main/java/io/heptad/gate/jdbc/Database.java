package io.heptad.gate.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections, one for each piece of work: taken, committed or rolled back, and given back as they were. */
final class Database {
    /*
     * A connection that cannot be rolled back is broken off instead of given back: setAutoCommit(true) would commit what is
     * on it.
     *
     * An interrupt that is there already is put aside while the database is asked: both a socket (in a virtual thread) and
     * the file of an embedded H2 are closed by one, although nobody waits. One that comes during the work is not kept away.
     */
    private final DataSource source;

    Database(DataSource source) {
        this.source = source;
    }

    interface Work<T extends @Nullable Object> {
        T on(Connection connection) throws SQLException;
    }

    /** Several statements that are there together or not at all. */
    <T extends @Nullable Object> T transaction(String what, Work<T> work) {
        return asking(what, connection -> {
            boolean auto = connection.getAutoCommit();
            if (auto) {
                connection.setAutoCommit(false);
            }
            T result;
            boolean done = false;
            try {
                result = work.on(connection);
                connection.commit();
                done = true;
            } finally {
                if (!done) {
                    rollBack(connection, auto);
                }
            }
            if (auto) {
                restore(connection);
            }
            return result;
        });
    }

    /** One statement, which is its own transaction. */
    <T extends @Nullable Object> T statement(String what, Work<T> work) {
        return asking(what, connection -> {
            if (connection.getAutoCommit()) {
                return work.on(connection);
            }
            T result;
            boolean done = false;
            try {
                result = work.on(connection);
                connection.commit();
                done = true;
            } finally {
                if (!done) {
                    rollBack(connection, false);
                }
            }
            return result;
        });
    }

    private <T extends @Nullable Object> T asking(String what, Work<T> work) {
        boolean interrupted = Thread.interrupted();
        try (Closing closing = new Closing(source.getConnection())) {
            return work.on(closing.connection);
        } catch (SQLException failed) {
            throw new StoreException(what, failed);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** What was committed stays committed, also if the connection cannot be given back. */
    private record Closing(Connection connection) implements AutoCloseable {
        @Override
        public void close() {
            try {
                connection.close();
            } catch (SQLException broken) {
                breakOff(connection);
            }
        }
    }

    private static void rollBack(Connection connection, boolean auto) {
        try {
            connection.rollback();
            if (auto) {
                connection.setAutoCommit(true);
            }
        } catch (SQLException broken) {
            breakOff(connection);
        }
    }

    private static void restore(Connection connection) {
        try {
            connection.setAutoCommit(true);
        } catch (SQLException broken) {
            breakOff(connection); // the commit has been made
        }
    }

    private static void breakOff(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException gone) {
            // Then there is nothing on it any more.
        }
    }
}
