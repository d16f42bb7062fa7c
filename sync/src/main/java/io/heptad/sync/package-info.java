/** Pattern 1: waiting for a moment to arrive. Latch, barrier and signal; keyed lock, leases, fence and election. */
@NullMarked
package io.heptad.sync;

import org.jspecify.annotations.NullMarked;
