package io.heptad.pool;

import static io.heptad.core.FullPolicy.REJECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.Ticker;
import java.io.File;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Any number of items in a small heap: a JVM of its own with 64 MB. -Dbatch.items=10000000 for the full run. */
@Watched
class BatchMemoryTest {
    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void settlesMillionsOfItemsInAFlatHeapOfSixtyFourMegabytes() throws Exception {
        long items = Long.getLong("batch.items", 1_000_000);
        String classPath = String.join(
                File.pathSeparator,
                Stream.of(Ticker.class, WorkerPool.class, BatchMemoryTest.class)
                        .map(type -> Path.of(java.net.URI.create(type.getProtectionDomain()
                                        .getCodeSource()
                                        .getLocation()
                                        .toString()))
                                .toString())
                        .distinct()
                        .toList());
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        classPath,
                        Flat.class.getName(),
                        "" + items)
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(child.getInputStream().readAllBytes());
            assertThat(child.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(output).contains("settled " + items);
            long early = Long.parseLong(output.replaceAll("(?s).*early (\\d+).*", "$1"));
            long late = Long.parseLong(output.replaceAll("(?s).*late (\\d+).*", "$1"));
            assertThat(late).as("live bytes at the end, %d at a tenth", early).isLessThan(early + 2_000_000);
        } finally {
            child.destroyForcibly();
        }
    }

    /** The child: items that are as large as real ones, and live bytes measured at a tenth and at the end. */
    static final class Flat {
        private long settled;

        public static void main(String[] arguments) throws InterruptedException {
            int items = Integer.parseInt(arguments[0]);
            WorkerPool pool = WorkerPool.of("stub", 20, 1, REJECT);
            Flat flat = new Flat();
            pool.<byte[], Integer>forEachSettled(
                    IntStream.range(0, items).mapToObj(i -> new byte[100]).iterator(), item -> item.length, one -> {
                        if (++flat.settled == items / 10) {
                            System.out.println("early " + live());
                        }
                    });
            System.out.println("late " + live());
            System.out.println("settled " + flat.settled);
        }

        private static long live() {
            System.gc();
            return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        }
    }
}
