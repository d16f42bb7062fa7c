package io.heptad.queue;

import java.time.Duration;

/**
 * The figures of a {@link BoundedQueue}, read together.
 *
 * <p>What is consistent with what: {@code depth}, {@code accepted}, {@code taken}, {@code evicted} and {@code returned}
 * belong to one instant, so {@code accepted == taken + evicted + returned + depth} holds in every record, also while
 * the queue is in use. {@code waitingProducers} and {@code waitingConsumers} are of the same reading, in which no thread
 * joined or left a line. {@code rejected}, {@code droppedNewest} and {@code timedOut} are each exact, but read one after
 * the other; {@code oldestAge} is read last. Every counter only grows from one record to the next.
 *
 * @param capacity the bound, in items
 * @param depth the items inside, from 0 to {@code capacity}
 * @param waitingProducers the threads that wait in line for room
 * @param waitingConsumers the threads that wait in line for an item
 * @param accepted the items that the queue took, handed-over ones included
 * @param taken the items that consumers got
 * @param rejected the items refused because the queue was full, by {@code FullException} or by a false {@code offer}
 * @param droppedNewest the new items dropped on arrival ({@code DROP_NEWEST})
 * @param evicted the oldest items dropped to make room ({@code DROP_OLDEST}); these had been accepted
 * @param returned the items that {@code closeNow} gave back
 * @param timedOut the timed puts that found no room in time
 * @param oldestAge how long the oldest item has been inside; see {@link BoundedQueue#oldestAge()} for its accuracy
 */
public record QueueStats(
        int capacity,
        int depth,
        int waitingProducers,
        int waitingConsumers,
        long accepted,
        long taken,
        long rejected,
        long droppedNewest,
        long evicted,
        long returned,
        long timedOut,
        Duration oldestAge) {}
