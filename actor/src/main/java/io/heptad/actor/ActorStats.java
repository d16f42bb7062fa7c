package io.heptad.actor;

import java.time.Duration;
import java.util.Objects;

/**
 * What an actor looked like at one moment.
 *
 * <p>{@code accepted} and {@code depth} come from one look at the mailbox and belong together. The other figures are read
 * one after the other while the actor goes on; each total only grows, and at rest
 * {@code accepted == handled + failed + expired + evicted + undelivered + returned + depth}; a message in hand is in none
 * of them yet.
 *
 * @param name the name of the actor
 * @param capacity the most messages that wait
 * @param depth how many wait now, the one in hand not included
 * @param busy whether it works now: a message is in hand, or the thread that handled the last one has not ended yet
 * @param waitingSenders how many threads wait for room in the mailbox
 * @param accepted messages that the mailbox took, asks and timers included
 * @param handled messages whose handler returned
 * @param failed messages whose handler threw
 * @param expired asks that had ended before their turn came, by time or by cancellation, and were skipped
 * @param rejected sends that were told that there is no room
 * @param droppedNewest messages dropped on arrival
 * @param evicted messages dropped to make room for a later one
 * @param timedOut sends that gave up waiting for room
 * @param undelivered messages that were accepted, and that the stopped actor never handled; also those that could not
 *     be handled because the executor kept refusing
 * @param returned messages handed back by {@link Actor#closeNow()}
 * @param restarts how often it got a new state
 * @param pendingAsks asks without an answer so far
 * @param timers messages set for later
 * @param oldestAge how long the first in the mailbox has waited, a lower bound; zero if it is empty
 */
public record ActorStats(
        String name,
        int capacity,
        int depth,
        boolean busy,
        int waitingSenders,
        long accepted,
        long handled,
        long failed,
        long expired,
        long rejected,
        long droppedNewest,
        long evicted,
        long timedOut,
        long undelivered,
        long returned,
        long restarts,
        int pendingAsks,
        int timers,
        Duration oldestAge) {

    /** Refuses nulls. */
    public ActorStats {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(oldestAge, "oldestAge");
    }
}
