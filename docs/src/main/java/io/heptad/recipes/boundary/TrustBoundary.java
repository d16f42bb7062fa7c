package io.heptad.recipes.boundary;

import io.github.bucket4j.Bucket;
import io.heptad.core.ClosedException;
import io.heptad.recipes.BrokenRunException;
import io.heptad.recipes.Option;
import io.heptad.recipes.Options;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * An abusive client floods an endpoint far faster than it is served. The queue behind it stays as deep as its bound, no
 * thread waits, and every refusal comes at once with a time to come back.
 */
public final class TrustBoundary {
    /** What can be set. */
    public static final List<Option> OPTIONS = List.of(
            new Option("refusals", "10000", "how many refusals the flood goes on for"),
            new Option("clients", "32", "how many clients send at a time, each as fast as it is answered"),
            new Option("capacity", "100", "the bound of the queue"),
            new Option("drain", "50", "events a second that are handled"));

    /** What the flood saw, and what the queue says. */
    record Flood(
            long accepted,
            long refused,
            LongSummaryStatistics retryAfter,
            long deepest,
            int waitingProducers,
            double p50Millis,
            double p99Millis) {}

    private TrustBoundary() {}

    /**
     * Floods the endpoint.
     *
     * @param options what was set
     * @param out where the figures go
     * @throws Exception if the endpoint could not be opened or called
     */
    public static void run(Options options, PrintStream out) throws Exception {
        int capacity = options.count("capacity", 1, 1_000_000);
        int clients = options.count("clients", 1, 1_000);
        int drain = options.count("drain", 1, 100_000);
        Flood flood = flood(options.count("refusals", 1, 10_000_000), clients, capacity, drain);
        out.printf(
                Locale.ROOT,
                "trust-boundary: %,d clients against a queue of %,d, drained at %,d a second%n",
                clients,
                capacity,
                drain);
        out.printf(Locale.ROOT, "  202 accepted     %,8d%n", flood.accepted);
        out.printf(
                Locale.ROOT,
                "  429 refused      %,8d   Retry-After %d to %d s%n",
                flood.refused,
                flood.retryAfter.getMin(),
                flood.retryAfter.getMax());
        out.printf(Locale.ROOT, "  deepest          %,8d   of %,d%n", flood.deepest, capacity);
        out.printf(Locale.ROOT, "  threads waiting  %,8d   for space in the queue%n", flood.waitingProducers);
        out.printf(Locale.ROOT, "  an answer took   p50 %.1f ms, p99 %.1f ms%n", flood.p50Millis, flood.p99Millis);
        if (flood.deepest > capacity || flood.waitingProducers > 0) {
            throw new BrokenRunException("the boundary must hold at most " + capacity
                    + " events and no thread, but held " + flood.deepest + " and " + flood.waitingProducers);
        }
    }

    static Flood flood(int refusals, int clients, int capacity, int drain) throws Exception {
        AtomicLong accepted = new AtomicLong();
        AtomicLong refused = new AtomicLong();
        AtomicLong deepest = new AtomicLong();
        AtomicLong waiting = new AtomicLong();
        ConcurrentHistogram micros = new ConcurrentHistogram(60_000_000, 3);
        LongSummaryStatistics retryAfter = new LongSummaryStatistics();
        try (Intake intake = Intake.open(capacity);
                HttpClient http = HttpClient.newHttpClient();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> worker = threads.submit(() -> handle(intake, drain));
            Callable<LongSummaryStatistics> client = () -> {
                LongSummaryStatistics told = new LongSummaryStatistics();
                while (refused.get() < refusals) {
                    long start = System.nanoTime();
                    HttpResponse<Void> answer = post(http, intake.uri());
                    micros.recordValue((System.nanoTime() - start) / 1_000);
                    deepest.accumulateAndGet(intake.queue().depth(), Math::max);
                    waiting.accumulateAndGet(intake.queue().stats().waitingProducers(), Math::max);
                    if (answer.statusCode() == 202) {
                        accepted.incrementAndGet();
                    } else {
                        refused.incrementAndGet();
                        told.accept(
                                answer.headers().firstValueAsLong("Retry-After").orElseThrow());
                    }
                }
                return told;
            };
            for (Future<LongSummaryStatistics> one : threads.invokeAll(
                    IntStream.range(0, clients).mapToObj(i -> client).toList())) {
                retryAfter.combine(one.get());
            }
            intake.queue().close();
            intake.queue().closeNow();
            worker.get();
        }
        return new Flood(
                accepted.get(),
                refused.get(),
                retryAfter,
                deepest.get(),
                (int) waiting.get(),
                micros.getValueAtPercentile(50) / 1e3,
                micros.getValueAtPercentile(99) / 1e3);
    }

    /** The slow side: so many events a second, until the queue is closed. */
    private static Void handle(Intake intake, int drain) throws InterruptedException {
        Bucket pace = Bucket.builder()
                .addLimit(limit -> limit.capacity(1).refillGreedy(drain, Duration.ofSeconds(1)))
                .build();
        try {
            while (true) {
                pace.asBlocking().consume(1);
                intake.queue().take();
            }
        } catch (ClosedException end) {
            return null;
        }
    }

    private static HttpResponse<Void> post(HttpClient http, URI uri) throws Exception {
        return http.send(
                HttpRequest.newBuilder(uri)
                        .timeout(Duration.ofSeconds(30))
                        .POST(HttpRequest.BodyPublishers.ofString("event"))
                        .build(),
                HttpResponse.BodyHandlers.discarding());
    }
}
