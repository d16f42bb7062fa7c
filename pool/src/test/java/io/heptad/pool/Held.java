package io.heptad.pool;

import io.heptad.core.VoidBody;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

/** Bodies that wait until a test lets them go, so that nothing in the tests depends on how fast anything is. */
final class Held {
    private final Semaphore begun = new Semaphore(0);
    private final CountDownLatch release = new CountDownLatch(1);

    /** A body that reports for duty and waits to be released; an interrupt ends it. */
    VoidBody<InterruptedException> body() {
        return () -> {
            begun.release();
            release.await();
        };
    }

    /** Submits so many held bodies and waits until all of them run. */
    List<CompletableFuture<Void>> occupy(WorkerPool pool, int slots) {
        List<CompletableFuture<Void>> held =
                IntStream.range(0, slots).mapToObj(i -> pool.submit(body())).toList();
        awaitBegun(slots);
        return held;
    }

    /** Waits until so many more bodies have begun. */
    void awaitBegun(int bodies) {
        begun.acquireUninterruptibly(bodies);
    }

    void release() {
        release.countDown();
    }
}
