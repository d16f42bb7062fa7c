/**
 * The crash harness: orders on a real PostgreSQL, paid at a provider in a process of its own, driven by processes that are
 * halted at numbered points and killed at random ones. In the end ledger, store and log must say the same.
 */
package io.heptad.stress.crash;
