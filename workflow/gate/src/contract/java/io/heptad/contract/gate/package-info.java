/**
 * What every phase store owes, the order that is the gate's reference user, and the crash harness: test code, compiled into
 * the gate's own tests and into those of the weakened copies.
 */
package io.heptad.contract.gate;
