package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A future is a latch of one that hands over a value: where that is enough, no class of this module is needed. */
@Watched
class FutureAsLatchTest {
    @Test
    void earlyAndLateReadersSeeTheFirstResultAndNoOther() throws Exception {
        List<Integer> seen = new CopyOnWriteArrayList<>();
        CompletableFuture<Integer> result = new CompletableFuture<>();
        List<Thread> early = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            early.add(Thread.ofVirtual().start(() -> seen.add(result.join())));
        }
        Wait.until(() -> early.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));

        assertThat(result.complete(1)).isTrue();
        assertThat(result.complete(2)).isFalse();
        for (Thread thread : early) {
            thread.join();
        }
        IntStream.range(0, 10).forEach(i -> seen.add(result.join()));

        assertThat(seen).hasSize(20).containsOnly(1);
    }

    @Test
    void oneResultForAllWhoWait() {
        // @start region="future"
        CompletableFuture<String> config = new CompletableFuture<>();
        Thread.startVirtualThread(() -> {
            try {
                config.complete(load());
            } catch (RuntimeException failure) {
                config.completeExceptionally(failure); // or all who wait would wait for ever
            }
        });
        String loaded = config.join(); // waits, or has it at once: now, and for ever after
        // @end

        assertThat(loaded).isEqualTo("loaded");
    }

    private static String load() {
        return "loaded";
    }
}
