package io.heptad.gate;

import java.time.Duration;

/**
 * The figures of a {@link Gate} at one moment. Open, parked and the age of the oldest come from one look at the store, and
 * are of all gates that share it; a store in a database answers with its last look. The others are of this gate alone, and are
 * read one after the other; the counts only grow.
 *
 * @param openActions actions whose outcome is not known yet
 * @param oldestOpenAction how long ago the oldest of them was opened; zero if there is none
 * @param parkedActions actions that wait for a person
 * @param running actions that this gate is at now: calling, pausing before the next try, or committing
 * @param transitions commits, first phases included
 * @param transitionsPerSecond the pace of these lately; zero if there was none
 * @param illegal events that were refused because of the phase
 * @param declined answers that were a definite no
 * @param busy callers that were turned away because another event's action was unfinished, or because as many actions ran
 *     as may
 * @param pending callers whose own event's action outlasted their patience
 * @param calls calls of actions, lookups not counted
 * @param unknown of these, how many ended without a known outcome
 * @param sweeps looks for what was left behind
 * @param takeovers actions that were taken over, or taken up again when their next try was due
 * @param timers timers that fired
 * @param storeFailures calls to the store that threw, outside of a caller's own
 * @param waitingReactions best-effort reactions in line
 * @param reactions of these, how many have run to their end
 * @param failedReactions how many have thrown
 * @param droppedReactions how many were not run, because as many waited as may
 */
public record GateStats(
        long openActions,
        Duration oldestOpenAction,
        long parkedActions,
        int running,
        long transitions,
        double transitionsPerSecond,
        long illegal,
        long declined,
        long busy,
        long pending,
        long calls,
        long unknown,
        long sweeps,
        long takeovers,
        long timers,
        long storeFailures,
        int waitingReactions,
        long reactions,
        long failedReactions,
        long droppedReactions) {}
