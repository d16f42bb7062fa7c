package io.heptad.actor;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Which thread waits for which actor, to find those that wait for each other in a circle. */
final class Waits {
    /*
     * An actor handles one message at a time in one thread, so it waits for at most one other; who works in which thread
     * is Addressee.runner. A wait is entered here before its thread can park; THEN the chain is walked: thread -> whom it
     * waits for -> the thread that works there -> ... The last of a circle to enter sees all the others (walk first and enter
     * later, and two can miss each other). Meeting oneself is a candidate only: an edge that was read may have ended
     * since. It is confirmed under one lock by reading the whole circle twice: a wait that was pending at both readings
     * was pending between them, and so were all of them at one instant; then none of them can end by itself, since each
     * waits for the next. The accused leaves in the same hold of the lock, so of two that meet the same circle one is
     * told.
     *
     * A wait that is answered, let in or handled is not pending: an ask whose message was handled already waits for
     * somebody else's answer and accuses nobody. Not known here: that a handler gave its Reply to another thread and then
     * calls back the asker; that counts as a circle.
     *
     * The map is static, as only the table of Stint is besides: a circle crosses actors that know nothing of each other. It holds
     * threads that are in a call, or in line for room, and nothing else; a sender that finds room never comes here.
     * Rejected: a thread-local with the actor of the thread, which each activation would have to set.
     */
    private static final ConcurrentHashMap<Thread, Wait> WAITING = new ConcurrentHashMap<>();
    private static final ReentrantLock CONFIRMING = new ReentrantLock();

    private Waits() {}

    /** A wait of a thread for an actor, or for the owner of a key. */
    abstract static class Wait {
        final Addressee<?> awaited;

        Wait(Addressee<?> awaited) {
            this.awaited = awaited;
        }

        /** Whether it needs the awaited one to go on; once false, it stays false. */
        abstract boolean isPending();
    }

    private record Edge(Wait waits, Thread runner) {}

    /**
     * The calling thread is about to wait; {@link #leave} must follow.
     *
     * @return what it waited for around this one, for {@link #leave}: a worker thread of a pool may help out while it waits
     * @throws ActorDeadlockException if then nobody in the circle could go on; the wait is not entered then
     */
    static @Nullable Wait enter(Wait wait) {
        Thread me = Thread.currentThread();
        Wait outer = WAITING.put(me, wait);
        VarHandle.fullFence(); // with the one of another that enters: one of the two sees the other, and its runner
        if (circle(me, wait) == null) {
            return outer;
        }
        List<String> path = null;
        CONFIRMING.lock();
        try {
            List<Edge> seen = circle(me, wait);
            if (seen != null && seen.equals(circle(me, wait))) {
                path = names(seen);
                restore(me, outer);
            }
        } finally {
            CONFIRMING.unlock();
        }
        if (path != null) {
            throw new ActorDeadlockException(path);
        }
        return outer;
    }

    static void leave(@Nullable Wait outer) {
        restore(Thread.currentThread(), outer);
    }

    private static void restore(Thread me, @Nullable Wait outer) {
        if (outer == null) {
            WAITING.remove(me);
        } else {
            WAITING.put(me, outer);
        }
    }

    /** The waits from this one back to the thread; null if the chain ends elsewhere. */
    private static @Nullable List<Edge> circle(Thread me, Wait mine) {
        List<Edge> edges = new ArrayList<>();
        Set<Wait> met = new HashSet<>();
        for (Wait wait = mine; wait != null && met.add(wait) && wait.isPending(); ) {
            Thread runner = wait.awaited.runner();
            if (runner == null) {
                return null;
            }
            edges.add(new Edge(wait, runner));
            if (runner == me) {
                return edges;
            }
            wait = WAITING.get(runner);
        }
        return null;
    }

    private static List<String> names(List<Edge> edges) {
        List<String> names = new ArrayList<>();
        names.add(edges.get(edges.size() - 1).waits().awaited.name());
        edges.forEach(edge -> names.add(edge.waits().awaited.name()));
        return names;
    }

    /** For tests: nothing of a wait stays behind. */
    static int entered() {
        return WAITING.size();
    }
}
