/** Every pair of operations of {@code WorkerPool}, and the threes that the known pitfalls need. */
package io.heptad.stress.pool;
