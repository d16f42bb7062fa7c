package io.heptad.gate.jdbc;

/** The store on H2 in a file keeps the contract. */
class H2FilePhaseStoreTest extends JdbcPhaseStoreContract {
    H2FilePhaseStoreTest() {
        super(TestDatabase.H2_IN_A_FILE);
    }
}
