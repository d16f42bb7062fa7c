/**
 * Pattern 5: the pipeline, stages joined by bounded queues. Start at {@link io.heptad.pipeline.Pipeline}.
 *
 * <p>The rules that all shapes share (times, nulls, interrupts, callbacks, close) are those of package
 * {@code io.heptad.core}.
 */
@NullMarked
package io.heptad.pipeline;

import org.jspecify.annotations.NullMarked;
