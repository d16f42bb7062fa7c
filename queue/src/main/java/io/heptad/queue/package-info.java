/**
 * Pattern 2: the bounded queue between two rhythms. Start at {@link io.heptad.queue.BoundedQueue}.
 *
 * <p>The rules that all shapes share (times, nulls, interrupts, callbacks, close) are those of package
 * {@code io.heptad.core}.
 */
@NullMarked
package io.heptad.queue;

import org.jspecify.annotations.NullMarked;
