/** Sync: wait for a moment, or for each other. */
@NullMarked
package io.heptad.bench.sync;

import org.jspecify.annotations.NullMarked;
