/** Pattern 1: waiting for a moment to arrive. Latch, barrier and signal; keyed lock, leases, fence and election. */
module io.heptad.sync {
    requires transitive io.heptad.core;
    requires jdk.jfr;
    requires static org.jspecify;

    exports io.heptad.sync;
}
