package io.heptad.queue;

import io.heptad.core.Bounded;
import io.heptad.core.ClosedException;
import io.heptad.core.DepthEvents;
import io.heptad.core.DrainRate;
import io.heptad.core.Durations;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.core.Metric;
import io.heptad.core.Ticker;
import io.heptad.queue.Ring.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queue between two rhythms: producers put, consumers take, neither knows the other, and the bound keeps a burst from
 * becoming an outage.
 *
 * {@snippet file="io/heptad/queue/SnippetsTest.java" region="between-two-rhythms"}
 *
 * <p>The three questions. <b>What bounds it:</b> the capacity, exact for any number from 1 to {@value #MAX_CAPACITY}.
 * <b>What happens when it is full:</b> the {@link FullPolicy} given at construction decides what {@link #put} does; there
 * is no default.
 *
 * <table>
 * <caption>{@code put} on a full queue</caption>
 * <tr><th>Policy</th><th>{@code put} …</th><th>counted as</th></tr>
 * <tr><td>{@code BLOCK}</td><td>waits for room, first come first served</td><td>{@code accepted}; a timed put that gives
 *     up: {@code timedOut}</td></tr>
 * <tr><td>{@code REJECT}</td><td>throws {@link FullException} with the time after which to try again</td>
 *     <td>{@code rejected}</td></tr>
 * <tr><td>{@code DROP_NEWEST}</td><td>drops the new item and returns false</td><td>{@code droppedNewest}</td></tr>
 * <tr><td>{@code DROP_OLDEST}</td><td>drops the oldest in one step with its own arrival, and returns true</td>
 *     <td>{@code accepted}, and {@code evicted}</td></tr>
 * </table>
 *
 * <p><b>Who can see how deep it is:</b> anyone, at any time, also while producers and consumers are stuck:
 * {@link #depth()}, {@link #stats()}, {@link #metrics()}, and Flight Recorder ({@code io.heptad.QueueFull},
 * {@code QueueRefused}, {@code QueueDropped} and the periodic {@code Depth}).
 *
 * <p><b>Order.</b> First in, first out; the items of one producer never change places. Parked producers keep their
 * order, and nothing put later overtakes them. Parked consumers are served in order. An item goes straight to a parked
 * consumer and never enters the queue, so the depth is 0 while consumers keep up, and a depth above 0 means that they
 * are falling behind. A take moves the item of the first parked producer into the room that it made: it wakes that one,
 * and no other.
 *
 * <p><b>Waiting.</b> {@code put} (under {@code BLOCK}), {@code take}, timed {@code poll}, {@code takeBatch} and
 * {@code consumeAll} wait. A thread that is interrupted on entry or while it waits gets an
 * {@link InterruptedException}, and nothing has changed; one that was served first keeps what it got, and its interrupt
 * status stays set. {@code offer}, {@code poll()}, and all methods that read never wait and do not look at interrupts.
 * A time of zero or less means "do not wait", {@code Duration.ofSeconds(Long.MAX_VALUE)} "no limit".
 *
 * <p><b>Close.</b> After {@link #close()} nothing more is accepted: every put and offer, those that wait included, throws
 * {@link ClosedException}, and its item is not inside. Consumers get what is left, and then the end: {@code take} throws
 * {@code ClosedException}, {@code poll} returns null, {@code takeBatch} an empty list, {@code consumeAll} returns.
 * {@link #closeNow()} gives what is left to its caller instead.
 *
 * <p>Any thread may call any method, virtual threads included: they park at once and pin no carrier. The items live in
 * the memory of this process and die with it; work that must survive belongs into a durable store.
 *
 * <p><b>Memory consistency effects:</b> what a thread did before it put an item <i>happens-before</i> what a thread does
 * after it got that item, be it by a take, from {@code closeNow}, or in the drop hook. What a thread did before
 * {@code close()} <i>happens-before</i> what a thread does that saw the queue closed.
 *
 * <p>The shape is the bounded buffer of Dijkstra's two semaphores; the ring inside follows Dmitry Vyukov's bounded
 * queue, and the hand-over {@link java.util.concurrent.SynchronousQueue}.
 *
 * @param <E> the type of the items; never null
 */
public final class BoundedQueue<E> extends Ring<E> implements Bounded, AutoCloseable {
    /** The greatest capacity, in items. */
    public static final int MAX_CAPACITY = 1 << 30;

    private static final long NO_LIMIT = Long.MAX_VALUE;
    private static final Duration DRAIN_WINDOW = Duration.ofSeconds(10);

    private final String name;
    private final FullPolicy whenFull;
    private final Ages ages;
    private final SlowPath<E> slow;
    private final Losses<E> losses;
    private final AtomicReference<@Nullable List<Metric>> metrics = new AtomicReference<>();

    private BoundedQueue(Builder<E> builder, Ages ages) {
        super(builder.capacity, ages);
        name = builder.name;
        whenFull = builder.whenFull;
        this.ages = ages;
        QueueEvents events = new QueueEvents(name, capacity);
        slow = new SlowPath<>(name, this, ages, events);
        DrainRate drained =
                whenFull == FullPolicy.REJECT ? DrainRate.of(slow::left, DRAIN_WINDOW, builder.ticker) : null;
        losses = new Losses<>(name, capacity, builder.onDrop, drained, events);
        DepthEvents.include(this);
    }

    /**
     * A queue with the name "queue" and nothing else to choose.
     *
     * @param <E> the type of the items
     * @param capacity the most items that it holds, from 1 to {@link #MAX_CAPACITY}; its memory is taken at once
     * @param whenFull what {@link #put} does when it is full
     * @return a new, empty queue
     * @throws IllegalArgumentException if the capacity is out of range
     */
    public static <E> BoundedQueue<E> of(int capacity, FullPolicy whenFull) {
        return BoundedQueue.<E>builder(capacity, whenFull).build();
    }

    /**
     * A queue with more to choose.
     *
     * @param <E> the type of the items
     * @param capacity the most items that it holds, from 1 to {@link #MAX_CAPACITY}; its memory is taken at once
     * @param whenFull what {@link #put} does when it is full
     * @return a builder
     * @throws IllegalArgumentException if the capacity is out of range
     */
    public static <E> Builder<E> builder(int capacity, FullPolicy whenFull) {
        return new Builder<>(capacity, whenFull);
    }

    // Producers

    /**
     * Puts an item, following the policy if the queue is full. Only {@code BLOCK} ever waits.
     *
     * @param item the item
     * @return true if the queue took the item; false if it dropped it ({@code DROP_NEWEST})
     * @throws FullException if the queue is full and rejects
     * @throws ClosedException if the queue is closed, also while this call waits; the item is not inside
     * @throws InterruptedException if the thread is interrupted on entry, under any policy, or while it waits; the item
     *     is not inside
     */
    public boolean put(E item) throws InterruptedException {
        checkInterrupt();
        Answer answer = tryPut(Objects.requireNonNull(item, "item"), Ages.ON_DEMAND);
        return answer == Answer.ACCEPTED || followPolicy(item, answer, NO_LIMIT);
    }

    /**
     * Puts an item, waiting at most so long for room if the policy is {@code BLOCK}; under the other policies, which
     * never wait, as {@link #put(Object)}.
     *
     * @param item the item
     * @param timeout the longest wait for room; zero or less: none
     * @return true if the queue took the item; false if there was no room in time ({@code BLOCK}), or if it dropped the
     *     item ({@code DROP_NEWEST})
     * @throws FullException if the queue is full and rejects
     * @throws ClosedException if the queue is closed, also while this call waits; the item is not inside
     * @throws InterruptedException if the thread is interrupted on entry, under any policy, or while it waits; the item
     *     is not inside
     */
    public boolean put(E item, Duration timeout) throws InterruptedException {
        long nanos = Durations.saturatedNanos(timeout);
        checkInterrupt();
        Answer answer = tryPut(Objects.requireNonNull(item, "item"), Ages.ON_DEMAND);
        return answer == Answer.ACCEPTED || followPolicy(item, answer, nanos);
    }

    /**
     * Puts an item if there is room now. Never waits, never drops another item, and takes no notice of interrupts,
     * whatever the policy.
     *
     * @param item the item
     * @return true if the queue took the item; false, counted as rejected, if it is full or others wait in line for room
     * @throws ClosedException if the queue is closed
     */
    public boolean offer(E item) {
        Answer answer = tryPut(Objects.requireNonNull(item, "item"), Ages.ON_DEMAND);
        if (answer == Answer.ACCEPTED || acceptedAfterAll(item, answer)) {
            return true;
        }
        losses.rejected();
        return false;
    }

    private boolean followPolicy(E item, Answer answer, long nanos) throws InterruptedException {
        return switch (whenFull) {
            case BLOCK -> block(item, answer, nanos);
            case REJECT -> {
                if (acceptedAfterAll(item, answer)) {
                    yield true;
                }
                losses.rejected();
                throw losses.full();
            }
            case DROP_NEWEST -> {
                if (acceptedAfterAll(item, answer)) {
                    yield true;
                }
                losses.droppedNewest(item);
                yield false;
            }
            case DROP_OLDEST -> {
                E oldest = slow.putEvicting(item);
                if (oldest != null) {
                    losses.evicted(oldest);
                }
                yield true;
            }
        };
    }

    private boolean block(E item, Answer answer, long nanos) throws InterruptedException {
        if (nanos <= 0) {
            if (!acceptedAfterAll(item, answer)) {
                losses.timedOut();
                return false;
            }
            return true;
        }
        Answer end = answer == Answer.CLOSED ? answer : slow.put(item, nanos);
        if (end == Answer.CLOSED) {
            throw new ClosedException(name);
        }
        if (end == Answer.FULL) {
            losses.timedOut();
        }
        return end == Answer.ACCEPTED;
    }

    /** What the ring's answer means to a caller that does not wait. */
    private boolean acceptedAfterAll(E item, Answer answer) {
        Answer end = answer == Answer.FLAGGED ? slow.offer(item) : answer;
        if (end == Answer.CLOSED) {
            throw new ClosedException(name);
        }
        return end == Answer.ACCEPTED;
    }

    // Consumers

    /**
     * Takes the oldest item, waiting for one as long as it takes.
     *
     * @return the item
     * @throws ClosedException once the queue is closed and nothing is left in it
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; no item was taken
     */
    public E take() throws InterruptedException {
        E item = takeOrEnd(NO_LIMIT);
        if (item == null) {
            throw new ClosedException(name);
        }
        return item;
    }

    /**
     * Takes the oldest item if there is one now. Never waits, and takes no notice of interrupts.
     *
     * @return the item, or null if there is none; {@link #isDrained()} tells whether there may be one later
     */
    public @Nullable E poll() {
        long claimed = claim();
        if (claimed >= 0) {
            return removed(claimed);
        }
        return claimed == PARKED ? slow.poll() : null;
    }

    /**
     * Takes the oldest item, waiting at most so long for one.
     *
     * @param timeout the longest wait; zero or less: none
     * @return the item, or null if none came in time or the queue is drained; {@link #isDrained()} tells which
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; no item was taken
     */
    public @Nullable E poll(Duration timeout) throws InterruptedException {
        return takeOrEnd(Durations.saturatedNanos(timeout));
    }

    /** The next item; null if none came in time, or will ever come. */
    private @Nullable E takeOrEnd(long nanos) throws InterruptedException {
        checkInterrupt();
        long claimed = claim();
        if (claimed >= 0) {
            return removed(claimed);
        }
        if (nanos > 0) {
            return slow.take(nanos);
        }
        return claimed == PARKED ? slow.poll() : null;
    }

    private E removed(long claimed) {
        E item = remove(claimed); // before the lock: its holder may wait for this slot
        if (saysThatProducersWait(claimed)) {
            slow.admitParked();
        }
        return item;
    }

    /**
     * Takes the oldest items, up to max of those that are inside now, in one step; waits only for the first.
     *
     * @param max the most items to take, at least 1
     * @return one or more items, oldest first; empty once the queue is closed and drained
     * @throws IllegalArgumentException if max is less than 1
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; no item was taken
     */
    public List<E> takeBatch(int max) throws InterruptedException {
        return takeBatchOrEnd(max, NO_LIMIT);
    }

    /**
     * Takes the oldest items, up to max of those that are inside now, in one step; waits only for the first, and at most
     * so long.
     *
     * @param max the most items to take, at least 1
     * @param timeout the longest wait for the first; zero or less: none
     * @return one or more items, oldest first; empty if none came in time or the queue is drained
     * @throws IllegalArgumentException if max is less than 1
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; no item was taken
     */
    public List<E> takeBatch(int max, Duration timeout) throws InterruptedException {
        return takeBatchOrEnd(max, Durations.saturatedNanos(timeout));
    }

    private List<E> takeBatchOrEnd(int max, long nanos) throws InterruptedException {
        if (max < 1) {
            throw new IllegalArgumentException("max must be at least 1, but is " + max);
        }
        checkInterrupt();
        for (; ; ) {
            long head = head();
            int count = filledFrom(head, max);
            if (count == 0) {
                if (head() != head) {
                    continue; // a look at slots that were emptied meanwhile: what is behind them may be a whole batch
                }
                E item = takeOrEnd(nanos);
                return item == null ? List.of() : List.of(item);
            }
            List<E> items =
                    new ArrayList<>(count); // before the claim: memory may be short, and what is claimed must go on
            if (claim(head, count)) {
                return removed(head, count, items);
            }
        }
    }

    private List<E> removed(long claimed, int count, List<E> items) {
        for (int i = 0; i < count; i++) {
            items.add(remove(claimed + i * ONE));
        }
        if (saysThatProducersWait(claimed)) {
            slow.admitParked();
        }
        return items;
    }

    /**
     * Gives every item to the consumer, in the calling thread, until the queue is closed and drained.
     *
     * @param consumer called for one item after another; if it throws, the loop ends, and that item counts as taken
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; no item is lost by it
     */
    public void consumeAll(Consumer<? super E> consumer) throws InterruptedException {
        Objects.requireNonNull(consumer, "consumer");
        for (E item; (item = takeOrEnd(NO_LIMIT)) != null; ) {
            consumer.accept(item);
        }
    }

    private static void checkInterrupt() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    // The end

    /**
     * Accepts nothing from now on; what is inside stays for the consumers. Waiting producers get
     * {@link ClosedException}, and so do consumers that wait in {@link #take()}, since there is nothing left to come.
     * Returns at once; a second call changes nothing.
     */
    @Override
    public void close() {
        slow.close();
        DepthEvents.exclude(this);
    }

    /**
     * Closes the queue and gives back what is inside. Items that others are taking at the same time go either to them
     * or into this list, never both. What waiting producers wanted to put was never accepted: their calls throw
     * {@link ClosedException} and the items stay theirs. The drop hook is not called.
     *
     * @return what was inside, oldest first, counted as returned; empty on a second call
     */
    public List<E> closeNow() {
        List<E> items = slow.closeNow();
        DepthEvents.exclude(this);
        return items;
    }

    /**
     * Whether the queue is closed. It may still hold items.
     *
     * @return true from {@link #close()} or {@link #closeNow()} on
     */
    public boolean isClosed() {
        return shutAlready();
    }

    /**
     * Whether the end is reached: closed, and nothing inside. Once true, it stays true.
     *
     * @return true if no take will ever succeed again
     */
    public boolean isDrained() {
        return emptiedForGood();
    }

    // The three questions

    @Override
    public String name() {
        return name;
    }

    @Override
    public long capacity() {
        return capacity;
    }

    @Override
    public FullPolicy whenFull() {
        return whenFull;
    }

    /**
     * How many items are inside now. Never blocks. Items that parked producers hold are not inside.
     *
     * @return the depth, in items, from 0 to the capacity
     */
    @Override
    public long depth() {
        return span().depth();
    }

    /**
     * How long the oldest item has been inside; zero if the queue is empty. Handed-over items are never inside.
     *
     * <p>With {@link Builder#exactAge()}: exact. Without, it costs producers nothing and is a lower bound: the true age
     * is greater by at most the time from the oldest item's arrival to the next of these: the arrival of a timed item,
     * of which there is one in {@value Ages#TIMED}, or a reading of the age that is still remembered ({@code oldestAge()},
     * {@code stats()}, or a scrape of the metrics; 32 readings are remembered, spread evenly over the time that items
     * have been inside). While takes go past faster than it can look, it is a lower bound in either case. With a ticker
     * of your own, the time that a put waited for an internal lock counts as well.
     *
     * @return the age, never negative
     */
    public Duration oldestAge() {
        return ages.oldest(this);
    }

    /**
     * All figures, read together. May wait for a few instructions of another thread, never for a put or a take.
     *
     * @return the figures; {@link QueueStats} says what is consistent with what
     */
    public QueueStats stats() {
        SlowPath.Figures figures = slow.figures();
        int depth = figures.span().depth();
        return new QueueStats(
                capacity,
                depth,
                figures.producers(),
                figures.consumers(),
                figures.accepted(),
                figures.taken(),
                losses.rejectedCount(),
                losses.droppedNewestCount(),
                figures.evicted(),
                figures.returned(),
                losses.timedOutCount(),
                depth == 0 ? Duration.ZERO : oldestAge());
    }

    /**
     * The figures of {@link #stats()} as {@code heptad.queue.…}, tagged with the name; {@code dropped} is what either
     * dropping policy dropped, and {@code callback.failures} counts the drop hooks that threw.
     *
     * @return the metrics, always the same list
     */
    @Override
    public List<Metric> metrics() {
        List<Metric> known = metrics.get();
        if (known == null) {
            metrics.compareAndSet(null, QueueMetrics.of(this, slow, losses));
            known = Objects.requireNonNull(metrics.get());
        }
        return known;
    }

    @Override
    public String toString() {
        return name + "[" + depth() + "/" + capacity + " " + whenFull + (isClosed() ? " closed]" : "]");
    }

    /** For tests that step through a race. */
    SlowPath<E> slow() {
        return slow;
    }

    /**
     * Chooses what {@link BoundedQueue#of} leaves at its default. A builder may build more than one queue.
     *
     * @param <E> the type of the items
     */
    public static final class Builder<E> {
        private final int capacity;
        private final FullPolicy whenFull;
        private String name = "queue";
        private @Nullable Consumer<? super E> onDrop;
        private boolean exactAge;
        private Ticker ticker = Ticker.system();
        private boolean systemTicker = true;

        private Builder(int capacity, FullPolicy whenFull) {
            if (capacity < 1 || capacity > MAX_CAPACITY) {
                throw new IllegalArgumentException(
                        "capacity must be from 1 to " + MAX_CAPACITY + ", but is " + capacity);
            }
            this.capacity = capacity;
            this.whenFull = Objects.requireNonNull(whenFull, "whenFull");
        }

        /**
         * The name in metrics, events and refusals; "queue" unless set.
         *
         * @param name a name, not blank
         * @return this builder
         * @throws IllegalArgumentException if the name is blank
         */
        public Builder<E> name(String name) {
            if (name.isBlank()) {
                throw new IllegalArgumentException("name must not be blank, but is \"" + name + "\"");
            }
            this.name = name;
            return this;
        }

        /**
         * Called with each item that {@code DROP_NEWEST} drops or {@code DROP_OLDEST} evicts, in the thread of the put
         * that caused it, under no lock, after the item was counted. A hook that throws is counted and reported to the
         * thread's uncaught exception handler; the put goes on as if it had not.
         *
         * @param onDrop the hook
         * @return this builder
         */
        public Builder<E> onDrop(Consumer<? super E> onDrop) {
            this.onDrop = Objects.requireNonNull(onDrop, "onDrop");
            return this;
        }

        /**
         * Notes the time of every item, so that {@link BoundedQueue#oldestAge()} is exact. Each put then reads the
         * ticker, which costs about as much as the put.
         *
         * @return this builder
         */
        public Builder<E> exactAge() {
            exactAge = true;
            return this;
        }

        /**
         * The clock for ages and for the drain rate behind {@link FullException#retryAfter()}. Timeouts always follow
         * the system's clock. A ticker that throws costs an age, never an item.
         *
         * @param ticker the clock
         * @return this builder
         */
        public Builder<E> ticker(Ticker ticker) {
            this.ticker = Objects.requireNonNull(ticker, "ticker");
            systemTicker = false;
            return this;
        }

        /**
         * Builds the queue.
         *
         * @return a new, empty queue
         */
        public BoundedQueue<E> build() {
            return new BoundedQueue<>(this, new Ages(Ring.slots(capacity), exactAge, ticker, systemTicker));
        }
    }
}
