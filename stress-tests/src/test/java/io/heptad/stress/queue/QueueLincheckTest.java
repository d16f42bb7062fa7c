package io.heptad.stress.queue;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.core.ClosedException;
import io.heptad.core.FullPolicy;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * Linearizability of the calls that never wait, by model checking: each schedule's results must be those of some order
 * of the same calls one after the other. Calls that wait are for the other tools: this one takes any wait for a hang.
 *
 * <p>It checks the shipped sources with one number changed ({@code SpinsOnce.mutant}), since it takes 64 spins in a row
 * for a hang too; {@code takeBatch} is left out, as "up to so many" promises less than linearizability.
 */
public class QueueLincheckTest {
    private static ModelCheckingOptions schedules() {
        return new ModelCheckingOptions()
                .iterations(6)
                .invocationsPerIteration(150)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(1);
    }

    /** The calls, on a queue of some capacity. */
    public abstract static class Calls {
        private final io.heptad.mutant.queue.spinsonce.BoundedQueue<Integer> queue;

        Calls(int capacity) {
            queue = io.heptad.mutant.queue.spinsonce.BoundedQueue.of(capacity, FullPolicy.BLOCK);
        }

        @Operation
        public String offer(int item) {
            try {
                return String.valueOf(queue.offer(item));
            } catch (ClosedException e) {
                return "closed";
            }
        }

        @Operation
        public Integer poll() {
            return queue.poll();
        }

        @Operation
        public long depth() {
            return queue.depth();
        }

        @Operation
        public void close() {
            queue.close();
        }

        @Operation
        public boolean isDrained() {
            return queue.isDrained();
        }
    }

    /** Capacity 1. */
    public static class One extends Calls {
        public One() {
            super(1);
        }
    }

    /** Capacity 2, all slots in use. */
    public static class Two extends Calls {
        public Two() {
            super(2);
        }
    }

    /** Capacity 3 in four slots. */
    public static class Three extends Calls {
        public Three() {
            super(3);
        }
    }

    /** A queue that calls itself empty while its first item is still being filled in. */
    public static class Broken {
        private final io.heptad.mutant.queue.spinsonceandsaysemptytoosoon.BoundedQueue<Integer> queue =
                io.heptad.mutant.queue.spinsonceandsaysemptytoosoon.BoundedQueue.of(2, FullPolicy.BLOCK);

        @Operation
        public boolean offer(int item) {
            return queue.offer(item);
        }

        @Operation
        public Integer poll() {
            return queue.poll();
        }
    }

    @Test
    void ofCapacityOne() {
        schedules().check(One.class);
    }

    @Test
    void ofCapacityTwo() {
        schedules().check(Two.class);
    }

    @Test
    void ofCapacityThree() {
        schedules().check(Three.class);
    }

    @Test
    void findsThePlantedFault() {
        assertThatThrownBy(() -> schedules().iterations(40).check(Broken.class))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("Invalid execution results");
    }
}
