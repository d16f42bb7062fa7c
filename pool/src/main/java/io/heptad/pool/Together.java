package io.heptad.pool;

import io.heptad.core.RefusedException;
import io.heptad.future.AllFailedException;
import io.heptad.pool.Settled.Failed;
import io.heptad.pool.Settled.Succeeded;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** What a batch comes to: a report, or all, any, or the first of its tasks. */
final class Together {
    private Together() {}

    static <I extends @Nullable Object, O extends @Nullable Object> BatchReport<I, O> settle(
            Batch<I, O> batch, Iterable<? extends I> items, BatchListener<? super I, ? super O> listener)
            throws InterruptedException {
        long total = items instanceof Collection<?> collection ? collection.size() : -1;
        List<@Nullable Settled<I, O>> settled = new ArrayList<>();
        long[] done = new long[1];
        batch.run(items.iterator(), (index, one) -> {
            while (settled.size() <= index) {
                settled.add(null); // its neighbours end later, and all end
            }
            settled.set((int) index, one);
            done[0]++;
            try {
                listener.settled(one, done[0], total);
            } catch (Throwable thrown) {
                Dispatch.report(thrown);
            }
            return true;
        });
        @SuppressWarnings("NullAway") // run() has returned: every index has been taken
        List<Settled<I, O>> complete = settled;
        return new BatchReport<>(complete);
    }

    static <T extends @Nullable Object> List<T> all(
            Batch<Callable<? extends T>, T> batch, Collection<? extends Callable<? extends T>> tasks)
            throws InterruptedException, ExecutionException {
        List<Callable<? extends T>> given = given(tasks);
        @Nullable Object[] values = new Object[given.size()];
        Throwable failure = first(batch, given, (index, one) -> switch (one) {
            case Succeeded<Callable<? extends T>, T> succeeded -> {
                values[(int) index] = succeeded.value();
                yield true;
            }
            case Failed<Callable<? extends T>, T> failed -> false;
        });
        if (failure != null) {
            throw failure(batch, failure);
        }
        @SuppressWarnings("unchecked")
        List<T> list = (List<T>) Collections.unmodifiableList(Arrays.asList(values));
        return list;
    }

    /** Runs until the sink has seen enough; the cause of what it saw last, if that was a failure. */
    private static <T extends @Nullable Object> @Nullable Throwable first(
            Batch<Callable<? extends T>, T> batch,
            List<Callable<? extends T>> tasks,
            Batch.Sink<Callable<? extends T>, T> sink)
            throws InterruptedException {
        @Nullable Throwable[] last = new Throwable[1];
        batch.run(tasks.iterator(), (index, one) -> {
            last[0] = one instanceof Failed<?, ?> failed ? failed.cause() : null;
            return sink.take(index, one);
        });
        return last[0];
    }

    static <T extends @Nullable Object> T any(
            Batch<Callable<? extends T>, T> batch, Collection<? extends Callable<? extends T>> tasks)
            throws InterruptedException, ExecutionException {
        List<Callable<? extends T>> given = given(tasks);
        Throwable[] causes = new Throwable[given.size()];
        List<T> value = new ArrayList<>(1);
        batch.run(given.iterator(), (index, one) -> switch (one) {
            case Succeeded<Callable<? extends T>, T> succeeded -> {
                value.add(succeeded.value());
                yield false;
            }
            case Failed<Callable<? extends T>, T> failed -> {
                causes[(int) index] = failed.cause();
                yield true;
            }
        });
        if (!value.isEmpty()) {
            return value.get(0);
        }
        RefusedException refusal = batch.refusal();
        if (refusal != null) {
            throw refusal;
        }
        throw new ExecutionException(new AllFailedException(Arrays.asList(causes)));
    }

    static <T extends @Nullable Object> T race(
            Batch<Callable<? extends T>, T> batch, Collection<? extends Callable<? extends T>> tasks)
            throws InterruptedException, ExecutionException {
        List<Callable<? extends T>> given = given(tasks);
        if (given.isEmpty()) {
            throw new IllegalArgumentException("tasks is empty: a race of none is never won");
        }
        List<T> value = new ArrayList<>(1);
        Throwable failure = first(batch, given, (index, one) -> {
            if (one instanceof Succeeded<Callable<? extends T>, T> succeeded) {
                value.add(succeeded.value());
            }
            return false;
        });
        if (failure != null) {
            throw failure(batch, failure);
        }
        return value.get(0);
    }

    private static <T extends @Nullable Object> List<Callable<? extends T>> given(
            Collection<? extends Callable<? extends T>> tasks) {
        List<Callable<? extends T>> given = new ArrayList<>(tasks);
        for (int i = 0; i < given.size(); i++) {
            if (given.get(i) == null) {
                throw new NullPointerException("tasks[" + i + "] is null");
            }
        }
        return given;
    }

    /** The pool's own refusal is thrown as it is; what a task threw is the cause of an ExecutionException. */
    private static ExecutionException failure(Batch<?, ?> batch, Throwable cause) {
        RefusedException refusal = batch.refusal();
        if (cause == refusal) {
            throw refusal;
        }
        return new ExecutionException(cause);
    }
}
