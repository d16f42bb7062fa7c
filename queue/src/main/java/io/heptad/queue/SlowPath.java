package io.heptad.queue;

import io.heptad.core.ClosedException;
import io.heptad.queue.Ring.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** All that needs the lock: who waits, who is handed what, eviction, and the end. */
final class SlowPath<E> {
    /*
     * Whenever the lock is free:
     *   consumers parked  =>  tail has CONSUMER_WAITS, the ring is empty, no producer is parked
     *   producers parked  =>  head has PRODUCER_WAITS; and the ring is full, or a taker that read the flag in the word it
     *                         claimed is on its way to the lock
     *   nobody parked     =>  no waiting flag: the last to leave lowers it
     *
     * So whoever gets the lock first makes good what a taker has not yet done (admitParked), and only then looks for
     * itself. An item goes straight to the first parked consumer; the space that a taker freed goes straight to the
     * first parked producer. One item, or one space, wakes one thread, and nobody who comes later can get in between.
     *
     * A grant is decided under the lock. A waiter that times out or is interrupted decides under it as well: either it
     * was granted before, and the grant stands (an interrupt is then only kept), or it leaves the line, and no item or
     * space was spent on it. Hence nothing needs to be passed on.
     *
     * Hand-overs bypass the ring and its indices, so they are counted here, in accepted and in taken at once.
     *
     * No code of the user runs under the lock: not the drop hook, not the clock. Threads are unparked after unlocking.
     * The lock is the only one of the queue and no other is taken under it.
     *
     * Before it stands in line, a platform thread looks again for a while: to park and be woken costs it 5 to 50
     * microseconds, and whoever parks makes the other side run into the end of a small ring and park as well. First
     * bursts of spinning, for what another core is about to do; then yields, which give this core to those who can do it.
     * Measured on two cores, with the yields and without: round trip 2.7 against 43 us, 1 producer and 1 consumer at
     * capacity 16 150 against 830 ns an item, 4 and 4 138 against 236, at 1024 no worse. Rejected: 1024 spins (3 times
     * slower at 1024); as many spins as paid lately (5 times slower at 4 and 4); 64 yields (no better than 16).
     *
     * Virtual threads stand in line at once: to park is cheap for them.
     */
    private static final int SPINNING_TRIES = 4;
    private static final int SPINS_PER_TRY = 32;
    private static final int TRIES = SPINNING_TRIES + 16;

    private final String name;
    private final Ring<E> ring;
    private final Ages ages;
    private final QueueEvents events;
    private final ReentrantLock lock = new ReentrantLock();

    // All under the lock.
    private final WaitingLine<E> producers = new WaitingLine<>();
    private final WaitingLine<E> consumers = new WaitingLine<>();
    private @Nullable Waiter<E> firstToWake;
    private @Nullable Waiter<E> lastToWake;
    private long evicted;
    private long returned;

    /** Written under the lock, read by anybody: the figure of a refusal must not wait. */
    private final AtomicLong handedOver = new AtomicLong();

    SlowPath(String name, Ring<E> ring, Ages ages, QueueEvents events) {
        this.name = name;
        this.ring = ring;
        this.ages = ages;
        this.events = events;
    }

    // Producers

    /** Puts the item if that is possible without waiting. */
    Answer offer(E item) {
        long now = ages.beforeLock();
        lock();
        try {
            return enter(item, null, now);
        } finally {
            unlock();
        }
    }

    /** Puts the item and waits so long for room; FULL if there was none in time. */
    Answer put(E item, long nanos) throws InterruptedException {
        long deadline = nanos == Long.MAX_VALUE ? 0 : System.nanoTime() + nanos;
        if (!Thread.currentThread().isVirtual()) {
            for (int tries = 0; tries < TRIES && !isOver(nanos, deadline); tries++) {
                pause(tries);
                Answer answer = ring.tryPut(item, Ages.ON_DEMAND);
                if (answer == Answer.ACCEPTED || answer == Answer.CLOSED) {
                    return answer;
                }
                if (answer == Answer.FLAGGED) {
                    break;
                }
            }
        }
        QueueFullEvent event =
                events.beginWait(); // before it stands in line: nothing may fail between that and leave()
        Waiter<E> me = new Waiter<>(item);
        Answer answer;
        long now = ages.beforeLock();
        lock();
        try {
            answer = enter(item, me, now);
        } finally {
            unlock();
        }
        if (answer != Answer.FULL) {
            return answer;
        }
        try {
            answer = switch (await(me, nanos, deadline, producers)) {
                case WAITING -> Answer.FULL;
                case GRANTED -> Answer.ACCEPTED;
                case CLOSED -> Answer.CLOSED;
            };
        } catch (InterruptedException interrupt) {
            events.endWait(event, "interrupted");
            throw interrupt;
        }
        events.endWait(
                event,
                switch (answer) {
                    case ACCEPTED -> "accepted";
                    case CLOSED -> "closed";
                    default -> "timed out";
                });
        return answer;
    }

    /** Under the lock. FULL: the item is not inside, and the waiter, if there is one, stands in line with it. */
    private Answer enter(E item, @Nullable Waiter<E> me, long now) {
        for (; ; ) {
            if (ring.shutAlready()) {
                return Answer.CLOSED;
            }
            Waiter<E> consumer = consumers.first();
            if (consumer != null) {
                consumers.remove(consumer);
                if (consumers.isEmpty()) {
                    ring.lowerConsumerFlag();
                }
                consumer.item = item;
                handedOver.setRelease(handedOver.getPlain() + 1);
                end(consumer, Waiter.State.GRANTED);
                return Answer.ACCEPTED;
            }
            admitParked(now);
            if (producers.isEmpty()) {
                Answer answer = ring.tryPut(item, now);
                if (answer == Answer.FLAGGED) {
                    throw new AssertionError("a flag that nobody raised");
                }
                if (answer != Answer.FULL) {
                    return answer;
                }
                if (me != null && !ring.raiseProducerFlag()) {
                    continue;
                }
            }
            if (me != null) {
                producers.add(me);
            }
            return Answer.FULL;
        }
    }

    /** Puts the item; if there is no room, in place of the oldest, which is then the result. */
    @Nullable
    E putEvicting(E item) {
        long now = ages.beforeLock();
        lock();
        try {
            for (; ; ) {
                Answer answer = enter(item, null, now);
                if (answer == Answer.CLOSED) {
                    throw new ClosedException(name);
                }
                if (answer == Answer.ACCEPTED) {
                    return null;
                }
                E oldest = ring.replaceOldest(item, now);
                if (oldest != null) {
                    evicted++;
                    return oldest;
                }
            }
        } finally {
            unlock();
        }
    }

    // Consumers

    /** Takes an item, waiting so long for one; null if none came in time, or will ever come. */
    @Nullable
    E take(long nanos) throws InterruptedException {
        long deadline = nanos == Long.MAX_VALUE ? 0 : System.nanoTime() + nanos;
        if (!Thread.currentThread().isVirtual()) {
            for (int tries = 0; tries < TRIES && !isOver(nanos, deadline); tries++) {
                pause(tries);
                long claimed = ring.claim();
                if (claimed >= 0) {
                    E item = ring.remove(claimed);
                    if (Ring.saysThatProducersWait(claimed)) {
                        admitParked();
                    }
                    return item;
                }
                if (claimed == Ring.PARKED) {
                    break;
                }
            }
        }
        Waiter<E> me = new Waiter<>(null);
        E item;
        long now = ages.beforeLock();
        lock();
        try {
            item = takeOrEnter(me, now);
        } finally {
            unlock();
        }
        if (item != null || me.state == Waiter.State.CLOSED) {
            return item;
        }
        return await(me, nanos, deadline, consumers) == Waiter.State.GRANTED ? me.item : null;
    }

    /** Takes an item if there is one, also if it is still in the hands of a parked producer. */
    @Nullable
    E poll() {
        long now = ages.beforeLock();
        lock();
        try {
            return takeOrEnter(null, now);
        } finally {
            unlock();
        }
    }

    /** Under the lock. Null: nothing inside, and the waiter, if there is one, stands in line or is told of the end. */
    private @Nullable E takeOrEnter(@Nullable Waiter<E> me, long now) {
        for (; ; ) {
            admitParked(now);
            long claimed = ring.claim();
            if (claimed >= 0) {
                E item = ring.remove(claimed);
                admitParked(now);
                return item;
            }
            if (claimed == Ring.PARKED) {
                continue;
            }
            if (me == null) {
                return null;
            }
            if (ring.shutAlready()) {
                me.state = Waiter.State.CLOSED;
                return null;
            }
            if (consumers.isEmpty() && !ring.raiseConsumerFlag()) {
                continue;
            }
            consumers.add(me);
            return null;
        }
    }

    /** Lets parked producers into the space that the caller has made. */
    void admitParked() {
        long now = ages.beforeLock();
        lock();
        try {
            admitParked(now);
        } finally {
            unlock();
        }
    }

    private void admitParked(long now) {
        Waiter<E> producer = producers.first();
        if (producer == null) {
            return;
        }
        do {
            E item = Objects.requireNonNull(producer.item);
            if (!ring.admit(item, now)) {
                return;
            }
            producers.remove(producer);
            producer.item = null;
            end(producer, Waiter.State.GRANTED);
            producer = producers.first();
        } while (producer != null);
        ring.lowerProducerFlag();
    }

    // Waiting

    private Waiter.State await(Waiter<E> me, long nanos, long deadline, WaitingLine<E> line)
            throws InterruptedException {
        for (; ; ) {
            Waiter.State state = me.state;
            if (state != Waiter.State.WAITING) {
                return state;
            }
            boolean interrupted = Thread.interrupted();
            long left = nanos == Long.MAX_VALUE ? Long.MAX_VALUE : deadline - System.nanoTime();
            if (interrupted || left <= 0) {
                state = leave(me, line);
                if (interrupted) {
                    if (state == Waiter.State.WAITING) {
                        throw new InterruptedException();
                    }
                    me.thread.interrupt(); // granted first: the grant stands, and the interrupt is for the caller
                }
                return state;
            }
            if (left == Long.MAX_VALUE) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, left);
            }
        }
    }

    private Waiter.State leave(Waiter<E> me, WaitingLine<E> line) {
        lock();
        try {
            if (me.state == Waiter.State.WAITING) {
                line.remove(me);
                if (line.isEmpty()) {
                    if (line == producers) {
                        ring.lowerProducerFlag();
                    } else {
                        ring.lowerConsumerFlag();
                    }
                }
            }
            return me.state;
        } finally {
            unlock();
        }
    }

    /** Under the lock: tells a waiter, which has left its line, how its wait ended. {@link #unlock} wakes it. */
    private void end(Waiter<E> waiter, Waiter.State state) {
        if (lastToWake == null) {
            firstToWake = waiter;
        } else {
            lastToWake.next = waiter;
        }
        lastToWake = waiter;
        waiter.state = state;
    }

    private void lock() {
        lock.lock();
    }

    private void unlock() {
        Waiter<E> waiter = firstToWake;
        firstToWake = null;
        lastToWake = null;
        lock.unlock();
        while (waiter != null) {
            LockSupport.unpark(waiter.thread);
            waiter = waiter.next;
        }
    }

    private static boolean isOver(long nanos, long deadline) {
        return nanos != Long.MAX_VALUE && deadline - System.nanoTime() <= 0;
    }

    /** Between one look and the next, without standing in line. */
    @SuppressWarnings(
            "ThreadPriorityCheck") // where there is no core to spare, the one that is waited for needs this one
    private static void pause(int tries) {
        if (tries >= SPINNING_TRIES) {
            Thread.yield();
        } else {
            for (int i = 0; i < SPINS_PER_TRY; i++) {
                Thread.onSpinWait();
            }
        }
    }

    // The end

    /** Accepts nothing more, and sends all waiters away. */
    void close() {
        lock();
        try {
            ring.shut();
            sendAway();
        } finally {
            unlock();
        }
    }

    /** Closes and takes out what is inside, oldest first. */
    List<E> closeNow() {
        List<E> items;
        Ring.Span inside;
        lock();
        try {
            ring.shut();
            sendAway();
            items = new ArrayList<>(ring.span().depth()); // before the claim, and a closed ring only gets emptier
            inside = ring.claimAll();
            returned += inside.depth();
        } finally {
            unlock();
        }
        ring.removeAll(inside, items);
        return items;
    }

    private void sendAway() {
        for (Waiter<E> producer; (producer = producers.first()) != null; ) {
            producers.remove(producer);
            end(producer, Waiter.State.CLOSED);
        }
        ring.lowerProducerFlag();
        for (Waiter<E> consumer; (consumer = consumers.first()) != null; ) {
            consumers.remove(consumer);
            end(consumer, Waiter.State.CLOSED);
        }
        ring.lowerConsumerFlag();
    }

    // Figures

    /** All that has left, in whatever way. Never falls, never waits. */
    long left() {
        return ring.headIndex() + handedOver.getAcquire();
    }

    /** All that was accepted. Never falls, never waits. */
    long accepted() {
        return ring.span().tail() + handedOver.getAcquire();
    }

    Figures figures() {
        lock();
        try {
            Ring.Span span = ring.span();
            return new Figures(span, handedOver.getPlain(), evicted, returned, producers.size(), consumers.size());
        } finally {
            unlock();
        }
    }

    /** What can be read together under the lock. */
    record Figures(Ring.Span span, long handedOver, long evicted, long returned, int producers, int consumers) {
        long accepted() {
            return span.tail() + handedOver;
        }

        long taken() {
            return span.head() + handedOver - evicted - returned;
        }
    }

    /** For tests that step through a race: whoever holds it keeps all others off the slow path. */
    ReentrantLock lockItself() {
        return lock;
    }
}
