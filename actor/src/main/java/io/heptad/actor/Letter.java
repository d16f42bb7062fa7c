package io.heptad.actor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** A message in a mailbox, and the link to the one behind it. */
class Letter<M> {
    /*
     * number is written before the CAS that puts the letter in, and never again. message and ask belong to whoever holds
     * the letter: the sender, then the mailbox, then the one that claimed it, who takes both out. One other hand may
     * reach in: an ask that ended in the line clears the message, so that a big one does not wait for its turn; the
     * claimer then finds null and skips it. next is null until the one behind is linked; the letter itself once it is no
     * longer the head, so that an old letter never keeps a young one alive.
     */
    /** A time that nobody took. */
    static final long UNKNOWN = Long.MIN_VALUE;

    private static final VarHandle NEXT;

    static {
        try {
            NEXT = MethodHandles.lookup().findVarHandle(Letter.class, "next", Letter.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** How many letters the mailbox had taken with this one. */
    long number;

    @Nullable
    M message;

    @Nullable
    Ask<?> ask;

    @SuppressWarnings("unused") // by NEXT
    private @Nullable Letter<M> next;

    Letter(@Nullable M message, @Nullable Ask<?> ask) {
        this.message = message;
        this.ask = ask;
    }

    /** Its ask ended while it was in line: its message waits for nobody. In any thread. */
    void lapse() {
        message = null;
    }

    /** When it was sent, by the ticker; {@link #UNKNOWN} for most. */
    long since() {
        return UNKNOWN;
    }

    @Nullable
    @SuppressWarnings("unchecked") // only ever set to the mailbox's own
    Letter<M> nextAcquire() {
        return (Letter<M>) NEXT.getAcquire(this);
    }

    void nextRelease(Letter<M> behind) {
        NEXT.setRelease(this, behind);
    }

    /** One whose time was taken. */
    static final class Timed<M> extends Letter<M> {
        private final long since;

        Timed(@Nullable M message, @Nullable Ask<?> ask, long since) {
            super(message, ask);
            this.since = since;
        }

        @Override
        long since() {
            return since;
        }
    }

    /** Behind it comes nothing: the mailbox is closed. It is no message, and has the number of the last one. */
    static final class End<M> extends Letter<M> {
        End() {
            super(null, null);
        }
    }
}
