package io.heptad.actor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The activations that one thread runs one after the other: the one it was given, and those of actors told meanwhile. */
final class Stint implements Runnable {
    /*
     * A handler that tells an idle actor would have to start a thread for it, or to wake one: that is most of what a message
     * costs where actors talk to each other. So the first actor that is told in a stint is laid down here, in next, and this
     * thread runs it when the activation at hand has ended, never inside it.
     *
     * That handler may as well block, or never end; what it told must be handled all the same, as it may wait for just that.
     * So next is not a promise of this thread alone: whenever it is filled, a cover is on its way, which is this object,
     * given to the executor as the activation would have been. Whoever comes first, this thread or the cover, takes the
     * actor out and runs it. A cover is as good as the start of the actor itself, and costs the same; what is gained is that
     * one of them covers all that this thread lays down until the cover gets its turn.
     *
     *     tells:  next = actor       then  covered?         no: covered = true, give the cover to the executor
     *     cover:  covered = false    then  take next, if there is one, and run it
     *
     * All of it volatile: either the one that tells sees that its cover has looked, and sends another, or the cover sees
     * the actor. Only this thread fills next, and only while it is empty; both sides empty it by getAndSet. covered: true by
     * this thread, false by the cover; an executor that runs a cover twice causes one more, and nothing else.
     *
     * left belongs to the thread. All activations of a stint share one batch of messages, so that a shared executor gets its
     * thread back as soon as from one actor.
     *
     * A stint is found by its thread, in a table in which a place is shared by many threads: whoever comes last has it, and
     * the others tell as if they had no stint, which is always right. An entry is of use to the thread that made it only,
     * which takes it out again. Rejected: a thread-local, which allocates a map in each new virtual thread, and one in
     * each thread that ever sends. Rejected, since a handler may block after it has told: to lay an actor down without a
     * cover. See docs/adr/0007.
     */
    /**
     * After so many messages in a row others get a turn. Eight senders to one actor, ns for each message, medians of two forks:
     * 16 in a row 456, 64 373, 256 387.
     */
    private static final int BATCH = 64;

    /** Places in the table, a power of two, and how far they are apart: a cache line, as each is written by another thread. */
    private static final int PLACES = 64;

    private static final int APART = 16;
    private static final Stint[] TABLE = new Stint[PLACES * APART];
    private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(Stint[].class);
    private static final VarHandle NEXT;

    static {
        try {
            NEXT = MethodHandles.lookup().findVarHandle(Stint.class, "next", Owner.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final Thread thread = Thread.currentThread();
    private final @Nullable Executor executor;

    private volatile @Nullable Owner<?, ?> next;
    private volatile boolean covered;
    private int left = BATCH;
    private boolean over;

    private Stint(@Nullable Executor executor) {
        this.executor = executor;
    }

    /** Runs an activation in this thread, and then what it told. */
    static void begin(Owner<?, ?> first) {
        Stint outer = current(); // of an executor that runs in the thread which tells
        Stint stint = new Stint(first.terms.executor());
        int place = place(stint.thread);
        PLACE.setRelease(TABLE, place, stint);
        try {
            for (Owner<?, ?> owner = first; owner != null; owner = stint.take()) {
                stint.shows(owner);
                owner.activate(stint);
            }
        } finally {
            PLACE.setRelease(TABLE, place, outer);
        }
    }

    /** In a dump a virtual thread has the name of the actor that works in it. */
    private void shows(Owner<?, ?> owner) {
        if (executor == null && !thread.getName().equals(owner.terms.name())) {
            thread.setName(owner.terms.name());
        }
    }

    /** That of this thread; null: it has none, or not in the table. */
    static @Nullable Stint current() {
        Thread me = Thread.currentThread();
        Stint stint = (Stint) PLACE.getAcquire(TABLE, place(me));
        return stint != null && stint.thread == me ? stint : null;
    }

    private static int place(Thread thread) {
        return ((int) thread.threadId() & (PLACES - 1)) * APART;
    }

    /** In its thread: lays down an actor that is to be started. False: it cannot, start it in some other way. */
    @SuppressWarnings("ReferenceEquality") // the very same executor, not one that is like it
    boolean laysDown(Owner<?, ?> owner) {
        if (executor != owner.terms.executor() || next != null) {
            return false;
        }
        next = owner;
        if (covered) {
            return true;
        }
        covered = true;
        try {
            owner.execute(this);
            return true;
        } catch (Throwable refusal) {
            covered = false;
            return !NEXT.compareAndSet(this, owner, null); // if it is still there, nobody will come for it
        }
    }

    /** One more message was handled. Whether that is enough for now. */
    boolean isSpent() {
        if (--left > 0) {
            return false;
        }
        left = BATCH;
        return true;
    }

    /** Nothing else is run in this thread. */
    void end() {
        over = true;
    }

    private @Nullable Owner<?, ?> take() {
        Owner<?, ?> owner = next == null ? null : pick();
        if (owner == null || !over) {
            return owner;
        }
        owner.start(1);
        return null;
    }

    private @Nullable Owner<?, ?> pick() {
        return (Owner<?, ?>) NEXT.getAndSet(this, null);
    }

    /** The cover, in another thread: what was told is not to wait for the handler that told it. */
    @Override
    public void run() {
        covered = false;
        Owner<?, ?> owner = pick();
        if (owner != null) {
            begin(owner);
        }
    }
}
