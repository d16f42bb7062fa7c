package io.heptad.actor;

import java.util.Objects;

/**
 * What {@link KeyedActors} looked like at one moment.
 *
 * <p>Each figure is right by itself; they are read one after the other while the owners go on. Each total only grows. At
 * rest {@code accepted == handled + failed + expired + evicted + undelivered + returned + depth}, and {@code loaded ==
 * passivated + discarded + live}; a message in hand is in none of the totals yet.
 *
 * @param name the name
 * @param capacity the most messages that wait, for all keys together
 * @param depth how many wait now, for all keys together, those in hand not included
 * @param keys how many keys something is kept of: those with an owner, and those with messages or senders
 * @param live how many owners have a state, or are loading or storing it
 * @param waitingOwners how many keys have messages and wait until their owner may be live
 * @param waitingSenders how many threads wait for room, at their key or under the bound over all
 * @param accepted messages that were taken, asks and timers included
 * @param handled messages whose handler returned
 * @param failed messages whose handler threw
 * @param expired asks that had ended before their turn came, by time or by cancellation, and were skipped
 * @param rejected sends that were told that there is no room
 * @param droppedNewest messages dropped on arrival
 * @param evicted messages dropped to make room for a later one
 * @param timedOut sends that gave up waiting for room
 * @param undelivered messages that were accepted and never handled: their state could not be loaded, their owner was
 *     stopped by supervision, or the executor refused
 * @param returned messages handed back by {@link KeyedActors#closeNow()}
 * @param loaded how often a state was loaded
 * @param loadFailures how often that failed
 * @param passivated how often a state was handed to {@code onPassivate}, or would have been if there were one
 * @param discarded states let go because their handler had thrown and supervision wanted that
 * @param pendingAsks asks without an answer so far
 * @param timers messages set for later
 */
public record KeyedStats(
        String name,
        int capacity,
        int depth,
        int keys,
        int live,
        int waitingOwners,
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
        long loaded,
        long loadFailures,
        long passivated,
        long discarded,
        int pendingAsks,
        int timers) {

    /** Refuses nulls. */
    public KeyedStats {
        Objects.requireNonNull(name, "name");
    }
}
