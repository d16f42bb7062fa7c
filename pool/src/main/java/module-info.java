/** Pattern 3: the worker pool, bounded concurrency as an object. */
module io.heptad.pool {
    requires transitive io.heptad.core;
    requires jdk.jfr;
    requires static org.jspecify;

    exports io.heptad.pool;
}
