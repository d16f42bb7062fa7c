package io.heptad.pipeline;

import io.heptad.core.ClosedException;
import io.heptad.core.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The stages of a pipeline and what they have in common: the end, the residue, the figures. */
final class Engine {
    /*
     * The end, when nothing happens: the first queue is closed and drained, its workers leave, the last of them closes the next
     * queue, and so on; the last thread of all completes `gone`.
     *
     * The halt (STOP, or a drain whose time ran out): the CAS of `ending`, so that nothing begins any more; then, under
     * `halting`, all queues are closed and emptied into the residue, those who wait in passages are woken, and all threads
     * interrupted. Whoever wants the report takes `halting` as well, so it finds the halt complete; then it takes from the
     * hands of the workers what they hold, and what is in the passages.
     *
     * Lock order: halting, then the locks of passages and queues, then that of the residue. No worker takes `halting` while
     * it holds an item, so whoever has it may wait for workers that are taking or passing.
     */
    private static final long WINDOW_NANOS = Duration.ofMillis(100).toNanos();
    private static final int READINGS = 16;

    final String name;
    final @Nullable Consumer<Object> sink;
    final Callbacks callbacks;
    final PipelineEvents events;
    final Ending ending = new Ending();
    final Residue residue;

    private final Ticker ticker;
    private final boolean systemTicker;
    private final long origin;
    private final List<Stage> stages;
    /** Filled by the constructor, then only read. */
    private final Map<Thread, Worker> threads = new LinkedHashMap<>();

    private final AtomicInteger running;
    private final CompletableFuture<@Nullable Void> gone = new CompletableFuture<>();
    private final ReentrantLock halting = new ReentrantLock();
    private final long room;

    /** Guarded by halting. */
    private boolean halted;

    /** The last thing that was handed out, if the pipeline was halted; guarded by halting. */
    private @Nullable List<StageResidue> handedBack;

    private volatile Marks marks;

    /** How long the workers of each stage had been busy and blocked by then. */
    private static final class Mark {
        private final long nanos;
        private final long[] busy;
        private final long[] blocked;

        Mark(long nanos, List<Stage> stages) {
            this.nanos = nanos;
            busy = stages.stream()
                    .mapToLong(stage -> stage.figures.busyNanos(nanos))
                    .toArray();
            blocked = stages.stream()
                    .mapToLong(stage -> stage.figures.blockedNanos(nanos))
                    .toArray();
        }
    }

    private record Marks(Mark older, Mark newer) {}

    Engine(
            String name,
            List<Stage.Plan> plans,
            @Nullable Consumer<Object> sink,
            @Nullable Consumer<? super FailedItem> onFailure,
            @Nullable Consumer<? super JourneyStep> journey,
            Ticker ticker,
            boolean systemTicker,
            ThreadFactory factory) {
        this.name = name;
        this.sink = sink;
        this.ticker = ticker;
        this.systemTicker = systemTicker;
        origin = ticker.nanos();
        callbacks = new Callbacks(onFailure, journey, Instant.now(), origin);
        events = new PipelineEvents(name);
        residue = new Residue(plans.size());
        List<Stage> built = new ArrayList<>();
        Stage next = null;
        for (int i = plans.size() - 1; i >= 0; i--) {
            next = new Stage(this, i, plans.get(i), next);
            built.addFirst(next);
        }
        stages = List.copyOf(built);
        long room = 0;
        for (Stage.Plan plan : plans) {
            StageOptions.Chosen chosen = plan.chosen();
            boolean free = chosen.order() == StageOptions.Order.NONE;
            room += chosen.capacity() + (long) (free ? plan.workers() : chosen.window());
        }
        this.room = room;
        running = new AtomicInteger(plans.stream().mapToInt(Stage.Plan::workers).sum());
        Mark start = new Mark(origin, stages);
        marks = new Marks(start, start);
        try {
            for (Stage stage : stages) {
                for (Worker worker : stage.workers) {
                    threads.put(thread(stage.threads == null ? factory : stage.threads, worker, stage), worker);
                }
            }
        } catch (Throwable refused) {
            stages.forEach(stage -> stage.queue.close());
            throw refused;
        }
    }

    private static Thread thread(ThreadFactory factory, Worker worker, Stage stage) {
        Thread thread = factory.newThread(worker);
        if (thread == null) {
            throw new IllegalStateException("the thread factory gave no thread for stage " + stage.name);
        }
        return thread;
    }

    /** All threads or none. */
    void start() {
        try {
            threads.keySet().forEach(Thread::start);
        } catch (Throwable failure) {
            stop(failure); // those that have started leave; nobody has the pipeline to wait for them
            throw failure;
        }
    }

    List<Stage> stages() {
        return stages;
    }

    Stage first() {
        return stages.getFirst();
    }

    /** A ticker of the user's that throws costs an age, never an item. */
    long now() {
        if (systemTicker) {
            return System.nanoTime();
        }
        try {
            return ticker.nanos();
        } catch (Throwable broken) {
            return origin;
        }
    }

    @Nullable
    Ticker ownTicker() {
        return systemTicker ? null : ticker;
    }

    Optional<Worker> workerOf(Thread thread) {
        return Optional.ofNullable(threads.get(thread));
    }

    // The end

    ClosedException closed() {
        ClosedException closed = new ClosedException(name);
        Throwable failure = ending.failure();
        if (failure != null) {
            closed.initCause(failure);
        }
        return closed;
    }

    void close() {
        first().queue.close();
    }

    /** A stage stops the pipeline. Its worker holds nothing. */
    void stop(Throwable cause) {
        if (ending.fail(cause)) {
            halt();
        }
    }

    private void halt() {
        halting.lock();
        try {
            if (!halted) {
                halted = true;
                stages.forEach(Stage::halt);
                for (Thread thread : threads.keySet()) {
                    if (thread != Thread.currentThread()) {
                        thread.interrupt();
                    }
                }
            }
        } finally {
            halting.unlock();
        }
    }

    /** A worker's thread has nothing more to do. */
    void left() {
        if (running.decrementAndGet() == 0) {
            ending.complete();
            gone.complete(null);
        }
    }

    DrainReport close(long nanos) throws InterruptedException {
        if (Thread.interrupted()) {
            close();
            throw new InterruptedException();
        }
        close();
        if (threads.containsKey(Thread.currentThread())) {
            return new DrainReport(false, List.of(), Optional.ofNullable(ending.failure()), stats());
        }
        if (!isGoneWithin(nanos)) {
            ending.halt(); // changes nothing if the last has left meanwhile
        }
        if (ending.isCompleted()) {
            return new DrainReport(true, List.of(), Optional.empty(), stats());
        }
        List<StageResidue> left = handBack();
        return new DrainReport(false, left, Optional.ofNullable(ending.failure()), stats());
    }

    private boolean isGoneWithin(long nanos) throws InterruptedException {
        if (nanos <= 0) {
            return gone.isDone();
        }
        try {
            gone.get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException late) {
            return false;
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private List<StageResidue> handBack() {
        halt();
        halting.lock();
        try {
            List<StageResidue> known = handedBack;
            if (known == null) {
                stages.forEach(stage -> stage.handBack(residue));
                known = residue.of(stages);
                handedBack = known;
            }
            return known;
        } finally {
            halting.unlock();
        }
    }

    // Figures

    /** The counts of all stages, first to last, of one reading. */
    record Reading(List<StageFigures.Counts> counts, long failed, long dropped, long inFlight) {
        long in() {
            return counts.getFirst().in();
        }

        long out() {
            return counts.getLast().out();
        }
    }

    /**
     * Outputs are read before inputs, so what came in meanwhile looks as if it were inside. If that is more than can be inside,
     * the reader was held up between the two, and reads again.
     */
    Reading reading() {
        Reading reading = readOnce();
        for (int i = 1; i < READINGS && reading.inFlight > room; i++) {
            reading = readOnce();
        }
        return reading;
    }

    private Reading readOnce() {
        StageFigures.Counts[] counts = new StageFigures.Counts[stages.size()];
        long failed = 0;
        long dropped = 0;
        long inFlight = 0;
        for (int i = counts.length - 1; i >= 0; i--) {
            counts[i] = stages.get(i).figures.counts();
            boolean tells = stages.get(i).flat() || i == counts.length - 1;
            failed += counts[i].failed();
            dropped += counts[i].dropped();
            inFlight += counts[i].inside(tells ? counts[i].done() : counts[i + 1].in());
        }
        return new Reading(List.of(counts), failed, dropped, inFlight);
    }

    PipelineStats stats() {
        Reading reading = reading();
        long now = now();
        Mark mark = new Mark(now, stages);
        Mark from = since(mark);
        List<StageStats> all = new ArrayList<>();
        for (Stage stage : stages) {
            int i = stage.index;
            StageFigures.Counts counts = reading.counts.get(i);
            int size = stage.workers.size();
            int busy = Math.min(size, stage.figures.doing(Span.Doing.BUSY));
            int blocked = Math.min(size - busy, stage.figures.doing(Span.Doing.BLOCKED));
            double passed = (double) (now - from.nanos) * size;
            all.add(new StageStats(
                    stage.name,
                    size,
                    busy,
                    blocked,
                    (int) stage.queue.capacity(),
                    counts.depth(),
                    counts.in(),
                    counts.out(),
                    counts.failed(),
                    Duration.ofNanos(mark.busy[i]),
                    stage.figures.oldestAge(now),
                    counts.dropped(),
                    passed > 0 ? share((mark.busy[i] - from.busy[i]) / passed) : (double) busy / size,
                    passed > 0 ? share((mark.blocked[i] - from.blocked[i]) / passed) : (double) blocked / size));
        }
        return new PipelineStats(
                all, reading.in(), reading.out(), reading.failed(), reading.dropped(), reading.inFlight());
    }

    private static double share(double of) {
        return Math.max(0, Math.min(1, of));
    }

    /** Two readers that come at once may lose one of two marks taken at nearly the same time. */
    private Mark since(Mark now) {
        Marks seen = marks;
        if (now.nanos - seen.newer.nanos > WINDOW_NANOS) {
            seen = new Marks(seen.newer, now);
            marks = seen;
        }
        return seen.older;
    }

    Stream<Stage> all() {
        return stages.stream();
    }
}
