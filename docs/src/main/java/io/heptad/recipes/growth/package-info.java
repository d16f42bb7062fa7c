/** A large bound is hardly a bound: nothing fails, and everything gets later. */
@NullMarked
package io.heptad.recipes.growth;

import org.jspecify.annotations.NullMarked;
