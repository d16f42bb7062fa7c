/** Futures: launch first, wait later; the choice of a combinator is the failure policy; none of them is a limit. */
@NullMarked
package io.heptad.recipes.launch;

import org.jspecify.annotations.NullMarked;
