/** Requests that come before the service is ready wait for it, so many and no more, and learn why it never will be. */
@NullMarked
package io.heptad.recipes.readiness;

import org.jspecify.annotations.NullMarked;
