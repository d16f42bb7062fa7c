package io.heptad.pool;

import org.jspecify.annotations.Nullable;

/**
 * Hears of each item of a batch as it ends: for progress, or to write results down as they come.
 *
 * <p>Called by the thread that called {@link WorkerPool#settle(Iterable, io.heptad.core.Work, BatchListener) settle}, one
 * call at a time, in the order of completion; the bodies go on meanwhile, up to the batch's window. That thread
 * reads the input too: while it waits there for the next item nothing is heard, and the bodies go on. What it throws is
 * reported to that thread's uncaught exception handler, and harms neither the batch nor the report.
 *
 * @param <I> the item
 * @param <O> its result
 */
@FunctionalInterface
public interface BatchListener<I extends @Nullable Object, O extends @Nullable Object> {
    /**
     * One more has ended.
     *
     * @param one how it ended
     * @param done how many have ended, this one included
     * @param total how many there will be, or -1 if the input does not say
     */
    void settled(Settled<? extends I, ? extends O> one, long done, long total);
}
