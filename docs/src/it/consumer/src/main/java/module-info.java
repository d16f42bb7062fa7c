/** Names one module of Heptad; core comes with it. */
module consumer {
    requires io.heptad.queue;
}
