package io.heptad.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntSupplier;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;
import org.awaitility.Awaitility;

/**
 * Three hundred virtual threads in one blocking call, one carrier for all of them, and one that releases: if a wait held
 * its carrier, nobody would ever release. Row G33.
 */
public final class OneCarrier {
    /** How many wait at once. */
    public static final int WAITERS = 300;

    private static final String PINNED = "jdk.VirtualThreadPinned";

    private static final Duration RELEASED_WITHIN = Duration.ofSeconds(2);
    private static final Duration PINNED_AT_MOST = Duration.ofMillis(20);

    private OneCarrier() {}

    /**
     * Lets all wait, releases them from a virtual thread, and checks that all ended in time and nothing was pinned.
     *
     * @param waiting how many are in the call
     * @param call what each of them does
     * @param release what sets them free
     * @return what the calls returned
     * @throws Exception if a call failed
     */
    public static List<Object> soak(IntSupplier waiting, Callable<?> call, Callable<?> release) throws Exception {
        assertThat(System.getProperty("jdk.virtualThreadScheduler.maxPoolSize"))
                .as("this JVM has one carrier")
                .isEqualTo("1");
        Path file = Files.createTempFile("pinned", ".jfr");
        try (Recording recording = new Recording()) {
            recording.enable(PINNED).withThreshold(PINNED_AT_MOST).withStackTrace();
            recording.start();
            List<Object> values = waitAndRelease(waiting, call, release);
            recording.stop();
            recording.dump(file);
            assertThat(pinnedByUs(file))
                    .as("pinned for longer than %s", PINNED_AT_MOST)
                    .isEmpty();
            return values;
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static List<Object> waitAndRelease(IntSupplier waiting, Callable<?> call, Callable<?> release)
            throws InterruptedException, ExecutionException, TimeoutException {
        List<FutureTask<Object>> calls = new ArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            FutureTask<Object> task = new FutureTask<>(call::call);
            calls.add(task);
            Thread.ofVirtual().name("waiter-" + i).start(task);
        }
        Awaitility.await("all are in the call")
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(2))
                .until(() -> waiting.getAsInt() == WAITERS);
        FutureTask<Object> releasing = new FutureTask<>(release::call);
        CountDownLatch started = new CountDownLatch(1);
        Thread.ofVirtual().name("releaser").start(() -> {
            started.countDown();
            releasing.run();
        });
        started.await();
        long deadline = System.nanoTime() + RELEASED_WITHIN.toNanos();
        List<Object> values = new ArrayList<>();
        for (FutureTask<Object> task : calls) {
            values.add(task.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS));
        }
        releasing.get(5, TimeUnit.SECONDS);
        return values;
    }

    private static List<String> pinnedByUs(Path file) throws IOException {
        List<String> pinned = new ArrayList<>();
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            if (event.getEventType().getName().equals(PINNED)
                    && event.getStackTrace() != null
                    && event.getStackTrace().getFrames().stream()
                            .map(RecordedFrame::getMethod)
                            .anyMatch(method -> method.getType().getName().startsWith("io.heptad.")
                                    && !method.getType().getName().startsWith("io.heptad.stress."))) {
                pinned.add(event.toString());
            }
        }
        return pinned;
    }
}
