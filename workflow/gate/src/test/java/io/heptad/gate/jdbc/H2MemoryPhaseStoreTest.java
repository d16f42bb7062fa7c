package io.heptad.gate.jdbc;

/** The store on H2 in the memory of the process keeps the contract. */
class H2MemoryPhaseStoreTest extends JdbcPhaseStoreContract {
    H2MemoryPhaseStoreTest() {
        super(TestDatabase.H2_IN_MEMORY);
    }
}
