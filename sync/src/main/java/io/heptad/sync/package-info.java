/**
 * Pattern 1: waiting for a moment to arrive. Latch, barrier and signal; keyed lock, leases, fence and election.
 *
 * <p>Which one is a question of how many take part and how often it happens:
 *
 * <table>
 * <caption>The choice</caption>
 * <tr><th>What is waited for</th><th>How often</th><th>Type</th></tr>
 * <tr><td>something that happens once, such as "started" or "all ten have finished"</td><td>once</td>
 *     <td>{@link io.heptad.sync.Latch}</td></tr>
 * <tr><td>a fixed number of parties for each other</td><td>round after round</td>
 *     <td>{@link io.heptad.sync.Barrier}</td></tr>
 * <tr><td>that nobody else has this, even if its holder dies</td><td>per lease</td>
 *     <td>{@link io.heptad.sync.Leases}, {@link io.heptad.sync.LeaderElection}</td></tr>
 * </table>
 *
 * <p>The rules that all shapes share (times, nulls, interrupts, callbacks) are those of package {@code io.heptad.core}.
 * For every call here that waits they come to this:
 *
 * <ul>
 *   <li>A thread that is interrupted on entry gets an {@link java.lang.InterruptedException}, also where there is nothing
 *       to wait for; so does one that is interrupted while it waits, unless what it waits for came first: then the call
 *       returns as if there had been no interrupt, and the thread's interrupt status stays set.
 *   <li>A wait that ends without success (timeout, interrupt, cancelled future) leaves nothing behind: no count, no place
 *       in a line, no timer.
 *   <li>A thread that waits is parked; a virtual one gives its carrier back at once, a platform thread offers its
 *       processor to others a few times first.
 *   <li>A failure that ends the wait of many is a new exception for each of them, with the one cause.
 * </ul>
 *
 * <p>Whatever threads wait at is {@link io.heptad.core.Measured}: who waits can be seen from outside at any time, with
 * {@code stats()}, as metrics, and by {@code toString()}.
 */
@NullMarked
package io.heptad.sync;

import org.jspecify.annotations.NullMarked;
