package io.heptad.gate;

import io.heptad.core.FullPolicy;
import io.heptad.core.RefusedException;
import io.heptad.pool.WorkerPool;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The best-effort reactions of a gate: a line of so many, workers of their own, and whoever commits only offers. */
final class Reactions<P, E> {
    static final int WORKERS = 4;

    /** One of them. */
    record Reaction<P, E>(String name, Class<? extends P> entering, Consumer<Committed<P, E>> react) {}

    private final List<Reaction<P, E>> reactions;
    private final @Nullable WorkerPool pool;

    final LongAdder done = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder dropped = new LongAdder();

    /** Without a pool if there are none. */
    Reactions(String gate, List<Reaction<P, E>> reactions, int capacity, @Nullable FullPolicy whenFull) {
        this.reactions = List.copyOf(reactions);
        this.pool = whenFull == null ? null : WorkerPool.of(gate + " reactions", WORKERS, capacity, whenFull);
    }

    /** Called after the commit, with no lock held. Never waits and never throws. */
    void tell(Committed<P, E> committed) {
        for (Reaction<P, E> reaction : reactions) {
            if (pool != null && reaction.entering.isInstance(committed.phase())) {
                offer(pool, reaction, committed);
            }
        }
    }

    private void offer(WorkerPool pool, Reaction<P, E> reaction, Committed<P, E> committed) {
        try {
            CompletableFuture<Void> end = pool.submit(() -> run(reaction, committed));
            Object ignored = end.exceptionally(refused -> {
                dropped(reaction, committed);
                return null;
            });
        } catch (RefusedException full) {
            dropped(reaction, committed);
        }
    }

    private void dropped(Reaction<P, E> reaction, Committed<P, E> committed) {
        dropped.increment();
        GateEvents.dropped(reaction.name, committed);
    }

    private void run(Reaction<P, E> reaction, Committed<P, E> committed) {
        try {
            reaction.react.accept(committed);
            done.increment();
        } catch (Throwable thrown) {
            Reports.uncaught(thrown);
            failed.increment(); // last: whoever sees the count can find the report
        }
    }

    int waiting() {
        return pool == null ? 0 : (int) pool.depth();
    }

    /** What waits is still run. */
    void close() {
        if (pool != null) {
            pool.close();
        }
    }
}
