/**
 * The words and rules that every shape of Heptad shares.
 *
 * <p>Every shape that holds work is {@link io.heptad.core.Bounded}: it answers what bounds it, what happens when it is
 * full, and how deep it is. The rules below hold in every module; a class that departs from one says so.
 *
 * <ul>
 *   <li>A {@link java.time.Duration} of zero or less means "do not wait". {@code Duration.ofSeconds(Long.MAX_VALUE)}
 *       means "no limit"; no duration overflows.
 *   <li>A {@code null} argument is a {@link java.lang.NullPointerException}; a bound out of range is an
 *       {@link java.lang.IllegalArgumentException} that names the parameter and the value.
 *   <li>A blocked call that is interrupted throws {@link java.lang.InterruptedException}, changes nothing, and passes
 *       on any grant it had just received. An interrupt is never lost, and never turned into "full" or "timed out".
 *   <li>A waiter that gives up (timeout, interrupt, cancel) leaves no claim behind. Waiters are served first come, first
 *       served.
 *   <li>User callbacks never run under an internal lock. A callback that throws is counted and reported to the thread's
 *       uncaught exception handler, and harms no other callback, waiter or worker.
 *   <li>{@code close()} is idempotent and may be called from anywhere, also from inside the shape's own task. Accepted
 *       work is run or handed back or its future fails; nothing vanishes and no future stays pending for ever.
 *   <li>Cancel only what you started: completing, cancelling or timing out a dependent stage does not reach the task
 *       behind it.
 *   <li>A {@code Duration} is the last parameter, except before the body that does the work: that lambda comes last.
 *   <li>Refusals that a caller expects are values ({@code offer} returns false); exceptions for refusal
 *       ({@link io.heptad.core.RefusedException}) are for calls that promised a result.
 * </ul>
 */
@NullMarked
package io.heptad.core;

import org.jspecify.annotations.NullMarked;
