package io.heptad.gate.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** The store on PostgreSQL keeps the contract. */
class PostgresPhaseStoreTest extends JdbcPhaseStoreContract {
    PostgresPhaseStoreTest() {
        super(TestDatabase.POSTGRESQL);
    }

    @Test
    void aLocalActionWaitsForItsRowsAsLongAsTheSessionSaysAndNotAsTheStoreDoes() {
        append(store, "A", "placed");
        String limit = transact(store, "A", tx -> {
            Connection connection = tx.unwrap(Connection.class).orElseThrow();
            try (PreparedStatement statement = connection.prepareStatement("SHOW lock_timeout");
                    ResultSet row = statement.executeQuery()) {
                assertThat(row.next()).isTrue();
                return row.getString(1);
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        });
        assertThat(limit).isEqualTo("0");
    }
}
