package io.heptad.stress.sync;

import static io.heptad.stress.Linearizability.assertFound;
import static io.heptad.stress.Linearizability.schedulesOfSpinning;

import io.heptad.sync.KeyedLock;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * Linearizability of what bodies under a keyed lock do, by its form that does not wait. That one may say "busy", which no
 * order of calls explains; so each call asks until it was inside.
 */
public class KeyedLockLincheckTest {
    /** The hashes of the first two are the same. */
    private static final String[] KEYS = {"Aa", "BB", "c"};

    /** Three counters. */
    public static class Plain {
        private final int[] counts = new int[KEYS.length];

        public int next(int key) {
            counts[key]++;
            return counts[key];
        }
    }

    /** The shipped lock. */
    @Param(name = "key", gen = IntGen.class, conf = "0:2")
    public static class Shipped {
        private final KeyedLock<String> lock = KeyedLock.create();
        private final int[] counts = new int[KEYS.length];

        @Operation
        public int next(@Param(name = "key") int key) throws InterruptedException {
            while (true) {
                try {
                    return lock.withLock(KEYS[key], Duration.ZERO, () -> ++counts[key]);
                } catch (TimeoutException busy) {
                    Thread.onSpinWait();
                }
            }
        }

        @Validate
        public void nothingIsKept() {
            if (lock.keys() != 0) {
                throw new IllegalStateException(lock + " is not empty");
            }
        }
    }

    /** A lock that two can be inside of. */
    @Param(name = "key", gen = IntGen.class, conf = "0:2")
    public static class TwoInside {
        private final io.heptad.mutant.sync.goesinwithoutalookatwhoelsedoes.KeyedLock<String> lock =
                io.heptad.mutant.sync.goesinwithoutalookatwhoelsedoes.KeyedLock.create();
        private final int[] counts = new int[KEYS.length];

        @Operation
        public int next(@Param(name = "key") int key) throws InterruptedException {
            while (true) {
                try {
                    return lock.withLock(KEYS[key], Duration.ZERO, () -> ++counts[key]);
                } catch (TimeoutException busy) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    @Test
    void ofWhatBodiesDo() {
        schedulesOfSpinning(Plain.class).check(Shipped.class);
    }

    @Test
    void findsTwoBodiesAtOnce() {
        assertFound("Invalid execution results", schedulesOfSpinning(Plain.class), TwoInside.class);
    }
}
