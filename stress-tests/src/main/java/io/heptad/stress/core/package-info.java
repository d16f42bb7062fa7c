/** Races on the vocabulary that every shape uses. */
package io.heptad.stress.core;
