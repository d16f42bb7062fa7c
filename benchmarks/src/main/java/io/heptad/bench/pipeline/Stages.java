package io.heptad.bench.pipeline;

import com.softwaremill.jox.Channel;
import com.softwaremill.jox.ChannelDone;
import io.heptad.core.Work;
import io.heptad.pipeline.Pipeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * What every peer is asked for: send n items through three stages with so many workers each, and return when the last has
 * come out. Results may change places where a stage has several workers. A fork uses one implementation only.
 *
 * <p>jox's flow is made of threads between channels; the peer {@code jox} is that construction on jox's channel, as the
 * module which holds the flow needs a preview feature of one JDK.
 */
interface Stages extends AutoCloseable {
    /** Longer than any run. */
    Duration LONG = Duration.ofMinutes(1);

    /** The first n items through all stages; what comes out goes to {@code sink}, from several threads. */
    void run(int n, Consumer<Item> sink) throws Exception;

    @Override
    void close();

    /**
     * One stage; its work is the same for all peers.
     *
     * @param waits whether its work waits, which decides what its users would run it on
     */
    record Stage(int workers, boolean waits, Work<Item, Item> work) {
        Item apply(Item item) {
            try {
                return work.apply(item);
            } catch (Exception failed) {
                throw new AssertionError("the work of a stage does not fail", failed);
            }
        }
    }

    /**
     * As the peer is named.
     *
     * @param capacity how many items may wait before each stage
     */
    static Stages of(String peer, List<Stage> stages, int capacity) {
        return switch (peer) {
            case "heptad" -> new Heptad(stages, capacity);
            case "threads" ->
                new Queues(stages, capacity, Thread.ofPlatform().daemon().factory());
            case "virtual threads" ->
                new Queues(stages, capacity, Thread.ofVirtual().factory());
            case "jox" -> new Jox(stages, capacity);
            case "Reactor flatMap" -> new ReactorFlatMap(stages);
            case "Reactor publishOn" -> new ReactorPublishOn(stages, capacity);
            case "Pekko mapAsync" -> PekkoStreams.mapAsync(stages, capacity);
            case "Pekko async" -> PekkoStreams.async(stages, capacity);
            default -> throw new IllegalArgumentException("peer is " + peer);
        };
    }

    /** A pipeline for every run: close is what tells that all has come out. */
    record Heptad(List<Stage> stages, int capacity) implements Stages {
        @Override
        public void run(int n, Consumer<Item> sink) throws InterruptedException {
            Pipeline.Builder<Item, Item> building = Pipeline.of("bench", Item.class);
            for (int i = 0; i < stages.size(); i++) {
                Stage stage = stages.get(i);
                building = building.then(
                        "stage-" + i, stage.workers(), stage.work(), options -> options.capacity(capacity));
            }
            try (Pipeline<Item> pipeline = building.into(sink).start()) {
                for (int i = 0; i < n; i++) {
                    pipeline.put(Item.of(i));
                }
                pipeline.close(LONG);
                if (pipeline.stats().out() != n) {
                    throw new AssertionError(n + " items went in, but " + pipeline.stats());
                }
            }
        }

        @Override
        public void close() {
            // Nothing outlives a run.
        }
    }

    /** Threads that take from one queue and put into the next, as one would write them by hand. */
    record Queues(List<Stage> stages, int capacity, ThreadFactory threads) implements Stages {
        private static final Item END = new Item(-1);

        @Override
        public void run(int n, Consumer<Item> sink) throws InterruptedException {
            Crew crew = new Crew(threads);
            List<BlockingQueue<Item>> queues = new ArrayList<>();
            stages.forEach(stage -> queues.add(new ArrayBlockingQueue<>(capacity)));
            for (int i = 0; i < stages.size(); i++) {
                Stage stage = stages.get(i);
                BlockingQueue<Item> from = queues.get(i);
                BlockingQueue<Item> to = i + 1 < stages.size() ? queues.get(i + 1) : null;
                crew.start(i, stage.workers(), () -> {
                    for (Item item = from.take(); item.at() >= 0; item = from.take()) {
                        Item done = stage.apply(item);
                        if (to == null) {
                            sink.accept(done);
                        } else {
                            to.put(done);
                        }
                    }
                });
            }
            for (int i = 0; i < n; i++) {
                queues.getFirst().put(Item.of(i));
            }
            for (int i = 0; i < stages.size(); i++) {
                for (int worker = 0; worker < stages.get(i).workers(); worker++) {
                    queues.get(i).put(END);
                }
                crew.join(i);
            }
        }

        @Override
        public void close() {
            // Nothing outlives a run.
        }
    }

    /** The same with virtual threads and jox's channels. */
    record Jox(List<Stage> stages, int capacity) implements Stages {
        @Override
        public void run(int n, Consumer<Item> sink) throws InterruptedException {
            Crew crew = new Crew(Thread.ofVirtual().factory());
            List<Channel<Item>> channels = new ArrayList<>();
            stages.forEach(stage -> channels.add(Channel.newBufferedChannel(capacity)));
            for (int i = 0; i < stages.size(); i++) {
                Stage stage = stages.get(i);
                Channel<Item> from = channels.get(i);
                Channel<Item> to = i + 1 < stages.size() ? channels.get(i + 1) : null;
                crew.start(i, stage.workers(), () -> {
                    for (Object item = from.receiveOrClosed();
                            !(item instanceof ChannelDone);
                            item = from.receiveOrClosed()) {
                        Item done = stage.apply((Item) item);
                        if (to == null) {
                            sink.accept(done);
                        } else {
                            to.send(done);
                        }
                    }
                });
            }
            for (int i = 0; i < n; i++) {
                channels.getFirst().send(Item.of(i));
            }
            for (int i = 0; i < stages.size(); i++) {
                channels.get(i).done();
                crew.join(i);
            }
        }

        @Override
        public void close() {
            // Nothing outlives a run.
        }
    }

    /** The threads of all stages. One that fails interrupts the others and the feeding thread, so nothing hangs. */
    final class Crew {
        private final ThreadFactory factory;
        private final Thread feeding = Thread.currentThread();
        private final List<Thread> all = new ArrayList<>();
        private final List<List<Thread>> byStage = new ArrayList<>();
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        Crew(ThreadFactory factory) {
            this.factory = factory;
        }

        interface Part {
            void run() throws InterruptedException;
        }

        void start(int stage, int workers, Part part) {
            byStage.add(new ArrayList<>());
            for (int worker = 0; worker < workers; worker++) {
                Thread thread = factory.newThread(() -> {
                    try {
                        part.run();
                    } catch (Throwable thrown) {
                        if (failure.compareAndSet(null, thrown)) {
                            feeding.interrupt();
                        }
                    }
                });
                byStage.get(stage).add(thread);
                all.add(thread);
                thread.start();
            }
        }

        void join(int stage) throws InterruptedException {
            try {
                for (Thread thread : byStage.get(stage)) {
                    thread.join();
                }
            } catch (InterruptedException hangs) {
                all.forEach(Thread::interrupt);
                throw hangs;
            }
            if (failure.get() != null) {
                throw new AssertionError("a worker failed", failure.get());
            }
        }
    }

    /** As many items of a stage at once as it has workers, each a {@code Mono} of its own. */
    final class ReactorFlatMap implements Stages {
        private final List<Stage> stages;
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        private final Scheduler scheduler;

        ReactorFlatMap(List<Stage> stages) {
            this.stages = stages;
            boolean waits = stages.stream().anyMatch(Stage::waits);
            // What its users take: the parallel scheduler for what never waits, threads in plenty for what does.
            scheduler = waits ? Schedulers.fromExecutorService(threads) : Schedulers.newParallel("bench");
        }

        @Override
        public void run(int n, Consumer<Item> sink) {
            Flux<Item> flux = Flux.range(0, n).map(Item::of);
            for (Stage stage : stages) {
                flux = flux.flatMap(item -> one(stage, item), stage.workers());
            }
            flux.doOnNext(sink).blockLast(LONG);
        }

        private Publisher<Item> one(Stage stage, Item item) {
            return Mono.fromCallable(() -> stage.work().apply(item)).subscribeOn(scheduler);
        }

        @Override
        public void close() {
            scheduler.dispose();
            threads.close();
        }
    }

    /** A thread for each stage, and a queue before it. */
    final class ReactorPublishOn implements Stages {
        private final List<Stage> stages;
        private final int capacity;
        private final List<Scheduler> schedulers;

        ReactorPublishOn(List<Stage> stages, int capacity) {
            this.stages = stages;
            this.capacity = capacity;
            schedulers = IntStream.range(0, stages.size())
                    .mapToObj(i -> Schedulers.newSingle("stage-" + i, true))
                    .toList();
        }

        @Override
        public void run(int n, Consumer<Item> sink) {
            Flux<Item> flux = Flux.range(0, n).map(Item::of);
            for (int i = 0; i < stages.size(); i++) {
                Stage stage = stages.get(i);
                flux = flux.publishOn(schedulers.get(i), capacity).map(stage::apply);
            }
            flux.doOnNext(sink).blockLast(LONG);
        }

        @Override
        public void close() {
            schedulers.forEach(Scheduler::dispose);
        }
    }
}
