/** Pattern 2: the bounded queue between two rhythms. */
@NullMarked
package io.heptad.queue;

import org.jspecify.annotations.NullMarked;
