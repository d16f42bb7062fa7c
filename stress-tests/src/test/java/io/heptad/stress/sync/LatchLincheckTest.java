package io.heptad.stress.sync;

import static io.heptad.stress.Linearizability.assertFound;
import static io.heptad.stress.Linearizability.schedules;

import io.heptad.sync.Latch;
import io.heptad.sync.LatchStats;
import java.util.Set;
import java.util.TreeSet;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * Linearizability of a latch. Calls that park a thread are for the other tools; here a future stands in line instead.
 * When that future completes is not asked: some time after the latch has opened.
 */
public class LatchLincheckTest {
    /** What a latch is, for one thread. */
    public abstract static class Plain {
        int left = 2;
        int waiting;

        public void fail() {
            if (left > 0) {
                left = -left;
                waiting = 0;
            }
        }

        public void opened() {
            if (left > 0) {
                waiting++;
            }
        }

        public boolean isOpen() {
            return left == 0;
        }

        public boolean isFailed() {
            return left < 0;
        }

        public int remaining() {
            return Math.abs(left);
        }

        public int waiting() {
            return waiting;
        }

        void arrived() {
            left--;
            if (left == 0) {
                waiting = 0;
            }
        }
    }

    /** A plain latch of two counts. */
    public static class PlainCounts extends Plain {
        public void countDown() {
            if (left > 0) {
                arrived();
            }
        }
    }

    /** A plain latch of the parts 1 and 2. */
    public static class PlainParts extends Plain {
        private final Set<Integer> missing = new TreeSet<>(Set.of(1, 2));

        public void arrive(int part) {
            if (left > 0 && missing.remove(part)) {
                arrived();
            }
        }

        public String missing() {
            return missing.toString();
        }

        public String stats() {
            return remaining() + " " + missing + " " + isOpen() + " " + isFailed() + " " + waiting;
        }
    }

    /** The shipped latch. */
    public abstract static class Shipped {
        final Latch latch;

        Shipped(Latch latch) {
            this.latch = latch;
        }

        @Operation
        public void fail() {
            latch.fail(new IllegalStateException("planned"));
        }

        @Operation
        public void opened() {
            var unused = latch.opened();
        }

        @Operation
        public boolean isOpen() {
            return latch.isOpen();
        }

        @Operation
        public boolean isFailed() {
            return latch.isFailed();
        }

        @Operation
        public int remaining() {
            return latch.remaining();
        }

        @Operation
        public int waiting() {
            return latch.waiting();
        }
    }

    /** Two counts. */
    public static class ShippedCounts extends Shipped {
        public ShippedCounts() {
            super(Latch.of(2));
        }

        @Operation
        public void countDown() {
            latch.countDown();
        }
    }

    /** Two parts. */
    @Param(name = "part", gen = IntGen.class, conf = "1:2")
    public static class ShippedParts extends Shipped {
        public ShippedParts() {
            super(Latch.ofParts("latch", "1", "2"));
        }

        @Operation
        public void arrive(@Param(name = "part") int part) {
            latch.arrive(String.valueOf(part));
        }

        @Operation
        public String missing() {
            return latch.missing().toString();
        }

        @Operation
        public String stats() {
            LatchStats stats = latch.stats();
            return stats.remaining() + " " + stats.missing() + " " + stats.open() + " " + stats.failed() + " "
                    + stats.waiting();
        }
    }

    /** A latch that is open while its line is still being counted. */
    public static class CountsAfterTheEnd {
        private final io.heptad.mutant.sync.countsthoseithaslet.Latch latch =
                io.heptad.mutant.sync.countsthoseithaslet.Latch.of(2);

        @Operation
        public void countDown() {
            latch.countDown();
        }

        @Operation
        public void opened() {
            var unused = latch.opened();
        }

        @Operation
        public boolean isOpen() {
            return latch.isOpen();
        }

        @Operation
        public int waiting() {
            return latch.waiting();
        }
    }

    /** A latch whose part is there before it counts. */
    @Param(name = "part", gen = IntGen.class, conf = "1:2")
    public static class CountsAPartLater {
        private final io.heptad.mutant.sync.countsapartlater.Latch latch =
                io.heptad.mutant.sync.countsapartlater.Latch.ofParts("latch", "1", "2");

        @Operation
        public void arrive(@Param(name = "part") int part) {
            latch.arrive(String.valueOf(part));
        }

        @Operation
        public String missing() {
            return latch.missing().toString();
        }

        @Operation
        public int remaining() {
            return latch.remaining();
        }
    }

    @Test
    void ofCounts() {
        schedules(PlainCounts.class).check(ShippedCounts.class);
    }

    @Test
    void ofParts() {
        schedules(PlainParts.class).check(ShippedParts.class);
    }

    @Test
    void findsAnOpenLatchAtWhichSomebodyWaits() {
        assertFound("Invalid execution results", schedules(PlainCounts.class), CountsAfterTheEnd.class);
    }

    @Test
    void findsAPartThatHasArrivedAndIsStillToCome() {
        assertFound("Invalid execution results", schedules(PlainParts.class), CountsAPartLater.class);
    }
}
