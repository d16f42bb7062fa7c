package io.heptad.sync;

import java.time.Duration;
import java.util.Set;

/**
 * The figures of a {@link Barrier}, read together.
 *
 * <p>What is consistent with what: {@code round}, {@code arrived}, {@code missing}, {@code broken} and {@code longestWait}
 * belong to one instant. {@code breaks} is exact, and read after the rest.
 *
 * @param parties how many take part
 * @param round the number of the round that is under way, which is that of the rounds completed so far
 * @param arrived how many have arrived in this round and wait for the others, from 0 to {@code parties}; 0 when broken
 * @param missing the named parties that have not arrived in this round, in the order in which they were named; of a broken
 *     round, those that had not when it broke; empty for a barrier without named parties
 * @param broken whether it is broken
 * @param longestWait how long the first to arrive has waited in this round; zero if nobody waits
 * @param breaks how many rounds have been broken so far, by whatever; a {@code reset} of a round in which somebody waited
 *     is one of them
 */
public record BarrierStats(
        int parties, long round, int arrived, Set<String> missing, boolean broken, Duration longestWait, long breaks) {}
