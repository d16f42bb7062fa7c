/** Orders go through their phases in a process that is killed on the way; another one goes on, and the books balance. */
@NullMarked
package io.heptad.recipes.orders;

import org.jspecify.annotations.NullMarked;
