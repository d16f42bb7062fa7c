/**
 * Pattern 4: combinators for futures. They start nothing, take no executor and impose no limit: bounding is the work of
 * a pool, combining is theirs.
 */
@NullMarked
package io.heptad.future;

import org.jspecify.annotations.NullMarked;
