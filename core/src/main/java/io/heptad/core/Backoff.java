package io.heptad.core;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/**
 * How long to wait before trying again. Pure arithmetic: it sleeps nowhere and retries nothing, so it composes with any
 * retry library.
 *
 * {@snippet file="io/heptad/core/Snippets.java" region="backoff"}
 *
 * <p>A delay is never negative, never above the maximum and never overflows, however large the attempt. Any thread may
 * ask for one; the backoffs made here keep no state between attempts.
 *
 * <p>Full jitter spreads the next attempts evenly over the whole window, so that clients that failed together do not
 * come back together (Marc Brooker, "Exponential Backoff And Jitter", 2015).
 */
@FunctionalInterface
public interface Backoff {
    /**
     * The pause after a failed attempt.
     *
     * @param attempt which attempt failed, from 1
     * @return how long to wait, zero or more
     * @throws IllegalArgumentException if {@code attempt} is less than 1
     */
    Duration delay(int attempt);

    /**
     * Doubling delays: {@code first}, then twice, four times … up to {@code max}.
     *
     * @param first the delay after the first attempt, zero or more
     * @param max the longest delay, at least {@code first}
     * @return a backoff without jitter
     * @throws IllegalArgumentException if {@code first} is negative or {@code max} is below {@code first}
     */
    static Backoff exponential(Duration first, Duration max) {
        return new ExponentialBackoff(first, max);
    }

    /**
     * The same backoff with each delay drawn evenly from zero up to, and including, the delay itself (292 years of it
     * at most).
     *
     * @return a backoff with full jitter, drawing from {@link ThreadLocalRandom}
     */
    default Backoff withFullJitter() {
        return new FullJitterBackoff(this, ThreadLocalRandom::current);
    }

    /**
     * The same as {@link #withFullJitter()}, drawing from a source that the caller chooses: a seeded one makes a test
     * repeatable.
     *
     * @param random the source, used by whichever thread asks for a delay
     * @return a backoff with full jitter
     */
    default Backoff withFullJitter(RandomGenerator random) {
        Objects.requireNonNull(random, "random");
        return new FullJitterBackoff(this, () -> random);
    }
}
