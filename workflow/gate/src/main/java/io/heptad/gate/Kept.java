package io.heptad.gate;

import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.gate.PhaseStore.Answered;
import io.heptad.gate.PhaseStore.ArmedTimer;
import io.heptad.gate.PhaseStore.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All that a store in memory keeps of one entity; never changes.
 *
 * @param first its first commit
 * @param history its newest commits, at least one, oldest first
 * @param actions its newest actions, oldest first; at most the last is unfinished
 * @param answers its newest answers, oldest first
 * @param timers those armed for its present version
 * @param declines how often each action was declined at its present version
 */
record Kept<P, E>(
        Committed<P, E> first,
        List<Committed<P, E>> history,
        List<ActionRow<E>> actions,
        List<Map.Entry<String, Answered<P, E>>> answers,
        List<Waiting<E>> timers,
        Map<String, Integer> declines) {

    /** A timer, and from when on it may be handed out. */
    record Waiting<E>(ArmedTimer<E> timer, Instant from) {}

    @Nullable
    ActionRow<E> unfinished() {
        return !actions.isEmpty() && actions.getLast().isUnfinished() ? actions.getLast() : null;
    }

    @Nullable
    ActionRow<E> open(String key, long fence) {
        ActionRow<E> row = unfinished();
        return row != null && row.state() == State.OPEN && row.key().equals(key) && row.fence() == fence ? row : null;
    }

    Optional<Answered<P, E>> answered(String eventId) {
        return answers.reversed().stream()
                .filter(answer -> answer.getKey().equals(eventId))
                .findFirst()
                .map(Map.Entry::getValue);
    }

    /** When one of the timers may next be handed out; null while an action is unfinished, which they wait for. */
    @Nullable
    Instant nextTimer() {
        if (timers.isEmpty() || unfinished() != null) {
            return null;
        }
        Instant next = Instant.MAX;
        for (Waiting<E> waiting : timers) {
            next = waiting.from.isBefore(next) ? waiting.from : next;
        }
        return next;
    }

    /** The unfinished action in place of what it was. */
    Kept<P, E> with(ActionRow<E> row) {
        List<ActionRow<E>> rows = new ArrayList<>(actions);
        rows.set(rows.size() - 1, row);
        return new Kept<>(first, history, Collections.unmodifiableList(rows), answers, timers, declines);
    }

    /** Hands out what is due, and keeps it back until then. */
    Kept<P, E> claimTimers(Instant now, Instant until, int max, List<ArmedTimer<E>> claimed) {
        List<Waiting<E>> rest = new ArrayList<>(timers.size());
        int room = max;
        for (Waiting<E> waiting : timers) {
            if (room > 0 && !waiting.from.isAfter(now)) {
                claimed.add(waiting.timer);
                rest.add(new Waiting<>(waiting.timer, until));
                room--;
            } else {
                rest.add(waiting);
            }
        }
        return new Kept<>(first, history, actions, answers, Collections.unmodifiableList(rest), declines);
    }
}
