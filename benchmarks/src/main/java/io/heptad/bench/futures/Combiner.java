package io.heptad.bench.futures;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import io.heptad.future.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * What every peer is asked for: make a member, complete it, and combine a list of members into one future. The members
 * of Guava are its own, all others combine {@link CompletableFuture}s. A fork uses one implementation only.
 *
 * @param <F> the members
 */
interface Combiner<F extends Future<Integer>> {
    F member();

    void complete(F member, Integer value);

    void fail(F member, Throwable cause);

    /** A future of all values, in order. */
    Future<List<Integer>> all(List<F> members);

    /** A future of a list with a place for every member, in order, whether it succeeded or failed. */
    Future<? extends List<?>> allSettled(List<F> members);

    /** A future of the first value. */
    Future<?> any(List<F> members);

    static Combiner<?> of(String peer) {
        return switch (peer) {
            case "heptad" -> new Heptad();
            case "CompletableFuture" -> new Jdk();
            case "Guava" -> new Guava();
            default -> throw new IllegalArgumentException("peer is " + peer);
        };
    }

    /** Members of the JDK. */
    abstract class OfCompletable implements Combiner<CompletableFuture<Integer>> {
        @Override
        public CompletableFuture<Integer> member() {
            return new CompletableFuture<>();
        }

        @Override
        public void complete(CompletableFuture<Integer> member, Integer value) {
            member.complete(value);
        }

        @Override
        public void fail(CompletableFuture<Integer> member, Throwable cause) {
            member.completeExceptionally(cause);
        }
    }

    /** Ours. */
    final class Heptad extends OfCompletable {
        @Override
        public Future<List<Integer>> all(List<CompletableFuture<Integer>> members) {
            return io.heptad.future.Futures.all(members);
        }

        @Override
        public Future<List<Outcome<Integer>>> allSettled(List<CompletableFuture<Integer>> members) {
            return io.heptad.future.Futures.allSettled(members);
        }

        @Override
        public Future<Integer> any(List<CompletableFuture<Integer>> members) {
            return io.heptad.future.Futures.any(members);
        }
    }

    /** {@code allOf} gives no values and {@code anyOf} no type: the lists are assembled as users must. */
    final class Jdk extends OfCompletable {
        @Override
        public Future<List<Integer>> all(List<CompletableFuture<Integer>> members) {
            return CompletableFuture.allOf(members.toArray(CompletableFuture<?>[]::new))
                    .thenApply(done -> {
                        List<Integer> values = new ArrayList<>(members.size());
                        for (CompletableFuture<Integer> member : members) {
                            values.add(member.join());
                        }
                        return values;
                    });
        }

        @Override
        public Future<List<Outcome<Integer>>> allSettled(List<CompletableFuture<Integer>> members) {
            List<CompletableFuture<Outcome<Integer>>> settled = new ArrayList<>(members.size());
            for (CompletableFuture<Integer> member : members) {
                settled.add(member.handle(
                        (value, cause) -> cause == null ? new Outcome.Success<>(value) : new Outcome.Failure<>(cause)));
            }
            return CompletableFuture.allOf(settled.toArray(CompletableFuture<?>[]::new))
                    .thenApply(done -> {
                        List<Outcome<Integer>> outcomes = new ArrayList<>(settled.size());
                        for (CompletableFuture<Outcome<Integer>> outcome : settled) {
                            outcomes.add(outcome.join());
                        }
                        return outcomes;
                    });
        }

        @Override
        public Future<?> any(List<CompletableFuture<Integer>> members) {
            return CompletableFuture.anyOf(members.toArray(CompletableFuture<?>[]::new));
        }
    }

    /** {@code successfulAsList} puts null where a member failed. */
    final class Guava implements Combiner<SettableFuture<Integer>> {
        @Override
        public SettableFuture<Integer> member() {
            return SettableFuture.create();
        }

        @Override
        public void complete(SettableFuture<Integer> member, Integer value) {
            member.set(value);
        }

        @Override
        public void fail(SettableFuture<Integer> member, Throwable cause) {
            member.setException(cause);
        }

        @Override
        public ListenableFuture<List<Integer>> all(List<SettableFuture<Integer>> members) {
            return Futures.allAsList(members);
        }

        @Override
        public ListenableFuture<List<@Nullable Integer>> allSettled(List<SettableFuture<Integer>> members) {
            return Futures.successfulAsList(members);
        }

        @Override
        public Future<?> any(List<SettableFuture<Integer>> members) {
            throw new UnsupportedOperationException("Guava has no combinator for the first value");
        }
    }

    /** The value, of a future that must be done by now. */
    static <T> T now(Future<T> future) throws InterruptedException, ExecutionException {
        if (!future.isDone()) {
            throw new AssertionError("every member is done, but the aggregate is not: " + future);
        }
        return future.get();
    }
}
