/** Every pair of operations of {@code Pipeline}: what comes in, what goes through, and the end. */
package io.heptad.stress.pipeline;
