/** Strangers are told no at once; making them wait would tie up our threads on their behalf. */
@NullMarked
package io.heptad.recipes.boundary;

import org.jspecify.annotations.NullMarked;
