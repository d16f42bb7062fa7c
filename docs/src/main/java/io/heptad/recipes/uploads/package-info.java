/** Pattern 5 on real files: uploads that are parsed, validated against a database, and delivered over HTTP. */
@NullMarked
package io.heptad.recipes.uploads;

import org.jspecify.annotations.NullMarked;
