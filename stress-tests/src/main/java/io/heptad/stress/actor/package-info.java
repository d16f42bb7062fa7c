/** jcstress scenarios of pattern 6. */
package io.heptad.stress.actor;
