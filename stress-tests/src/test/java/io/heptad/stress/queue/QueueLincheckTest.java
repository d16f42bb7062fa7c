package io.heptad.stress.queue;

import static io.heptad.stress.Linearizability.assertFound;
import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import io.heptad.core.ClosedException;
import io.heptad.core.DepthEvents;
import io.heptad.core.FullPolicy;
import io.heptad.queue.BoundedQueue;
import io.heptad.stress.Linearizability;
import java.util.ArrayDeque;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Linearizability of the calls that never wait, by model checking: under every schedule that is tried, the results must
 * be those of some order of the same calls on a plain list. Calls that wait are for the other tools: this one takes any
 * wait for a hang. {@code takeBatch} and {@code closeNow} are left out, since they promise less.
 */
public class QueueLincheckTest {
    /*
     * Two things are run, but not taken apart into steps: Ring.pause, whose bursts of spins the checker would try one by
     * one, and the list of DepthEvents, which all queues of the process share and which decides no result.
     */
    private static ModelCheckingOptions schedules(Class<?> specification) {
        return Linearizability.schedules(specification)
                .addGuarantee(
                        forClasses(DepthEvents.class.getName()).allMethods().ignore())
                .addGuarantee(forClasses(name -> name.endsWith(".Ring"))
                        .methods("pause")
                        .ignore());
    }

    /** What a queue is, for one thread. */
    public abstract static class Plain {
        private final int capacity;
        private final ArrayDeque<Integer> items = new ArrayDeque<>();
        private boolean closed;

        Plain(int capacity) {
            this.capacity = capacity;
        }

        public String offer(int item) {
            return closed ? "closed" : String.valueOf(items.size() < capacity && items.add(item));
        }

        public @Nullable Integer poll() {
            return items.poll();
        }

        public long depth() {
            return items.size();
        }

        public void close() {
            closed = true;
        }

        public boolean isDrained() {
            return closed && items.isEmpty();
        }

        /** The oldest makes room. */
        public void put(int item) {
            if (items.size() == capacity) {
                items.remove();
            }
            items.add(item);
        }
    }

    /** A plain queue of one. */
    public static class PlainOne extends Plain {
        public PlainOne() {
            super(1);
        }
    }

    /** A plain queue of two. */
    public static class PlainTwo extends Plain {
        public PlainTwo() {
            super(2);
        }
    }

    /** A plain queue of three. */
    public static class PlainThree extends Plain {
        public PlainThree() {
            super(3);
        }
    }

    /** The shipped queue. */
    public abstract static class Shipped {
        private final BoundedQueue<Integer> queue;

        Shipped(int capacity) {
            queue = BoundedQueue.of(capacity, FullPolicy.BLOCK);
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
        public @Nullable Integer poll() {
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

    /** Capacity 1, in two slots. */
    public static class ShippedOne extends Shipped {
        public ShippedOne() {
            super(1);
        }
    }

    /** Capacity 2, all slots in use. */
    public static class ShippedTwo extends Shipped {
        public ShippedTwo() {
            super(2);
        }
    }

    /** Capacity 3, in four slots. */
    public static class ShippedThree extends Shipped {
        public ShippedThree() {
            super(3);
        }
    }

    /** The shipped queue, where to drop the oldest and to put the newest has to look like one step. */
    public static class ShippedEvicting {
        private final BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.DROP_OLDEST);

        @Operation
        public void put(int item) throws InterruptedException {
            queue.put(item);
        }

        @Operation
        public @Nullable Integer poll() {
            return queue.poll();
        }

        @Operation
        public long depth() {
            return queue.depth();
        }
    }

    /** A queue that calls itself empty while its first item is being filled in. */
    public static class EmptyTooSoon {
        private final io.heptad.mutant.queue.saysemptytoosoon.BoundedQueue<Integer> queue =
                io.heptad.mutant.queue.saysemptytoosoon.BoundedQueue.of(2, FullPolicy.BLOCK);

        @Operation
        public String offer(int item) {
            return String.valueOf(queue.offer(item));
        }

        @Operation
        public @Nullable Integer poll() {
            return queue.poll();
        }
    }

    /** A queue that calls itself empty while one item takes the place of another. */
    public static class EmptyWhileEvicting {
        private final io.heptad.mutant.queue.evictsintwosteps.BoundedQueue<Integer> queue =
                io.heptad.mutant.queue.evictsintwosteps.BoundedQueue.of(1, FullPolicy.DROP_OLDEST);

        @Operation
        public void put(int item) throws InterruptedException {
            queue.put(item);
        }

        @Operation
        public @Nullable Integer poll() {
            return queue.poll();
        }
    }

    /** A queue of one slot, where "filled" and "free for the next" are one stamp. */
    public static class OneSlot {
        private final io.heptad.mutant.queue.oneslotforcapacityone.BoundedQueue<Integer> queue =
                io.heptad.mutant.queue.oneslotforcapacityone.BoundedQueue.of(1, FullPolicy.BLOCK);

        @Operation
        public String offer(int item) {
            return String.valueOf(queue.offer(item));
        }

        @Operation
        public @Nullable Integer poll() {
            return queue.poll();
        }
    }

    @Test
    void ofCapacityOne() {
        schedules(PlainOne.class).check(ShippedOne.class);
    }

    @Test
    void ofCapacityTwo() {
        schedules(PlainTwo.class).check(ShippedTwo.class);
    }

    @Test
    void ofCapacityThree() {
        schedules(PlainThree.class).check(ShippedThree.class);
    }

    @Test
    void whileItEvicts() {
        schedules(PlainOne.class).check(ShippedEvicting.class);
    }

    @Test
    void findsAnItemThatIsMissedWhileItIsFilledIn() {
        assertFound("Invalid execution results", schedules(PlainTwo.class), EmptyTooSoon.class);
    }

    @Test
    void findsAnEvictionThatCanBeSeenHalfDone() {
        assertFound("Invalid execution results", schedules(PlainOne.class), EmptyWhileEvicting.class);
    }

    @Test
    void findsAPutOverAnItemThatIsBeingTaken() {
        assertFound("The execution has hung", schedules(PlainOne.class), OneSlot.class);
    }
}
