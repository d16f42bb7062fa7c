package io.heptad.stress;

import io.heptad.core.ClosedException;
import io.heptad.core.FullException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs the blocking call of an actor and turns its end into a word of the outcome: its value, {@code closed}, {@code
 * full}, {@code interrupted}, {@code cancelled}, {@code timeout}, or {@code stuck} where it did not end by itself.
 */
public final class Watch {
    /*
     * A lost wake-up would hang the actor, and jcstress would say "timeout" after half a minute without an outcome. So one
     * daemon looks at the calls in flight and interrupts a stuck one. It never interrupts a thread that has left the
     * call: the two settle that by CAS on the entry's word (0 idle, else the start time; -1 while interrupting, -2 done).
     * After the first stuck call the fork has its verdict and later calls are refused at once, or every one of some
     * thousand states would wait its seconds.
     */
    private static final long STUCK_NANOS = 4_000_000_000L;
    private static final long IDLE = 0;
    private static final long INTERRUPTING = -1;
    private static final long INTERRUPTED = -2;

    private static final List<Entry> ENTRIES = new CopyOnWriteArrayList<>();
    private static final ThreadLocal<Entry> MINE = ThreadLocal.withInitial(Entry::new);
    private static volatile boolean tripped;

    static {
        Thread.ofPlatform().daemon().name("watch").start(Watch::look);
    }

    private Watch() {}

    /** A call that may block. */
    @FunctionalInterface
    public interface Call {
        /**
         * Runs it.
         *
         * @return its value
         * @throws Exception as it likes
         */
        Object call() throws Exception;
    }

    /** A call that may block and has no value. */
    @FunctionalInterface
    public interface VoidCall {
        /**
         * Runs it.
         *
         * @throws Exception as it likes
         */
        void call() throws Exception;
    }

    /**
     * How the call ended.
     *
     * @param call the call
     * @return its value as text, or the word for its end
     */
    public static String call(Call call) {
        if (tripped) {
            return "skipped";
        }
        Entry mine = MINE.get();
        long start = Math.max(1, System.nanoTime() & Long.MAX_VALUE);
        mine.set(start);
        String end;
        try {
            end = String.valueOf(call.call());
        } catch (Throwable thrown) {
            end = word(thrown);
        }
        if (!mine.compareAndSet(start, IDLE)) {
            while (mine.get() != INTERRUPTED) {
                Thread.onSpinWait();
            }
            Thread.interrupted();
            mine.set(IDLE);
            return "stuck";
        }
        return end;
    }

    /**
     * How the call ended.
     *
     * @param call the call
     * @return {@code ok}, or the word for its end
     */
    public static String run(VoidCall call) {
        return call(() -> {
            call.call();
            return "ok";
        });
    }

    /**
     * Clears the interrupt flag of the calling thread, once the interrupter has said that it is done.
     *
     * @param done whether the interrupt has been sent
     * @return whether the flag was set
     */
    public static boolean clearedAfter(java.util.function.BooleanSupplier done) {
        awaitSpinning(done);
        return Thread.interrupted();
    }

    /**
     * Spins, yielding, until the condition holds: two actors share two cores.
     *
     * @param condition the condition
     */
    @SuppressWarnings("ThreadPriorityCheck") // the other actor may need this very core
    public static void awaitSpinning(java.util.function.BooleanSupplier condition) {
        for (int i = 0; !condition.getAsBoolean() && !tripped; i++) {
            if ((i & 63) == 63) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
    }

    /**
     * The word for a throwable.
     *
     * @param thrown what was thrown
     * @return the word, or its class's simple name
     */
    public static String word(Throwable thrown) {
        return switch (thrown) {
            case InterruptedException e -> "interrupted";
            case ClosedException e -> "closed";
            case FullException e -> "full";
            case CancellationException e -> "cancelled";
            case TimeoutException e -> "timeout";
            case ExecutionException e when e.getCause() != null -> word(e.getCause());
            default -> thrown.getClass().getSimpleName();
        };
    }

    private static void look() {
        while (true) {
            LockSupport.parkNanos(100_000_000);
            long now = System.nanoTime() & Long.MAX_VALUE;
            for (Entry entry : ENTRIES) {
                long start = entry.get();
                if (start > 0 && now - start > STUCK_NANOS && entry.compareAndSet(start, INTERRUPTING)) {
                    tripped = true;
                    entry.owner.interrupt();
                    entry.set(INTERRUPTED);
                }
            }
            ENTRIES.removeIf(entry -> !entry.owner.isAlive());
        }
    }

    private static final class Entry extends AtomicLong {
        private static final long serialVersionUID = 1;
        private final transient Thread owner = Thread.currentThread();

        Entry() {
            ENTRIES.add(this);
        }
    }
}
