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
@SuppressWarnings("serial") // nobody serializes it
final class Watch<R extends @Nullable Object> extends AtomicInteger
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
     * object: the looks would then nest, or overlap. The integer that this is counts the calls; only the one that raises
     * it from zero looks, and it looks again for every call that came meanwhile. It also hands the plan's state from
     * thread to thread.
     */
    private final AtomicReference<@Nullable Aggregate<R>> link;
    private final Plan<R> plan;

    /** Empty between two looks: this object stays on members that live on. */
    private final List<CompletableFuture<?>> next;

    private Watch(AtomicReference<@Nullable Aggregate<R>> link, Plan<R> plan, int nextMax) {
        this.link = link;
        this.plan = plan;
        this.next = new ArrayList<>(nextMax + 1); // and `over`
    }

    /** Begins to look; the plan may want to wait for {@code nextMax} at once. */
    static <R extends @Nullable Object> void start(Aggregate<R> aggregate, Plan<R> plan, int nextMax) {
        new Watch<>(aggregate.link, plan, nextMax).look();
    }

    @Override
    public @Nullable Object apply(@Nullable Object value, @Nullable Throwable thrown) {
        look();
        return null;
    }

    private void look() {
        if (getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            Aggregate<R> aggregate = link.get();
            if (aggregate == null) {
                return;
            }
            Outcome<R> verdict;
            try {
                verdict = plan.look(aggregate.members, next);
            } catch (Throwable thrown) {
                verdict = new Outcome.Failure<>(thrown); // out of memory; swallowed here, nobody would ever hear of it
            }
            if (verdict != null) {
                next.clear();
                Aggregate<R> taken = Aggregate.take(link);
                if (taken != null) {
                    taken.decide(verdict);
                }
                return;
            }
            CompletableFuture<?> over = aggregate.over;
            CompletableFuture<?> first;
            if (over == null) {
                first = next.get(0); // the plans of those that leave listeners behind wait for one at a time
            } else {
                next.add(over);
                first = CompletableFuture.anyOf(next.toArray(new CompletableFuture<?>[0]));
            }
            next.clear();
            Object ignored = first.handle(this);
            seen = addAndGet(-seen);
        } while (seen != 0);
    }
}
