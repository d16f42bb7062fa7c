package io.heptad.gate.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/** The databases that the tests run on. Each starts when it is first asked for, and ends with the tests. */
enum TestDatabase {
    H2_IN_MEMORY(() -> h2("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1")),
    H2_IN_A_FILE(() -> h2("jdbc:h2:" + file() + ";WRITE_DELAY=0;DB_CLOSE_DELAY=-1")),
    POSTGRESQL(TestDatabase::postgresql);

    private static final int CONNECTIONS = 50;

    private final Supplier<DataSource> start;
    private volatile DataSource source;
    private volatile DataSource kept;

    TestDatabase(Supplier<DataSource> start) {
        this.start = start;
    }

    /** With the tables. */
    synchronized DataSource source() {
        if (source == null) {
            DataSource started = start.get();
            HeptadSchema.create(started);
            source = started;
        }
        return source;
    }

    /**
     * The same, for whoever leaves a connection as it was: they are kept, because a new one costs PostgreSQL a process, and
     * a thousand lives of an order take tens of thousands.
     */
    synchronized DataSource kept() {
        if (kept == null) {
            HikariConfig config = new HikariConfig();
            config.setDataSource(source());
            config.setMaximumPoolSize(CONNECTIONS);
            config.setMinimumIdle(0);
            kept = new HikariDataSource(config);
        }
        return kept;
    }

    Dialect dialect() {
        return this == POSTGRESQL ? Dialect.postgresql() : Dialect.h2();
    }

    static JdbcDataSource h2(String url) {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL(url);
        source.setUser("sa");
        return source;
    }

    static Path file() {
        try {
            Path folder = Files.createTempDirectory("heptad-h2");
            folder.toFile().deleteOnExit();
            return folder.resolve("gate");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static DataSource postgresql() {
        try {
            EmbeddedPostgres server = EmbeddedPostgres.builder().start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                try {
                    server.close();
                } catch (IOException gone) {
                    System.err.println("PostgreSQL did not stop: " + gone);
                }
            }));
            return server.getPostgresDatabase();
        } catch (IOException | RuntimeException | ExceptionInInitializerError e) {
            throw new AssertionError(
                    "PostgreSQL did not start, and the gate is not tested without it: its binaries come from Maven Central "
                            + "(io.zonky.test.postgres) for Linux on amd64; for another machine add the artifact of that "
                            + "machine to workflow/gate/pom.xml. If a file is said to be there already, somebody was stopped while "
                            + "unpacking: remove embedded-pg from the folder for temporary files. It said: " + e,
                    e);
        }
    }

    void execute(String statement) {
        try (Connection connection = kept().getConnection();
                Statement one = connection.createStatement()) {
            one.execute(statement);
        } catch (SQLException e) {
            throw new AssertionError(statement, e);
        }
    }
}
