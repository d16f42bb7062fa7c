package io.heptad.contract;

import java.util.SplittableRandom;

/**
 * Random tests that can be repeated. A run that fails names its seed; {@code -Dheptad.seed=N} runs that one again.
 *
 * {@snippet :
 * Seeded.run(random -> assertThat(sorted(numbers(random))).isSorted());
 * }
 */
public final class Seeded {
    private Seeded() {}

    /** A test that draws from a random source. */
    @FunctionalInterface
    public interface Test {
        void run(SplittableRandom random) throws Exception;
    }

    /** Runs the test once, with a new seed or the one asked for. */
    public static void run(Test test) {
        Long asked = Long.getLong("heptad.seed");
        run(asked == null ? System.nanoTime() : asked, test);
    }

    /** Runs the test once with this seed. */
    public static void run(long seed, Test test) {
        try {
            test.run(new SplittableRandom(seed));
        } catch (Throwable failure) {
            throw new AssertionError("with -Dheptad.seed=" + seed + ": " + failure.getMessage(), failure);
        }
    }
}
