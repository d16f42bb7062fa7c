package io.heptad.bench.pipeline;

import com.typesafe.config.ConfigFactory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;

/**
 * Pekko Streams, in two forms. {@code mapAsync} has as many items of a stage at once as it has workers, each a future; it is
 * the form that lets them change places, as ours does. {@code async} has a thread for each stage, with a buffer before it.
 */
final class PekkoStreams implements Stages {
    private final List<Stage> stages;
    private final int capacity;
    private final boolean futures;
    private final ActorSystem system;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Executor executor;

    private PekkoStreams(List<Stage> stages, int capacity, boolean futures) {
        this.stages = stages;
        this.capacity = capacity;
        this.futures = futures;
        system = ActorSystem.create(
                "bench",
                ConfigFactory.parseMap(Map.of(
                                "pekko.loglevel",
                                "OFF",
                                "pekko.stdout-loglevel",
                                "OFF",
                                "pekko.jvm-shutdown-hooks",
                                "off"))
                        .withFallback(ConfigFactory.load()));
        // What its users take: the system's own threads for what never waits, threads in plenty for what does.
        boolean waits = stages.stream().anyMatch(Stage::waits);
        executor = waits ? threads : system.dispatcher();
    }

    static Stages mapAsync(List<Stage> stages, int capacity) {
        return new PekkoStreams(stages, capacity, true);
    }

    static Stages async(List<Stage> stages, int capacity) {
        return new PekkoStreams(stages, capacity, false);
    }

    @Override
    public void run(int n, Consumer<Item> sink) throws InterruptedException, ExecutionException, TimeoutException {
        Source<Item, NotUsed> source = Source.range(0, n - 1).map(Item::of);
        for (Stage stage : stages) {
            source = futures
                    ? source.mapAsyncUnordered(
                            stage.workers(), item -> CompletableFuture.supplyAsync(() -> stage.apply(item), executor))
                    : source.async().map(stage::apply);
        }
        source.withAttributes(Attributes.inputBuffer(capacity, capacity))
                .runWith(Sink.foreach(sink::accept), system)
                .toCompletableFuture()
                .get(LONG.toSeconds(), TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        system.terminate();
        try {
            system.getWhenTerminated().toCompletableFuture().get(LONG.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException hangs) {
            throw new AssertionError("the actor system did not end", hangs);
        }
        threads.close();
    }
}
