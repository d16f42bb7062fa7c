package io.heptad.recipes.launch;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Time that passes only while somebody waits, in one thread: calls take exactly as long as they say, and a run of
 * minutes is over at once.
 */
public final class VirtualTime {
    private record Timer(long at, long order, CompletableFuture<?> done) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }
    }

    private final PriorityQueue<Timer> timers = new PriorityQueue<>(); // as many as calls are under way
    private long now;
    private long order;

    /**
     * How much time has passed.
     *
     * @return the time since the start
     */
    public Duration now() {
        return Duration.ofNanos(now);
    }

    /**
     * A call that has been launched.
     *
     * @param length how long it takes
     * @return completes when that much time has passed
     */
    public CompletableFuture<@Nullable Void> after(Duration length) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        timers.add(new Timer(now + length.toNanos(), order++, done));
        return done;
    }

    /**
     * Waits, which is what makes time pass.
     *
     * @param future what to wait for
     * @param <T> its value
     * @return its value
     * @throws IllegalStateException if nothing that is under way can complete it
     */
    public <T extends @Nullable Object> T await(CompletableFuture<T> future) {
        while (!future.isDone()) {
            Timer next = timers.poll();
            if (next == null) {
                throw new IllegalStateException("nothing is under way, so this would wait for ever");
            }
            now = next.at;
            next.done.complete(null);
        }
        return future.join();
    }
}
