package io.heptad.bench.actor;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * What one actor has been told, and how the benchmark learns that it was all. The handler alone touches it between the
 * first message of a batch and the last; the messages and the permit order the rest.
 */
final class Tally {
    private final Semaphore done = new Semaphore(0);
    private long count;
    private long sum;
    private long expected;
    private long expectedSum;

    /** Before a batch: so many more messages come, of this sum. */
    void expect(long n, long ofSum) {
        expected = count + n;
        expectedSum = sum + ofSum;
    }

    /** The handler. */
    void add(Integer value) {
        sum += value;
        if (++count == expected) {
            done.release();
        }
    }

    /** After a batch: it was all handled, each once. */
    long await() throws InterruptedException {
        await(done);
        if (count != expected || sum != expectedSum) {
            throw new AssertionError("expected " + expected + " messages of sum " + expectedSum + ", but handled "
                    + count + " of sum " + sum);
        }
        return count;
    }

    static void await(Semaphore done) throws InterruptedException {
        if (!done.tryAcquire(Cast.LONG.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("not all messages were handled within " + Cast.LONG);
        }
    }
}
