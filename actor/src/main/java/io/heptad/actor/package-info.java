/** Pattern 6: one owner per entity, the actor. */
@NullMarked
package io.heptad.actor;

import org.jspecify.annotations.NullMarked;
