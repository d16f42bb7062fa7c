package io.heptad.actor;

import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import io.heptad.core.FullPolicy;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The ways into a mailbox: send, offer, ask, call. Each puts its letter first and then gets the owner going. */
final class Sending {
    /*
     * No state of its own. A sender that may wait tries a few times first, giving way to others in between: the actor then
     * empties its mailbox in one go instead of waking a sender for each message. So does a caller before it parks for its
     * answer. A caller is entered in Waits before it sends, so that of a circle the last one is told and leaves nothing
     * behind; a sender when it stands in line, so that one that finds room never comes there.
     */
    static final long NO_LIMIT = Long.MAX_VALUE;

    /**
     * One letter in so many has its time taken, besides those that find nothing before them. To take none for an idle actor
     * saved nothing that could be told from noise in ping-pong, where every letter finds nothing (727 ns with, 880 without).
     */
    private static final int TIMED = 64;

    /**
     * How often a caller or a sender looks again before it parks. A platform thread that asks, us for each round trip, medians of
     * two forks: 0 times 35, 16 times 27, 64 times 32, 256 times 26; taken before ADR 0007 had its last form.
     */
    private static final int TRIES = 16;

    private Sending() {}

    // Messages

    /** Follows the policy; see {@link Actor#send(Object, java.time.Duration)}. */
    static <M> boolean send(Owner<?, M> owner, M message, long nanos) throws InterruptedException {
        Objects.requireNonNull(message, "message");
        checkInterrupt();
        Letter<M> letter = letter(owner, message, null);
        return switch (owner.mailbox.offer(letter)) {
            case ACCEPTED -> {
                accepted(owner, letter);
                yield true;
            }
            case CLOSED -> throw closed(owner);
            case FULL -> followPolicy(owner, letter, nanos);
        };
    }

    /** Never waits, never drops another; see {@link Actor#offer(Object)}. */
    static <M> boolean offer(Owner<?, M> owner, M message) {
        Letter<M> letter = letter(owner, Objects.requireNonNull(message, "message"), null);
        return switch (owner.mailbox.offer(letter)) {
            case ACCEPTED -> {
                accepted(owner, letter);
                yield true;
            }
            case CLOSED -> throw closed(owner);
            case FULL -> {
                rejected(owner);
                yield false;
            }
        };
    }

    /** A message whose time has come. What the mailbox does not take goes to the dead letters, unless it is closed. */
    static <M> void deliver(Owner<?, M> owner, M message) {
        try {
            boolean ignored = send(owner, message, NO_LIMIT); // one that is dropped is a dead letter already
        } catch (FullException full) {
            owner.deadLetter(message);
        } catch (ClosedException | InterruptedException over) {
            // The actor has stopped, or starts anew: what was set before is taken back.
        }
    }

    private static <M> boolean followPolicy(Owner<?, M> owner, Letter<M> letter, long nanos)
            throws InterruptedException {
        return switch (owner.terms.whenFull()) {
            case BLOCK -> putWaiting(owner, letter, nanos);
            case REJECT -> throw full(owner, "");
            case DROP_NEWEST -> {
                owner.mailbox.overflowing().droppedNewest.increment();
                ActorEvents.dropped(owner.name(), "newest");
                owner.deadLetter(Objects.requireNonNull(letter.message));
                yield false;
            }
            case DROP_OLDEST -> putEvicting(owner, letter);
        };
    }

    private static <M> boolean putWaiting(Owner<?, M> owner, Letter<M> letter, long nanos) throws InterruptedException {
        if (nanos > 0) {
            if (owner.runner() == Thread.currentThread()) {
                throw full(owner, "its own handler would wait for itself");
            }
            Mailbox.Answer answer = awaitRoom(owner, letter, nanos);
            if (answer == Mailbox.Answer.ACCEPTED) {
                accepted(owner, letter);
                return true;
            }
            if (answer == Mailbox.Answer.CLOSED) {
                throw closed(owner);
            }
        }
        owner.mailbox.overflowing().timedOut.increment();
        return false;
    }

    private static <M> boolean putEvicting(Owner<?, M> owner, Letter<M> letter) {
        for (; ; ) {
            Letter<M> oldest = owner.mailbox.claimIfFull();
            Mailbox.Answer answer = owner.mailbox.offer(letter);
            if (answer == Mailbox.Answer.ACCEPTED) {
                accepted(owner, letter);
            }
            if (oldest != null) {
                evicted(owner, oldest);
            }
            switch (answer) {
                case ACCEPTED -> {
                    return true;
                }
                case CLOSED -> throw closed(owner);
                case FULL -> {} // another sender took the room
            }
        }
    }

    private static <M> void evicted(Owner<?, M> owner, Letter<M> letter) {
        Ask<?> ask = letter.ask;
        M message = letter.message;
        letter.ask = null;
        letter.message = null;
        if (message == null || (ask != null && ask.isDone())) {
            owner.mishaps().expired.incrementAndGet();
            return;
        }
        owner.mailbox.overflowing().evicted.increment();
        ActorEvents.dropped(owner.name(), "oldest");
        if (ask != null) {
            ask.completeExceptionally(fullNow(owner, "dropped for a later message"));
        }
        owner.deadLetter(message);
    }

    // Questions

    /** Never waits; see {@link Actor#ask}. */
    static <M, R extends @Nullable Object> Ask<R> ask(
            Owner<?, M> owner, Function<? super Reply<R>, ? extends M> message, long nanos) {
        Ask<R> ask = new Ask<>(owner.asks(), nanos);
        Letter<M> letter = question(owner, ask, message);
        if (nanos <= 0) {
            ask.completeExceptionally(Asks.late(owner.name(), nanos));
            return ask;
        }
        owner.asks().add(ask);
        switch (owner.mailbox.offer(letter)) {
            case ACCEPTED -> accepted(owner, letter);
            case CLOSED -> ask.completeExceptionally(closed(owner));
            case FULL -> ask.completeExceptionally(full(owner, ""));
        }
        return ask;
    }

    /** Waits for room and for the answer; see {@link Actor#call}. */
    static <M, R extends @Nullable Object> R call(
            Owner<?, M> owner, Function<? super Reply<R>, ? extends M> message, long nanos)
            throws InterruptedException, TimeoutException {
        checkInterrupt();
        long deadline = nanos == NO_LIMIT ? 0 : System.nanoTime() + nanos;
        Ask<R> ask = new Ask<>(owner.asks(), Ask.NEVER);
        Letter<M> letter = question(owner, ask, message);
        if (nanos <= 0) {
            throw Asks.late(owner.name(), nanos);
        }
        Waits.Wait outer = Waits.enter(
                new Waits.Wait(owner) { // before it is sent: one that is told leaves nothing behind
                    @Override
                    boolean isPending() {
                        return !ask.isDone() && ask.place() != Ask.HANDLED;
                    }
                });
        try {
            owner.asks().add(ask);
            putQuestion(owner, letter, nanos);
            awaitAnswer(owner.name(), ask, nanos, deadline);
        } catch (Throwable givenUp) {
            if (ask.completeExceptionally(givenUp)) {
                throw givenUp;
            }
            if (givenUp instanceof InterruptedException) {
                Thread.currentThread().interrupt(); // the answer came first, and the interrupt is for the caller
            }
        } finally {
            Waits.leave(outer);
        }
        return answerOf(owner.name(), ask);
    }

    private static <M> void putQuestion(Owner<?, M> owner, Letter<M> letter, long nanos)
            throws InterruptedException, TimeoutException {
        Mailbox.Answer answer = owner.mailbox.offer(letter);
        if (answer == Mailbox.Answer.FULL && owner.terms.whenFull() == FullPolicy.BLOCK) {
            answer = awaitRoom(owner, letter, nanos);
            if (answer == Mailbox.Answer.FULL) {
                owner.mailbox.overflowing().timedOut.increment();
                throw Asks.late(owner.name(), nanos);
            }
        }
        switch (answer) {
            case ACCEPTED -> accepted(owner, letter);
            case CLOSED -> throw closed(owner);
            case FULL -> throw full(owner, "");
        }
    }

    private static <M, R extends @Nullable Object> Letter<M> question(
            Owner<?, M> owner, Ask<R> ask, Function<? super Reply<R>, ? extends M> message) {
        M question = Objects.requireNonNull(
                Objects.requireNonNull(message, "message").apply(ask), "the message that the function made");
        Letter<M> letter = letter(owner, question, ask);
        ask.letter = letter;
        return letter;
    }

    /** Waits for an answer of the shape of this name. */
    static void awaitAnswer(String name, Ask<?> ask, long nanos, long deadline)
            throws InterruptedException, TimeoutException {
        for (int tries = 0; tries < TRIES; tries++) {
            if (ask.isDone()) {
                return;
            }
            giveWay();
        }
        try {
            if (nanos == NO_LIMIT) {
                Object ignored = ask.get();
            } else {
                Object ignored = ask.get(Math.max(deadline - System.nanoTime(), 0), TimeUnit.NANOSECONDS);
            }
        } catch (ExecutionException | CancellationException answered) {
            // that is the answer
        } catch (TimeoutException late) {
            throw Asks.late(name, nanos);
        }
    }

    /** The answer, or what was thrown instead, by the shape of this name. */
    static <R extends @Nullable Object> R answerOf(String name, Ask<R> ask) {
        if (!ask.isCompletedExceptionally()) {
            return ask.join();
        }
        Throwable cause = ask.exceptionNow();
        if (cause instanceof ClosedException gone && gone.shape().equals(name)) {
            throw new ClosedException(name); // with the stack of the caller
        }
        if (cause instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (cause instanceof Error error) {
            throw error;
        }
        throw new CompletionException(cause);
    }

    // Waiting for room

    private static <M> Mailbox.Answer awaitRoom(Owner<?, M> owner, Letter<M> letter, long nanos)
            throws InterruptedException {
        long deadline = nanos == NO_LIMIT ? 0 : System.nanoTime() + nanos;
        for (int tries = 0; tries < TRIES; tries++) {
            giveWay();
            Mailbox.Answer answer = owner.mailbox.offer(letter);
            if (answer != Mailbox.Answer.FULL) {
                return answer;
            }
        }
        MailboxFullEvent event =
                ActorEvents.beginWait(); // before it stands in line: nothing may fail between that and leave
        Overflow<M> overflow = owner.mailbox.overflowing();
        Overflow.Sender<M> me = new Overflow.Sender<>(letter);
        overflow.enter(me);
        String outcome = "interrupted";
        try {
            Mailbox.Answer answer = park(owner, overflow, me, nanos, deadline);
            outcome = switch (answer) {
                case ACCEPTED -> "accepted";
                case CLOSED -> "closed";
                case FULL -> "timed out";
            };
            return answer;
        } catch (ActorDeadlockException deadlock) {
            outcome = "deadlock";
            throw deadlock;
        } finally {
            ActorEvents.endWait(event, owner.name(), owner.mailbox.capacity(), outcome);
        }
    }

    private static <M> Mailbox.Answer park(
            Owner<?, M> owner, Overflow<M> overflow, Overflow.Sender<M> me, long nanos, long deadline)
            throws InterruptedException {
        if (me.state != Overflow.Sender.State.WAITING) {
            return answer(me.state);
        }
        Waits.Wait outer;
        try {
            outer = Waits.enter(new Waits.Wait(owner) {
                @Override
                boolean isPending() {
                    return me.state == Overflow.Sender.State.WAITING;
                }
            });
        } catch (ActorDeadlockException deadlock) {
            Overflow.Sender.State state = overflow.leave(me);
            if (state == Overflow.Sender.State.WAITING) {
                throw deadlock;
            }
            return answer(state);
        }
        try {
            for (; ; ) {
                if (me.state != Overflow.Sender.State.WAITING) {
                    return answer(me.state);
                }
                boolean interrupted = Thread.interrupted();
                long left = nanos == NO_LIMIT ? NO_LIMIT : deadline - System.nanoTime();
                if (interrupted || left <= 0) {
                    Overflow.Sender.State state = overflow.leave(me);
                    if (interrupted) {
                        if (state == Overflow.Sender.State.WAITING) {
                            throw new InterruptedException();
                        }
                        me.thread.interrupt(); // let in first: that stands, and the interrupt is for the caller
                    }
                    return answer(state);
                }
                if (left == NO_LIMIT) {
                    LockSupport.park(owner);
                } else {
                    LockSupport.parkNanos(owner, left);
                }
            }
        } finally {
            Waits.leave(outer);
        }
    }

    private static Mailbox.Answer answer(Overflow.Sender.State state) {
        return switch (state) {
            case WAITING -> Mailbox.Answer.FULL;
            case LET_IN -> Mailbox.Answer.ACCEPTED;
            case CLOSED -> Mailbox.Answer.CLOSED;
        };
    }

    @SuppressWarnings("ThreadPriorityCheck") // the actor that is waited for may need this core
    private static void giveWay() {
        Thread.yield();
    }

    // The end

    /** Waits so long until the owner has stopped. Not inside its own handler, and not where that would never be. */
    static boolean awaitEnd(Owner<?, ?> owner, long nanos) throws InterruptedException {
        if (owner.isStopped() || nanos <= 0 || owner.runner() == Thread.currentThread()) {
            return owner.isStopped();
        }
        checkInterrupt();
        Waits.Wait outer;
        try {
            outer = Waits.enter(new Waits.Wait(owner) {
                @Override
                boolean isPending() {
                    return !owner.isStopped();
                }
            });
        } catch (ActorDeadlockException never) {
            return false;
        }
        try {
            if (nanos == NO_LIMIT) { // a wait without an end, which a search for deadlocks tells from one with
                owner.ended().get();
            } else {
                owner.ended().get(nanos, TimeUnit.NANOSECONDS);
            }
            return true;
        } catch (TimeoutException late) {
            return false;
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        } finally {
            Waits.leave(outer);
        }
    }

    // Letters and refusals

    private static <M> Letter<M> letter(Owner<?, M> owner, M message, @Nullable Ask<?> ask) {
        return owner.mailbox.wantsTime(TIMED)
                ? new Letter.Timed<>(message, ask, owner.now())
                : new Letter<>(message, ask);
    }

    private static void accepted(Owner<?, ?> owner, Letter<?> letter) {
        owner.schedule();
        if (letter.number == 1) {
            owner.awoke();
        }
    }

    static void checkInterrupt() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private static ClosedException closed(Owner<?, ?> owner) {
        return new ClosedException(owner.name());
    }

    private static void rejected(Owner<?, ?> owner) {
        owner.mailbox.overflowing().rejected.increment();
        ActorEvents.refused(owner.name(), owner.mailbox.capacity());
    }

    /** Counted, recorded, and to be thrown. */
    private static FullException full(Owner<?, ?> owner, String detail) {
        rejected(owner);
        return fullNow(owner, detail);
    }

    private static FullException fullNow(Owner<?, ?> owner, String detail) {
        int capacity = owner.mailbox.capacity();
        return new FullException(
                owner.name(), capacity, capacity, owner.mailbox.overflowing().retryAfter(), detail);
    }
}
