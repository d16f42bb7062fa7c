package io.heptad.gate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.gate.PhaseStore.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The store on PostgreSQL keeps the contract. */
class PostgresPhaseStoreTest extends JdbcPhaseStoreContract {
    PostgresPhaseStoreTest() {
        super(TestDatabase.POSTGRESQL);
    }

    @Test
    void aLocalActionWaitsForItsRowsAsLongAsTheSessionSaysAndNotAsTheStoreDoes() {
        append(store, "A", "placed");
        assertThat(transact(store, "A", PostgresPhaseStoreTest::limit)).isEqualTo("0");
    }

    @Test
    void whoMeetsAnotherInstanceWaitsAtTheRowAndLeavesTheSessionItsLimit() throws Exception {
        append(store, "A", "placed");
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch waits = new CountDownLatch(1);
        FutureTask<Void> other = start(() -> transact(another(texts().build()), "A", tx -> {
            inside.countDown();
            try {
                waits.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return true;
        }));
        inside.await();
        AtomicInteger tries = new AtomicInteger();
        wire.fault(boundary -> {
            boolean asksToWait = boundary.startsWith("before") && boundary.contains("lock_timeout");
            boolean tries20Times = boundary.contains("NOWAIT") && tries.incrementAndGet() == 20;
            if (asksToWait || tries20Times) {
                waits.countDown();
            }
        });

        assertThat(transact(store, "A", PostgresPhaseStoreTest::limit)).isEqualTo("0");

        other.get();
        assertThat(wire.asked().stream().filter(statement -> statement.contains("NOWAIT")))
                .as("only once for each transaction, and the first made the entity")
                .hasSize(3);
    }

    /** How long a statement of this transaction waits for a lock. */
    private static String limit(Transaction<String, String> tx) {
        Connection connection = tx.unwrap(Connection.class).orElseThrow();
        try (PreparedStatement statement = connection.prepareStatement("SHOW lock_timeout");
                ResultSet row = statement.executeQuery()) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
