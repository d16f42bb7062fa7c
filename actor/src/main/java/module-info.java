/** Pattern 6: one owner per entity, the actor. */
module io.heptad.actor {
    requires transitive io.heptad.core;
    requires jdk.jfr;
    requires static org.jspecify;

    exports io.heptad.actor;
}
