package io.heptad.core;

import org.jspecify.annotations.Nullable;

/**
 * What is done to one item of many: by a batch, a stage or a pool.
 *
 * @param <I> the item
 * @param <O> the result
 */
@FunctionalInterface
public interface Work<I extends @Nullable Object, O extends @Nullable Object> {
    /**
     * Does the work for one item.
     *
     * @param item the item
     * @return the result
     * @throws Exception why this item failed; it is recorded with the item and stops nothing else
     */
    O apply(I item) throws Exception;
}
