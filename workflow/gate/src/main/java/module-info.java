/** Pattern 7: an order that moves through statuses: a state machine, one gate, and actions by what they are owed. */
module io.heptad.gate {
    requires transitive io.heptad.core;
    requires io.heptad.pool;
    requires io.heptad.sync;
    requires jdk.jfr;
    requires static java.sql;
    requires static org.jspecify;

    exports io.heptad.gate;
    exports io.heptad.gate.jdbc;
}
