package io.heptad.core;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
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

    @Nullable
    Duration full(FullException full) {
        // @start region="full"
        int status = 429;
        Duration retryAfter = full.retryAfter().orElse(Duration.ofSeconds(1));
        // @end
        return retryAfter;
    }
}
