/** Pipeline: stages with their own workers, joined by bounded queues. */
@NullMarked
package io.heptad.bench.pipeline;

import org.jspecify.annotations.NullMarked;
