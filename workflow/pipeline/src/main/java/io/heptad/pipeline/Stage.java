package io.heptad.pipeline;

import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import io.heptad.core.Ticker;
import io.heptad.core.Work;
import io.heptad.pipeline.JourneyStep.Outcome;
import io.heptad.pipeline.Span.Doing;
import io.heptad.pool.WorkerPool;
import io.heptad.queue.BoundedQueue;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A queue and the workers behind it. */
final class Stage {
    /*
     * An item's way: admit (the thread that brings it) -> the queue -> take -> work -> the passage, which decides when it
     * goes on -> pass, expand or deliver. Every way out of here is one of: counted done, counted failed, counted dropped by
     * the queue, or in the residue; a worker's `hold` says which thread decides.
     *
     * Interrupts: only a halt interrupts workers, after it has set "over" and closed the queues. So an interrupt that is met
     * while it is not over comes from user code; it is cleared before and after the work of each item, and a take or put
     * that it broke off is done again.
     */
    static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    /** The output of a last stage that gives null to nobody. */
    private static final Object NOTHING = new Object();

    /** What a stage is made of. */
    record Plan(
            String name, int workers, boolean flat, Work<Object, @Nullable Object> work, StageOptions.Chosen chosen) {}

    final String name;
    final int index;
    final BoundedQueue<Parcel> queue;
    final List<Worker> workers;
    private final Engine engine;
    private final boolean flat;
    private final Work<Object, @Nullable Object> work;
    private final FullPolicy whenFull;
    private final OnError onError;
    private final @Nullable Function<Object, Object> key;
    private final @Nullable WorkerPool pool;
    private final @Nullable Consumer<Object> onDrop;
    final @Nullable ThreadFactory threads;
    private final @Nullable Stage next;
    private final Passage passage;
    final StageFigures figures;

    /** Workers that have not left. */
    private final AtomicInteger running;

    Stage(Engine engine, int index, Plan plan, @Nullable Stage next) {
        this.engine = engine;
        this.index = index;
        this.next = next;
        StageOptions.Chosen chosen = plan.chosen();
        name = plan.name();
        flat = plan.flat();
        work = plan.work();
        whenFull = chosen.whenFull();
        onError = chosen.onError();
        key = chosen.key();
        pool = chosen.pool();
        onDrop = chosen.onDrop();
        threads = chosen.threads();
        BoundedQueue.Builder<Parcel> builder = BoundedQueue.<Parcel>builder(chosen.capacity(), whenFull)
                .name(engine.name + "/" + name)
                .onDrop(this::dropped);
        Ticker own = engine.ownTicker();
        queue = (own == null ? builder : builder.ticker(own)).build();
        workers = IntStream.range(0, plan.workers())
                .mapToObj(i -> new Worker(this, engine.now()))
                .toList();
        figures = new StageFigures(workers, queue, flat, index == 0);
        running = new AtomicInteger(plan.workers());
        passage = switch (chosen.order()) {
            case NONE -> new FreePassage(this);
            case ALL -> new OrderedPassage(this, chosen.window());
            case BY_KEY -> new KeyedPassage(this, plan.workers(), chosen.window());
        };
    }

    // In

    /** The key of an item, for a stage ordered by key; else null. User code. */
    @Nullable
    Object keyOf(Object item) {
        return key == null
                ? null
                : Objects.requireNonNull(key.apply(item), () -> "the key of an item of stage " + name);
    }

    /**
     * A worker of the stage before brings an item.
     *
     * @return false if this stage is closed, because the pipeline is halted
     * @throws FullException if there is no room and the policy is to reject
     */
    private boolean admit(Worker bringer, Parcel parcel) {
        for (; ; ) {
            try {
                if (whenFull != FullPolicy.BLOCK) {
                    queue.put(parcel); // false: dropped, counted and told
                    return true;
                }
                return queue.put(parcel, Duration.ZERO) || block(bringer, parcel);
            } catch (ClosedException halted) {
                return false;
            } catch (InterruptedException stray) {
                if (isOver()) {
                    return false;
                }
            }
        }
    }

    private boolean block(Worker bringer, Parcel parcel) throws InterruptedException {
        StageBlockedEvent event = engine.events.beginBlock();
        bringer.turnTo(Doing.BLOCKED, engine.now());
        try {
            return queue.put(parcel);
        } finally {
            bringer.turnTo(Doing.BUSY, engine.now());
            engine.events.endBlock(event, engine.stages().get(index - 1).name, name);
        }
    }

    /** This stage does not take an item that another brings, which fails for it. The bringer's hands are empty. */
    private void turnAway(Object item, long journey, Throwable cause) {
        long now = engine.now();
        fail(item, journey, now, now, cause);
    }

    /** The hook of the queue: counted there. */
    private void dropped(Parcel parcel) {
        engine.workerOf(Thread.currentThread()).ifPresent(Worker::hasPassed);
        if (onDrop != null) {
            engine.callbacks.tell(onDrop, parcel.item);
        }
        engine.callbacks.step(this, parcel.item, parcel.journey, parcel.entered, engine.now(), Outcome.DROPPED);
    }

    // Through

    /** The next item to work on; null at the end. */
    @Nullable
    Parcel next(Worker worker) {
        worker.taking();
        Parcel parcel = passage.next(worker);
        if (parcel == null) {
            worker.free();
        }
        return parcel;
    }

    /** For the passages: the oldest item of the queue. */
    @Nullable
    Parcel take(Worker worker) {
        Parcel parcel = queue.poll();
        if (parcel == null) {
            idle(worker);
            parcel = awaitItem();
        }
        if (parcel != null && worker.span().doing() != Doing.BUSY) {
            worker.turnTo(Doing.BUSY, engine.now());
        }
        return parcel;
    }

    private @Nullable Parcel awaitItem() {
        for (; ; ) {
            try {
                return queue.poll(FOREVER); // null: closed and drained
            } catch (InterruptedException stray) {
                if (isOver()) {
                    return null;
                }
            }
        }
    }

    void idle(Worker worker) {
        if (worker.span().doing() != Doing.IDLE) {
            worker.turnTo(Doing.IDLE, engine.now());
        }
    }

    /** For the passages: waits as a worker that has nothing to do. */
    void lock(ReentrantLock lock, Worker worker) {
        if (!lock.tryLock()) {
            idle(worker);
            lock.lock();
        }
    }

    boolean isOver() {
        return engine.ending.isOver();
    }

    /** Works on an item, and lets the passage see to the rest. */
    @Nullable
    Parcel work(Worker worker, Parcel parcel) {
        worker.holds(parcel);
        return passage.ended(worker, parcel, outputOf(worker, parcel));
    }

    /** What the work gives; null if the item has left by another way. */
    private @Nullable Object outputOf(Worker worker, Parcel parcel) {
        Object item = parcel.item;
        Thread.interrupted(); // a stray one that came with the item; the one of a halt comes after "over"
        if (isOver()) {
            if (worker.passes(parcel)) {
                engine.residue.waiting(index, item);
                worker.free();
            }
            return null;
        }
        Object output;
        try {
            output = pool == null ? work.apply(item) : inSlot(pool, worker, item);
            if (output == null && (next != null || flat || engine.sink != null)) {
                throw new NullPointerException("stage " + name + " gave null for an item");
            }
        } catch (NotBegun halted) {
            if (worker.passes(parcel)) {
                engine.residue.waiting(index, item);
                worker.free();
            }
            return null;
        } catch (Throwable failure) {
            failed(worker, parcel, item, failure);
            return null;
        }
        Thread.interrupted();
        return output == null ? NOTHING : output;
    }

    /** The work, inside a slot of a pool that others use as well. */
    private @Nullable Object inSlot(WorkerPool pool, Worker worker, Object item) throws Exception {
        boolean[] begun = {false};
        for (; ; ) {
            idle(worker);
            try {
                return pool.<@Nullable Object, Exception>run(() -> {
                    begun[0] = true;
                    worker.turnTo(Doing.BUSY, engine.now());
                    return work.apply(item);
                });
            } catch (InterruptedException interrupted) {
                if (begun[0]) {
                    throw interrupted;
                }
                if (isOver()) {
                    throw new NotBegun();
                }
            } finally {
                if (!begun[0]) {
                    worker.turnTo(Doing.BUSY, engine.now());
                }
            }
        }
    }

    /** The pipeline was halted while the item waited for a slot. */
    private static final class NotBegun extends Exception {
        private static final long serialVersionUID = 1L;

        NotBegun() {
            super(null, null, false, false);
        }
    }

    private void failed(Worker worker, Parcel parcel, Object item, Throwable cause) {
        Thread.interrupted();
        if (isOver()) { // likely it was interrupted for that: nobody can say what it would have come to
            handBackBegun(worker, parcel, item);
        } else if (worker.passes(parcel)) {
            worker.countFailed();
            worker.free();
            fail(item, parcel.journey, parcel.entered, engine.now(), cause);
        }
    }

    private void fail(Object item, long journey, long entered, long left, Throwable cause) {
        engine.events.failed(name, cause, onError == OnError.STOP);
        if (onError == OnError.STOP) {
            engine.stop(cause);
        }
        engine.callbacks.failed(this, item, cause);
        engine.callbacks.step(this, item, journey, entered, left, Outcome.FAILED);
    }

    private void handBackBegun(Worker worker, Parcel parcel, Object item) {
        if (worker.passes(parcel)) {
            engine.residue.begun(index, item);
            worker.free();
        }
    }

    // Out

    /** For the passages: it is the item's turn to leave with what the work gave for it. */
    void goOn(Worker worker, Parcel parcel, Object output) {
        if (flat) {
            expand(worker, parcel, (Iterable<?>) output);
        } else if (next == null) {
            deliver(worker, parcel, output);
        } else {
            pass(next, worker, parcel, output);
        }
    }

    private void deliver(Worker worker, Parcel parcel, Object output) {
        Object item = parcel.item;
        if (engine.sink != null) {
            if (isOver()) {
                handBackBegun(worker, parcel, item);
                return;
            }
            try {
                engine.sink.accept(output);
            } catch (Throwable failure) {
                failed(worker, parcel, item, failure);
                return;
            }
            Thread.interrupted();
        }
        if (worker.passes(parcel)) {
            worker.countDone();
            worker.free();
            step(parcel, item, parcel.entered);
        }
    }

    private void pass(Stage to, Worker worker, Parcel parcel, Object output) {
        Object item = parcel.item;
        long entered = parcel.entered;
        Object key;
        try {
            key = to.keyOf(output);
        } catch (Throwable failure) {
            Thread.interrupted();
            if (worker.passes(parcel)) {
                to.figures.countKeyless();
                worker.countDone();
                worker.free();
                step(parcel, item, entered);
                to.turnAway(output, parcel.journey, failure);
            }
            return;
        }
        if (!worker.passes(parcel)) {
            return;
        }
        parcel.item = output;
        parcel.entered = engine.now();
        parcel.key = key;
        long left = parcel.entered;
        long journey = parcel.journey; // from here on the parcel may be somebody else's
        FullException full = null;
        try {
            if (!to.admit(worker, parcel)) {
                engine.residue.waiting(to.index, output);
                worker.free();
                return;
            }
        } catch (FullException refused) {
            full = refused;
        }
        worker.countDone();
        worker.free();
        engine.callbacks.step(this, item, journey, entered, left, Outcome.PASSED);
        if (full != null) {
            to.turnAway(output, journey, full);
        }
    }

    /** A flat stage: its worker keeps the item in its hands until all that it was made into has gone on. */
    private void expand(Worker worker, Parcel parcel, Iterable<?> outputs) {
        Object item = parcel.item;
        try {
            for (Object output : outputs) {
                if (output == null) {
                    throw new NullPointerException("stage " + name + " gave a null among the results for an item");
                }
                Thread.interrupted();
                if (isOver() || !passes(worker, output, parcel.journey)) {
                    handBackBegun(worker, parcel, item);
                    return;
                }
                worker.countOut();
            }
        } catch (Throwable failure) {
            failed(worker, parcel, item, failure);
            return;
        }
        Thread.interrupted();
        if (worker.passes(parcel)) {
            worker.countDone();
            worker.free();
            step(parcel, item, parcel.entered);
        }
    }

    /** One of the results of a flat stage; false if the pipeline is halted. */
    private boolean passes(Worker worker, Object output, long journey) {
        Stage to = next;
        if (to == null) {
            if (engine.sink != null) {
                engine.sink.accept(output);
            }
            return true;
        }
        Parcel one = new Parcel(output, engine.now(), journey);
        try {
            one.key = to.keyOf(output);
        } catch (Throwable failure) {
            to.figures.countKeyless();
            to.turnAway(output, journey, failure);
            return true;
        }
        try {
            return to.admit(worker, one);
        } catch (FullException refused) {
            to.turnAway(output, journey, refused);
            return true;
        }
    }

    private void step(Parcel parcel, Object item, long entered) {
        if (engine.callbacks.followsJourneys()) {
            engine.callbacks.step(this, item, parcel.journey, entered, engine.now(), Outcome.PASSED);
        }
    }

    // The end

    /** A worker leaves; when all of them have, the next stage gets nothing more. */
    void leave() {
        if (running.decrementAndGet() == 0 && next != null) {
            next.queue.close();
        }
        engine.left();
    }

    /** Something that is not an item's matter. */
    void broke(Worker worker, Throwable broken) {
        Parcel parcel = worker.held();
        if (parcel != null) {
            handBackBegun(worker, parcel, parcel.item);
        }
        worker.free(); // whoever reports waits for hands that are taking or passing, with the lock that a stop needs
        engine.stop(broken);
    }

    void halt() {
        queue.closeNow().forEach(parcel -> engine.residue.queued(index, parcel.item));
        passage.wake();
    }

    /** After the halt of all stages: what is in hands and in the passage. */
    void handBack(Residue residue) {
        for (Worker worker : workers) {
            Parcel parcel = worker.yieldUp();
            if (parcel != null) {
                residue.begun(index, parcel.item);
            }
        }
        passage.handBack(residue);
    }

    /** For a passage: an item that is worked on to the end and waits for its turn to leave. */
    void handBack(Residue residue, Parcel parcel, Object output) {
        if (next == null || flat) {
            residue.begun(index, parcel.item);
        } else {
            residue.waiting(next.index, output);
        }
    }

    boolean flat() {
        return flat;
    }

    FullPolicy whenFull() {
        return whenFull;
    }
}
