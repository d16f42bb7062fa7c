/** Pattern 5: stages joined by bounded queues. */
@NullMarked
package io.heptad.pipeline;

import org.jspecify.annotations.NullMarked;
