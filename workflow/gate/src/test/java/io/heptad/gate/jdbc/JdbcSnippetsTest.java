package io.heptad.gate.jdbc;

import static io.heptad.gate.Move.illegal;
import static io.heptad.gate.Move.to;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.gate.Committed;
import io.heptad.gate.Gate;
import io.heptad.gate.Move;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/** The examples of the javadoc, run. */
@Watched
class JdbcSnippetsTest {
    sealed interface Loan {}

    record Asked(String name, long amount) implements Loan {}

    record Granted(String name, long amount, String by) implements Loan {}

    /** How it was written before there were amounts. */
    record GrantedOnce(String name) {
        Granted today() {
            return new Granted(name, 0, "unknown");
        }
    }

    sealed interface LoanEvent {}

    record Grant(String by) implements LoanEvent {}

    private static Move<Loan, LoanEvent> next(Loan loan, LoanEvent event) {
        return switch (loan) {
            case Asked asked
            when event instanceof Grant grant -> to(new Granted(asked.name(), asked.amount(), grant.by()));
            case Asked asked -> illegal(asked, event);
            case Granted granted -> illegal(granted, event);
        };
    }

    @Test
    void keepsLoansInADatabase() throws InterruptedException {
        DataSource dataSource = TestDatabase.h2("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        // @start region="schema"
        HeptadSchema.create(dataSource);
        // @end
        // @start region="codec"
        ObjectMapper json = new JsonMapper();
        Codec codec = Codec.builder(json::writeValueAsBytes, json::readValue)
                .type("asked", 1, Asked.class)
                .type("granted", 2, Granted.class)
                .older(
                        "granted",
                        1,
                        bytes -> json.readValue(bytes, GrantedOnce.class).today())
                .type("grant", 1, Grant.class)
                .build();
        // @end
        // @start region="store"
        Gate<Loan, LoanEvent> loans = Gate.<Loan, LoanEvent>builder("loans", JdbcSnippetsTest::next)
                .store(JdbcPhaseStore.of("loans", dataSource, codec))
                .build();
        // @end
        try (loans) {
            Committed<Loan, LoanEvent> asked = loans.create("1", new Asked("Ada", 100));
            assertThat(asked.version()).isEqualTo(1);
            assertThat(loans.handle("1", new Grant("Bob"))).isInstanceOf(Committed.class);
            assertThat(loans.current("1")).map(Committed::phase).contains(new Granted("Ada", 100, "Bob"));
        }
        Object old = codec.decode(
                Encoded.of("granted", 1, "{\"name\":\"Ada\"}".getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        assertThat(old).isEqualTo(new Granted("Ada", 0, "unknown"));
    }
}
