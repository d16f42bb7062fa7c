/** Pattern 3: the worker pool, bounded concurrency as an object. */
@NullMarked
package io.heptad.pool;

import org.jspecify.annotations.NullMarked;
