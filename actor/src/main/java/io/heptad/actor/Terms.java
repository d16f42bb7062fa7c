package io.heptad.actor;

import io.heptad.core.FullPolicy;
import io.heptad.core.Ticker;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What was chosen for an actor, or for all the keys of {@link KeyedActors} alike.
 *
 * @param name who it is, in refusals, events and metrics; not blank
 * @param capacity the most messages that wait for one owner
 * @param whenFull what happens to one more
 * @param behavior the handler
 * @param supervision what becomes of an owner whose handler throws
 * @param executor runs the activations; null: a virtual thread for each
 * @param deadLetters gets what was accepted and will not be handled, and what the policy drops; null: nobody
 * @param ticker the clock of ages, drain rates and restarts
 * @param alarms the timers
 */
record Terms<S, M>(
        String name,
        int capacity,
        FullPolicy whenFull,
        Behavior<S, M> behavior,
        Supervision supervision,
        @Nullable Executor executor,
        @Nullable Consumer<? super M> deadLetters,
        Ticker ticker,
        Alarm alarms) {

    static String checkedName(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("name must not be blank, but is \"" + name + "\"");
        }
        return name;
    }

    static int checkedMailbox(int mailbox) {
        if (mailbox < 1) {
            throw new IllegalArgumentException("mailbox must be at least 1, but is " + mailbox);
        }
        return mailbox;
    }

    /**
     * A handler that may block, and senders that may wait, need threads that nobody else is short of.
     *
     * @throws IllegalArgumentException if the mailbox blocks
     */
    static Executor checkedExecutor(Executor executor, FullPolicy whenFull) {
        Objects.requireNonNull(executor, "executor");
        if (whenFull == FullPolicy.BLOCK) {
            throw new IllegalArgumentException("executor must not be given with a mailbox that blocks, but is "
                    + executor + ": actors that wait for each other in its threads would keep each other from running");
        }
        return executor;
    }
}
