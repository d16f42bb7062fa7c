package io.heptad.bench.actor;

import io.heptad.actor.KeyedActors;
import io.heptad.bench.Compare;
import io.heptad.bench.Scale;
import io.heptad.core.FullPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One platform thread tells the owners of so many keys in turn; all of them are there from the start. Each owner counts its
 * messages. {@code Pekko} is what its users write in one process: a parent that has a child for each key and passes messages
 * on. {@code executors} is one thread for each processor, with the keys shared out by their hash, and a map of states in
 * each: it keeps the order of a key, and bounds nothing by key. Checks that every message was counted.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class ActorKeyed {
    private static final int MESSAGES = 50_000;

    @Param({"heptad", "Pekko", "executors"})
    public String peer;

    @Param({"1", "1000", "1000000"})
    public int keys;

    private final Semaphore done = new Semaphore(0);
    private final AtomicLong left = new AtomicLong();
    private Integer[] all;
    private Owners owners;
    private int at;

    @Setup
    public void open() throws InterruptedException {
        all = new Integer[Math.max(1, Scale.of(keys, 1))];
        for (int i = 0; i < all.length; i++) {
            all[i] = i;
        }
        owners = switch (peer) {
            case "heptad" -> new Heptad(this::count);
            case "Pekko" -> new PekkoParent(this::count);
            case "executors" -> new Shared(this::count);
            default -> throw new IllegalArgumentException("peer is " + peer);
        };
        run(all.length, 1);
    }

    @TearDown
    public void close() {
        owners.close();
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    @Compare(
            work = "a thread tells the owners of so many keys in turn, all of them live",
            operation = "message",
            quick = "keys=1000")
    public long keyed() throws InterruptedException {
        return run(Scale.of(MESSAGES, 64), 7919);
    }

    private long run(int messages, int step) throws InterruptedException {
        left.set(messages);
        for (int i = 0; i < messages; i++) {
            at = (at + step) % all.length;
            owners.tell(all[at]);
        }
        Tally.await(done);
        if (left.get() != 0) {
            throw new AssertionError(-left.get() + " messages more were handled than sent");
        }
        return messages;
    }

    /** The handler; each key has a state of its own. */
    private void count(long[] state) {
        state[0]++;
        if (left.decrementAndGet() == 0) {
            done.release();
        }
    }

    private interface Owners extends AutoCloseable {
        void tell(Integer key) throws InterruptedException;

        @Override
        void close();
    }

    private static final class Heptad implements Owners {
        private final KeyedActors<Integer, Integer> actors;

        Heptad(Consumer<long[]> handler) {
            actors = KeyedActors.named("bench", Integer.class, Integer.class)
                    .mailbox(1024, FullPolicy.BLOCK)
                    .totalQueued(65_536)
                    .state(key -> new long[1], (state, message, context) -> {
                        handler.accept(state);
                        return state;
                    })
                    .start();
        }

        @Override
        public void tell(Integer key) throws InterruptedException {
            actors.send(key, key);
        }

        @Override
        public void close() {
            actors.close();
        }
    }

    private static final class PekkoParent implements Owners {
        private final PekkoTyped pekko = new PekkoTyped();
        private final Cast.Ref<Integer> parent;

        PekkoParent(Consumer<long[]> handler) {
            parent = pekko.parent(() -> {
                long[] state = new long[1];
                return message -> handler.accept(state);
            });
        }

        @Override
        public void tell(Integer key) throws InterruptedException {
            parent.tell(key);
        }

        @Override
        public void close() {
            pekko.close();
        }
    }

    private static final class Shared implements Owners {
        private final Cast threads = Cast.of("executor", "own");
        private final List<Cast.Ref<Integer>> each;

        Shared(Consumer<long[]> handler) {
            int processors = Runtime.getRuntime().availableProcessors();
            List<Map<Integer, long[]>> states = new ArrayList<>();
            for (int i = 0; i < processors; i++) {
                states.add(new HashMap<>());
            }
            each = threads.actors(
                    processors,
                    1024,
                    true,
                    i -> key -> handler.accept(states.get(i).computeIfAbsent(key, first -> new long[1])));
        }

        @Override
        public void tell(Integer key) throws InterruptedException {
            each.get(key.hashCode() % each.size()).tell(key);
        }

        @Override
        public void close() {
            threads.close();
        }
    }
}
