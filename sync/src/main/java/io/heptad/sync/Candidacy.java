package io.heptad.sync;

import io.heptad.core.Ticker;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One candidate's side of an election: it asks, renews, notices that its time is up, and tells. */
final class Candidacy {
    /*
     * A TERM is one leadership. A LAP is what the last renewal proved: the lease runs for at least ttl from `since`, a
     * reading of the ticker taken BEFORE the call, because the store counts from some moment after it. Belief ends `margin`
     * before that. No time of day is read here, and `expiresAt` is not looked at.
     *
     * An acquire proves nothing about the time that is left: to the live holder it gives its own lease back, which may be
     * about to end (this process died, and was restarted under the same name). So the first lap, too, starts with a renewal.
     *
     *   lap      null unless leading. From null only by an attempt, under the lock, after a look at `closed`; to the next
     *            lap by the CAS of a renewal; to null by the CAS of whoever ends the term: a reader or the watch that finds
     *            the time up, a renewal that is refused, close. The winner of that CAS tells, so once. A reader that said
     *            "no" has made it so: a renewal that comes home later finds null, and "no" stays "no" for this term.
     *   active   under the lock: 1 for the call to the leases in flight, 1 for a term until its onLost has returned.
     *            A candidate does not stand while it is above zero: it never leads again before its last term is cleared
     *            away, and at most one call is in flight. Whoever brings it down sets the next alarm, the last of them for good.
     *   turn     under the lock: which alarm may ask; an older one that has already gone off does nothing.
     *   Term     told, over, watch: under the lock. Whichever of "told" and "over" comes second goes on to onLost.
     *
     * Two alarms are set while leading: the next call, and the watch at the end of the lap. The watch does not wait for a
     * call that hangs, and a reader does not wait for the watch.
     *
     * No callback, no call to the leases and no reading of the ticker happens under the lock.
     */
    record Lap(Term term, Lease lease, long since) {}

    static final class Term {
        boolean told;
        boolean over;
        Runnable unwatch = () -> {};
    }

    /** What the builder was told, checked. All times in nanoseconds. */
    record Rules(
            Leases leases,
            String role,
            String candidate,
            Duration ttl,
            long spanNanos,
            long everyNanos,
            Consumer<? super Lease> onElected,
            Runnable onLost) {}

    private final Rules rules;
    private final Ticker ticker;
    private final Alarm alarm;

    private final AtomicReference<@Nullable Lap> lap = new AtomicReference<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final CountDownLatch ended = new CountDownLatch(1);
    private boolean closed;
    private int active;
    private long turn;
    private Runnable unset = () -> {};

    private volatile boolean failing; // the last call to the leases threw; attempts take turns, so one writes at a time
    private volatile @Nullable Thread asking;
    private volatile @Nullable Thread telling;

    final LongAdder elected = new LongAdder();
    final LongAdder lost = new LongAdder();
    final LongAdder failures = new LongAdder();
    final LongAdder failedCallbacks = new LongAdder();

    Candidacy(Rules rules, Ticker ticker, Alarm alarm) {
        this.rules = rules;
        this.ticker = ticker;
        this.alarm = alarm;
    }

    void start() {
        lock.lock();
        try {
            setAlarm(0);
        } finally {
            lock.unlock();
        }
    }

    // Reading

    /** The lap that is on; ends the term if its time is up. */
    @Nullable
    Lap live() {
        while (true) {
            Lap present = lap.get();
            if (present == null || leftNanos(present) > 0) {
                return present;
            }
            if (lap.compareAndSet(present, null)) {
                lost(present, "not renewed in time");
                return null;
            }
        }
    }

    /** How long the lap that is on will be; zero if there is none, or if nobody can say. Changes nothing. */
    long leftNanos() {
        Lap present = lap.get();
        try {
            return present == null ? 0 : Math.max(0, leftNanos(present));
        } catch (Throwable noTime) {
            return 0;
        }
    }

    private long leftNanos(Lap present) {
        return rules.spanNanos - (ticker.nanos() - present.since);
    }

    // Asking

    private void attempt(long mine) {
        Lap leading;
        lock.lock();
        try {
            leading = lap.get();
            if (closed || mine != turn || (leading == null && active > 0)) {
                return;
            }
            active++;
        } finally {
            lock.unlock();
        }
        asking = Thread.currentThread();
        long pause = leading == null ? stand() : renew(leading);
        asking = null;
        leave(pause);
    }

    /** Asks for the lease, and answers with the pause before the next call. */
    private long stand() {
        Lease granted = null;
        boolean entered = false;
        long pause = rules.everyNanos;
        try {
            granted =
                    rules.leases.acquire(rules.role, rules.candidate, rules.ttl).orElse(null);
            if (granted != null) {
                long since = ticker.nanos();
                Lease renewed = rules.leases.renew(granted, rules.ttl).orElse(null);
                entered = renewed != null && enter(new Lap(new Term(), renewed, since));
                pause = pauseAfter(since);
            }
            failing = false;
        } catch (Throwable down) {
            failed(down);
            pause = retryNanos();
        }
        if (granted != null && !entered && isClosed()) {
            giveBack(granted);
        }
        return pause;
    }

    private boolean enter(Lap first) {
        if (leftNanos(first) <= 0) {
            return false; // the call took longer than what it proved
        }
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            lap.set(first);
            active++;
        } finally {
            lock.unlock();
        }
        elected.increment();
        watch(first.term);
        alarm.in(0, () -> welcome(first));
        return true;
    }

    private long renew(Lap leading) {
        try {
            long since = ticker.nanos();
            Lease renewed = rules.leases.renew(leading.lease, rules.ttl).orElse(null);
            failing = false;
            if (renewed != null) {
                lap.compareAndSet(leading, new Lap(leading.term, renewed, since));
                return pauseAfter(since);
            }
            if (lap.compareAndSet(leading, null)) {
                lost(leading, "renewal refused");
            }
            return rules.everyNanos;
        } catch (Throwable down) {
            failed(down);
            return retryNanos();
        }
    }

    /** Calls start `every` apart, however long they take: a slow store must not eat the time of the next renewal. */
    private long pauseAfter(long since) {
        return rules.everyNanos - (ticker.nanos() - since);
    }

    private long retryNanos() {
        return rules.everyNanos / 4;
    }

    private void giveBack(Lease lease) {
        try {
            rules.leases.release(lease);
        } catch (Throwable down) {
            failed(down); // then it runs out
        }
    }

    /** All are counted; the first of a row is reported, because a store that is down for a night would fill the log. */
    private void failed(Throwable down) {
        failures.increment();
        if (!failing) {
            failing = true;
            Completions.report(down);
        }
    }

    // Noticing

    /** Ends the term when its time is up, whether or not a call is in flight; looks again if it was renewed. */
    private void watch(Term term) {
        Lap present = lap.get();
        while (present != null && present.term == term) {
            long left;
            try {
                left = leftNanos(present);
            } catch (Throwable noTime) {
                Completions.report(noTime);
                left = 0; // who cannot tell the time cannot know that it still leads
            }
            if (left > 0) {
                lock.lock();
                try {
                    if (!term.over) {
                        term.unwatch = alarm.in(left, () -> watch(term));
                    }
                } finally {
                    lock.unlock();
                }
                return;
            }
            if (lap.compareAndSet(present, null)) {
                lost(present, "not renewed in time");
                return;
            }
            present = lap.get();
        }
    }

    private void lost(Lap last, String reason) {
        lost.increment();
        LeaseEvents.lost(last.lease, reason);
        end(last);
    }

    /** By the winner of the CAS only. */
    private void end(Lap last) {
        boolean told;
        lock.lock();
        try {
            last.term.over = true;
            last.term.unwatch.run();
            told = last.term.told;
        } finally {
            lock.unlock();
        }
        if (told) {
            alarm.in(0, () -> farewell(last, true));
        }
    }

    // Telling

    private void welcome(Lap first) {
        boolean tell = !isOver(first.term, false); // if it is over before anybody was told, nobody needs to know
        if (tell) {
            telling = Thread.currentThread();
            call(() -> rules.onElected.accept(first.lease));
            telling = null;
        }
        if (isOver(first.term, true)) {
            farewell(first, tell);
        }
    }

    private boolean isOver(Term term, boolean told) {
        lock.lock();
        try {
            term.told = told;
            return term.over;
        } finally {
            lock.unlock();
        }
    }

    private void farewell(Lap last, boolean tell) {
        telling = Thread.currentThread();
        if (tell) {
            call(rules.onLost);
        }
        if (isClosed()) {
            giveBack(last.lease); // only now: what the leader did has stopped
        }
        telling = null;
        leave(rules.everyNanos);
    }

    private void call(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable thrown) {
            failedCallbacks.increment();
            Completions.report(thrown);
        } finally {
            Thread.interrupted(); // the thread is ours, and the next callback must not inherit it
        }
    }

    // Beginning and end

    private void leave(long pause) {
        lock.lock();
        try {
            active--;
            if (closed) {
                if (active == 0) {
                    ended.countDown();
                }
            } else {
                setAlarm(pause);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Called only under the lock. */
    private void setAlarm(long pause) {
        unset.run();
        turn++;
        long mine = turn;
        unset = alarm.in(pause, () -> attempt(mine));
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        Lap last;
        lock.lock();
        try {
            closed = true; // maybe again
            unset.run();
            last = lap.getAndSet(null);
            if (active == 0) {
                ended.countDown();
            }
        } finally {
            lock.unlock();
        }
        if (last != null) {
            end(last);
        }
    }

    /** Waits for the end that close has begun; not in a thread that the end itself waits for. */
    boolean awaitEnd(long nanos) throws InterruptedException {
        Thread me = Thread.currentThread();
        return ended.await(me == asking || me == telling ? 0 : nanos, TimeUnit.NANOSECONDS);
    }
}
