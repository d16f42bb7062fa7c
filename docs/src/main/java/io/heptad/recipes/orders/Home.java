package io.heptad.recipes.orders;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.heptad.gate.jdbc.HeptadSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Where the orders are kept. It outlives the processes of the shop, and is empty at first. */
final class Home implements AutoCloseable {
    private final String url;
    private final String title;
    private final @Nullable PostgresServer server;

    private Home(String url, String where, @Nullable PostgresServer server) throws SQLException {
        this.url = url;
        this.server = server;
        try (HikariDataSource source = open();
                Connection connection = source.getConnection()) {
            HeptadSchema.create(source);
            this.title = connection.getMetaData().getDatabaseProductName() + " "
                    + connection.getMetaData().getDatabaseProductVersion().replaceFirst(" .*", "") + " " + where;
        }
    }

    static Home of(Settings.Kind kind, Path folder) throws IOException, SQLException {
        return switch (kind) {
            case H2 -> h2(folder.toAbsolutePath().normalize().resolve("shop"));
            case POSTGRES -> postgres();
        };
    }

    private static Home h2(Path file) throws IOException, SQLException {
        Path real = file.resolveSibling(file.getFileName() + ".mv.db");
        Files.deleteIfExists(real);
        // Written when it is committed, which is what a kill must not take back, and not closed by an interrupt.
        return new Home("jdbc:h2:async:" + file + ";WRITE_DELAY=0", "in the file " + real.getFileName(), null);
    }

    private static Home postgres() throws IOException, SQLException {
        PostgresServer server = PostgresServer.start();
        try {
            String port = server.url().replaceFirst(".*:(\\d+)/.*", "$1");
            return new Home(server.url(), "on port " + port + " of this machine", server);
        } catch (SQLException | RuntimeException broken) {
            server.close();
            throw broken;
        }
    }

    /** What a process opens it with. */
    String url() {
        return url;
    }

    /** A few connections. An embedded H2 is open to one process at a time: close them before the next one starts. */
    HikariDataSource open() {
        HikariConfig config = new HikariConfig();
        config.setPoolName("audit");
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(2);
        return new HikariDataSource(config);
    }

    @Override
    public void close() throws IOException {
        if (server != null) {
            server.close();
        }
    }

    @Override
    public String toString() {
        return title;
    }
}
