package io.heptad.gate;

import io.heptad.gate.PhaseStore.ActionRow;
import org.jspecify.annotations.Nullable;

/** How far one transaction has brought an event. */
sealed interface Step<P, E> {
    /**
     * To its end.
     *
     * @param answer what became of it
     * @param committed what this very transaction has committed; null if it was answered before, or declined
     * @param timers whether it has set any
     */
    record Settled<P, E>(Answer<P, E> answer, @Nullable Committed<P, E> committed, boolean timers)
            implements Step<P, E> {}

    /** To an action, written down, that whoever ran the transaction now has to call. */
    record Opened<P, E>(ActionRow<E> row) implements Step<P, E> {}

    /** Nowhere: its own action is unfinished. */
    record Running<P, E>(ActionRow<E> row) implements Step<P, E> {}

    /** Nowhere: the action of another event is unfinished. */
    record Busy<P, E>(ActionRow<E> row) implements Step<P, E> {}

    /** Nowhere: it has a remote action, and the caller has no place to run one. Nothing was written. */
    record NoPlace<P, E>() implements Step<P, E> {}

    /** Nowhere: somebody else has taken the action over, or has finished it. Nothing was written. */
    record Lost<P, E>() implements Step<P, E> {}

    /** To a result that is known, and that whoever has started the drive commits. */
    record Handed<P, E>() implements Step<P, E> {}

    /** Nowhere: the timer is not armed any more, or its event is illegal by now. */
    record Stale<P, E>() implements Step<P, E> {}
}
