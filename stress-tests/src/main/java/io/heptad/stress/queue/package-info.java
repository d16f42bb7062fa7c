/** Every pair of operations of {@code BoundedQueue}, and the threes that the known pitfalls need. */
package io.heptad.stress.queue;
