/**
 * jcstress tests of the runner: known good, known bad. No run selects them; the runner's own tests do.
 */
package io.heptad.stress.self;
