package io.heptad.core;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The examples of the javadoc; compiled here so that they cannot rot. */
@SuppressWarnings("unused")
final class Snippets {
    private Snippets() {}

    void backoff(int attempt) {
        // @start region="backoff"
        Backoff backoff = Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(30))
                .withFullJitter();
        Duration pause = backoff.delay(attempt); // attempt 1 is the first one that failed
        // @end
    }

    @Nullable
    Duration drainRate(LongAdder taken, long depth) {
        // @start region="drain-rate"
        DrainRate rate = DrainRate.of(taken::sum, Duration.ofSeconds(10), Ticker.system());
        Duration wait = rate.timeToDrain(depth); // null: nothing drained lately, so nobody can say
        // @end
        return wait;
    }

    void depthTrend(Bounded queue, Runnable warn) {
        // @start region="depth-trend"
        DepthTrend trend = DepthTrend.of(queue::depth, Duration.ofMinutes(1), Ticker.system());
        // once a second, from any timer:
        trend.sample();
        if (trend.forecast(Duration.ofMinutes(5)) > queue.capacity()) {
            warn.run();
        }
        // @end
    }

    void measured(Measured queue) {
        // @start region="measured"
        for (Metric metric : queue.metrics()) {
            System.out.println(
                    metric.name() + metric.tags() + " = " + metric.value().getAsDouble());
        }
        // @end
    }

    void heptadMetrics(MeterRegistry registry, Measured queue, Measured pool) {
        // @start region="heptad-metrics"
        new HeptadMetrics(queue, pool).bindTo(registry);
        // @end
    }

    abstract static class Ring implements Bounded, AutoCloseable {
        // @start region="depth-events"
        Ring() {
            // … everything else first: from now on another thread may read this
            DepthEvents.include(this);
        }

        @Override
        public void close() {
            DepthEvents.exclude(this);
        }
        // @end
    }

    void full(FullException refusal, Headers headers) {
        // @start region="full"
        headers.status(429);
        refusal.retryAfter()
                .ifPresent(wait ->
                        headers.set("Retry-After", wait.plusNanos(999_999_999).toSeconds()));
        // @end
    }

    interface Headers {
        void status(int code);

        void set(String name, long value);
    }

    String bounded(Bounded shape) {
        // @start region="bounded"
        String answers = shape.name() + ": " + shape.depth() + " of " + shape.capacity() + ", when full "
                + shape.whenFull(); // letters: 17 of 100, when full REJECT
        // @end
        return answers;
    }

    void ticker() {
        // @start region="ticker"
        AtomicLong now = new AtomicLong();
        Ticker manual = now::get;
        now.addAndGet(Duration.ofMinutes(5).toNanos()); // five minutes later
        // @end
    }
}
