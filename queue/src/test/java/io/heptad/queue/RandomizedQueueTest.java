package io.heptad.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Seeded;
import io.heptad.contract.Threads;
import io.heptad.contract.Watched;
import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Producers and consumers that call everything at random, with interrupts, timeouts and a close in between. Whatever
 * happens: each accepted item leaves exactly once, nothing else does, per-producer order holds, with one consumer
 * real-time order holds, the depth stays in bounds, and every reading of the figures adds up.
 *
 * <p>{@code -Dheptad.queue.seconds=N} runs each kind of thread for so long; the seed fixes what the threads decide, the
 * scheduler decides the rest.
 */
@Watched
class RandomizedQueueTest {
    private static final int[] CAPACITIES = {1, 2, 3, 4, 5, 7, 16, 64};
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Timeout(value = 1, unit = java.util.concurrent.TimeUnit.DAYS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void everyAcceptedItemLeavesExactlyOnceAndInOrder(boolean virtual) {
        long end = System.nanoTime()
                + Duration.ofSeconds(Long.getLong("heptad.queue.seconds", 2)).toNanos();
        int rounds = 0;
        long moved = 0;
        AtomicInteger readings = new AtomicInteger();
        do {
            AtomicInteger count = new AtomicInteger();
            Seeded.run(random -> count.set(new Round(random, virtual, readings).run()));
            moved += count.get();
            rounds++;
        } while (System.nanoTime() < end);
        System.out.println((virtual ? "virtual" : "platform") + " threads: " + rounds + " rounds, " + moved + " items, "
                + readings + " readings");
        assertThat(moved).isPositive();
        assertThat(readings.get())
                .as("readings, of which the first of each round")
                .isGreaterThan(rounds);
    }

    /** What a producer puts, and what became of it. */
    private static final class Parcel {
        final int producer;
        final int number;
        final AtomicInteger left = new AtomicInteger();
        long putBegun;
        long putEnded;
        boolean accepted;

        Parcel(int producer, int number) {
            this.producer = producer;
            this.number = number;
        }

        @Override
        public String toString() {
            return producer + ":" + number;
        }
    }

    private static final class Round {
        private final boolean virtual;
        private final FullPolicy policy;
        private final int capacity;
        private final int consumers;
        private final boolean noisy;
        private final int closeAfter;
        private final boolean closeNow;
        private final Parcel[][] parcels;
        private final long seed;
        private final BoundedQueue<Parcel> queue;
        private final ConcurrentLinkedQueue<String> faults = new ConcurrentLinkedQueue<>();
        private final AtomicInteger begun = new AtomicInteger();
        private final AtomicInteger accepts = new AtomicInteger();
        private final AtomicInteger evicted = new AtomicInteger();
        private final AtomicInteger dropped = new AtomicInteger();
        private final AtomicInteger back = new AtomicInteger();
        private final AtomicInteger takes = new AtomicInteger();
        private final AtomicInteger refused = new AtomicInteger();
        private final AtomicInteger timeouts = new AtomicInteger();
        private volatile boolean over;

        // Of the thread that reads the figures.
        private final AtomicInteger readings;
        private QueueStats last;

        Round(SplittableRandom random, boolean virtual, AtomicInteger readings) {
            this.virtual = virtual;
            this.readings = readings;
            policy = random.nextInt(2) == 0
                    ? FullPolicy.BLOCK
                    : FullPolicy.values()[random.nextInt(FullPolicy.values().length)];
            capacity = CAPACITIES[random.nextInt(CAPACITIES.length)];
            consumers = 1 + random.nextInt(4);
            noisy = random.nextInt(4) != 0;
            closeNow = random.nextBoolean();
            int producers = 1 + random.nextInt(4);
            int each = 500 + random.nextInt(2_000);
            closeAfter = random.nextInt(3) == 0 ? random.nextInt(producers * each) : Integer.MAX_VALUE;
            parcels = new Parcel[producers][each];
            for (int producer = 0; producer < producers; producer++) {
                for (int number = 0; number < each; number++) {
                    parcels[producer][number] = new Parcel(producer, number);
                }
            }
            seed = random.nextLong();
            BoundedQueue.Builder<Parcel> builder = BoundedQueue.<Parcel>builder(capacity, policy)
                    .onDrop(parcel -> {
                        if (policy == FullPolicy.DROP_OLDEST) {
                            evicted.incrementAndGet();
                            leave(parcel);
                        } else {
                            dropped.incrementAndGet();
                        }
                    });
            queue = (random.nextInt(4) == 0 ? builder.exactAge() : builder).build();
            last = queue.stats();
        }

        int run() throws InterruptedException {
            ThreadFactory threads = virtual
                    ? Thread.ofVirtual().factory()
                    : Thread.ofPlatform().daemon().factory();
            List<Thread> producing = new ArrayList<>();
            List<Thread> consuming = new ArrayList<>();
            List<List<Parcel>> got = new ArrayList<>();
            SplittableRandom seeds = new SplittableRandom(seed);
            for (Parcel[] own : parcels) {
                SplittableRandom random = seeds.split();
                producing.add(threads.newThread(guarded(() -> produce(own, random))));
            }
            for (int consumer = 0; consumer < consumers; consumer++) {
                SplittableRandom random = seeds.split();
                List<Parcel> own = new ArrayList<>();
                got.add(own);
                consuming.add(threads.newThread(guarded(() -> consume(own, random))));
            }
            List<Thread> all = new ArrayList<>(producing);
            all.addAll(consuming);
            all.forEach(Thread::start);
            Thread noise = Thread.ofPlatform().daemon().start(() -> {
                SplittableRandom random = seeds.split();
                do {
                    if (noisy) {
                        all.get(random.nextInt(all.size())).interrupt();
                    }
                    readFigures();
                    LockSupport.parkNanos(20_000);
                } while (!over);
            });

            join(producing);
            List<Parcel> left = closeNow ? queue.closeNow() : List.of();
            queue.close();
            join(consuming);
            over = true;
            noise.join();
            left.forEach(this::comeBack);
            assertThat(faults).as(toString()).isEmpty();
            return check(got);
        }

        private void join(List<Thread> threads) throws InterruptedException {
            for (Thread thread : threads) {
                if (!thread.join(LIMIT)) {
                    System.err.println(Threads.dump());
                    throw new AssertionError(this + " hangs: " + queue + " " + queue.stats());
                }
            }
        }

        private interface Job {
            void run() throws Exception;
        }

        private Runnable guarded(Job job) {
            return () -> {
                try {
                    job.run();
                } catch (Throwable failure) {
                    faults.add(Thread.currentThread() + " " + failure);
                }
            };
        }

        private void produce(Parcel[] own, SplittableRandom random) {
            for (Parcel parcel : own) {
                parcel.putBegun = System.nanoTime();
                begun.incrementAndGet();
                try {
                    parcel.accepted = put(parcel, random);
                    if (parcel.accepted) {
                        accepts.incrementAndGet();
                    }
                } catch (FullException full) {
                    refused.incrementAndGet();
                } catch (ClosedException closed) {
                    return;
                } catch (InterruptedException interrupted) {
                    // not accepted
                }
                parcel.putEnded = System.nanoTime();
                if (takes.get() > closeAfter) {
                    if (closeNow) {
                        queue.closeNow().forEach(this::comeBack);
                    } else {
                        queue.close();
                    }
                }
                checkDepth();
            }
        }

        private boolean put(Parcel parcel, SplittableRandom random) throws InterruptedException {
            switch (random.nextInt(8)) {
                case 0, 1 -> {
                    boolean accepted = queue.offer(parcel);
                    if (!accepted) {
                        refused.incrementAndGet();
                        Thread.yield();
                    }
                    return accepted;
                }
                case 2 -> {
                    boolean accepted = queue.put(parcel, Duration.ofNanos(random.nextInt(60_000) - 5_000));
                    if (!accepted && policy == FullPolicy.BLOCK) {
                        timeouts.incrementAndGet();
                    }
                    return accepted;
                }
                default -> {
                    return queue.put(parcel);
                }
            }
        }

        private void consume(List<Parcel> own, SplittableRandom random) {
            int[] last = new int[parcels.length];
            java.util.Arrays.fill(last, -1);
            while (!queue.isDrained()) {
                List<Parcel> some = List.of();
                try {
                    some = take(random);
                } catch (ClosedException closed) {
                    if (!queue.isDrained()) {
                        faults.add("closed before it was drained");
                    }
                } catch (InterruptedException interrupted) {
                    // nothing taken
                }
                for (Parcel parcel : some) {
                    leave(parcel);
                    if (parcel.number <= last[parcel.producer]) {
                        faults.add(parcel + " after " + last[parcel.producer]);
                    }
                    last[parcel.producer] = parcel.number;
                    own.add(parcel);
                    takes.incrementAndGet();
                }
                checkDepth();
            }
        }

        private List<Parcel> take(SplittableRandom random) throws InterruptedException {
            return switch (random.nextInt(8)) {
                case 0 -> {
                    Parcel parcel = queue.poll();
                    if (parcel == null) {
                        Thread.yield();
                    }
                    yield parcel == null ? List.of() : List.of(parcel);
                }
                case 1 -> {
                    Parcel parcel = queue.poll(Duration.ofNanos(random.nextInt(60_000) - 5_000));
                    yield parcel == null ? List.of() : List.of(parcel);
                }
                case 2 -> queue.takeBatch(1 + random.nextInt(5));
                case 3 -> queue.takeBatch(1 + random.nextInt(100), Duration.ofNanos(random.nextInt(60_000) - 5_000));
                default -> List.of(queue.take());
            };
        }

        private void leave(Parcel parcel) {
            if (parcel.left.incrementAndGet() != 1) {
                faults.add(parcel + " left twice");
            }
        }

        private void comeBack(Parcel parcel) {
            back.incrementAndGet();
            leave(parcel);
        }

        private void checkDepth() {
            long depth = queue.depth();
            if (depth < 0 || depth > capacity) {
                faults.add("depth " + depth);
            }
        }

        /**
         * Beside what the threads have counted for themselves, each after the call that did it: so a thread may have
         * done one thing more than it has counted, or as many as one batch or one closeNow takes.
         */
        private void readFigures() {
            int accepted = accepts.get();
            int taken = takes.get();
            int evictions = evicted.get();
            int drops = dropped.get();
            int rejected = refused.get();
            int timedOut = timeouts.get();
            int returned = back.get();
            QueueStats now = queue.stats();
            int producers = parcels.length;
            within("accepted", now.accepted(), accepted, begun.get());
            within("taken", now.taken(), taken, takes.get() + consumers * capacity);
            within("evicted", now.evicted(), evictions, evicted.get() + producers);
            within("droppedNewest", now.droppedNewest(), drops, dropped.get() + producers);
            within("rejected", now.rejected(), rejected, refused.get() + producers);
            within("timedOut", now.timedOut(), timedOut, timeouts.get() + producers);
            within("returned", now.returned(), returned, back.get() + capacity);
            within("depth", now.depth(), 0, capacity);
            within("waitingProducers", now.waitingProducers(), 0, producers);
            within("waitingConsumers", now.waitingConsumers(), 0, consumers);
            if (now.oldestAge().isNegative()) {
                faults.add(now.toString());
            }
            within("accepted, after the last reading", now.accepted(), last.accepted(), Long.MAX_VALUE);
            within("taken, after the last reading", now.taken(), last.taken(), Long.MAX_VALUE);
            within("evicted, after the last reading", now.evicted(), last.evicted(), Long.MAX_VALUE);
            within("returned, after the last reading", now.returned(), last.returned(), Long.MAX_VALUE);
            last = now;
            readings.incrementAndGet();
        }

        private void within(String figure, long read, long least, long most) {
            if (read < least || read > most) {
                faults.add(figure + " " + read + ", counted from " + least + " to " + most);
            }
        }

        private int check(List<List<Parcel>> got) {
            int accepted = 0;
            for (Parcel[] own : parcels) {
                for (Parcel parcel : own) {
                    assertThat(parcel.left.get())
                            .as("%s: how often %s left, accepted: %s", this, parcel, parcel.accepted)
                            .isEqualTo(parcel.accepted ? 1 : 0);
                    accepted += parcel.accepted ? 1 : 0;
                }
            }
            if (consumers == 1) {
                long latest = Long.MIN_VALUE;
                for (Parcel parcel : got.get(0)) {
                    // Nothing may come after a parcel whose put began only when its own had ended.
                    assertThat(parcel.putEnded)
                            .as("%s: real-time order of %s", this, parcel)
                            .isGreaterThanOrEqualTo(latest);
                    latest = Math.max(latest, parcel.putBegun);
                }
            }
            QueueStats end = queue.stats();
            assertThat(end.depth()).isZero();
            assertThat(end.waitingProducers()).isZero();
            assertThat(end.waitingConsumers()).isZero();
            assertThat(end.accepted()).isEqualTo(accepted);
            assertThat(end.taken()).isEqualTo(takes.get());
            assertThat(end.evicted()).isEqualTo(evicted.get());
            assertThat(end.rejected()).isEqualTo(refused.get());
            assertThat(end.droppedNewest()).isEqualTo(dropped.get());
            assertThat(end.timedOut()).isEqualTo(timeouts.get());
            assertThat(end.returned()).isEqualTo(back.get());
            assertThat(back.get()).isEqualTo(accepted - takes.get() - evicted.get());
            return accepted;
        }

        @Override
        public String toString() {
            return policy + " capacity " + capacity + ", " + parcels.length + " producers, " + consumers
                    + (virtual ? " virtual" : " platform") + " consumers" + (noisy ? ", interrupts" : "")
                    + (closeAfter < Integer.MAX_VALUE ? ", early close" : "") + (closeNow ? "Now" : "");
        }
    }
}
