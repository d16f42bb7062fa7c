package io.heptad.actor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** What the tests of keyed actors send: an owner puts numbers down, and can be held, asked, broken and stopped. */
sealed interface Note {
    /** Puts a number down. */
    record Put(int number) implements Note {}

    /** Holds the owner until it is released. */
    record Hold(CountDownLatch begun, CountDownLatch released) implements Note {
        Hold() {
            this(new CountDownLatch(1), new CountDownLatch(1));
        }

        void release() {
            released.countDown();
        }
    }

    /** Runs something in the owner. */
    record Do(Doing doing) implements Note {}

    /** Throws. */
    record Break(Throwable how) implements Note {}

    /** Asks what is put down. */
    record Read(Reply<? super List<Integer>> reply) implements Note {}

    /** Stops the owner. */
    record Halt() implements Note {}

    /** Sets a note for later. */
    record Later(Duration delay, Note note) implements Note {}

    /** What a {@link Do} does. */
    @FunctionalInterface
    interface Doing {
        void run(ActorContext<Note> context) throws Exception;
    }

    /** The owner's behavior; its state is what was put down. */
    static List<Integer> handle(List<Integer> state, Note note, ActorContext<Note> context) throws Exception {
        switch (note) {
            case Put put -> {
                List<Integer> more = new ArrayList<>(state);
                more.add(put.number());
                return List.copyOf(more);
            }
            case Hold hold -> {
                hold.begun().countDown();
                hold.released().await();
            }
            case Do doing -> doing.doing().run(context);
            case Break broken -> throw Note.<RuntimeException>as(broken.how());
            case Read read -> read.reply().ok(state);
            case Halt halt -> context.stop();
            case Later later -> {
                Cancellable ignored = context.sendAfter(later.delay(), later.note());
            }
        }
        return state;
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> X as(Throwable how) throws X {
        throw (X) how;
    }

    /** Holds the owner of a key; returns once it is held. */
    static Hold hold(KeyedActors<String, Note> actors, String key) throws InterruptedException {
        Hold hold = new Hold();
        if (!actors.send(key, hold)) {
            throw new AssertionError("dropped");
        }
        hold.begun().await();
        return hold;
    }

    static ConditionFactory until() {
        return Awaitility.await()
                .dontCatchUncaughtExceptions() // an owner reports what its handler threw, and that is no failure of the
                // test
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofSeconds(10));
    }
}
