/** What was in memory is gone with the process; what must not be gone is written down before it is accepted. */
@NullMarked
package io.heptad.recipes.durable;

import org.jspecify.annotations.NullMarked;
