package io.heptad.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.core.Work;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A work that holds items until the test lets them go, and knows how many it holds, and held at most. */
final class Valve {
    private final Semaphore permits = new Semaphore(0);
    private final AtomicInteger held = new AtomicInteger();
    private final AtomicInteger peak = new AtomicInteger();
    private final AtomicInteger entered = new AtomicInteger();
    private volatile boolean open;

    <T> Work<T, T> work() {
        return item -> {
            entered.incrementAndGet();
            peak.accumulateAndGet(held.incrementAndGet(), Math::max);
            try {
                if (!open) {
                    assertThat(permits.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
                }
            } finally {
                held.decrementAndGet();
            }
            return item;
        };
    }

    int held() {
        return held.get();
    }

    int peak() {
        return peak.get();
    }

    int entered() {
        return entered.get();
    }

    void letGo(int items) {
        permits.release(items);
    }

    void open() {
        open = true;
        permits.release(1_000);
    }

    void untilItHolds(int items) {
        Wait.until().until(() -> held.get() == items);
    }
}
