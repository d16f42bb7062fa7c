package io.heptad.recipes.partner;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** A partner in virtual time: every call takes equally long; each item fails its first so many tries. */
final class SteppedPartner implements PartnerApi {
    private final SteppedClock clock;
    private final Duration length;
    private final int failures;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Long> starts = new ArrayList<>();
    private int inFlight;
    private int peak;

    SteppedPartner(SteppedClock clock, Duration length, int failures) {
        this.clock = clock;
        this.length = length;
        this.failures = failures;
    }

    @Override
    public String call(String item, int attempt, Duration timeout) throws PartnerException, InterruptedException {
        count(1);
        clock.sleep(length.toNanos());
        count(-1);
        if (attempt <= failures) {
            throw new PartnerException("HTTP 500");
        }
        return "ok";
    }

    private void count(int change) {
        lock.lock();
        try {
            inFlight += change;
            peak = Math.max(peak, inFlight);
            if (change > 0) {
                starts.add(clock.currentTimeNanos());
            }
        } finally {
            lock.unlock();
        }
    }

    int peak() {
        return peak;
    }

    int calls() {
        return starts.size();
    }

    /** The most calls that began within any second, its end left out. */
    int busiestSecond() {
        long[] sorted = starts.stream().mapToLong(Long::longValue).sorted().toArray();
        int most = 0;
        for (int from = 0, to = 0; to < sorted.length; to++) {
            while (sorted[to] - sorted[from] >= 1_000_000_000L) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }

    @Override
    public void close() {
        // It holds nothing.
    }
}
