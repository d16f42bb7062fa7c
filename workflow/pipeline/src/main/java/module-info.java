/** Pattern 5: stages joined by bounded queues. */
module io.heptad.pipeline {
    requires transitive io.heptad.core;
    requires io.heptad.queue;
    requires transitive io.heptad.pool;
    requires jdk.jfr;
    requires static org.jspecify;

    exports io.heptad.pipeline;
}
