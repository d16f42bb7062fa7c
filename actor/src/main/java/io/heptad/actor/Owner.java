package io.heptad.actor;

import io.heptad.core.Backoff;
import io.heptad.core.ClosedException;
import io.heptad.core.DepthEvents;
import io.heptad.core.Durations;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One owner of one state, behind an {@link Actor}: a mailbox, and a handler that is run for one message at a time, in
 * whatever thread. Its other half is the {@link Door}, where messages come in.
 */
final class Owner<S, M> extends Door<S, M> implements Runnable, ActorContext<M> {
    /*
     * status says who works:
     *
     *     IDLE -> SCHEDULED     a sender whose letter is in the mailbox, by CAS: it starts an activation, or has its Stint
     *                           run it next
     *     SCHEDULED -> RUNNING  the activation, by CAS, first of all: an executor that runs it twice runs nothing twice
     *     RUNNING -> IDLE       the runner, when it found nothing; then it looks once more and may take itself back
     *     RUNNING -> SCHEDULED  the runner, to give a shared executor's thread to others for a while
     *     SCHEDULED -> REFUSED  the executor would not; an alarm owns the next try, and no sender touches it. One that
     *                           took the work and threw may still run it
     *     RUNNING -> ENDING -> STOPPED   the runner, once the mailbox is closed and drained
     *
     * No letter is stranded, by three orders: a sender puts its letter BEFORE it looks at the status; the runner looks at
     * the mailbox AFTER it has stored IDLE; and that store is volatile, as is that look, so it cannot pass the store. Each
     * of the three has a weakened control in the stress tests.
     *
     * An activation that finds nothing ends at once. Rejected: to yield twice and look again. With a Stint, that cost a third of
     * a ball's pass in ping-pong (693 ns against 462), of an ask (57 us against 40) and of a tell from one sender (507 ns against
     * 357; medians of three forks on two busy cores): the thread that looks takes the letter to its own core.
     *
     * state belongs to the runner; the CAS that makes one runner follow another orders it. stopping: no other message is
     * to be handled; set by anybody, for good. handled is
     * written by the runner (release), read by anybody. runner is who is inside a handler: written by the runner, read
     * (acquire) by whoever wants to wait, to see whether it would wait for itself.
     */
    static final int IDLE = 0;
    static final int SCHEDULED = 1;
    static final int RUNNING = 2;
    static final int REFUSED = 3;
    static final int ENDING = 4;
    static final int STOPPED = 5;

    /** An executor that refuses so often in a row, in the course of a second, is given up. */
    private static final int TRIES = 10;

    private static final Backoff PAUSES = Backoff.exponential(Duration.ofMillis(1), Duration.ofMillis(500));

    private static final VarHandle STATUS;
    private static final VarHandle RUNNER;
    private static final VarHandle HANDLED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATUS = lookup.findVarHandle(Owner.class, "status", int.class);
            RUNNER = lookup.findVarHandle(Owner.class, "runner", Thread.class);
            HANDLED = lookup.findVarHandle(Owner.class, "handled", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final Supplier<? extends S> initial;
    private final @Nullable Consumer<? super S> onStop;

    private S state;
    private volatile boolean stopping;
    private volatile int status;
    private @Nullable Thread runner;
    private long handled;

    Owner(Terms<S, M> terms, S state, Supplier<? extends S> initial, @Nullable Consumer<? super S> onStop) {
        super(terms);
        this.state = state;
        this.initial = initial;
        this.onStop = onStop;
    }

    @Override
    public Actor<M> self() {
        return actor;
    }

    // Activations

    /** Gets it going, if it is not. After a letter was put, or the mailbox was closed. */
    void schedule() {
        if (status == IDLE && STATUS.compareAndSet(this, IDLE, SCHEDULED)) {
            Stint mine = Stint.current();
            if (mine == null || !mine.laysDown(this)) {
                start(1);
            }
        }
    }

    void start(int attempt) {
        try {
            execute(this);
        } catch (Throwable refusal) {
            if (STATUS.compareAndSet(this, SCHEDULED, REFUSED)) { // else it took it after all
                mishaps().refusals.incrementAndGet();
                tryLater(attempt, refusal);
            }
        }
    }

    /** In a thread of its own, or where the terms say; throws what the executor throws. */
    void execute(Runnable work) {
        Executor executor = terms.executor();
        if (executor == null) {
            Thread.ofVirtual().name(terms.name()).start(work);
        } else {
            executor.execute(work);
        }
    }

    private void tryLater(int attempt, Throwable refusal) {
        if (attempt == 1) {
            report(refusal);
        }
        long nanos = Durations.saturatedNanos(PAUSES.delay(attempt));
        Object ignored = terms.alarms().in(nanos, () -> {
            if (attempt < TRIES) {
                if (STATUS.compareAndSet(this, REFUSED, SCHEDULED)) {
                    start(attempt + 1);
                }
            } else if (STATUS.compareAndSet(this, REFUSED, RUNNING)) {
                giveUp(refusal);
            }
        });
    }

    /** The executor will not run it: what waits fails, here, so that nothing waits for ever. The owner stays open. */
    private void giveUp(Throwable refusal) {
        RUNNER.setRelease(this, Thread.currentThread());
        try {
            do {
                discard(refusal);
                if (mailbox.isDrained()) {
                    finish();
                    return;
                }
            } while (!rest());
        } catch (Throwable broken) { // as in a turn
            brokenOff(broken);
        }
    }

    /** An activation, and what it tells. */
    @Override
    public void run() {
        Stint.begin(this);
    }

    /** One activation. */
    void activate(Stint stint) {
        if (!STATUS.compareAndSet(this, SCHEDULED, RUNNING) && !STATUS.compareAndSet(this, REFUSED, RUNNING)) {
            return;
        }
        Thread me = Thread.currentThread();
        RUNNER.setRelease(this, me);
        boolean interrupted = terms.executor() != null && Thread.interrupted();
        try {
            interrupted |= work(stint);
        } catch (Throwable broken) { // no memory, or no stack left of an executor that runs in the sender's thread
            brokenOff(broken);
        } finally {
            if (interrupted) {
                me.interrupt(); // it was meant for the executor's thread, or for what it does next
            }
        }
    }

    /** This turn is over, in the middle of it. If the owner is still in this thread's hands, another turn goes on. */
    private void brokenOff(Throwable broken) {
        if (runner() == Thread.currentThread()) {
            RUNNER.setRelease(this, null);
            if (STATUS.compareAndSet(this, RUNNING, REFUSED)) {
                tryLater(1, broken);
                return;
            }
        }
        report(broken);
    }

    /** Handles what there is. Whether the thread was interrupted from outside. */
    private boolean work(Stint stint) {
        boolean interrupted = false;
        while (!stopping) {
            Letter<M> letter = mailbox.take();
            if (letter == null) {
                if (mailbox.isDrained()) {
                    break;
                }
                if (!rest()) {
                    continue;
                }
                return interrupted;
            }
            handle(letter);
            interrupted |= Thread.interrupted() && terms.executor() != null;
            if (stint.isSpent()) {
                if (terms.executor() != null && again()) {
                    stint.end();
                    return interrupted;
                }
                letOthersRun();
            }
        }
        mailbox.close();
        discard(null);
        finish();
        return interrupted;
    }

    @SuppressWarnings("ThreadPriorityCheck") // a virtual thread is not preempted
    private void letOthersRun() {
        if (terms.executor() == null) {
            Thread.yield();
        }
    }

    /** Goes idle, unless a letter came in the meantime. */
    private boolean rest() {
        RUNNER.setRelease(this, null);
        status = IDLE;
        if (mailbox.isIdle() || !STATUS.compareAndSet(this, IDLE, RUNNING)) {
            return true;
        }
        RUNNER.setRelease(this, Thread.currentThread());
        return false;
    }

    /** Gives the thread back and asks for another turn. False: the executor would not, so this turn goes on. */
    private boolean again() {
        RUNNER.setRelease(this, null);
        status = SCHEDULED;
        try {
            execute(this);
            return true;
        } catch (Throwable refusal) {
            if (!STATUS.compareAndSet(this, SCHEDULED, RUNNING)) {
                return true;
            }
            mishaps().refusals.incrementAndGet();
            RUNNER.setRelease(this, Thread.currentThread());
            return false;
        }
    }

    // One message

    private void handle(Letter<M> letter) {
        Ask<?> ask = letter.ask;
        M message = letter.message;
        letter.ask = null;
        letter.message = null;
        if (ask != null) {
            if (message == null || ask.isDone()) {
                mishaps().expired.incrementAndGet();
                return;
            }
            ask.place(Ask.IN_HAND);
        }
        try {
            S after = terms.behavior().handle(state, Objects.requireNonNull(message), this);
            state = Objects.requireNonNull(after, "the state that the behavior returned");
            HANDLED.setRelease(this, handled + 1);
        } catch (Throwable failure) {
            failed(failure, ask);
        } finally {
            if (ask != null) {
                ask.place(Ask.HANDLED);
            }
        }
    }

    private void failed(Throwable failure, @Nullable Ask<?> ask) {
        mishaps().failed.incrementAndGet();
        ActorEvents.failed(terms.name(), failure);
        report(failure);
        if (ask != null) {
            ask.completeExceptionally(failure);
        }
        switch (terms.supervision()) {
            case Resume goOn -> {}
            case Restart restart -> restart(restart);
            case Stop end -> stopping = true;
        }
    }

    private void restart(Restart restart) {
        if (!mishaps().mayRestart(restart, now())) {
            stopping = true;
            return;
        }
        Timers<M> set = timers;
        if (set != null) {
            set.clear();
        }
        try {
            state = Objects.requireNonNull(initial.get(), "the state to restart with");
            mishaps().restarts.incrementAndGet();
        } catch (Throwable failure) {
            report(failure);
            stopping = true;
        }
    }

    // The end

    /** Takes out what waits: nobody will handle it. The asks among it fail with the cause; null: as all do at the end. */
    private void discard(@Nullable Throwable cause) {
        List<M> dead = new ArrayList<>();
        for (Letter<M> letter; (letter = mailbox.take()) != null; ) {
            Ask<?> ask = letter.ask;
            M message = letter.message;
            letter.ask = null;
            letter.message = null;
            if (message == null || (ask != null && ask.isDone())) {
                mishaps().expired.incrementAndGet();
                continue;
            }
            mishaps().undelivered.incrementAndGet();
            if (ask != null) {
                ask.completeExceptionally(cause == null ? new ClosedException(terms.name()) : cause);
            }
            dead.add(message);
        }
        dead.forEach(this::deadLetter);
    }

    /** The mailbox is closed and drained: nothing is left but to go. */
    private void finish() {
        status = ENDING;
        try {
            try {
                endTimers();
            } finally {
                endAsks();
            }
        } catch (Throwable broken) { // nobody would come back to it: it stops all the same
            report(broken);
        }
        try {
            callOnStop();
            DepthEvents.exclude(actor);
        } finally {
            stopped();
        }
    }

    private void endTimers() {
        Timers<M> set = timers;
        if (set != null) {
            set.close();
        }
    }

    private void endAsks() {
        Asks open = asks;
        if (open != null) {
            open.close();
        }
    }

    private void callOnStop() {
        if (onStop == null) {
            return;
        }
        try {
            onStop.accept(state);
        } catch (Throwable failure) {
            mishaps().callbackFailures.incrementAndGet();
            report(failure);
        }
    }

    private void stopped() {
        RUNNER.setRelease(this, null);
        status = STOPPED;
        CompletableFuture<Void> end = ended;
        if (end != null) {
            end.complete(null);
        }
    }

    /** Accepts nothing more; what is inside is still handled. */
    @Override
    public void close() {
        mailbox.close();
        schedule();
    }

    /** Accepts nothing more, and gives back what is inside, oldest first; only the message in hand is still handled. */
    @Override
    public List<M> closeNow() {
        mailbox.close();
        List<M> messages = new ArrayList<>();
        List<Ask<?>> asked = new ArrayList<>();
        for (Letter<M> letter; (letter = mailbox.claim()) != null; ) {
            Ask<?> ask = letter.ask;
            M message = letter.message;
            letter.ask = null;
            letter.message = null;
            if (message == null || (ask != null && ask.isDone())) {
                mishaps().expired.incrementAndGet();
                continue;
            }
            mishaps().returned.incrementAndGet();
            messages.add(message);
            if (ask != null) {
                asked.add(ask);
            }
        }
        schedule();
        asked.forEach(ask -> ask.completeExceptionally(new ClosedException(terms.name())));
        return messages;
    }

    @Override
    boolean isStopped() {
        return status == STOPPED;
    }

    // What a handler may do: ActorContext

    @Override
    public void stop() {
        stopping = true;
        mailbox.close();
        schedule();
    }

    @Override
    public Cancellable sendAfter(Duration delay, M message) {
        long nanos = Durations.saturatedNanos(delay);
        Objects.requireNonNull(message, "message");
        Cancellable timer = timers().add(nanos, message);
        if (status >= ENDING && timer.cancel()) {
            throw new ClosedException(terms.name());
        }
        return timer;
    }

    // For those who look on

    /** Who is inside a handler now; null: nobody. */
    @Override
    public @Nullable Thread runner() {
        return (Thread) RUNNER.getAcquire(this);
    }

    long handled() {
        return (long) HANDLED.getAcquire(this);
    }

    // Whom to tell

    /** The failure must not vanish, and must not do harm either. */
    static void report(Throwable failure) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        } catch (Throwable handlerFailed) {
            // As the JVM does with a handler that throws: there is nobody left to tell.
        }
    }
}
