/** Pattern 2: the bounded queue between two rhythms. */
module io.heptad.queue {
    requires transitive io.heptad.core;
    requires jdk.jfr;
    requires static org.jspecify;

    exports io.heptad.queue;
}
