package io.heptad.bench.gate;

import com.zaxxer.hikari.HikariDataSource;
import io.heptad.gate.jdbc.HeptadSchema;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.UUID;
import java.util.stream.Stream;

/** A database of one fork, which leaves nothing behind. */
record Server(String url, String user, AutoCloseable end) {
    private static final int CONNECTIONS = 4;

    static Server start(String database) throws IOException {
        return switch (database) {
            case "PostgreSQL" -> {
                EmbeddedPostgres server = EmbeddedPostgres.builder().start();
                yield new Server(server.getJdbcUrl("postgres", "postgres"), "postgres", server);
            }
            case "H2-in-memory" ->
                new Server("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", () -> {});
            case "H2-in-a-file" -> {
                Path folder = Files.createTempDirectory("heptad-bench");
                yield new Server("jdbc:h2:" + folder.resolve("doors") + ";WRITE_DELAY=0", "sa", () -> delete(folder));
            }
            default -> throw new IllegalArgumentException("database is " + database);
        };
    }

    /** With the tables. */
    HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setUsername(user);
        pool.setMaximumPoolSize(CONNECTIONS);
        HeptadSchema.create(pool);
        return pool;
    }

    void close() throws Exception {
        end.close();
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
