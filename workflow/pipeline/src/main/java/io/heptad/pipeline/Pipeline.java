package io.heptad.pipeline;

import io.heptad.core.Bounded;
import io.heptad.core.ClosedException;
import io.heptad.core.DepthEvents;
import io.heptad.core.Durations;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.core.Metric;
import io.heptad.core.Ticker;
import io.heptad.core.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Work that goes through several steps with different needs: each stage has its own workers, as many as what it uses allows,
 * and a bounded queue before it. A slow stage fills the queue before it and holds back those above, up to the source; the
 * full queue names the stage that cannot keep up.
 *
 * {@snippet file="io/heptad/pipeline/SnippetsTest.java" region="pipeline"}
 *
 * <p>Not for a job of two steps that use the same thing: call one after the other inside a {@link
 * io.heptad.pool.WorkerPool}. A pipeline earns its queues when the steps need different resources.
 *
 * <p><b>The three questions</b> are those of the queue before the first stage. What bounds it: {@link #capacity()}, and in the
 * whole the capacities and workers of all stages ({@link StageOptions#window} instead of workers where a stage is ordered).
 * What happens when it is full: stages block unless told otherwise, so {@link #put} waits. How deep it is: {@link #depth()},
 * and for every stage {@link #stats()} and {@link #metrics()}; Flight Recorder has {@code io.heptad.StageBlocked},
 * {@code StageFailed}, the events of each stage's queue under {@code pipeline/stage}, and the periodic {@code Depth}.
 *
 * <p><b>Failures.</b> A work that throws, whatever it throws, fails its item: it is counted, told to {@link
 * Builder#onFailure}, and its worker goes on. With {@link OnError#STOP} it also stops the pipeline: nothing begins any more, in no
 * stage; blocked calls of {@code put} get {@link ClosedException} with the failure as its cause; running works are
 * interrupted; and what was inside is handed back by {@link #close(Duration)}. A work that gives null fails its item,
 * except in a last stage without {@link Builder#into}.
 *
 * <p><b>Order.</b> Workers of a stage overtake each other. With one worker a stage keeps the order; with {@link
 * StageOptions#ordered()} it restores it, and with {@link StageOptions#orderedBy} it keeps it for each key.
 *
 * <p><b>Interrupts.</b> A {@code put} that is interrupted throws, its item is not inside, and the pipeline is as before. What a
 * work does to its own thread's interrupt status ends with its item.
 *
 * <p><b>From inside a stage</b>, {@code put} to the own pipeline never waits, since it would wait for itself: on a full queue
 * it throws {@link FullException}. {@code close} may be called from anywhere.
 *
 * <p><b>The end.</b> After {@link #close()} nothing more is accepted and what is inside goes through, stage by stage: a stage
 * ends when all workers of the one before it have. {@link #close(Duration)} waits for that, and when its time is up ends it and
 * hands back what is left, with its stage. A pipeline that is not closed keeps its threads.
 *
 * <p><b>Memory consistency effects:</b> what a thread did before it put an item happens-before the first stage's work on it, that
 * before the second's, and so on to the sink or {@code onFailure}; all of that happens-before the return of a {@code
 * close(Duration)} that reports it drained.
 *
 * <p>All methods may be called from any thread. The shape is the staged event-driven architecture (Matt Welsh, "SEDA") with
 * blocking stages; finding the bottleneck by the last full queue is from the pattern text that Heptad starts from.
 *
 * @param <I> what is put in
 */
public final class Pipeline<I> implements Bounded, AutoCloseable {
    private final Engine engine;
    private final Stage first;
    private final LongAdder timedOut = new LongAdder();
    private final AtomicLong journeys = new AtomicLong();
    private final List<Metric> metrics;

    private Pipeline(Builder<I, ?> builder) {
        Builder.Parts parts = builder.parts;
        engine = new Engine(
                builder.name,
                parts.plans,
                parts.sink,
                parts.onFailure,
                parts.journey,
                parts.ticker,
                parts.systemTicker,
                parts.threads == null
                        ? Thread.ofVirtual().name(builder.name + "-", 1).factory()
                        : parts.threads);
        first = engine.first();
        metrics = PipelineMetrics.of(engine, timedOut);
        engine.start();
        DepthEvents.include(this);
    }

    /**
     * Begins to describe a pipeline.
     *
     * @param name its name in metrics, events and refusals, not blank
     * @param input what is put in
     * @param <I> what is put in
     * @return a builder without stages
     * @throws IllegalArgumentException if the name is blank
     */
    public static <I> Builder<I, I> of(String name, Class<I> input) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("name must not be blank, but is \"" + name + "\"");
        }
        Objects.requireNonNull(input, "input");
        return new Builder<>(name, Builder.Parts.NONE);
    }

    // In

    /**
     * Puts an item into the first stage's queue, following its policy if it is full.
     *
     * @param item the item
     * @return true if the pipeline took the item; false if it dropped it ({@code DROP_NEWEST})
     * @throws FullException if the queue is full and rejects, or this is called from inside a stage of this pipeline
     * @throws ClosedException if the pipeline is closed, also while this waits; the item is not inside. Its cause is the
     *     failure, if a stage stopped the pipeline
     * @throws InterruptedException if interrupted on entry or while it waits; the item is not inside
     */
    public boolean put(I item) throws InterruptedException {
        Parcel parcel = parcel(item);
        try {
            if (waitsForItself()) {
                return putInside(parcel);
            }
            return first.queue.put(parcel);
        } catch (ClosedException closed) {
            throw engine.closed();
        } catch (FullException full) {
            throw full(full);
        }
    }

    /**
     * Puts an item, and waits for room at most so long if the first stage blocks; under the other policies, which never wait, as
     * {@link #put(Object)}.
     *
     * @param item the item
     * @param timeout the longest wait for room; zero or less: none
     * @return true if the pipeline took the item; false if there was no room in time, or if it dropped the item
     *     ({@code DROP_NEWEST})
     * @throws FullException if the queue is full and rejects, or this would wait inside a stage of this pipeline
     * @throws ClosedException if the pipeline is closed, also while this waits; the item is not inside
     * @throws InterruptedException if interrupted on entry or while it waits; the item is not inside
     */
    public boolean put(I item, Duration timeout) throws InterruptedException {
        long nanos = Durations.saturatedNanos(timeout);
        Parcel parcel = parcel(item);
        try {
            if (nanos > 0 && waitsForItself()) {
                return putInside(parcel);
            }
            boolean taken = first.queue.put(parcel, timeout);
            if (!taken && whenFull() == FullPolicy.BLOCK) {
                timedOut.increment();
            }
            return taken;
        } catch (ClosedException closed) {
            throw engine.closed();
        } catch (FullException full) {
            throw full(full);
        }
    }

    /**
     * Puts an item if there is room in the first queue now. Never waits, never drops another item, and takes no notice of
     * interrupts, whatever the policy.
     *
     * @param item the item
     * @return true if the pipeline took the item; false, counted as rejected, if the queue is full
     * @throws ClosedException if the pipeline is closed
     */
    public boolean offer(I item) {
        Parcel parcel = parcel(item);
        try {
            return first.queue.offer(parcel);
        } catch (ClosedException closed) {
            throw engine.closed();
        }
    }

    private Parcel parcel(I item) {
        Objects.requireNonNull(item, "item");
        long journey = engine.callbacks.followsJourneys() ? journeys.incrementAndGet() : 0;
        Parcel parcel = new Parcel(item, engine.now(), journey);
        parcel.key = first.keyOf(item);
        return parcel;
    }

    private boolean waitsForItself() {
        return whenFull() == FullPolicy.BLOCK
                && engine.workerOf(Thread.currentThread()).isPresent();
    }

    private boolean putInside(Parcel parcel) throws InterruptedException {
        if (first.queue.put(parcel, Duration.ZERO)) {
            return true;
        }
        throw new FullException(
                engine.name, capacity(), capacity(), null, "a stage of the pipeline would wait for itself");
    }

    /** What the queue says, under the name of the pipeline. */
    private FullException full(FullException full) {
        if (full.shape().equals(engine.name)) {
            return full;
        }
        return new FullException(
                engine.name, full.capacity(), full.depth(), full.retryAfter().orElse(null));
    }

    // The three questions

    @Override
    public String name() {
        return engine.name;
    }

    /**
     * What bounds the intake.
     *
     * @return the capacity of the queue before the first stage, in items
     */
    @Override
    public long capacity() {
        return first.queue.capacity();
    }

    @Override
    public FullPolicy whenFull() {
        return first.whenFull();
    }

    /**
     * How deep the intake is; {@link #stats()} has every stage.
     *
     * @return the items in the queue before the first stage
     */
    @Override
    public long depth() {
        return first.queue.depth();
    }

    /**
     * What the pipeline looks like now. Waits for no put and no work, at most for a few instructions of another thread.
     *
     * @return the figures; {@link PipelineStats} says what is consistent with what
     */
    public PipelineStats stats() {
        return engine.stats();
    }

    /**
     * {@inheritDoc}
     *
     * <p>Named {@code heptad.pipeline.…} with the tag {@code name}, and {@code heptad.pipeline.stage.…} with the tags
     * {@code name} and {@code stage}.
     */
    @Override
    public List<Metric> metrics() {
        return metrics;
    }

    // The end

    /**
     * Accepts nothing more and returns at once; what is inside goes through. Blocked calls of {@code put} get {@link
     * ClosedException}, and their items are not inside. A second call changes nothing.
     */
    @Override
    public void close() {
        engine.close();
        DepthEvents.exclude(this);
    }

    /**
     * Closes, waits until everything has gone through, and if the time runs out ends it: nothing begins any more, running works are
     * interrupted, and what is inside is handed back, each item once, with its stage. What a work comes to after that is let
     * go: its item is in the report as begun. Works that ignore interrupts keep their threads until they end.
     *
     * <p>After a stage has stopped the pipeline, this waits until the works that were running have ended, and hands back what was
     * inside. Called again it returns the same residue. Called from inside a stage of this pipeline it does not wait and ends
     * nothing.
     *
     * @param timeout how long to wait; zero or less: not at all
     * @return how it ended, and what is left
     * @throws InterruptedException if interrupted on entry or while it waits; the pipeline is closed, and what is inside goes
     *     on
     */
    public DrainReport close(Duration timeout) throws InterruptedException {
        long nanos = Durations.saturatedNanos(timeout);
        DepthEvents.exclude(this);
        return engine.close(nanos);
    }

    /**
     * Whether the pipeline accepts nothing more. Items may still be inside.
     *
     * @return true once it was closed or has stopped
     */
    public boolean isClosed() {
        return first.queue.isClosed();
    }

    /**
     * Why the pipeline stopped by itself.
     *
     * @return what the work threw in a stage with {@link OnError#STOP}; empty if that has not happened
     */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(engine.ending.failure());
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("Pipeline[").append(engine.name);
        engine.all()
                .forEach(stage -> text.append(' ')
                        .append(stage.name)
                        .append(' ')
                        .append(stage.queue.depth())
                        .append('/')
                        .append(stage.queue.capacity()));
        return text.append(isClosed() ? ", closed]" : "]").toString();
    }

    /**
     * Describes a pipeline. Immutable: each method returns another builder, and one builder may start several pipelines.
     *
     * @param <I> what is put in
     * @param <T> what the last stage gives so far
     */
    public static final class Builder<I, T> {
        private final String name;
        private final Parts parts;

        private Builder(String name, Parts parts) {
            this.name = name;
            this.parts = parts;
        }

        private record Parts(
                List<Stage.Plan> plans,
                @Nullable Consumer<Object> sink,
                @Nullable Consumer<? super FailedItem> onFailure,
                @Nullable Consumer<? super JourneyStep> journey,
                Ticker ticker,
                boolean systemTicker,
                @Nullable ThreadFactory threads) {
            static final Parts NONE = new Parts(List.of(), null, null, null, Ticker.system(), true, null);
        }

        /**
         * Adds a stage that blocks when it is full, whose queue is as deep as it has workers.
         *
         * @param stage its name, not blank, and not that of another stage
         * @param workers how many items it works on at once, at least 1
         * @param work what it makes of an item; may block, may throw
         * @param <B> what it gives
         * @return a builder with this stage
         * @throws IllegalArgumentException if the name is blank or taken, or the number less than 1
         */
        public <B> Builder<I, B> then(String stage, int workers, Work<? super T, ? extends B> work) {
            return then(stage, workers, work, options -> options);
        }

        /**
         * Adds a stage with choices.
         *
         * @param stage its name, not blank, and not that of another stage
         * @param workers how many items it works on at once, at least 1
         * @param work what it makes of an item; may block, may throw
         * @param options makes the choices, by calling the methods of what it is given; what it returns does not matter
         * @param <B> what the stage gives
         * @return a builder with this stage
         * @throws IllegalArgumentException if the name is blank or taken, or a number is out of range
         */
        public <B> Builder<I, B> then(
                String stage,
                int workers,
                Work<? super T, ? extends B> work,
                Function<? super StageOptions<T>, ?> options) {
            return add(stage, workers, false, Objects.requireNonNull(work, "work"), options);
        }

        /**
         * Adds a stage that makes several items of one, or none; it blocks when it is full, and its queue is as deep as it has
         * workers.
         *
         * @param stage its name, not blank, and not that of another stage
         * @param workers how many items it works on at once, at least 1
         * @param work what it makes of an item; the results are read one by one as the next stage has room for them, by the
         *     worker. Results read before a failure have gone on
         * @param <B> one of the results
         * @return a builder with this stage
         * @throws IllegalArgumentException if the name is blank or taken, or the number less than 1
         */
        public <B> Builder<I, B> thenFlat(
                String stage, int workers, Work<? super T, ? extends Iterable<? extends B>> work) {
            return thenFlat(stage, workers, work, options -> options);
        }

        /**
         * Adds a stage that makes several items of one, or none, with choices.
         *
         * @param stage its name, not blank, and not that of another stage
         * @param workers how many items it works on at once, at least 1
         * @param work what it makes of an item; the results are read one by one as the next stage has room for them, by the
         *     worker. Results read before a failure have gone on
         * @param options makes the choices, by calling the methods of what it is given; what it returns does not matter
         * @param <B> one of the results
         * @return a builder with this stage
         * @throws IllegalArgumentException if the name is blank or taken, or a number is out of range
         */
        public <B> Builder<I, B> thenFlat(
                String stage,
                int workers,
                Work<? super T, ? extends Iterable<? extends B>> work,
                Function<? super StageOptions<T>, ?> options) {
            return add(stage, workers, true, Objects.requireNonNull(work, "work"), options);
        }

        @SuppressWarnings("unchecked") // a stage is given what the one before it gives
        private <B> Builder<I, B> add(
                String stage,
                int workers,
                boolean flat,
                Work<? super T, ?> work,
                Function<? super StageOptions<T>, ?> options) {
            if (stage.isBlank()) {
                throw new IllegalArgumentException("stage must not be blank, but is \"" + stage + "\"");
            }
            if (parts.plans.stream().anyMatch(plan -> plan.name().equals(stage))) {
                throw new IllegalArgumentException("stage must be a new name, but is \"" + stage + "\" again");
            }
            if (workers < 1) {
                throw new IllegalArgumentException("workers must be at least 1, but is " + workers);
            }
            StageOptions<T> choices = new StageOptions<>(workers);
            Object unused = options.apply(choices); // the choices are made in place
            List<Stage.Plan> plans = new ArrayList<>(parts.plans);
            plans.add(new Stage.Plan(
                    stage, workers, flat, (Work<Object, @Nullable Object>) (Work<?, ?>) work, choices.chosen()));
            return new Builder<>(
                    name,
                    new Parts(
                            List.copyOf(plans),
                            null,
                            parts.onFailure,
                            parts.journey,
                            parts.ticker,
                            parts.systemTicker,
                            parts.threads));
        }

        /**
         * Where the items go at the end: called by the workers of the last stage, so by as many at once, or one at a time if that
         * stage is ordered or has one worker. If it throws, the item fails in the last stage. Without it, what the last stage
         * gives is let go.
         *
         * @param sink takes what the last stage gives
         * @return a builder with this sink; adding another stage to it takes the sink away
         */
        @SuppressWarnings("unchecked") // it is given what the last stage gives
        public Builder<I, T> into(Consumer<? super T> sink) {
            return with(new Parts(
                    parts.plans,
                    (Consumer<Object>) Objects.requireNonNull(sink, "sink"),
                    parts.onFailure,
                    parts.journey,
                    parts.ticker,
                    parts.systemTicker,
                    parts.threads));
        }

        /**
         * Where the items go that fail: called by the worker in which that happened, after it was counted, with the pipeline
         * stopped if the stage stops it. If it throws, that is counted and reported to the thread's uncaught exception handler,
         * and changes nothing.
         *
         * @param onFailure takes the failed items, from several threads at once
         * @return a builder with this route
         */
        public Builder<I, T> onFailure(Consumer<? super FailedItem> onFailure) {
            return with(new Parts(
                    parts.plans,
                    parts.sink,
                    Objects.requireNonNull(onFailure, "onFailure"),
                    parts.journey,
                    parts.ticker,
                    parts.systemTicker,
                    parts.threads));
        }

        /**
         * Follows each item through the stages: called by the worker of a stage when an item has left it. If it throws, that is
         * counted and reported to the thread's uncaught exception handler, and changes nothing.
         *
         * <p>A step is told once the next stage has the item, so a quick next stage may tell its own first: sort the steps of
         * a journey by {@link JourneyStep#entered()}. All of them have been told when the drain is over.
         *
         * @param listener hears of each step, from several threads at once
         * @return a builder with this listener
         */
        public Builder<I, T> journey(Consumer<? super JourneyStep> listener) {
            return with(new Parts(
                    parts.plans,
                    parts.sink,
                    parts.onFailure,
                    Objects.requireNonNull(listener, "listener"),
                    parts.ticker,
                    parts.systemTicker,
                    parts.threads));
        }

        /**
         * The clock for ages, journeys and busy times. Waits with a limit follow the system's clock. A ticker that throws costs an
         * age, never an item.
         *
         * @param ticker the clock
         * @return a builder with this clock
         */
        public Builder<I, T> ticker(Ticker ticker) {
            return with(new Parts(
                    parts.plans,
                    parts.sink,
                    parts.onFailure,
                    parts.journey,
                    Objects.requireNonNull(ticker, "ticker"),
                    false,
                    parts.threads));
        }

        /**
         * Where the workers' threads come from, where a stage does not say ({@link StageOptions#threads}); virtual threads unless
         * set. It is asked for as many threads as the stages have
         * workers, in the call of {@link #start()}, and never later. If it throws or returns null, there is no pipeline.
         *
         * @param threads makes threads that are not started yet
         * @return a builder with this factory
         */
        public Builder<I, T> threads(ThreadFactory threads) {
            return with(new Parts(
                    parts.plans,
                    parts.sink,
                    parts.onFailure,
                    parts.journey,
                    parts.ticker,
                    parts.systemTicker,
                    Objects.requireNonNull(threads, "threads")));
        }

        private Builder<I, T> with(Parts changed) {
            return new Builder<>(name, changed);
        }

        /**
         * Starts a pipeline of what was described, with all its threads.
         *
         * @return a pipeline, ready for use
         * @throws IllegalStateException if there is no stage
         */
        public Pipeline<I> start() {
            if (parts.plans.isEmpty()) {
                throw new IllegalStateException("pipeline " + name + " has no stage");
            }
            return new Pipeline<>(this);
        }
    }
}
