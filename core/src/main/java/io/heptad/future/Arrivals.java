package io.heptad.future;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The order in which members ended, for the one thread that takes them in that order.
 */
final class Arrivals {
    /** In place of a member that the consumer has had: it may be garbage by now. */
    private static final Object DELIVERED = new Object();

    /*
     * order[k] is 1 + the index of the member that ended as the k-th, or 0. A listener claims k by getAndIncrement, then
     * stores into order[k]; the reader goes through the k in order. All accesses are volatile: the reader publishes
     * itself before it looks at order[k] once more and parks, a listener stores before it looks for a reader, so one of
     * the two sees the other. One int and one listener a member; nothing grows.
     *
     * Listeners hold a link that the reader empties when it leaves, as in Aggregate.
     */
    private final AtomicIntegerArray order;
    private final AtomicInteger arrived = new AtomicInteger();
    private volatile @Nullable Thread reader;

    private Arrivals(int members) {
        order = new AtomicIntegerArray(members);
    }

    /** What a member holds. */
    private record Listener(AtomicReference<@Nullable Arrivals> link, int index)
            implements BiFunction<@Nullable Object, @Nullable Throwable, @Nullable Object> {
        @Override
        public @Nullable Object apply(@Nullable Object value, @Nullable Throwable thrown) {
            Arrivals arrivals = link.get();
            if (arrivals != null) {
                arrivals.arrive(index);
            }
            return null;
        }
    }

    static <T extends @Nullable Object> void deliver(Object[] members, IndexedConsumer<? super Outcome<T>> each)
            throws InterruptedException {
        Arrivals arrivals = new Arrivals(members.length);
        AtomicReference<@Nullable Arrivals> link = new AtomicReference<>(arrivals);
        try {
            for (int i = 0; i < members.length; i++) {
                CompletableFuture<?> member = Members.at(members, i);
                if (member.isDone()) {
                    arrivals.arrive(i);
                } else {
                    Object ignored = member.handle(new Listener(link, i));
                }
            }
            for (int k = 0; k < members.length; k++) {
                int index = arrivals.await(k);
                CompletableFuture<?> member = Members.at(members, index);
                members[index] = DELIVERED;
                each.accept(index, Members.<T>outcome(member));
            }
        } finally {
            link.set(null);
        }
    }

    private void arrive(int index) {
        order.set(arrived.getAndIncrement(), index + 1);
        LockSupport.unpark(reader);
    }

    private int await(int k) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        int at = order.get(k);
        if (at == 0) {
            reader = Thread.currentThread();
            while ((at = order.get(k)) == 0) {
                LockSupport.park(this);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
            reader = null;
        }
        return at - 1;
    }
}
