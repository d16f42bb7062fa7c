/**
 * Recipes: runnable programs that compose the shapes with the libraries beside them. {@code mvn -Pdemo -Drecipe=NAME}
 * runs one; the tests run all of them.
 */
@NullMarked
package io.heptad.recipes;

import org.jspecify.annotations.NullMarked;
