package io.heptad.pipeline;

import io.heptad.pipeline.JourneyStep.Outcome;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the pipeline tells its user. Never under a lock; one that throws is counted and reported, and harms nobody. */
final class Callbacks {
    private final @Nullable Consumer<? super FailedItem> onFailure;
    private final @Nullable Consumer<? super JourneyStep> journey;
    private final LongAdder failures = new LongAdder();

    /** What the ticker's origin is on the wall clock. */
    private final Instant origin;

    private final long originNanos;

    Callbacks(
            @Nullable Consumer<? super FailedItem> onFailure,
            @Nullable Consumer<? super JourneyStep> journey,
            Instant origin,
            long originNanos) {
        this.onFailure = onFailure;
        this.journey = journey;
        this.origin = origin;
        this.originNanos = originNanos;
    }

    boolean followsJourneys() {
        return journey != null;
    }

    void failed(Stage stage, Object item, Throwable cause) {
        if (onFailure != null) {
            tell(onFailure, new FailedItem(stage.name, item, cause));
        }
    }

    void step(Stage stage, Object item, long number, long entered, long left, Outcome outcome) {
        if (journey != null) {
            tell(journey, new JourneyStep(number, item, stage.name, instant(entered), instant(left), outcome));
        }
    }

    <T> void tell(Consumer<? super T> callback, T what) {
        try {
            callback.accept(what);
        } catch (Throwable failure) {
            failures.increment();
            report(failure);
        }
    }

    private Instant instant(long nanos) {
        return origin.plusNanos(nanos - originNanos);
    }

    private static void report(Throwable failure) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        } catch (Throwable handlerFailed) {
            // As the JVM does with a handler that throws: there is nobody left to tell.
        }
    }

    long failures() {
        return failures.sum();
    }
}
