package io.heptad.pool;

import static io.heptad.core.FullPolicy.BLOCK;
import static io.heptad.core.FullPolicy.DROP_NEWEST;
import static io.heptad.core.FullPolicy.DROP_OLDEST;
import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.heptad.contract.Watched;
import io.heptad.core.FullException;
import io.heptad.core.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;

/** What a pool tells about itself: statistics, metrics and events. */
@Watched
class PoolFiguresTest {
    private final Held held = new Held();
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);

    private static Map<String, Double> read(List<Metric> metrics) {
        return metrics.stream()
                .collect(Collectors.toMap(Metric::name, metric -> metric.value().getAsDouble()));
    }

    @Test
    void tellsHowLongTheFirstInLineHasWaited() {
        WorkerPool pool =
                WorkerPool.builder("db", 1, 10, REJECT).ticker(now::get).build();
        held.occupy(pool, 1);
        assertThat(pool.stats().oldestWait()).isZero();
        CompletableFuture<Void> first = pool.submit(held.body());
        now.addAndGet(Duration.ofSeconds(3).toNanos());
        pool.submit(held.body());
        now.addAndGet(Duration.ofSeconds(4).toNanos());

        assertThat(pool.stats().oldestWait()).isEqualTo(Duration.ofSeconds(7));
        assertThat(read(pool.metrics())).containsEntry("heptad.pool.oldest.wait", 7.0);
        first.cancel(true);
        assertThat(pool.stats().oldestWait()).isEqualTo(Duration.ofSeconds(4));
        held.release();
        pool.close();
    }

    @Test
    void theStampsOfALongLineAreNeverLateAndAtMostASixteenthOfItEarly() {
        WorkerPool pool =
                WorkerPool.builder("db", 1, 10_000, REJECT).ticker(now::get).build();
        held.occupy(pool, 1);
        List<CompletableFuture<Void>> line = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            line.add(pool.submit(held.body()));
            now.addAndGet(1_000_000);
        }
        for (int i = 0; i < 2_000; i++) {
            long truth = (2_000 - i) * 1_000_000L;
            long told = pool.stats().oldestWait().toNanos();
            assertThat(told).as("task %d", i).isBetween(truth, truth + i / 16 * 1_000_000L);
            line.get(i).cancel(true);
        }
        held.release();
        pool.close();
    }

    @Test
    void countsEveryFateOnceAndShowsItInItsMetrics() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 1, 2, BLOCK);
        pool.submit(() -> 1).join();
        pool.run(() -> 1);
        assertThatThrownBy(() -> pool.run(() -> {
                    throw new IOException();
                }))
                .isInstanceOf(IOException.class);
        held.occupy(pool, 1);
        CompletableFuture<Void> cancelled = pool.submit(held.body());
        pool.submit(held.body());
        assertThatThrownBy(() -> pool.submit(Duration.ZERO, () -> 1)).isInstanceOf(FullException.class);
        cancelled.cancel(true);
        pool.submit(held.body());

        assertThat(read(pool.metrics()))
                .containsEntry("heptad.pool.slots", 1.0)
                .containsEntry("heptad.pool.active", 1.0)
                .containsEntry("heptad.pool.running", 1.0)
                .containsEntry("heptad.pool.waiting", 2.0)
                .containsEntry("heptad.pool.depth", 2.0)
                .containsEntry("heptad.pool.capacity", 2.0)
                .containsEntry("heptad.pool.saturated", 1.0)
                .containsEntry("heptad.pool.submitted", 8.0)
                .containsEntry("heptad.pool.completed", 2.0)
                .containsEntry("heptad.pool.failed", 1.0)
                .containsEntry("heptad.pool.cancelled", 1.0)
                .containsEntry("heptad.pool.rejected", 1.0)
                .containsEntry("heptad.pool.dropped", 0.0);
        assertThat(pool.metrics())
                .allSatisfy(metric ->
                        assertThat(metric.tags()).containsEntry("name", "db").containsEntry("resource", "db"));
        held.release();
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void totalsOnlyGrowAndStatsKeepTheirBoundsWhileThePoolRuns() throws InterruptedException {
        WorkerPool pool = WorkerPool.of("db", 3, 20, BLOCK);
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<String> wrong = new AtomicReference<>();
        CountDownLatch reading = new CountDownLatch(1);
        Thread reader = Thread.ofPlatform().daemon().start(() -> {
            PoolStats before = pool.stats();
            while (!done.get()) {
                PoolStats next = pool.stats();
                if (next.active() > 3
                        || next.waiting() > 20
                        || next.active() < 0
                        || (next.waiting() > 0 && next.active() < 3)
                        || next.submitted() < before.submitted()
                        || next.completed() < before.completed()
                        || next.failed() < before.failed()
                        || next.oldestWait().isNegative()) {
                    wrong.set(before + " then " + next);
                }
                before = next;
                reading.countDown();
            }
        });
        reading.await();
        for (int i = 0; i < 20_000; i++) {
            pool.submit(() -> {
                throw new IOException();
            });
            pool.submit(() -> 1);
        }
        assertThat(pool.close(Duration.ofSeconds(10))).isTrue();
        done.set(true);
        reader.join();

        assertThat(wrong.get()).isNull();
        assertThat(pool.stats().completed()).isEqualTo(20_000);
        assertThat(pool.stats().failed()).isEqualTo(20_000);
    }

    @Test
    void recordsLongWaitsAndRefusals() throws IOException, InterruptedException {
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.enable("io.heptad.SlotWait").withThreshold(Duration.ofMillis(1));
            recording.enable("io.heptad.PoolRefused");
            recording.start();
            WorkerPool pool = WorkerPool.of("db", 1, 1, DROP_OLDEST);
            held.occupy(pool, 1);
            pool.submit(() -> 1);
            CompletableFuture<Integer> waits = pool.submit(() -> 2);
            Thread caller = Thread.ofPlatform().start(() -> {
                try {
                    pool.run(Duration.ofMillis(20), () -> 1);
                } catch (FullException | InterruptedException expected) {
                    return;
                }
                throw new AssertionError("ran");
            });
            caller.join();
            assertThat(waits).isCompletedExceptionally();
            WorkerPool two = WorkerPool.of("other", 1, 1, DROP_NEWEST);
            Held other = new Held();
            other.occupy(two, 1);
            CompletableFuture<Integer> slow = two.submit(() -> 1);
            two.submit(() -> 2);
            long begun = System.nanoTime();
            Wait.until().until(() -> System.nanoTime() - begun > 2_000_000);
            other.release();
            slow.join();
            two.close();
            assertThatThrownBy(() -> two.submit(() -> 3)).hasMessageContaining("closed");
            held.release();
            pool.close();
            recording.stop();
            Path file = Files.createTempFile("pool", ".jfr");
            recording.dump(file);
            events = RecordingFile.readAllEvents(file);
            Files.delete(file);
        }

        assertThat(reasons(events, "db"))
                .containsExactly("dropped by DROP_OLDEST", "dropped by DROP_OLDEST", "no slot in time");
        assertThat(reasons(events, "other")).containsExactly("dropped by DROP_NEWEST", "closed");
        List<RecordedEvent> waits = events.stream()
                .filter(event -> event.getEventType().getName().equals("io.heptad.SlotWait"))
                .toList();
        assertThat(waits)
                .anySatisfy(wait -> {
                    assertThat(wait.getString("pool")).isEqualTo("db");
                    assertThat(wait.getBoolean("granted")).isFalse();
                    assertThat(wait.getDuration()).isGreaterThanOrEqualTo(Duration.ofMillis(1));
                })
                .anySatisfy(wait -> {
                    assertThat(wait.getString("pool")).isEqualTo("other");
                    assertThat(wait.getBoolean("granted")).isTrue();
                });
    }

    private static List<String> reasons(List<RecordedEvent> events, String pool) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("io.heptad.PoolRefused"))
                .filter(event -> event.getString("pool").equals(pool))
                .map(event -> event.getString("reason"))
                .toList();
    }
}
