package io.heptad.bench.core;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
import io.heptad.core.FullPolicy;
import io.heptad.queue.BoundedQueue;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What a Flight Recorder event costs where it is disabled, which is nearly always: once as a guard around nothing else,
 * against the same code without it, and once in the cheapest operation of the library that has an event, a refused
 * {@code offer}, without a recording, beside one that leaves our events off, and beside one that writes them.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class FlightRecorderCost {
    /** The guard alone. */
    @State(Scope.Thread)
    public static class Guard {
        @Param({"heptad", "withoutEvent"})
        public String peer;

        private boolean event;
        private long count;

        @Setup
        public void choose() {
            event = peer.equals("heptad");
        }
    }

    /** A full queue. */
    @State(Scope.Benchmark)
    public static class Full {
        @Param({"heptad", "recordingOfOthers", "recordingOfOurs"})
        public String peer;

        private BoundedQueue<Integer> queue;
        private @Nullable Recording recording;

        @Setup
        public void fill() {
            queue = BoundedQueue.of(1, FullPolicy.REJECT);
            if (!queue.offer(0)) {
                throw new AssertionError("an empty queue refused an item");
            }
            if (!peer.equals("heptad")) {
                recording = new Recording();
                if (peer.equals("recordingOfOurs")) {
                    recording.enable("io.heptad.QueueRefused");
                } else {
                    recording.disable("io.heptad.QueueRefused");
                    recording.enable("jdk.CPULoad");
                }
                recording.start();
            }
        }

        @TearDown
        public void check() {
            if (recording != null) {
                recording.close();
            }
            if (queue.stats().rejected() == 0 || queue.depth() != 1) {
                throw new AssertionError("the queue was not full all the time: " + queue.stats());
            }
            queue.close();
        }
    }

    @Benchmark
    @Compare(
            work = "count to one, with a disabled event and without",
            quick = "",
            goals = @Goal(atLeast = 0.95, of = "withoutEvent"))
    public long disabledEvent(Guard guard) {
        long count = ++guard.count;
        if (guard.event) {
            SampleEvent event = new SampleEvent();
            if (event.isEnabled()) {
                event.name = guard.peer;
                event.depth = count;
                event.commit();
            }
        }
        return count;
    }

    @Benchmark
    @Compare(work = "a full queue refuses an item; heptad is without any recording", quick = "")
    public boolean refusedOffer(Full full) {
        return full.queue.offer(1);
    }
}
