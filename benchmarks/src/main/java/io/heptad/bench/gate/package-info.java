/** The gate: one event after another for many entities, in memory and in a database. */
@NullMarked
package io.heptad.bench.gate;

import org.jspecify.annotations.NullMarked;
