package io.heptad.gate;

import io.heptad.core.BusyException;
import io.heptad.core.FullException;
import io.heptad.sync.KeyedLock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A store in the memory of one process. */
final class MemoryPhaseStore<P, E> implements PhaseStore<P, E> {
    /*
     * All of an entity is one immutable Kept. A transaction makes a new one in private; the commit is the one put that
     * replaces the old, so a reader sees all of a commit or nothing, without a lock, and a unit that throws leaves nothing.
     * Writers of one id take turns by the keyed lock; writers of different ids do not meet.
     *
     * What is kept besides are indexes, each entry of which is only a hint where to look: `keys` from an unfinished action
     * to its entity, `leases` and `timers` in the order in which they end. They are brought up to date after the put, under
     * the id's lock, and whoever follows one checks it against the entity, under the id's lock again. A crash of a thread
     * between the put and the indexes (there is no code in between that can throw) is not a case.
     *
     * The outbox has its own order, that of the commits: its bound is checked and its places are taken before the put.
     *
     * Rejected: one lock for all, which would make entities wait for each other while a transition runs; undo by restoring
     * fields, which has a step for each field to forget.
     */
    private final int entitiesMax;
    private final int historyMax;
    private final InstantSource clock;

    private final KeyedLock<String> writers = KeyedLock.of("phase store");
    private final ConcurrentHashMap<String, Kept<P, E>> entities = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();
    private final ConcurrentHashMap<String, String> keys = new ConcurrentHashMap<>();
    private final Agenda leases = new Agenda();
    private final Agenda timers = new Agenda();
    private final Outgoing outbox;

    MemoryPhaseStore(int entities, int history, InstantSource clock) {
        this.entitiesMax = Checks.atLeastOne("entities", entities);
        this.historyMax = Checks.atLeastOne("history", history);
        this.clock = Objects.requireNonNull(clock, "clock");
        this.outbox = new Outgoing(entities);
    }

    @Override
    public <T extends @Nullable Object> T transact(String id, Duration patience, Unit<P, E, T> unit)
            throws InterruptedException {
        Checks.notBlank("id", id);
        Objects.requireNonNull(unit, "unit");
        try {
            return writers.withLock(id, patience, () -> {
                Kept<P, E> before = entities.get(id);
                MemoryTransaction<P, E> transaction = new MemoryTransaction<>(id, clock.instant(), before, historyMax);
                T result = unit.run(transaction);
                commit(id, before, transaction.end(), transaction.messages());
                return result;
            });
        } catch (TimeoutException busy) {
            throw new BusyException("phase store", id + " was not free within " + patience);
        } catch (IllegalMonitorStateException reentry) {
            throw new IllegalStateException("a transaction for " + id + " is open in this thread already", reentry);
        }
    }

    /** Under the id's lock. The bounds first: what they refuse leaves nothing behind. */
    private void commit(
            String id, @Nullable Kept<P, E> before, @Nullable Kept<P, E> after, List<OutboxMessage> messages) {
        if (after == null) {
            return;
        }
        if (before == null && count.incrementAndGet() > entitiesMax) {
            count.decrementAndGet();
            throw new FullException("phase store", entitiesMax, entitiesMax, null);
        }
        try {
            outbox.add(messages);
        } catch (FullException full) {
            if (before == null) {
                count.decrementAndGet();
            }
            throw full;
        }
        put(id, before, after);
    }

    /** Under the id's lock. */
    private void put(String id, @Nullable Kept<P, E> before, Kept<P, E> after) {
        entities.put(id, after);
        ActionRow<E> old = before == null ? null : before.unfinished();
        ActionRow<E> now = after.unfinished();
        if (old != null || now != null) {
            if (old != null && (now == null || !now.key().equals(old.key()))) {
                keys.remove(old.key());
            }
            if (now != null) {
                keys.put(now.key(), id);
            }
            leases.move(
                    old != null && old.state() == State.OPEN ? old.leaseUntil() : null,
                    now != null && now.state() == State.OPEN ? now.leaseUntil() : null,
                    id);
        }
        timers.move(before == null ? null : before.nextTimer(), after.nextTimer(), id);
    }

    // ---- open actions

    @Override
    public boolean renew(String id, String key, long fence, Duration lease) throws InterruptedException {
        return change(
                id,
                key,
                fence,
                (row, now) -> row.as(
                        State.OPEN, fence, Checks.later(now, lease), row.result(), row.attempts(), row.lastError()));
    }

    @Override
    public boolean failed(String id, String key, long fence, String error, Duration lease) throws InterruptedException {
        Objects.requireNonNull(error, "error");
        return change(
                id,
                key,
                fence,
                (row, now) ->
                        row.as(State.OPEN, fence, Checks.later(now, lease), row.result(), row.attempts() + 1, error));
    }

    @Override
    public boolean park(String id, String key, long fence, String reason) throws InterruptedException {
        Objects.requireNonNull(reason, "reason");
        return change(
                id, key, fence, (row, now) -> row.as(State.PARKED, fence, now, row.result(), row.attempts(), reason));
    }

    @Override
    public boolean unpark(String id, String key) throws InterruptedException {
        return writers.withLock(id, () -> {
            Kept<P, E> before = entities.get(id);
            ActionRow<E> row = before == null ? null : before.unfinished();
            if (before == null || row == null || !row.key().equals(key) || row.state() != State.PARKED) {
                return false;
            }
            put(
                    id,
                    before,
                    before.with(row.as(
                            State.OPEN, row.fence(), clock.instant(), row.result(), row.attempts(), row.lastError())));
            return true;
        });
    }

    private interface Change<E> {
        ActionRow<E> of(ActionRow<E> row, Instant now);
    }

    private boolean change(String id, String key, long fence, Change<E> change) throws InterruptedException {
        return writers.withLock(id, () -> {
            Kept<P, E> before = entities.get(id);
            ActionRow<E> row = before == null ? null : before.open(key, fence);
            if (before == null || row == null) {
                return false;
            }
            put(id, before, before.with(change.of(row, clock.instant())));
            return true;
        });
    }

    @Override
    public List<Claim> claim(int max, Duration lease) throws InterruptedException {
        Checks.atLeastOne("max", max);
        Checks.positive("lease", lease);
        Instant now = clock.instant();
        List<Claim> claims = new ArrayList<>();
        for (Agenda.Entry entry : leases.inOrder()) {
            if (claims.size() == max || entry.at().isAfter(now)) {
                break;
            }
            Claim claim = claim(entry.id(), now, lease);
            if (claim != null) {
                claims.add(claim);
            }
        }
        return claims;
    }

    private @Nullable Claim claim(String id, Instant now, Duration lease) throws InterruptedException {
        try {
            return writers.<@Nullable Claim, RuntimeException>withLock(id, Duration.ZERO, () -> {
                Kept<P, E> before = entities.get(id);
                ActionRow<E> row = before == null ? null : before.unfinished();
                if (before == null
                        || row == null
                        || row.state() != State.OPEN
                        || row.leaseUntil().isAfter(now)) {
                    return null;
                }
                ActionRow<E> taken = row.as(
                        State.OPEN,
                        row.fence() + 1,
                        Checks.later(now, lease),
                        row.result(),
                        row.attempts(),
                        row.lastError());
                put(id, before, before.with(taken));
                return new Claim(id, taken.key(), taken.fence());
            });
        } catch (TimeoutException busy) {
            return null; // somebody is at it
        }
    }

    @Override
    public List<ArmedTimer<E>> claimTimers(int max, Duration lease) throws InterruptedException {
        Checks.atLeastOne("max", max);
        Checks.positive("lease", lease);
        Instant now = clock.instant();
        List<ArmedTimer<E>> claimed = new ArrayList<>();
        for (Agenda.Entry entry : timers.inOrder()) {
            if (claimed.size() >= max || entry.at().isAfter(now)) {
                break;
            }
            try {
                writers.withLock(entry.id(), Duration.ZERO, () -> {
                    Kept<P, E> before = entities.get(entry.id());
                    if (before != null && before.unfinished() == null) {
                        Kept<P, E> after =
                                before.claimTimers(now, Checks.later(now, lease), max - claimed.size(), claimed);
                        put(entry.id(), before, after);
                    }
                });
            } catch (TimeoutException busy) {
                // Somebody is at it.
            }
        }
        return claimed;
    }

    @Override
    public Optional<Duration> nextDue() {
        Instant lease = leases.first();
        Instant timer = timers.first();
        Instant first = lease == null || (timer != null && timer.isBefore(lease)) ? timer : lease;
        if (first == null) {
            return Optional.empty();
        }
        Duration left = Duration.between(clock.instant(), first);
        return Optional.of(left.isNegative() ? Duration.ZERO : left);
    }

    // ---- reading

    @Override
    public Optional<Committed<P, E>> current(String id) {
        Kept<P, E> kept = kept(id);
        return kept == null ? Optional.empty() : Optional.of(kept.history().getLast());
    }

    @Override
    public List<Committed<P, E>> history(String id) {
        Kept<P, E> kept = kept(id);
        return kept == null ? List.of() : kept.history();
    }

    @Override
    public List<ActionRow<E>> actions(String id) {
        Kept<P, E> kept = kept(id);
        return kept == null ? List.of() : kept.actions();
    }

    @Override
    public Optional<Answered<P, E>> answered(String id, String eventId) {
        Kept<P, E> kept = kept(id);
        Objects.requireNonNull(eventId, "eventId");
        return kept == null ? Optional.empty() : kept.answered(eventId);
    }

    @Override
    public Optional<ActionRow<E>> unfinished(String key) {
        String id = keys.get(Objects.requireNonNull(key, "key"));
        Kept<P, E> kept = id == null ? null : entities.get(id);
        ActionRow<E> row = kept == null ? null : kept.unfinished();
        return row != null && row.key().equals(key) ? Optional.of(row) : Optional.empty();
    }

    @Override
    public List<ActionRow<E>> parked(int max) {
        Checks.atLeastOne("max", max);
        return rows(State.PARKED).stream()
                .sorted(java.util.Comparator.comparing((ActionRow<E> row) -> row.firstSentAt())
                        .thenComparing(ActionRow::key))
                .limit(max)
                .toList();
    }

    private List<ActionRow<E>> rows(State state) {
        List<ActionRow<E>> rows = new ArrayList<>();
        for (String key : keys.keySet()) {
            unfinished(key).filter(row -> row.state() == state).ifPresent(rows::add);
        }
        return rows;
    }

    @Override
    public Figures figures() {
        long open = 0;
        long parked = 0;
        Instant oldest = null;
        for (String key : keys.keySet()) {
            ActionRow<E> row = unfinished(key).orElse(null);
            if (row == null) {
                continue;
            }
            if (row.state() == State.PARKED) {
                parked++;
            } else {
                open++;
                oldest = oldest == null || row.firstSentAt().isBefore(oldest) ? row.firstSentAt() : oldest;
            }
        }
        Duration age = oldest == null ? Duration.ZERO : Duration.between(oldest, clock.instant());
        return new Figures(open, parked, age.isNegative() ? Duration.ZERO : age, 0);
    }

    @Override
    public List<OutboxMessage> outbox(int max) {
        return outbox.first(Checks.atLeastOne("max", max));
    }

    @Override
    public boolean sent(String messageId) {
        return outbox.remove(Objects.requireNonNull(messageId, "messageId"));
    }

    private @Nullable Kept<P, E> kept(String id) {
        return entities.get(Objects.requireNonNull(id, "id"));
    }

    @Override
    public String toString() {
        return "PhaseStore in memory: " + count.get() + " entities, " + keys.size() + " unfinished actions";
    }
}
