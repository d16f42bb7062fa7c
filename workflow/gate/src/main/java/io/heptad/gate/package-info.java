/** Pattern 7: an order that moves through statuses: a state machine, one gate, and actions by what they are owed. */
@NullMarked
package io.heptad.gate;

import org.jspecify.annotations.NullMarked;
