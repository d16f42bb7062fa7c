package io.heptad.core;

/**
 * A {@link Body} without a result.
 *
 * @param <X> what it may throw
 */
@FunctionalInterface
public interface VoidBody<X extends Throwable> {
    /**
     * Runs the code.
     *
     * @throws X whatever the code throws
     */
    void run() throws X;
}
