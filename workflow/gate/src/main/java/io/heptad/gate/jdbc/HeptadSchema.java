package io.heptad.gate.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * The tables, for tests and demos. They lie in the jar as files, {@code io/heptad/gate/jdbc/heptad-postgresql.sql} and
 * {@code heptad-h2.sql}: in production give these to whatever carries out your other changes of the schema.
 *
 * {@snippet file="io/heptad/gate/jdbc/JdbcSnippetsTest.java" region="schema"}
 */
public final class HeptadSchema {
    private HeptadSchema() {}

    /**
     * Makes the tables that are not there yet, in the default schema of the connection; leaves those that are. Several may
     * do so at once.
     *
     * @param dataSource leads to PostgreSQL or to H2
     * @throws StoreException if the database cannot do so, or is away
     * @throws IllegalArgumentException if it is another database
     */
    public static void create(DataSource dataSource) {
        Database database = new Database(Objects.requireNonNull(dataSource, "dataSource"));
        database.transaction("creating the tables", HeptadSchema::create);
    }

    private static boolean create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String one : file(Dialect.of(connection).ddl()).split(";\\R", -1)) {
                if (!one.isBlank()) {
                    boolean ignored = statement.execute(one);
                }
            }
        }
        return true;
    }

    private static String file(String name) {
        try (InputStream in = HeptadSchema.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException broken) {
            throw new UncheckedIOException(name + " in the jar of heptad-gate cannot be read", broken);
        }
    }
}
