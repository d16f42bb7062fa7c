package io.heptad.recipes.uploads;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Customers and products, in a database behind a pool of connections. */
final class Catalogue implements AutoCloseable {
    static final int CUSTOMERS = 500;
    static final int PRODUCTS = 1_000;

    private static final AtomicInteger DATABASES = new AtomicInteger();

    private final HikariDataSource connections;
    private final Duration delay;
    private final AtomicInteger inUse = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger mostWaiting = new AtomicInteger();

    private Catalogue(HikariDataSource connections, Duration delay) {
        this.connections = connections;
        this.delay = delay;
    }

    /** A database of its own, filled, with so many connections; each validation takes so much longer than it would. */
    static Catalogue open(int size, Duration delay) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setPoolName("catalogue");
        config.setJdbcUrl("jdbc:h2:mem:uploads-" + DATABASES.incrementAndGet());
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(size); // the database lives as long as one of them is open
        HikariDataSource connections = new HikariDataSource(config);
        try (Connection connection = connections.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table customer(name varchar primary key, blocked boolean not null)");
            statement.execute("create table product(name varchar primary key, cents int not null)");
            statement.execute(
                    "insert into customer select 'c' || x, mod(x, 100) = 0 from system_range(1, " + CUSTOMERS + ")");
            statement.execute("insert into product select 'p' || x, 100 + x from system_range(1, " + PRODUCTS + ")");
        } catch (SQLException broken) {
            connections.close();
            throw broken;
        }
        return new Catalogue(connections, delay);
    }

    // @start region=validate
    /** The second stage: what does it cost, and may this customer order it? Holds one connection. */
    Order validate(Upload upload) throws SQLException, RefusedUploadException, InterruptedException {
        try (Connection connection = connections.getConnection()) {
            mostWaiting.accumulateAndGet(connections.getHikariPoolMXBean().getThreadsAwaitingConnection(), Math::max);
            most.accumulateAndGet(inUse.incrementAndGet(), Math::max);
            try {
                TimeUnit.NANOSECONDS.sleep(delay.toNanos());
                checkCustomer(connection, upload.customer());
                return new Order(upload, total(connection, upload));
            } finally {
                inUse.decrementAndGet();
            }
        }
    }
    // @end

    private static void checkCustomer(Connection connection, String customer)
            throws SQLException, RefusedUploadException {
        try (PreparedStatement query = connection.prepareStatement("select blocked from customer where name = ?")) {
            query.setString(1, customer);
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    throw new RefusedUploadException("unknown customer");
                }
                if (row.getBoolean(1)) {
                    throw new RefusedUploadException("blocked customer");
                }
            }
        }
    }

    private static long total(Connection connection, Upload upload) throws SQLException, RefusedUploadException {
        long total = 0;
        try (PreparedStatement query = connection.prepareStatement("select cents from product where name = ?")) {
            for (Upload.Line line : upload.lines()) {
                query.setString(1, line.product());
                try (ResultSet row = query.executeQuery()) {
                    if (!row.next()) {
                        throw new RefusedUploadException("unknown product");
                    }
                    total += (long) row.getInt(1) * line.quantity();
                }
            }
        }
        return total;
    }

    /** The most connections that were in use at once. */
    int most() {
        return most.get();
    }

    /** The most that waited for a connection at once. */
    int mostWaiting() {
        return mostWaiting.get();
    }

    @Override
    public void close() {
        connections.close();
    }
}
