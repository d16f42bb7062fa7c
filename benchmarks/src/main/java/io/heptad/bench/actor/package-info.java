/** The actor beside Pekko typed, an actor on jox's channel, and a thread with a queue for each state. */
@NullMarked
package io.heptad.bench.actor;

import org.jspecify.annotations.NullMarked;
