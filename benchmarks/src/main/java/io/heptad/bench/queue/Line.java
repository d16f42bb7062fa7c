package io.heptad.bench.queue;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.Sequencer;
import com.lmax.disruptor.TimeoutException;
import com.lmax.disruptor.dsl.ProducerType;
import com.softwaremill.jox.Channel;
import io.heptad.core.FullPolicy;
import io.heptad.queue.BoundedQueue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import org.jctools.queues.MpmcArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The two operations that every peer is asked for: wait until there is space and put, wait until there is an item and
 * take. A fork uses one implementation only, so the calls are monomorphic and inlined.
 */
interface Line {
    void put(Integer item) throws InterruptedException;

    Integer take() throws InterruptedException;

    static Line of(String peer, int capacity) {
        return switch (peer) {
            case "heptad" -> new Heptad(BoundedQueue.of(capacity, FullPolicy.BLOCK));
            case "ArrayBlockingQueue" -> new Blocking(new ArrayBlockingQueue<>(capacity));
            case "LinkedBlockingQueue" -> new Blocking(new LinkedBlockingQueue<>(capacity));
            // Has no bound: its put never waits. It stands here because many use it for the same job.
            case "LinkedTransferQueue" -> new Blocking(new LinkedTransferQueue<>());
            case "jox" -> new Jox(Channel.newBufferedChannel(capacity));
            case "Disruptor" -> new Disruptor(capacity);
            case "JCTools" -> new Polled(new MpmcArrayQueue<>(capacity));
            default -> throw new IllegalArgumentException("peer is " + peer);
        };
    }

    record Heptad(BoundedQueue<Integer> queue) implements Line {
        @Override
        public void put(Integer item) throws InterruptedException {
            queue.put(item);
        }

        @Override
        public Integer take() throws InterruptedException {
            return queue.take();
        }
    }

    record Blocking(BlockingQueue<Integer> queue) implements Line {
        @Override
        public void put(Integer item) throws InterruptedException {
            queue.put(item);
        }

        @Override
        public Integer take() throws InterruptedException {
            return queue.take();
        }
    }

    record Jox(Channel<Integer> channel) implements Line {
        @Override
        public void put(Integer item) throws InterruptedException {
            channel.send(item);
        }

        @Override
        public Integer take() throws InterruptedException {
            return channel.receive();
        }
    }

    /** Has no waiting of its own: the limit of what a queue that never parks can do. Spins briefly, then yields. */
    record Polled(MpmcArrayQueue<Integer> queue) implements Line {
        private static final int SPINS = 128;

        @Override
        public void put(Integer item) throws InterruptedException {
            for (int spins = 0; !queue.offer(item); spins++) {
                relax(spins);
            }
        }

        @Override
        public Integer take() throws InterruptedException {
            Integer item;
            for (int spins = 0; (item = queue.poll()) == null; spins++) {
                relax(spins);
            }
            return item;
        }

        @SuppressWarnings("ThreadPriorityCheck") // a queue that only polls has nothing else to wait with
        private static void relax(int spins) throws InterruptedException {
            if (spins % SPINS != SPINS - 1) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }
    }

    /**
     * One producer, one consumer, blocking wait strategy. The consumer reads as a {@code BatchEventProcessor} does: up
     * to what it knows to be published, and tells its progress at the end of each such batch. A full ring makes the
     * producer wait in {@code next()}, which parks for a nanosecond at a time.
     */
    final class Disruptor implements Line {
        private final RingBuffer<Slot> ring;
        private final SequenceBarrier published;
        private final Sequence consumed = new Sequence(Sequencer.INITIAL_CURSOR_VALUE);
        private long next;
        private long available = Sequencer.INITIAL_CURSOR_VALUE;

        Disruptor(int capacity) {
            ring = RingBuffer.create(ProducerType.SINGLE, Slot::new, capacity, new BlockingWaitStrategy());
            published = ring.newBarrier();
            ring.addGatingSequences(consumed);
        }

        @Override
        public void put(Integer item) {
            long sequence = ring.next();
            ring.get(sequence).item = item;
            ring.publish(sequence);
        }

        @Override
        public Integer take() throws InterruptedException {
            if (next > available) {
                consumed.set(next - 1);
                try {
                    available = published.waitFor(next);
                } catch (AlertException | TimeoutException never) {
                    throw new AssertionError("nobody alerts this barrier, and it has no timeout", never);
                }
            }
            Slot slot = ring.get(next++);
            Integer item = slot.item;
            slot.item = null;
            if (item == null) {
                throw new AssertionError("an empty slot was published");
            }
            return item;
        }

        private static final class Slot {
            @Nullable
            Integer item;
        }
    }
}
