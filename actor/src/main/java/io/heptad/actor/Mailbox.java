package io.heptad.actor;

import io.heptad.core.Ticker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A bounded line of letters: many put, one takes, and whoever closes or evicts may take too. What it holds is allocated
 * letter by letter, so an empty one is three references.
 */
@SuppressWarnings("ReferenceEquality") // letters are places in the line, not values
final class Mailbox<M> {
    /*
     * A linked queue in the manner of Michael and Scott, whose nodes are numbered: head is the last letter that was
     * taken, top the last that was put, so depth is the difference of two numbers and the bound is exact:
     *
     *     head(#7, empty) -> #8 -> #9 -> top(#10)            depth 3, accepted 10, left 7
     *     ... -> #10 -> End(#10)                             closed: top never changes again
     *
     * put:   read top; End: closed. top.number - head.number >= capacity: full (head only grows, so a stale one errs on
     *        the full side, and the CAS fails if top has moved). CAS top, then link. The CAS is the one full fence of a
     *        send: what looks at the owner's status after it cannot be ordered before.
     * take:  CAS head to the next one. Usually the owner's runner alone does that; closeNow and an evicting sender may
     *        compete, and each letter goes to one of them. Between a putter's CAS and its link the next one is not to be
     *        seen yet: whoever needs it waits those few instructions (64 spins, then yields).
     * empty: head == top, by reference. The runner's look after it has gone idle must be at top and not at the link,
     *        because only top is written before the sender looks at the status.
     *
     * Senders that wait for room are in the Overflow, which exists from the first time that the mailbox was full. A taker
     * looks there after its CAS; a sender stands in line first and then looks at the room once more (both are full
     * fences): one of the two sees the other. While somebody stands in line, put says full to newcomers.
     *
     * Rejected: BoundedQueue, whose ring takes its memory at once and stays (2 KB for 100 letters: too much for a million
     * idle actors and for a key that is used once). Padding: four cache lines for each actor.
     */
    enum Answer {
        ACCEPTED,
        FULL,
        CLOSED
    }

    private static final int SPINS = 64;
    private static final VarHandle TOP;
    private static final VarHandle HEAD;
    private static final VarHandle OVERFLOW;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TOP = lookup.findVarHandle(Mailbox.class, "top", Letter.class);
            HEAD = lookup.findVarHandle(Mailbox.class, "head", Letter.class);
            OVERFLOW = lookup.findVarHandle(Mailbox.class, "overflow", Overflow.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final int capacity;
    private final Ticker ticker;

    private volatile Letter<M> top;
    private volatile Letter<M> head;

    /** Null until it was full for the first time. */
    private volatile @Nullable Overflow<M> overflow;

    Mailbox(int capacity, Ticker ticker) {
        this.capacity = capacity;
        this.ticker = ticker;
        Letter<M> none = new Letter<>(null, null);
        top = none;
        head = none;
    }

    // In

    /** Puts a letter behind the others, if there is room and nobody waits for it. Never waits. */
    Answer offer(Letter<M> letter) {
        Overflow<M> full = overflow;
        return full != null && full.isAwaited() ? answerToNewcomer() : push(letter);
    }

    private Answer answerToNewcomer() {
        return top instanceof Letter.End ? Answer.CLOSED : Answer.FULL;
    }

    /** As {@link #offer}, past those who wait: for the first of them. */
    Answer push(Letter<M> letter) {
        for (; ; ) {
            Letter<M> last = top;
            if (last instanceof Letter.End) {
                return Answer.CLOSED;
            }
            long number = last.number + 1;
            long depth = number - head.number;
            if (depth > capacity) {
                return Answer.FULL;
            }
            letter.number = number;
            if (TOP.compareAndSet(this, last, letter)) {
                last.nextRelease(letter);
                if (depth == capacity && overflow == null) {
                    overflowing(); // from here on it is measured how fast it drains
                }
                return Answer.ACCEPTED;
            }
        }
    }

    /** Whether a letter put now would be worth timing: the next in turn, or one of a few. */
    boolean wantsTime(int oneIn) {
        Letter<M> last = top;
        return last == head || (last.number & (oneIn - 1)) == 0;
    }

    // Out

    /** Takes the oldest letter; null if there is none now, or will never be: {@link #isDrained()}. */
    @Nullable
    Letter<M> take() {
        Letter<M> taken = claim();
        if (taken != null) {
            Overflow<M> full = overflow;
            if (full != null && full.isAwaited()) {
                full.admit();
            }
        }
        return taken;
    }

    /** As {@link #take()}, but lets nobody in. */
    @Nullable
    Letter<M> claim() {
        for (; ; ) {
            Letter<M> first = head;
            Letter<M> next = behind(first);
            if (next == null || next instanceof Letter.End) {
                return null;
            }
            if (next != first && HEAD.compareAndSet(this, first, next)) {
                first.nextRelease(first);
                return next;
            }
        }
    }

    /** Takes the oldest letter if it is full, and only then; in one step. */
    @Nullable
    Letter<M> claimIfFull() {
        for (; ; ) {
            Letter<M> first = head;
            if (top.number - first.number < capacity) {
                return null; // top only grows: while head stays what it is, what was full stays full
            }
            Letter<M> next = behind(first);
            if (next != null && next != first && HEAD.compareAndSet(this, first, next)) {
                first.nextRelease(first);
                return next;
            }
        }
    }

    /** What is linked behind the letter; waits for a link under way; null if the letter is the last. */
    private @Nullable Letter<M> behind(Letter<M> letter) {
        for (int tries = 0; ; tries++) {
            Letter<M> next = letter.nextAcquire();
            if (next != null || letter == top) {
                return next;
            }
            pause(tries);
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // the thread that is waited for may need this core
    private static void pause(int tries) {
        if (tries < SPINS) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }

    /** Nothing inside, and not closed either. */
    boolean isIdle() {
        return head == top;
    }

    // The end

    /** Accepts nothing more; false if that was so already. Those who wait for room are sent away. */
    boolean close() {
        Letter<M> end = new Letter.End<>();
        for (; ; ) {
            Letter<M> last = top;
            if (last instanceof Letter.End) {
                return false;
            }
            end.number = last.number;
            if (TOP.compareAndSet(this, last, end)) {
                last.nextRelease(end);
                Overflow<M> full = overflow;
                if (full != null) {
                    full.admit(); // they learn that it is closed
                }
                return true;
            }
        }
    }

    boolean isClosed() {
        return top instanceof Letter.End;
    }

    /** Closed, and nothing inside: once true, it stays true. */
    boolean isDrained() {
        return top instanceof Letter.End && behind(head) instanceof Letter.End;
    }

    // Figures

    /** A look at both ends in one instant. */
    record Span(long left, long accepted) {
        int depth() {
            return (int) (accepted - left);
        }
    }

    Span span() {
        for (int tries = 0; ; tries++) {
            Letter<M> first = head;
            long accepted = top.number;
            if (first == head || tries == SPINS) {
                // After the last try: head may have moved past what top was, and is never further behind than the
                // bound.
                long left = tries == SPINS ? Math.min(head.number, accepted) : first.number;
                return new Span(left, accepted);
            }
        }
    }

    /** How many have left in whatever way. */
    long left() {
        return head.number;
    }

    /** When the oldest letter was sent, or one of the first behind it; {@link Letter#UNKNOWN} if no such was timed. */
    long oldestSince(int looks) {
        Letter<M> letter = head;
        for (int i = 0; i <= looks; i++) {
            Letter<M> next = letter.nextAcquire();
            if (next == null || next == letter || next instanceof Letter.End) {
                break;
            }
            long since = next.since();
            if (since != Letter.UNKNOWN) {
                return since;
            }
            letter = next;
        }
        return Letter.UNKNOWN;
    }

    int capacity() {
        return capacity;
    }

    /** What a mailbox that was full has besides; null if it never was. */
    @Nullable
    Overflow<M> overflow() {
        return overflow;
    }

    /** The same, made now if need be. */
    Overflow<M> overflowing() {
        Overflow<M> known = overflow;
        if (known == null) {
            Overflow<M> fresh = new Overflow<>(this, ticker);
            known = OVERFLOW.compareAndSet(this, null, fresh) ? fresh : overflow;
        }
        return Objects.requireNonNull(known);
    }
}
