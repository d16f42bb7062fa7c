/** Core: what observing costs while nobody looks. */
@NullMarked
package io.heptad.bench.core;

import org.jspecify.annotations.NullMarked;
