/** Documents on their way through review, by the same gate that orders go through. */
@NullMarked
package io.heptad.recipes.approval;

import org.jspecify.annotations.NullMarked;
