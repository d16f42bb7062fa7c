/** Every pair of operations of the types that wait for a moment. */
package io.heptad.stress.sync;
