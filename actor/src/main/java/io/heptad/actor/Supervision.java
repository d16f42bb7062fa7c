package io.heptad.actor;

import io.heptad.core.Durations;
import java.time.Duration;
import java.util.Objects;

/**
 * What becomes of an actor whose handler has thrown. In each case the failure is counted, told to Flight Recorder
 * ({@code io.heptad.ActorFailed}), reported to the thread's uncaught exception handler, and is the answer to the ask that
 * was being handled. The message that failed is not handled again; those behind it wait where they are, in their order.
 *
 * {@snippet file="io/heptad/actor/Snippets.java" region="supervision"}
 *
 * <p>The idea is that of Erlang's supervisors, for one actor at a time.
 */
public sealed interface Supervision permits Resume, Restart, Stop {
    /**
     * Goes on with the state from before the message: right for a state that is immutable, since a handler that throws
     * has then changed nothing. This is the default.
     *
     * @return go on
     */
    static Supervision resume() {
        return Resume.INSTANCE;
    }

    /**
     * Goes on with a new state, made as the first one was; timers that have not gone off are taken back. When it would
     * be one restart too many, the actor stops. If making the state throws, it stops too.
     *
     * @param max how many restarts within the time are fine, at least 1
     * @param within the time, more than zero, sliding
     * @return restart
     * @throws IllegalArgumentException if {@code max} is below 1, or {@code within} zero or less
     */
    static Supervision restart(int max, Duration within) {
        if (max < 1) {
            throw new IllegalArgumentException("max must be at least 1, but is " + max);
        }
        if (Objects.requireNonNull(within, "within").isNegative() || within.isZero()) {
            throw new IllegalArgumentException("within must be more than zero, but is " + within);
        }
        return new Restart(max, Durations.saturatedNanos(within));
    }

    /**
     * Stops the actor, as {@link ActorContext#stop()} does: the messages that wait go to the dead letters.
     *
     * @return stop
     */
    static Supervision stop() {
        return Stop.INSTANCE;
    }
}
