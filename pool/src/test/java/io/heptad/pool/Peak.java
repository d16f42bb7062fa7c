package io.heptad.pool;

import io.heptad.core.Work;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts the bodies that run at once. */
final class Peak {
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger peak = new AtomicInteger();
    private final CountDownLatch together;

    /** The first bodies wait until so many run together, so a peak below that would be a hang, not a coincidence. */
    Peak(int together) {
        this.together = new CountDownLatch(together);
    }

    <I, O> Work<I, O> around(Work<I, O> work) {
        return item -> {
            int now = running.incrementAndGet();
            peak.accumulateAndGet(now, Math::max);
            together.countDown();
            try {
                if (!together.await(10, TimeUnit.SECONDS)) {
                    throw new AssertionError("never ran together");
                }
                return work.apply(item);
            } finally {
                running.decrementAndGet();
            }
        };
    }

    int peak() {
        return peak.get();
    }
}
