package io.heptad.recipes.partner;

import io.heptad.core.Work;
import io.heptad.pool.BatchReport;
import io.heptad.pool.Settled;
import io.heptad.pool.WorkerPool;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/** The same batch, wrong in the ways that are seen in the field; each is what a test here must be able to tell. */
final class NaiveBatches {
    private NaiveBatches() {}

    /** A pool that forgets the slot of whatever throws. */
    static final class LeakyPool {
        private final Semaphore slots;

        LeakyPool(int slots) {
            this.slots = new Semaphore(slots);
        }

        void forEach(List<String> items, Work<String, String> work, Executor threads, Consumer<Throwable> failed)
                throws InterruptedException {
            for (String item : items) {
                slots.acquire();
                threads.execute(() -> {
                    try {
                        work.apply(item);
                        slots.release(); // not in a finally
                    } catch (Exception thrown) {
                        failed.accept(thrown);
                    }
                });
            }
        }

        int free() {
            return slots.availablePermits();
        }
    }

    /** Waits for each call before it makes the next: the pool has nothing to bound. */
    static void loopThatWaits(WorkerPool pool, List<String> items, Work<String, String> work) {
        for (String item : items) {
            try {
                pool.submit(() -> work.apply(item)).join();
            } catch (CompletionException failed) {
                // Reported elsewhere; the loop goes on.
            }
        }
    }

    /** Retries what failed all at once, after the batch and beside the pool. */
    static void retryRoundTheBatch(BatchReport<String, String> first, Work<String, String> work, Executor threads) {
        CompletableFuture.allOf(first.failed().stream()
                        .map(Settled.Failed::item)
                        .map(item -> CompletableFuture.runAsync(
                                () -> {
                                    try {
                                        work.apply(item);
                                    } catch (Exception again) {
                                        throw new CompletionException(again);
                                    }
                                },
                                threads))
                        .toArray(CompletableFuture[]::new))
                .join();
    }
}
