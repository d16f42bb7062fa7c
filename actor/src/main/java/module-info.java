/** Pattern 6: one owner per entity, the actor. */
module io.heptad.actor {
    requires transitive io.heptad.core;
    requires io.heptad.queue;
    requires static org.jspecify;
}
