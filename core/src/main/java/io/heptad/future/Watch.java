package io.heptad.future;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the first of a few members, looks, and waits again until there is a verdict.
 *
 * @param <R> what the aggregate is decided to
 */
final class Watch<R extends @Nullable Object>
        implements BiFunction<@Nullable Object, @Nullable Throwable, @Nullable Object> {
    /** What to wait for. */
    interface Plan<R extends @Nullable Object> {
        /**
         * Called by one thread at a time.
         *
         * @param members all of them
         * @param next takes those of which any one is worth another look; at least one if there is no verdict
         * @return the verdict, or null if it is too early
         */
        @Nullable
        Outcome<R> look(Object[] members, List<CompletableFuture<?>> next);
    }

    /*
     * A member may complete while it is being attached to, in this thread or in another, and its listener is this
     * object: the looks would then nest, or overlap. `looks` counts the calls; only the one that raises it from zero
     * looks, and it looks again for every call that came meanwhile. It also hands the plan's state from thread to thread.
     */
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicReference<@Nullable Aggregate<R>> link;
    private final Plan<R> plan;

    private Watch(AtomicReference<@Nullable Aggregate<R>> link, Plan<R> plan) {
        this.link = link;
        this.plan = plan;
    }

    static <R extends @Nullable Object> void start(Aggregate<R> aggregate, Plan<R> plan) {
        new Watch<>(aggregate.link, plan).look();
    }

    @Override
    public @Nullable Object apply(@Nullable Object value, @Nullable Throwable thrown) {
        look();
        return null;
    }

    private void look() {
        if (looks.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            Aggregate<R> aggregate = link.get();
            if (aggregate == null) {
                return;
            }
            List<CompletableFuture<?>> next = new ArrayList<>(2);
            Outcome<R> verdict;
            try {
                verdict = plan.look(aggregate.members, next);
            } catch (Throwable thrown) {
                verdict = new Outcome.Failure<>(thrown); // out of memory; swallowed here, nobody would ever hear of it
            }
            if (verdict != null) {
                Aggregate<R> taken = Aggregate.take(link);
                if (taken != null) {
                    taken.decide(verdict);
                }
                return;
            }
            next.add(aggregate.over);
            Object ignored = CompletableFuture.anyOf(next.toArray(new CompletableFuture<?>[0]))
                    .handle(this);
            seen = looks.addAndGet(-seen);
        } while (seen != 0);
    }
}
