/**
 * Pattern 6: one owner per entity, the actor. Start at {@link io.heptad.actor.Actor}.
 *
 * <p>The rules that all shapes share (times, nulls, interrupts, callbacks, close) are those of package
 * {@code io.heptad.core}.
 */
@NullMarked
package io.heptad.actor;

import org.jspecify.annotations.NullMarked;
