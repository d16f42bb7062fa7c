/**
 * Runs the benchmarks side by side with their peers and reports ratios.
 *
 * <p>Each shape has one sub-package; a method there that carries JMH's {@code @Benchmark} and our {@link Compare} is a
 * benchmark, found through the list that JMH's own processor writes. To add one, write the class: nothing else lists it.
 */
@NullMarked
package io.heptad.bench;

import org.jspecify.annotations.NullMarked;
