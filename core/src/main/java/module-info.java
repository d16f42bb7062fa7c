/**
 * The vocabulary that the seven shapes share (package {@code io.heptad.core}) and pattern 4, futures combinators
 * (package {@code io.heptad.future}).
 *
 * <p>Nothing here is required at run time beyond the JDK. Micrometer is optional: only
 * {@link io.heptad.core.HeptadMetrics} refers to it.
 */
module io.heptad.core {
    requires jdk.jfr;
    requires static org.jspecify;
    requires static micrometer.core;

    exports io.heptad.core;
    exports io.heptad.future;
}
