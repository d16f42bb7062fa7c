package io.heptad.core;

/**
 * A live thing that holds work, and the three questions: what bounds it, what happens when it is full, and how deep is
 * it. Every queue-holding type of Heptad is one.
 *
 * {@snippet file="io/heptad/core/Snippets.java" region="bounded"}
 *
 * <p>{@code 0 <= depth() <= capacity()} holds at every instant, for every reader. Any thread may ask, at any time: the
 * answers wait for no lock, also while the shape is full, closed, or stuck inside a user's code.
 *
 * <p><b>Memory consistency effects:</b> a depth is a figure, not a message. It is exact for the instant at which it was
 * read; nothing else that another thread did is promised to be visible because of it.
 *
 * <p>The questions are those of the pattern text that Heptad starts from; a queue for which one of them has no answer is
 * where overload incidents come from.
 */
public interface Bounded extends Measured {
    /**
     * What bounds it.
     *
     * @return the most items that can wait here, at least 1
     */
    long capacity();

    /**
     * What happens when it is full.
     *
     * @return the policy written down at construction
     */
    FullPolicy whenFull();

    /**
     * How deep it is now. Never blocks.
     *
     * @return the number of items that wait here, from 0 to {@link #capacity()}
     */
    long depth();
}
