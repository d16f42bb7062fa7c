package io.heptad.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The examples of the javadoc and of the page, compiled and run. */
@Watched
class SignalSnippetsTest {
    private final List<String> seen = new CopyOnWriteArrayList<>();

    private void load(String part) {
        seen.add("loaded " + part);
    }

    private void use(String part) {
        seen.add("used " + part);
    }

    @Test
    void releaseAndAcquire() throws InterruptedException {
        // @start region="signal"
        Signal loaded = Signal.create(); // no permits yet

        Thread loader = Thread.startVirtualThread(() -> {
            load("prices");
            loaded.release(); // completion releases
        });

        loaded.acquire(); // need acquires: waits for the release, or finds it there
        use("prices");
        // @end
        loader.join();
        assertThat(seen).containsExactly("loaded prices", "used prices");
    }

    @Test
    void waitForSeveral() throws InterruptedException {
        Signal done = Signal.of("batches", 0, 10);
        // @start region="signal-join"
        for (String part : List.of("prices", "stock", "orders")) {
            Thread.startVirtualThread(() -> {
                load(part);
                done.release();
            });
        }
        boolean all = done.acquire(3, Duration.ofSeconds(5)); // all three or, after five seconds, none
        // @end
        assertThat(all).isTrue();
        assertThat(seen).hasSize(3);
    }

    @Test
    void withoutAThreadThatWaits() {
        Signal free = Signal.of("partner", 1, 1);
        // @start region="signal-async"
        CompletableFuture<Void> turn = free.acquireAsync();
        CompletableFuture<Void> served =
                turn.thenRun(() -> use("partner")).whenComplete((done, failed) -> free.release());

        CompletableFuture<Void> tooLate = free.acquireAsync().orTimeout(2, TimeUnit.SECONDS); // leaves the line then
        // @end
        served.join();
        tooLate.join();
        assertThat(seen).containsExactly("used partner");
        assertThat(free.available()).isZero();
    }

    @Test
    void bounded() {
        // @start region="signal-bounded"
        Signal wakeUps = Signal.of("wake-ups", 0, 1); // ten wake-ups before anybody looks are one
        for (int i = 0; i < 10; i++) {
            try {
                wakeUps.release();
            } catch (IllegalStateException alreadyThere) {
                // it is remembered
            }
        }
        // @end
        assertThat(wakeUps.available()).isEqualTo(1);
        assertThat(wakeUps.stats().refused()).isEqualTo(9);
    }
}
