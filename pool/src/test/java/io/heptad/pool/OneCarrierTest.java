package io.heptad.pool;

import static io.heptad.core.FullPolicy.BLOCK;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Item;
import io.heptad.core.Bounded;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting never holds the one carrier thread that whoever releases needs. In a JVM of its own, which has only one. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OneCarrierTest {
    private static final int WAITERS = 300;

    @Test
    void threeHundredVirtualThreadsWaitAndOneLetsThemGo() throws Exception {
        String path = Stream.of(WorkerPool.class, Bounded.class, OneCarrierTest.class, Item.class)
                .map(OneCarrierTest::home)
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djdk.virtualThreadScheduler.parallelism=1",
                        "-Djdk.virtualThreadScheduler.maxPoolSize=1",
                        "-cp",
                        path,
                        Main.class.getName())
                .redirectErrorStream(true)
                .start();
        child.getOutputStream().close();
        String said = new String(child.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();

        assertThat(said.strip()).endsWith("ran 600");
        assertThat(child.exitValue()).isZero();
    }

    private static String home(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException odd) {
            throw new AssertionError(odd);
        }
    }

    /** The child. A hang ends it by the watchdog thread, which is a platform thread. */
    static final class Main {
        private Main() {}

        public static void main(String[] args) throws InterruptedException {
            Thread.ofPlatform().daemon().start(() -> {
                java.util.concurrent.locks.LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(20));
                System.out.println("hung");
                Runtime.getRuntime().halt(3);
            });
            WorkerPool pool = WorkerPool.of("db", 1, 150, BLOCK);
            CountDownLatch leave = new CountDownLatch(1);
            AtomicInteger ran = new AtomicInteger();
            pool.submit(() -> leave.await());
            // Half of them find a place in line, the others wait at the door; some wait in run, some in submit.
            List<Thread> callers = IntStream.range(0, WAITERS)
                    .mapToObj(i -> Thread.ofVirtual().start(() -> {
                        try {
                            pool.run(() -> ran.incrementAndGet());
                        } catch (InterruptedException stop) {
                            Thread.currentThread().interrupt();
                        }
                    }))
                    .toList();
            List<Thread> submitters = IntStream.range(0, WAITERS)
                    .mapToObj(i -> Thread.ofVirtual().start(() -> {
                        CompletableFuture<Integer> task = pool.submit(ran::incrementAndGet);
                        task.join();
                    }))
                    .toList();
            Thread.ofVirtual().start(leave::countDown);
            for (Thread caller : callers) {
                caller.join();
            }
            for (Thread submitter : submitters) {
                submitter.join();
            }
            System.out.println("ran " + ran.get());
        }
    }
}
