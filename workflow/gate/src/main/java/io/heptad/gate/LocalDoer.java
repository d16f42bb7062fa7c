package io.heptad.gate;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * Carries a local action out, inside the commit's own transaction: it happens if and only if the phase is committed. For
 * stores that commit on a {@link Connection}. It may run again if the commit conflicts; then its first run was undone.
 *
 * @param <I> what the action is called with
 * @param <R> its result
 */
@FunctionalInterface
public interface LocalDoer<I, R> {
    /**
     * Does it.
     *
     * @param connection where the commit is made; do not commit, roll back or close it
     * @param input what the action is called with
     * @return the result; null only where the result type is {@code Void}
     * @throws Exception nothing is committed; what {@link Gate.Builder#declines} says is a no is treated as one
     */
    @Nullable
    R perform(Connection connection, I input) throws Exception;
}
