package io.heptad.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.FullPolicy;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** All virtual threads on one carrier: whoever spins or pins there stops the world. A JVM of its own, by its options. */
@Watched
class OneCarrierTest {
    @Test
    @Timeout(
            value = 90,
            threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // it starts a JVM, on a machine that may be busy
    void everybodyFinishesOnOneCarrier(@TempDir Path directory) throws Exception {
        String path = Stream.of(BoundedQueue.class, FullPolicy.class, OneCarrierTest.class)
                .map(type ->
                        type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
        Path out = directory.resolve("out.txt");
        Process child = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-Djdk.virtualThreadScheduler.parallelism=1",
                        "-Djdk.virtualThreadScheduler.maxPoolSize=1",
                        "-Xmx256m",
                        "-cp",
                        path,
                        Child.class.getName(),
                        directory.toString())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            assertThat(child.waitFor(60, TimeUnit.SECONDS)).as("done in time").isTrue();
            assertThat(java.nio.file.Files.readString(out)).contains("all done");
            assertThat(child.exitValue()).isZero();
        } finally {
            child.destroyForcibly();
        }
    }

    /** What runs on the one carrier. */
    static final class Child {
        private static final int WAITERS = 300;

        public static void main(String[] args) throws Exception {
            Path file = Path.of(args[0], "pinned.jfr");
            try (Recording recording = new Recording()) {
                recording.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ofMillis(20));
                recording.start();
                takersAreServed();
                puttersAreServed();
                waitersAreSentAway();
                transfer(1, 4, 4);
                transfer(2, 4, 4);
                transfer(16, 4, 4);
                transfer(3, 1, 4);
                recording.stop();
                recording.dump(file);
            }
            for (var event : RecordingFile.readAllEvents(file)) {
                if (event.getStackTrace() != null
                        && event.getStackTrace().toString().contains("io.heptad")) {
                    throw new AssertionError("pinned: " + event);
                }
            }
            System.out.println("all done");
        }

        private static void takersAreServed() throws Exception {
            BoundedQueue<Integer> queue = BoundedQueue.of(8, FullPolicy.BLOCK);
            List<Thread> all = new ArrayList<>();
            AtomicInteger sum = new AtomicInteger();
            for (int i = 0; i < WAITERS; i++) {
                all.add(start(() -> sum.addAndGet(queue.take())));
            }
            all.add(start(() -> {
                for (int i = 0; i < WAITERS; i++) {
                    queue.put(1);
                }
            }));
            join(all);
            check(sum.get() == WAITERS, "sum " + sum);
        }

        private static void puttersAreServed() throws Exception {
            BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
            List<Thread> all = new ArrayList<>();
            for (int i = 0; i < WAITERS; i++) {
                all.add(start(() -> queue.put(1, Duration.ofMinutes(1))));
            }
            all.add(start(() -> {
                for (int i = 0; i < WAITERS; i++) {
                    queue.take();
                }
            }));
            join(all);
            check(queue.depth() == 0, queue.toString());
        }

        private static void waitersAreSentAway() throws Exception {
            BoundedQueue<Integer> queue = BoundedQueue.of(1, FullPolicy.BLOCK);
            List<Thread> all = new ArrayList<>();
            for (int i = 0; i < WAITERS; i++) {
                all.add(start(() -> queue.poll(Duration.ofMinutes(1))));
            }
            all.add(start(queue::close));
            join(all);
        }

        private static void transfer(int capacity, int producers, int consumers) throws Exception {
            BoundedQueue<Integer> queue = BoundedQueue.of(capacity, FullPolicy.BLOCK);
            List<Thread> putting = new ArrayList<>();
            List<Thread> taking = new ArrayList<>();
            AtomicInteger got = new AtomicInteger();
            for (int i = 0; i < consumers; i++) {
                taking.add(start(() -> queue.consumeAll(item -> got.incrementAndGet())));
            }
            for (int i = 0; i < producers; i++) {
                putting.add(start(() -> {
                    for (int item = 0; item < 5_000; item++) {
                        queue.put(item);
                    }
                }));
            }
            join(putting);
            queue.close();
            join(taking);
            check(got.get() == producers * 5_000, "got " + got);
        }

        private interface Job {
            void run() throws Exception;
        }

        private static Thread start(Job job) {
            return Thread.ofVirtual().start(() -> {
                try {
                    job.run();
                } catch (Exception failure) {
                    throw new AssertionError(failure);
                }
            });
        }

        private static void join(List<Thread> threads) throws Exception {
            for (Thread thread : threads) {
                check(thread.join(Duration.ofSeconds(10)), "hangs: " + thread);
            }
        }

        private static void check(boolean holds, String what) {
            if (!holds) {
                System.out.println(what);
                System.exit(1);
            }
        }
    }
}
