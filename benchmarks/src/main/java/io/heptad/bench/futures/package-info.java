/** Futures: one future for many. */
@NullMarked
package io.heptad.bench.futures;

import org.jspecify.annotations.NullMarked;
