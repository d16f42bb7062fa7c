/** Queue: hand items from producers to consumers through a bounded queue that blocks. */
@NullMarked
package io.heptad.bench.queue;

import org.jspecify.annotations.NullMarked;
