package io.heptad.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One round of a barrier: who has arrived so far, or how it ended. */
final class Round {
    /*
     * State: one reference, top.
     *   null      nobody has arrived
     *   Arrival   the latest to arrive; it knows the one before it, and how many they are
     *   Tripped   all had arrived, and the action, if there is one, has returned
     *   Broken    it ended in another way
     * It moves by CAS only, and never away from Tripped or Broken. So an arrival, the end of the round and a break are
     * decided on one word: an arrival counts or the round has ended before it, and all who have arrived see one end. A
     * snapshot of top is a snapshot of everything.
     *
     * A round is an object of its own and is never used again. Whoever still looks at it, however late, sees its end and
     * can touch no other round: that is why nobody needs to count the threads out before the next round begins.
     *
     * Who parks has put itself into the stack before, and looks at top again after. Who ends the round moves top first,
     * and then wakes the whole stack that it took away.
     *
     * Rejected: a lock and a condition (as in CyclicBarrier), where each of the woken needs the lock again to leave.
     * Rejected: a counter and a table of threads, which are two words that can disagree.
     */
    /**
     * How often a platform thread offers its processor to others before it parks. Those that it waits for may need this
     * very processor, and to go to sleep and be woken costs the two of them more than a few yields.
     */
    static final int YIELDS = 3;

    private static final VarHandle TOP;

    static {
        try {
            TOP = MethodHandles.lookup().findVarHandle(Round.class, "top", State.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    sealed interface State {}

    /** A party that has arrived. The links are written before the CAS that makes it the top. */
    static final class Arrival implements State {
        final Thread thread = Thread.currentThread();
        final @Nullable String party;
        final long since;

        @Nullable
        Arrival before;

        /** How many have arrived, this one included. Above the number of parties: it came while the action ran. */
        int count = 1;

        /** Set by the one that ended the round, for itself. */
        private @Nullable Arrival behind;

        Arrival(@Nullable String party, long since) {
            this.party = party;
            this.since = since;
        }

        private void follow(@Nullable Arrival before) {
            this.before = before;
            count = before == null ? 1 : before.count + 1;
        }
    }

    /** A round that all have completed. */
    enum Tripped implements State {
        TRIPPED
    }

    /**
     * A round that nobody completes.
     *
     * @param what the whole story, for messages
     * @param missing the named parties that had not arrived
     * @param reset whether it begins anew; if not, nothing comes after it before a reset
     */
    record Broken(
            String what, Set<String> missing, @Nullable Throwable cause, boolean reset) implements State {}

    final long number;
    private volatile @Nullable State top;

    Round(long number) {
        this.number = number;
    }

    @Nullable
    State top() {
        return top;
    }

    /** Whether another round follows, without anybody's doing. */
    static boolean isFollowed(@Nullable State state) {
        return state == Tripped.TRIPPED || (state instanceof Broken broken && broken.reset());
    }

    private static boolean hasEnded(@Nullable State state) {
        return state != null && !(state instanceof Arrival);
    }

    /** What a barrier checks before an arrival counts. */
    interface Rule {
        void check(Arrival arrival);
    }

    /**
     * Counts the calling thread in.
     *
     * @param tripsAt the arrival that ends the round by itself and needs no place in it; 0: none does
     * @param rule looks at each try, and throws where the arrival must not count
     * @return false if the round had ended before
     */
    boolean arrive(Arrival me, int tripsAt, @Nullable Rule rule) {
        for (; ; ) {
            State seen = top;
            if (hasEnded(seen)) {
                return false;
            }
            me.follow((Arrival) seen);
            if (rule != null) {
                rule.check(me);
            }
            if (move(seen, me.count == tripsAt ? Tripped.TRIPPED : me)) {
                return true;
            }
        }
    }

    /** Moves on from what was seen. Ending the round leaves {@link #wake} to the caller, who has to do more before. */
    boolean move(@Nullable State seen, State next) {
        return TOP.compareAndSet(this, seen, next);
    }

    /** Wakes all who had arrived when the round ended, in the order in which they came. By the one that ended it. */
    static void wake(@Nullable State seen) {
        Arrival first = (Arrival) seen;
        if (first == null) {
            return;
        }
        for (Arrival before = first.before; before != null; before = first.before) {
            before.behind = first;
            first = before;
        }
        Thread me = Thread.currentThread();
        for (Arrival arrival = first; arrival != null; arrival = arrival.behind) {
            if (arrival.thread != me) {
                LockSupport.unpark(arrival.thread);
            }
        }
    }
}
