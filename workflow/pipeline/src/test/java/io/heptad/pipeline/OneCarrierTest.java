package io.heptad.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.core.FullPolicy;
import io.heptad.pool.WorkerPool;
import io.heptad.queue.BoundedQueue;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All virtual threads on one carrier: whoever spins or pins there stops the world. A JVM of its own, by its options. */
@Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // it starts a JVM, on a machine that may be busy
class OneCarrierTest {
    @Test
    void everybodyFinishesOnOneCarrier() throws Exception {
        String path = Stream.of(
                        Pipeline.class, BoundedQueue.class, WorkerPool.class, FullPolicy.class, OneCarrierTest.class)
                .map(type ->
                        type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djdk.virtualThreadScheduler.parallelism=1",
                        "-Djdk.virtualThreadScheduler.maxPoolSize=1",
                        "-cp",
                        path,
                        Child.class.getName())
                .redirectErrorStream(true)
                .start();
        child.getOutputStream().close();
        String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();

        assertThat(said.strip()).endsWith("all done");
        assertThat(child.exitValue()).isZero();
    }

    /** What runs on the one carrier. A hang ends it by the watchdog, which is a platform thread. */
    static final class Child {
        private Child() {}

        public static void main(String[] args) throws Exception {
            Thread.ofPlatform().daemon().start(() -> {
                java.util.concurrent.locks.LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(40));
                System.out.println("hung");
                Runtime.getRuntime().halt(3);
            });
            Thread main = Thread.startVirtualThread(() -> {
                try {
                    drains(false);
                    drains(true);
                    for (int i = 0; i < 200; i++) {
                        endsInTheMiddle(i);
                    }
                } catch (InterruptedException impossible) {
                    throw new AssertionError(impossible);
                }
                System.out.println("all done");
            });
            main.join();
        }

        private static void drains(boolean ordered) throws InterruptedException {
            AtomicInteger out = new AtomicInteger();
            Pipeline<Integer> pipeline = Pipeline.of("soak", Integer.class)
                    .then("one", 4, item -> item, options -> ordered ? options.ordered() : options)
                    .then(
                            "two",
                            100,
                            item -> item,
                            options -> options.capacity(3).orderedBy(item -> item % 7))
                    .then("three", 1, item -> item, options -> options.capacity(1))
                    .into(item -> out.incrementAndGet())
                    .start();
            for (int i = 0; i < 5_000; i++) {
                pipeline.put(i);
            }
            DrainReport report = pipeline.close(Duration.ofSeconds(20));
            if (!report.drained() || out.get() != 5_000) {
                throw new AssertionError(report);
            }
        }

        private static void endsInTheMiddle(int moment) throws InterruptedException {
            Pipeline<Integer> pipeline = Pipeline.of("soak", Integer.class)
                    .then("one", 3, item -> item, options -> options.ordered())
                    .then(
                            "two",
                            3,
                            item -> {
                                if (item == moment) {
                                    throw new IllegalStateException("now");
                                }
                                return item;
                            },
                            options -> options.onError(moment % 2 == 0 ? OnError.STOP : OnError.SKIP))
                    .start();
            Thread producer = Thread.startVirtualThread(() -> {
                try {
                    for (int i = 0; i < 1_000; i++) {
                        pipeline.put(i);
                    }
                } catch (InterruptedException | io.heptad.core.ClosedException over) {
                    // as it should
                }
            });
            Thread.yield();
            DrainReport report = pipeline.close(Duration.ofNanos(moment * 1_000L));
            producer.join();
            if (report.left() != report.stats().inFlight()) {
                throw new AssertionError(report);
            }
        }
    }
}
