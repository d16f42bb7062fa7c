package io.heptad.stress.queue;

import static io.heptad.stress.Schedules.DEADLOCK;
import static io.heptad.stress.Schedules.assertNoneFails;
import static io.heptad.stress.Schedules.check;
import static io.heptad.stress.Schedules.failure;
import static io.heptad.stress.Schedules.start;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.core.ClosedException;
import io.heptad.core.FullPolicy;
import io.heptad.queue.BoundedQueue;
import io.heptad.stress.Schedules.Block;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

/**
 * The windows in which a thread of the queue parks, against everybody who could wake it: no schedule leaves one behind,
 * loses an item, or lets one overtake. Each guard is also taken away, and a schedule is found that shows it.
 */
class QueueFrayTest {
    private interface Put {
        boolean put(int item, Duration most) throws InterruptedException;
    }

    /** A queue, shipped or weakened. */
    private record Calls(
            Put put,
            Callable<Integer> take,
            Callable<Integer> poll,
            Runnable close,
            BooleanSupplier closed,
            IntSupplier parked) {
        boolean put(int item) throws InterruptedException {
            return put.put(item, Duration.ofSeconds(Long.MAX_VALUE));
        }

        @SuppressWarnings("ThreadPriorityCheck") // a step in which the other thread may go on
        void awaitParked() {
            while (parked.getAsInt() == 0) {
                Thread.yield();
            }
        }
    }

    private static Calls shipped(int capacity) {
        BoundedQueue<Integer> queue = BoundedQueue.of(capacity, FullPolicy.BLOCK);
        return new Calls(
                queue::put,
                queue::take,
                queue::poll,
                queue::close,
                queue::isClosed,
                () -> queue.stats().waitingProducers());
    }

    /** About as many steps as the other thread looks again before it parks. */
    @SuppressWarnings("ThreadPriorityCheck") // each is a step
    private static void leaveTime() {
        for (int i = 0; i < 20; i++) {
            Thread.yield();
        }
    }

    private static Block aPutWaitsForRoom(IntFunction<Calls> made) {
        return () -> {
            Calls queue = made.apply(1);
            queue.put(0);
            Thread producer = start(() -> check(queue.put(1), "not accepted"));
            leaveTime();
            check(queue.take.call() == 0, "another one came first");
            producer.join();
            check(queue.poll.call() == 1, "lost");
        };
    }

    private static Block aTakeWaitsForAnItem(IntFunction<Calls> made) {
        return () -> {
            Calls queue = made.apply(1);
            Thread consumer = start(() -> check(queue.take.call() == 1, "another item"));
            leaveTime();
            queue.put(1);
            consumer.join();
            check(queue.poll.call() == null, "taken and inside");
        };
    }

    private static Block aPutWaitsForTheSlotOfATake(IntFunction<Calls> made) {
        return () -> {
            Calls queue = made.apply(2);
            queue.put(0);
            queue.put(1);
            Thread producer = start(() -> queue.put(2));
            queue.awaitParked();
            check(queue.take.call() == 0, "another one came first");
            producer.join();
            check(queue.poll.call() == 1 && queue.poll.call() == 2, "out of order");
        };
    }

    private static Block aPutComesBehindAParkedOne(IntFunction<Calls> made) {
        return () -> {
            Calls queue = made.apply(1);
            queue.put(0);
            Thread first = start(() -> queue.put(1));
            queue.awaitParked();
            Thread second = start(() -> queue.put(2));
            for (int i = 0; i < 3; i++) {
                check(queue.take.call() == i, "overtaken");
            }
            first.join();
            second.join();
        };
    }

    private static Block aCloseComesWhileAPutIsLetIn(IntFunction<Calls> made) {
        return () -> {
            Calls queue = made.apply(1);
            queue.put(0);
            AtomicReference<Boolean> accepted = new AtomicReference<>(false);
            Thread producer = start(() -> {
                try {
                    accepted.set(queue.put(1));
                } catch (ClosedException e) {
                    // not accepted
                }
            });
            queue.awaitParked();
            Thread consumer = start(() -> check(queue.take.call() == 0, "another one came first"));
            queue.close.run();
            producer.join();
            consumer.join();
            check(queue.closed.getAsBoolean(), "open again");
            check((queue.poll.call() != null) == accepted.get(), "inside, but not accepted, or the other way round");
        };
    }

    private static Block anInterruptMeetsAHandOver(IntFunction<Calls> made) {
        return () -> {
            Calls queue = made.apply(1);
            AtomicReference<Integer> taken = new AtomicReference<>();
            Thread consumer = start(() -> {
                try {
                    taken.set(queue.take.call());
                } catch (InterruptedException e) {
                    // the item stays inside
                }
            });
            leaveTime();
            Thread producer = start(() -> queue.put(1));
            consumer.interrupt();
            consumer.join();
            producer.join();
            check((queue.poll.call() == null) == (taken.get() != null), "lost, or twice");
        };
    }

    private static Block aPutRunsOutOfTimeWhileItIsLetIn(IntFunction<Calls> made) {
        return () -> {
            Calls queue = made.apply(1);
            queue.put(0);
            AtomicReference<Boolean> accepted = new AtomicReference<>(false);
            Thread producer = start(() -> accepted.set(queue.put.put(1, Duration.ofNanos(1))));
            check(queue.take.call() == 0, "another one came first");
            producer.join();
            check((queue.poll.call() != null) == accepted.get(), "inside, but not accepted, or the other way round");
            queue.put(2);
            check(queue.take.call() == 2, "the line was not left");
        };
    }

    @Test
    void aProducerThatWaitsIsLetIn() {
        assertNoneFails(aPutWaitsForRoom(QueueFrayTest::shipped));
    }

    @Test
    void aConsumerThatWaitsIsServed() {
        assertNoneFails(aTakeWaitsForAnItem(QueueFrayTest::shipped));
    }

    @Test
    void aProducerGetsTheSlotThatATakeLeaves() {
        assertNoneFails(aPutWaitsForTheSlotOfATake(QueueFrayTest::shipped));
    }

    @Test
    void nobodyOvertakesAParkedProducer() {
        assertNoneFails(aPutComesBehindAParkedOne(QueueFrayTest::shipped));
    }

    @Test
    void aCloseStandsWhoeverIsLetIn() {
        assertNoneFails(aCloseComesWhileAPutIsLetIn(QueueFrayTest::shipped));
    }

    @Test
    void anInterruptLosesNoItem() {
        assertNoneFails(anInterruptMeetsAHandOver(QueueFrayTest::shipped));
    }

    @Test
    void aTimeoutLeavesNothingBehind() {
        assertNoneFails(aPutRunsOutOfTimeWhileItIsLetIn(QueueFrayTest::shipped));
    }

    @Test
    void findsAProducerThatParksWithoutAnotherLook() {
        assertThat(failure(aPutWaitsForRoom(capacity -> {
                    var queue = io.heptad.mutant.queue.parkswithoutanotherlook.BoundedQueue.<Integer>of(
                            capacity, FullPolicy.BLOCK);
                    return new Calls(
                            queue::put,
                            queue::take,
                            queue::poll,
                            queue::close,
                            queue::isClosed,
                            () -> queue.stats().waitingProducers());
                })))
                .hasToString(DEADLOCK);
    }

    @Test
    void findsAConsumerThatParksWithoutAnotherLook() {
        assertThat(failure(aTakeWaitsForAnItem(capacity -> {
                    var queue = io.heptad.mutant.queue.parksaconsumerwithoutanotherlook.BoundedQueue.<Integer>of(
                            capacity, FullPolicy.BLOCK);
                    return new Calls(
                            queue::put,
                            queue::take,
                            queue::poll,
                            queue::close,
                            queue::isClosed,
                            () -> queue.stats().waitingProducers());
                })))
                .hasToString(DEADLOCK);
    }

    @Test
    void findsATakerThatLocksBeforeItLeavesItsSlot() {
        assertThat(failure(aPutWaitsForTheSlotOfATake(capacity -> {
                    var queue = io.heptad.mutant.queue.locksbeforeitleavesitsslot.BoundedQueue.<Integer>of(
                            capacity, FullPolicy.BLOCK);
                    return new Calls(
                            queue::put,
                            queue::take,
                            queue::poll,
                            queue::close,
                            queue::isClosed,
                            () -> queue.stats().waitingProducers());
                })))
                .hasMessageContaining("spins for ever");
    }

    @Test
    void findsAProducerThatClaimsFromAFlaggedHead() {
        assertThat(failure(aPutComesBehindAParkedOne(capacity -> {
                    var queue = io.heptad.mutant.queue.claimsfromaflaggedhead.BoundedQueue.<Integer>of(
                            capacity, FullPolicy.BLOCK);
                    return new Calls(
                            queue::put,
                            queue::take,
                            queue::poll,
                            queue::close,
                            queue::isClosed,
                            () -> queue.stats().waitingProducers());
                })))
                .hasMessageMatching(".*(overtaken|spins for ever)");
    }
}
