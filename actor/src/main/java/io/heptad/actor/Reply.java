package io.heptad.actor;

import org.jspecify.annotations.Nullable;

/**
 * Where the answer to an ask goes: a part of the message, which the handler completes once.
 *
 * {@snippet file="io/heptad/actor/Snippets.java" region="ask"}
 *
 * <p>A handler that throws before it has answered answers with what it threw. One that returns without an answer may
 * still give it later, from any thread, as long as the ask has not timed out; when the actor stops first, the ask fails
 * with {@link io.heptad.core.ClosedException}.
 *
 * <p>Stages that depend on the asker's future and have no executor run in the thread that answers, inside the handler: what
 * they throw does not reach it, but it waits for them.
 *
 * <p><b>Memory consistency effects:</b> what a thread did before it answered <i>happens-before</i> what the asker does
 * with the answer.
 *
 * @param <R> the answer
 */
public interface Reply<R extends @Nullable Object> {
    /**
     * Answers.
     *
     * @param value the answer
     * @return true if the asker gets it; false if it was answered before, has timed out, was cancelled, or the actor has
     *     stopped
     */
    boolean ok(R value);

    /**
     * Answers that it cannot be done. For an answer that the asker expects, such as "not enough money", a value of
     * {@link #ok} is the better choice.
     *
     * @param cause why
     * @return true if the asker gets it; false as for {@link #ok}
     */
    boolean fail(Throwable cause);
}
