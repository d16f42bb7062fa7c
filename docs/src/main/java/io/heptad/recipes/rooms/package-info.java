/** Pattern 6: one owner for each room of a game. */
@NullMarked
package io.heptad.recipes.rooms;

import org.jspecify.annotations.NullMarked;
