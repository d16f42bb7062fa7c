/** Pool: run many tasks with no more than so many at once. */
@NullMarked
package io.heptad.bench.pool;

import org.jspecify.annotations.NullMarked;
