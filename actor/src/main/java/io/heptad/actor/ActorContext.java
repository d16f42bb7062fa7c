package io.heptad.actor;

import io.heptad.core.ClosedException;
import java.time.Duration;

/**
 * What a handler can do besides returning the next state.
 *
 * {@snippet file="io/heptad/actor/Snippets.java" region="timer"}
 *
 * <p>Meant for the handler; any thread may call it as long as the actor lives.
 *
 * @param <M> the messages of the actor
 */
public interface ActorContext<M> {
    /**
     * The actor itself, to hand to others. It may send to itself too, but not wait for itself: a {@code send} to its own
     * full mailbox is refused with {@link io.heptad.core.FullException}, a {@code call} of itself with
     * {@link ActorDeadlockException}.
     *
     * @return the actor
     */
    Actor<M> self();

    /**
     * Stops the actor once the message in hand is handled. No other message is handled after that one: those that wait
     * go to the dead letters, in order, and what was asked fails with {@link ClosedException}. Calling it again changes
     * nothing.
     */
    void stop();

    /**
     * Sends a message to this actor later. When the time has come it follows the policy of the mailbox as any other
     * {@code send}, and waits for room under {@code BLOCK}; a message that the mailbox does not take goes to the dead
     * letters. A timer that has not gone off when the actor stops or restarts never does.
     *
     * @param delay how long from now; zero or less: at once, behind what is in the mailbox then
     * @param message the message
     * @return takes it back
     * @throws ClosedException if the actor has stopped
     */
    Cancellable sendAfter(Duration delay, M message);
}
