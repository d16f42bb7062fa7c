/**
 * Races on the shipped classes: jcstress scenarios by shape, what they share, and the program that runs them.
 */
package io.heptad.stress;
