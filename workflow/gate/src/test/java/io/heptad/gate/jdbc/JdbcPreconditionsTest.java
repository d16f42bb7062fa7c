package io.heptad.gate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.gate.Committed;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a store asks of the database before it keeps anything in it, and what a database keeps after that. */
@Watched
class JdbcPreconditionsTest {
    private static final Codec CODEC = JdbcPhaseStoreContract.texts().build();

    private static JdbcDataSource memory() {
        return TestDatabase.h2("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    }

    /** The source, with something done to each connection first. */
    private static DataSource each(DataSource source, Change change) {
        return (DataSource) Proxy.newProxyInstance(
                JdbcPreconditionsTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                    Object result = method.invoke(source, arguments);
                    return result instanceof Connection connection ? change.of(connection) : result;
                });
    }

    private interface Change {
        Connection of(Connection connection) throws SQLException;
    }

    @Test
    void refusesAnH2ThatWritesLater() {
        DataSource lazy = TestDatabase.h2("jdbc:h2:" + TestDatabase.file());
        HeptadSchema.create(lazy);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcPhaseStore.of("orders", lazy, CODEC))
                .withMessageContaining("500 ms")
                .withMessageContaining(";WRITE_DELAY=0");
    }

    @ParameterizedTest
    @EnumSource(names = {"H2_IN_MEMORY", "POSTGRESQL"})
    void refusesConnectionsThatReadWhatWasThereBeforeTheyWaited(TestDatabase database) {
        DataSource strict = each(database.source(), connection -> {
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            return connection;
        });
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcPhaseStore.of("orders", strict, CODEC))
                .withMessageContaining("READ COMMITTED");
    }

    @Test
    void refusesAnotherDatabase() {
        DataSource other = each(memory(), connection -> (Connection) Proxy.newProxyInstance(
                JdbcPreconditionsTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> method.getName().equals("getMetaData")
                        ? Proxy.newProxyInstance(
                                JdbcPreconditionsTest.class.getClassLoader(),
                                new Class<?>[] {DatabaseMetaData.class},
                                (data, call, none) -> "Oracle")
                        : method.invoke(connection, arguments)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcPhaseStore.of("orders", other, CODEC))
                .withMessageContaining("PostgreSQL or H2")
                .withMessageContaining("Oracle");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HeptadSchema.create(other))
                .withMessageContaining("Oracle");
    }

    @Test
    void refusesADatabaseWithoutTheTables() {
        assertThatThrownBy(() -> JdbcPhaseStore.of("orders", memory(), CODEC))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("HEPTAD_ENTITY");
    }

    @Test
    void refusesANameThatNoIndexTakes() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcPhaseStore.of(" ", memory(), CODEC))
                .withMessageContaining("name");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcPhaseStore.of("x".repeat(101), memory(), CODEC))
                .withMessageContaining("name")
                .withMessageContaining("101");
    }

    @ParameterizedTest
    @EnumSource
    void severalMayMakeTheTablesAtOnceAndAgain(TestDatabase database) throws Exception {
        DataSource source = database.source();
        List<FutureTask<Void>> makers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            FutureTask<Void> maker = new FutureTask<>(() -> HeptadSchema.create(source), null);
            makers.add(maker);
            Thread.ofPlatform().start(maker);
        }
        for (FutureTask<Void> maker : makers) {
            maker.get();
        }
        JdbcPhaseStore<String, String> store = JdbcPhaseStore.of("tables " + UUID.randomUUID(), source, CODEC);
        assertThat(JdbcPhaseStoreContract.append(store, "A", "placed").version())
                .isEqualTo(1);
        HeptadSchema.create(source);
        assertThat(store.current("A")).isPresent();
    }

    @Test
    void severalMayMakeTheFirstTablesOfASchemaAtOnce() throws Exception {
        String schema = "first_" + UUID.randomUUID().toString().replace('-', '_');
        TestDatabase.POSTGRESQL.execute("CREATE SCHEMA " + schema);
        DataSource empty = each(TestDatabase.POSTGRESQL.source(), connection -> {
            connection.setSchema(schema);
            return connection;
        });
        List<FutureTask<Void>> makers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            FutureTask<Void> maker = new FutureTask<>(() -> HeptadSchema.create(empty), null);
            makers.add(maker);
            Thread.ofPlatform().start(maker);
        }
        for (FutureTask<Void> maker : makers) {
            maker.get();
        }
        assertThat(JdbcPhaseStoreContract.append(JdbcPhaseStore.of("orders", empty, CODEC), "A", "placed")
                        .version())
                .isEqualTo(1);
    }

    @Test
    void leavesAConnectionWithoutAutoCommitAsItWas() throws InterruptedException {
        List<Connection> seen = new ArrayList<>();
        DataSource manual = each(memory(), connection -> {
            connection.setAutoCommit(false);
            seen.add(connection);
            return connection;
        });
        HeptadSchema.create(manual);
        JdbcPhaseStore<String, String> store = JdbcPhaseStore.of("orders", manual, CODEC);
        JdbcPhaseStoreContract.append(store, "A", "placed");
        JdbcPhaseStoreContract.open(store, "A", "k1");
        assertThat(store.renew("A", "k1", 1, Duration.ofSeconds(5))).isTrue();
        assertThat(store.current("A")).map(Committed::phase).contains("placed");
        assertThat(store.unfinished("k1").orElseThrow().fence()).isEqualTo(1);
        assertThat(seen).isNotEmpty();
    }

    // ---- H2 in a file

    @Test
    void whatWasCommittedIsThereAfterAHardStopOfTheDatabase() throws SQLException {
        String url = "jdbc:h2:" + TestDatabase.file() + ";WRITE_DELAY=0";
        try (Connection holder = TestDatabase.h2(url).getConnection()) {
            HeptadSchema.create(TestDatabase.h2(url));
            JdbcPhaseStore<String, String> store = JdbcPhaseStore.of("orders", TestDatabase.h2(url), CODEC);
            for (int i = 0; i < 20; i++) {
                JdbcPhaseStoreContract.append(store, "A", "phase " + i);
            }
            try (Statement statement = holder.createStatement()) {
                boolean ignored = statement.execute("SHUTDOWN IMMEDIATELY"); // as a crash: nothing more is written
            }
        }
        JdbcPhaseStore<String, String> again = JdbcPhaseStore.of("orders", TestDatabase.h2(url), CODEC);
        assertThat(again.current("A")).map(Committed::version).contains(20L);
        assertThat(again.history("A")).hasSize(20);
    }

    @Test
    void anInterruptOfAWriterLeavesAnAsyncFileOpen() throws Exception {
        DataSource source =
                TestDatabase.h2("jdbc:h2:async:" + TestDatabase.file() + ";WRITE_DELAY=0;DB_CLOSE_DELAY=-1");
        HeptadSchema.create(source);
        JdbcPhaseStore<String, String> store = JdbcPhaseStore.of("orders", source, CODEC);
        JdbcPhaseStoreContract.append(store, "A", "placed");
        FutureTask<Committed<String, String>> writer =
                new FutureTask<>(() -> JdbcPhaseStoreContract.transact(store, "A", tx -> {
                    Committed<String, String> next = JdbcPhaseStoreContract.append(tx, "A", "paid");
                    Thread.currentThread().interrupt(); // it comes between the lock and the commit
                    return next;
                }));
        Thread.ofPlatform().start(writer);
        assertThat(writer.get().version()).isEqualTo(2);
        assertThat(JdbcPhaseStoreContract.append(store, "A", "packed").version())
                .isEqualTo(3);
    }
}
