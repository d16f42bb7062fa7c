package io.heptad.actor;

import io.heptad.core.DrainRate;
import io.heptad.core.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What only a mailbox that was full once needs: the senders that wait for room, how fast it drains, what it refused. */
final class Overflow<M> {
    /*
     * The line belongs to the lock. A sender adds itself and looks at the room again, in one hold of the lock; a taker
     * reads isAwaited after it has made room. "waiting" is written before that look and read after that taking, both
     * volatile, so one of them lets the sender in. Whoever lets a sender in puts its letter for it, so nothing overtakes,
     * and one letter taken wakes one sender. A sender that gives up leaves under the lock; if it was let in meanwhile, it
     * stays so. Threads are woken outside the lock. It calls nothing of a user's.
     */
    private static final Duration DRAIN_WINDOW = Duration.ofSeconds(10);

    /** A sender that waits, with its letter. */
    static final class Sender<M> {
        enum State {
            WAITING,
            LET_IN,
            CLOSED
        }

        final Thread thread = Thread.currentThread();
        final Letter<M> letter;

        /** Written under the lock, once; read without. */
        volatile State state = State.WAITING;

        @Nullable
        Sender<M> before;

        @Nullable
        Sender<M> behind;

        Sender(Letter<M> letter) {
            this.letter = letter;
        }
    }

    final LongAdder rejected = new LongAdder();
    final LongAdder droppedNewest = new LongAdder();
    final LongAdder evicted = new LongAdder();
    final LongAdder timedOut = new LongAdder();

    private final Mailbox<M> mailbox;
    private final @Nullable DrainRate drained;
    final ReentrantLock lock = new ReentrantLock(); // for tests, which stop a sender that gives up
    private @Nullable Sender<M> first;
    private @Nullable Sender<M> last;
    private int count;
    private volatile int waiting;

    Overflow(Mailbox<M> mailbox, Ticker ticker) {
        this.mailbox = mailbox;
        DrainRate rate = null;
        try {
            rate = DrainRate.of(mailbox::left, DRAIN_WINDOW, ticker);
        } catch (Throwable broken) {
            // A clock that throws costs the advice when to come back, not the message that filled the mailbox.
        }
        drained = rate;
    }

    boolean isAwaited() {
        return waiting != 0;
    }

    int waiting() {
        return waiting;
    }

    /** Stands in line, and is let in at once if there is room after all. */
    void enter(Sender<M> sender) {
        Sender<M> woken;
        lock.lock();
        try {
            sender.before = last;
            if (last == null) {
                first = sender;
            } else {
                last.behind = sender;
            }
            last = sender;
            waiting = ++count;
            woken = letIn();
        } finally {
            lock.unlock();
        }
        wake(woken);
    }

    /** Gives up, unless it was let in before. */
    Sender.State leave(Sender<M> sender) {
        lock.lock();
        try {
            if (sender.state == Sender.State.WAITING) {
                remove(sender);
            }
            return sender.state;
        } finally {
            lock.unlock();
        }
    }

    /** Lets in whom there is room for; all learn of it when the mailbox is closed. */
    void admit() {
        Sender<M> woken;
        lock.lock();
        try {
            woken = letIn();
        } finally {
            lock.unlock();
        }
        wake(woken);
    }

    /** Under the lock. Those to be woken, linked by behind. */
    private @Nullable Sender<M> letIn() {
        Sender<M> woken = null;
        Sender<M> lastWoken = null;
        for (Sender<M> sender; (sender = first) != null; ) {
            Mailbox.Answer answer = mailbox.push(sender.letter);
            if (answer == Mailbox.Answer.FULL) {
                break;
            }
            remove(sender);
            sender.state = answer == Mailbox.Answer.ACCEPTED ? Sender.State.LET_IN : Sender.State.CLOSED;
            if (lastWoken == null) {
                woken = sender;
            } else {
                lastWoken.behind = sender;
            }
            lastWoken = sender;
        }
        return woken;
    }

    private void remove(Sender<M> sender) {
        Sender<M> before = sender.before;
        Sender<M> behind = sender.behind;
        if (before == null) {
            first = behind;
        } else {
            before.behind = behind;
        }
        if (behind == null) {
            last = before;
        } else {
            behind.before = before;
        }
        sender.before = null;
        sender.behind = null;
        waiting = --count;
    }

    private static void wake(@Nullable Sender<?> woken) {
        for (Sender<?> sender = woken; sender != null; sender = sender.behind) {
            LockSupport.unpark(sender.thread);
        }
    }

    /** When to come back; null where nobody knows. */
    @Nullable
    Duration retryAfter() {
        try {
            return drained == null ? null : drained.timeToDrain(mailbox.capacity());
        } catch (Throwable broken) {
            return null;
        }
    }
}
