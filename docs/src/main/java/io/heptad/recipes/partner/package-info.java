/**
 * The batch job against a partner: a pool for "20 at a time", a token bucket for "100 a second", retries with jitter
 * inside the slot, a deadline, and a report that is the input of the next pass.
 */
@NullMarked
package io.heptad.recipes.partner;

import org.jspecify.annotations.NullMarked;
