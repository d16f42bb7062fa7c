package io.heptad.gate;

import io.heptad.gate.PhaseStore.ActionRow;
import io.heptad.gate.PhaseStore.Answered;
import io.heptad.gate.PhaseStore.ArmedTimer;
import io.heptad.gate.PhaseStore.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What one unit has read and written of one entity in memory. Only for the thread that runs the unit. */
final class MemoryTransaction<P, E> implements PhaseStore.Transaction<P, E> {
    private final String id;
    private final Instant now;
    private final int historyMax;
    private @Nullable Kept<P, E> kept;
    private final List<OutboxMessage> messages = new ArrayList<>(0);
    private boolean appended;
    private boolean over;

    MemoryTransaction(String id, Instant now, @Nullable Kept<P, E> kept, int historyMax) {
        this.id = id;
        this.now = now;
        this.kept = kept;
        this.historyMax = historyMax;
    }

    /** What is to be committed; nothing may be written any more. */
    @Nullable
    Kept<P, E> end() {
        over = true;
        return kept;
    }

    List<OutboxMessage> messages() {
        return messages;
    }

    // ---- reading

    @Override
    public Instant now() {
        return now;
    }

    @Override
    public Optional<Committed<P, E>> current() {
        return kept == null ? Optional.empty() : Optional.of(kept.history().getLast());
    }

    @Override
    public Optional<Committed<P, E>> first() {
        return kept == null ? Optional.empty() : Optional.of(kept.first());
    }

    @Override
    public Optional<ActionRow<E>> unfinished() {
        return kept == null ? Optional.empty() : Optional.ofNullable(kept.unfinished());
    }

    @Override
    public Optional<Answered<P, E>> answered(String eventId) {
        Objects.requireNonNull(eventId, "eventId");
        return kept == null ? Optional.empty() : kept.answered(eventId);
    }

    @Override
    public Optional<ActionRow<E>> undoable(String action) {
        Objects.requireNonNull(action, "action");
        return kept == null ? Optional.empty() : Optional.ofNullable(undoable(kept.actions(), action));
    }

    private static <E> @Nullable ActionRow<E> undoable(List<ActionRow<E>> rows, String action) {
        Set<String> undone = new HashSet<>();
        for (ActionRow<E> row : rows.reversed()) {
            if (row.undo() && row.undoes() != null && row.state() == State.DONE) {
                undone.add(row.undoes());
            } else if (!row.undo()
                    && row.state() == State.DONE
                    && row.action().equals(action)
                    && !undone.contains(row.key())) {
                return row;
            }
        }
        return null;
    }

    @Override
    public int declined(String action, boolean undo) {
        Objects.requireNonNull(action, "action");
        return kept == null ? 0 : kept.declines().getOrDefault(count(action, undo), 0);
    }

    private static String count(String action, boolean undo) {
        return (undo ? "undo/" : "do/") + action;
    }

    // ---- writing

    @Override
    public void append(Committed<P, E> next) {
        Kept<P, E> before = kept;
        long version = before == null ? 0 : before.history().getLast().version();
        if (isOver() || appended || next.version() != version + 1 || !next.id().equals(id)) {
            throw new IllegalStateException(next + " cannot follow version " + version + " of " + id
                    + (appended ? ", which this transaction has written" : ""));
        }
        appended = true;
        kept = before == null
                ? new Kept<>(next, List.of(next), List.of(), List.of(), List.of(), Map.of())
                : new Kept<>(
                        before.first(),
                        with(before.history(), next, historyMax),
                        before.actions(),
                        before.answers(),
                        List.of(),
                        Map.of());
    }

    @Override
    public void answer(String eventId, Answered<P, E> answered) {
        Checks.notBlank("eventId", eventId);
        Kept<P, E> before = writable();
        kept = new Kept<>(
                before.first(),
                before.history(),
                before.actions(),
                with(before.answers(), Map.entry(eventId, answered), historyMax),
                before.timers(),
                before.declines());
    }

    @Override
    public void open(ActionRow<E> row) {
        Kept<P, E> before = writable();
        if (before.unfinished() != null
                || !row.isUnfinished()
                || !row.id().equals(id)
                || before.actions().stream().anyMatch(other -> other.key().equals(row.key()))) {
            throw new IllegalStateException("cannot open " + row.key() + " of " + id + ": "
                    + (before.unfinished() == null
                            ? "it was there before, or is finished"
                            : before.unfinished().key() + " is unfinished"));
        }
        List<ActionRow<E>> rows = new ArrayList<>(before.actions().size() + 1);
        rows.addAll(before.actions());
        for (int i = 0; rows.size() >= historyMax && i < rows.size(); ) {
            if (isNeeded(rows, rows.get(i))) {
                i++;
            } else {
                rows.remove(i);
            }
        }
        rows.add(row);
        kept = new Kept<>(
                before.first(),
                before.history(),
                Collections.unmodifiableList(rows),
                before.answers(),
                before.timers(),
                before.declines());
    }

    private static <E> boolean isNeeded(List<ActionRow<E>> rows, ActionRow<E> row) {
        ActionRow<E> undoable = undoable(rows, row.action());
        return undoable != null && undoable.key().equals(row.key());
    }

    @Override
    public boolean close(String key, long fence, State state, @Nullable Object result, @Nullable String note) {
        if (state != State.DONE && state != State.DECLINED) {
            throw new IllegalArgumentException("state must be DONE or DECLINED, but is " + state);
        }
        Kept<P, E> before = writable();
        ActionRow<E> row = before.unfinished();
        if (row == null || !row.key().equals(key) || row.fence() != fence) {
            return false;
        }
        kept = before.with(
                row.as(state, fence, row.leaseUntil(), result, row.attempts(), note == null ? row.lastError() : note));
        if (state == State.DECLINED) {
            Map<String, Integer> declines = new HashMap<>(before.declines());
            declines.merge(count(row.action(), row.undo()), 1, Integer::sum);
            kept = new Kept<>(
                    kept.first(), kept.history(), kept.actions(), kept.answers(), kept.timers(), Map.copyOf(declines));
        }
        return true;
    }

    @Override
    public void arm(Instant due, E event) {
        Kept<P, E> before = writable();
        List<Kept.Waiting<E>> timers = new ArrayList<>(before.timers());
        long version = before.history().getLast().version();
        timers.add(new Kept.Waiting<>(new ArmedTimer<>(id, version, timers.size(), due, event), due));
        kept = new Kept<>(
                before.first(),
                before.history(),
                before.actions(),
                before.answers(),
                Collections.unmodifiableList(timers),
                before.declines());
    }

    @Override
    public boolean disarm(ArmedTimer<E> timer) {
        Kept<P, E> before = writable();
        List<Kept.Waiting<E>> rest = before.timers().stream()
                .filter(waiting -> waiting.timer().version() != timer.version()
                        || waiting.timer().number() != timer.number())
                .toList();
        if (rest.size() == before.timers().size()) {
            return false;
        }
        kept = new Kept<>(
                before.first(), before.history(), before.actions(), before.answers(), rest, before.declines());
        return true;
    }

    @Override
    public void add(OutboxMessage message) {
        Object ignored = writable();
        messages.add(Objects.requireNonNull(message, "message"));
    }

    private boolean isOver() {
        if (over) {
            throw new IllegalStateException("the transaction of " + id + " is over");
        }
        return false;
    }

    private Kept<P, E> writable() {
        if (isOver() || kept == null) {
            throw new IllegalStateException("there is no " + id + " to write about");
        }
        return kept;
    }

    private static <T> List<T> with(List<T> list, T item, int max) {
        List<T> longer = new ArrayList<>(Math.min(list.size() + 1, max));
        longer.addAll(list.size() < max ? list : list.subList(list.size() - max + 1, list.size()));
        longer.add(item);
        return Collections.unmodifiableList(longer);
    }
}
