package io.heptad.pool;

import io.heptad.core.RefusedException;
import io.heptad.core.Ticker;
import io.heptad.core.Work;
import io.heptad.pool.Settled.Failed;
import io.heptad.pool.Settled.Succeeded;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One run over many items inside the slots of a pool. The thread that calls it reads the items and takes the results. */
final class Batch<I extends @Nullable Object, O extends @Nullable Object> {
    /*
     * Hands carry the items: at most as many threads as the pool has slots, started when there is work for one more.
     * For each item a hand gets a slot like any caller of run, in the same line and first come first served, and gives
     * it back; so the batch has at most "slots" waiters in the pool at any time, whatever the number of items, and other
     * users of the pool take their turn in between. The one difference from run: it is never refused for want of room. A
     * policy that rejects or drops is an answer to those who can do without; a batch has nobody to pass the refusal to,
     * so it waits at the door, and comes back if it is evicted (Caller.patient).
     *
     * The caller's thread alone touches what the user gave: iterator, consumer, listener. Between it and the hands are
     * two queues under one lock, jobs and dones. Both are bounded by the window: so many items are out at most, from the
     * iterator until the sink has had them. A hand never waits to deliver, and holds no slot while it waits for a job.
     * Each item is given out as it is read and before the next is asked for: an iterator may block for long, or until an
     * item that it gave has ended. Results wait for the caller's thread meanwhile.
     *
     * stop() ends everything early: jobs not begun become failures, running bodies are interrupted, and it returns when
     * the last hand has gone, so nothing of a batch outlives the call. The interrupt is sent under the lock to hands that
     * are registered; a hand clears its flag only before it takes the next job under the same lock, where it would see
     * that the batch is over. So no interrupt of stop() is lost and none outlives a hand.
     *
     * Rejected: a task submitted for each item (a full line would refuse it or block the caller, who then could not take
     * results; and a future an item is what makes ten million items expensive); hands that read the iterator themselves
     * (it would have to be thread-safe, or be called under a lock).
     */

    /** Takes the results, in the caller's thread. */
    interface Sink<I extends @Nullable Object, O extends @Nullable Object> {
        /** Returns false when it has seen enough. */
        boolean take(long index, Settled<I, O> one);
    }

    private record Job<I extends @Nullable Object>(long index, I item) {}

    private record Done<I extends @Nullable Object, O extends @Nullable Object>(long index, Settled<I, O> settled) {}

    /** So many items more than two a slot may be out, so that a batch over few slots does not stop for each result. */
    private static final int SPARE = 16;

    private final Slots slots;
    private final Admission admission;
    private final Dispatch dispatch;
    private final Ticker ticker;
    private final @Nullable UnaryOperator<Runnable> wrapper;
    private final Work<? super I, ? extends O> work;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition workToDo = lock.newCondition();
    private final Condition news = lock.newCondition();

    // Guarded by the lock.
    private final ArrayDeque<Job<I>> jobs = new ArrayDeque<>();
    private final ArrayDeque<Done<I, O>> dones = new ArrayDeque<>();
    private final Set<Thread> hands = new HashSet<>();
    private @Nullable RefusedException refusal;

    /** No thread could be had. Tried again after the next result, and not before: that would be a busy loop. */
    private boolean threadsRanOut;

    // Written under the lock, read by anyone.
    private volatile int started;
    private volatile int idle;
    private volatile boolean over;

    Batch(
            Slots slots,
            Admission admission,
            Dispatch dispatch,
            Ticker ticker,
            @Nullable UnaryOperator<Runnable> wrapper,
            Work<? super I, ? extends O> work) {
        this.slots = slots;
        this.admission = admission;
        this.dispatch = dispatch;
        this.ticker = ticker;
        this.wrapper = wrapper;
        this.work = work;
    }

    /** The pool's own refusal, as opposed to one that a body threw; null if there was none. */
    @Nullable
    RefusedException refusal() {
        lock.lock();
        try {
            return refusal;
        } finally {
            lock.unlock();
        }
    }

    /** Runs all items through the pool. */
    void run(Iterator<? extends I> items, Sink<I, O> sink) throws InterruptedException {
        if (!dispatch.seats().heldBy(Thread.currentThread()).isEmpty()) {
            throw new IllegalStateException(dispatch.name() + " would starve: a batch needs slots of " + dispatch.name()
                    + " and was called from inside a task that holds one. Use another pool, or call it from outside");
        }
        boolean enough = false;
        Throwable brokenInput = null;
        try {
            List<Done<I, O>> arrived = new ArrayList<>();
            boolean more = true;
            long index = 0;
            int out = 0;
            while (!enough && (more || out > 0)) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                Job<I> job = null;
                if (more && out < window()) {
                    try {
                        more = items.hasNext();
                        if (more) {
                            job = new Job<>(index, item(items.next(), index));
                            index++;
                            out++;
                        }
                    } catch (Throwable thrown) {
                        brokenInput = thrown; // what is out already ends first, and is delivered
                        more = false;
                    }
                }
                int wanted = exchange(job, arrived, out > 0 && (!more || out >= window()));
                for (int i = 0; i < wanted; i++) {
                    startHand();
                }
                for (int i = 0; i < arrived.size() && !enough; i++) {
                    enough = !sink.take(arrived.get(i).index, arrived.get(i).settled);
                }
                out -= arrived.size();
                arrived.clear();
            }
        } catch (InterruptedException interrupted) {
            boolean delivered = false;
            try {
                for (Done<I, O> done : stop()) {
                    sink.take(done.index, done.settled);
                }
                delivered = true;
            } finally {
                if (!delivered) {
                    Thread.currentThread().interrupt(); // what the sink threw hides the interrupt, and must not lose it
                }
            }
            throw interrupted;
        } catch (Throwable sinkFailed) {
            stop();
            throw sinkFailed;
        }
        if (enough) {
            stop();
        } else {
            awaitHands(false);
        }
        if (brokenInput != null) {
            Batch.<RuntimeException>sneak(brokenInput);
        }
    }

    private static <I extends @Nullable Object> I item(I item, long index) {
        if (item == null) {
            throw new NullPointerException("items[" + index + "] is null");
        }
        return item;
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Throwable> void sneak(Throwable thrown) throws X {
        throw (X) thrown;
    }

    /** How many items may be out: enough that a hand finds its next job waiting, and proportional to the slots. */
    private int window() {
        return 2 * Math.min(slots.limit(), Integer.MAX_VALUE / 4) + SPARE;
    }

    /**
     * Gives a job out and takes the results that are there; waits for one, if told to and nothing is there to be done.
     *
     * @return how many hands are to be started
     */
    private int exchange(@Nullable Job<I> job, List<Done<I, O>> arrived, boolean wait) throws InterruptedException {
        lock.lock();
        try {
            if (job != null) {
                jobs.add(job);
                workToDo.signal();
            }
            while (wait && dones.isEmpty() && handsWanted() <= 0) {
                news.await();
            }
            threadsRanOut &= dones.isEmpty();
            arrived.addAll(dones);
            dones.clear();
            return handsWanted();
        } finally {
            lock.unlock();
        }
    }

    /** How many more hands would have something to do, and may be started. Holding the lock. */
    private int handsWanted() {
        return threadsRanOut ? 0 : Math.min(jobs.size() - idle, slots.limit() - started);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    private void startHand() {
        lock.lock();
        try {
            started++;
        } finally {
            lock.unlock();
        }
        // Whoever takes it says that the hand has gone, as in Worker: a factory may start the thread, and start()
        // throw.
        AtomicBoolean taken = new AtomicBoolean();
        try {
            Callable<Object> carry = this::carry;
            Callable<?> body = wrapper == null ? carry : new Wrapped<>(carry, wrapper);
            dispatch.newThread(() -> {
                        if (taken.getAndSet(true)) {
                            return;
                        }
                        Throwable failed = null;
                        try {
                            body.call();
                        } catch (Throwable thrown) {
                            failed = thrown;
                        } finally {
                            gone(failed);
                        }
                    })
                    .start();
        } catch (Throwable noThread) {
            if (!taken.getAndSet(true)) {
                gone(noThread);
            }
        }
    }

    /**
     * A hand has gone. If it was the last, and failed, so would the next one: what is waiting fails instead. If it was
     * the last and did not fail, no result is still to come after which a thread would be tried for again: now is the time.
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    private void gone(@Nullable Throwable failed) {
        lock.lock();
        try {
            started--;
            threadsRanOut = failed != null || (threadsRanOut && started > 0);
            if (failed != null && started == 0) {
                for (Job<I> job = jobs.poll(); job != null; job = jobs.poll()) {
                    dones.add(notTimed(job, failed));
                }
            }
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    /** What a hand does. */
    private Object carry() {
        Thread me = Thread.currentThread();
        Done<I, O> done = null;
        boolean mayGoOn = true;
        lock.lock();
        try {
            hands.add(me);
        } finally {
            lock.unlock();
        }
        try {
            while (mayGoOn) {
                Job<I> job = deliverAndTake(done);
                if (job == null) {
                    return this;
                }
                done = settleOrFail(job);
                mayGoOn = !dispatch.freshThreads();
            }
            deliver(done);
        } finally {
            lock.lock();
            try {
                hands.remove(me);
                Thread.interrupted(); // after this, stop() does not know the thread any more
            } finally {
                lock.unlock();
            }
        }
        return this;
    }

    private void deliver(@Nullable Done<I, O> done) {
        lock.lock();
        try {
            if (done != null) {
                dones.add(done);
                news.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    private @Nullable Job<I> deliverAndTake(@Nullable Done<I, O> done) {
        lock.lock();
        try {
            if (done != null) {
                dones.add(done);
                news.signal();
            }
            Thread.interrupted(); // from the body; one of stop() cannot be cleared here, see below
            while (jobs.isEmpty() && !over) {
                idle++;
                workToDo.awaitUninterruptibly();
                idle--;
            }
            return over ? null : jobs.poll();
        } finally {
            lock.unlock();
        }
    }

    /** A job that was taken is delivered, even if a clock throws or memory runs out around its body. */
    private Done<I, O> settleOrFail(Job<I> job) {
        try {
            return settle(job);
        } catch (Throwable thrown) {
            return notTimed(job, thrown);
        }
    }

    private Done<I, O> settle(Job<I> job) {
        Seat seat;
        try {
            seat = slot();
        } catch (RefusedException refused) {
            return notTimed(job, theOne(refused));
        } catch (Throwable noSlot) {
            return notTimed(job, noSlot);
        }
        boolean returned = false;
        long begin = 0;
        try {
            begin = ticker.nanos();
            O value = work.apply(job.item);
            returned = true;
            return new Done<>(job.index, new Succeeded<>(job.item, value, since(begin)));
        } catch (Throwable thrown) {
            return new Done<>(job.index, new Failed<>(job.item, thrown, since(begin)));
        } finally {
            dispatch.ended(seat, null, returned ? Claim.End.COMPLETED : Claim.End.FAILED);
        }
    }

    /** All items that the pool refused have the same refusal as their cause, so that whichever arrives first is known. */
    private RefusedException theOne(RefusedException refused) {
        lock.lock();
        try {
            if (refusal == null) {
                refusal = refused;
            }
            return refusal;
        } finally {
            lock.unlock();
        }
    }

    /** A slot, however long it takes. An interrupt that is not from stop() was meant for somebody else. */
    private Seat slot() {
        for (; ; ) {
            try {
                return admission.enterPatiently();
            } catch (InterruptedException interrupted) {
                if (over) {
                    CancellationException cancelled =
                            new CancellationException("the batch was stopped before this began");
                    cancelled.initCause(interrupted);
                    throw cancelled;
                }
            }
        }
    }

    private Duration since(long begin) {
        return Duration.ofNanos(Math.max(0, ticker.nanos() - begin));
    }

    private Done<I, O> notTimed(Job<I> job, Throwable cause) {
        return new Done<>(job.index, new Failed<>(job.item, cause, Duration.ZERO));
    }

    /** Ends everything early; returns what nobody has taken yet, nothing missing. */
    private List<Done<I, O>> stop() {
        awaitHands(true);
        lock.lock();
        try {
            List<Done<I, O>> left = new ArrayList<>(dones);
            CancellationException stopped = new CancellationException("the batch was stopped before this began");
            for (Job<I> job : jobs) {
                left.add(notTimed(job, stopped));
            }
            return left;
        } finally {
            lock.unlock();
        }
    }

    /** Nothing more is given out; returns when the last hand has gone. An interrupt meanwhile is kept for later. */
    private void awaitHands(boolean interrupting) {
        lock.lock();
        try {
            over = true;
            workToDo.signalAll();
            if (interrupting) {
                hands.forEach(Thread::interrupt);
            }
            while (started > 0) {
                news.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }
}
