package io.heptad.stress.sync;

import static io.heptad.stress.Linearizability.assertFound;
import static io.heptad.stress.Linearizability.schedulesOfSpinning;

import io.heptad.sync.Signal;
import io.heptad.sync.SignalStats;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Linearizability of a signal, with futures in its line. When such a future completes is not asked, only what a cancel of it
 * says: whether its permits were there first.
 */
public class SignalLincheckTest {
    private static final int MOST = 3;
    private static final int THREADS = 8;

    /** What a signal is, for one thread. */
    public abstract static class Plain {
        private int free;
        private final Deque<int[]> line = new ArrayDeque<>();
        private final int @Nullable [][] asked = new int[THREADS][];

        Plain(int free) {
            this.free = free;
        }

        public String release(int permits) {
            if (free + permits > MOST) {
                return "too many";
            }
            free += permits;
            serve();
            return "released";
        }

        public boolean tryAcquire(int permits) {
            if (!line.isEmpty() || permits > free) {
                return false;
            }
            free -= permits;
            return true;
        }

        public void ask(int thread, int permits) {
            if (asked[thread] == null) {
                int[] wanted = {permits};
                asked[thread] = wanted;
                line.add(wanted);
                serve();
            }
        }

        public String cancel(int thread) {
            int[] wanted = asked[thread];
            if (wanted == null) {
                return "nothing";
            }
            asked[thread] = null;
            boolean waited = line.removeIf(each -> each == wanted);
            serve();
            return waited ? "cancelled" : "too late";
        }

        public int available() {
            return free;
        }

        public int waiting() {
            return line.size();
        }

        public String stats() {
            return free + " free, " + line.size() + " wait";
        }

        private void serve() {
            for (int[] first = line.peek(); first != null && first[0] <= free; first = line.peek()) {
                free -= first[0];
                line.remove();
            }
        }
    }

    /** A plain signal with a permit. */
    public static class PlainOne extends Plain {
        public PlainOne() {
            super(1);
        }
    }

    /** A plain signal that starts at zero. */
    public static class PlainNone extends Plain {
        public PlainNone() {
            super(0);
        }
    }

    /** The shipped signal, with a permit to begin with, and room for three. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    @Param(name = "permits", gen = IntGen.class, conf = "1:2")
    public static class Shipped {
        private final Signal signal = Signal.of(1, MOST);
        private final @Nullable CompletableFuture<?>[] asked = new CompletableFuture<?>[THREADS];

        @Operation
        public String release(@Param(name = "permits") int permits) {
            try {
                signal.release(permits);
                return "released";
            } catch (IllegalStateException e) {
                return "too many";
            }
        }

        @Operation
        public boolean tryAcquire(@Param(name = "permits") int permits) {
            return signal.tryAcquire(permits);
        }

        @Operation
        public void ask(@Param(name = "thread") int thread, @Param(name = "permits") int permits) {
            if (asked[thread] == null) {
                asked[thread] = signal.acquireAsync(permits);
            }
        }

        @Operation
        public String cancel(@Param(name = "thread") int thread) {
            CompletableFuture<?> wanted = asked[thread];
            if (wanted == null) {
                return "nothing";
            }
            asked[thread] = null;
            return wanted.cancel(true) ? "cancelled" : "too late";
        }

        @Operation
        public int available() {
            return signal.available();
        }

        @Operation
        public int waiting() {
            return signal.waiting();
        }

        @Operation
        public String stats() {
            SignalStats stats = signal.stats();
            return stats.available() + " free, " + stats.waiting() + " wait";
        }
    }

    /** A signal whose permits two can take at once. */
    @Param(name = "permits", gen = IntGen.class, conf = "1:2")
    public static class TakenTwice {
        private final io.heptad.mutant.sync.takesinasecondstep.Signal signal =
                io.heptad.mutant.sync.takesinasecondstep.Signal.of(1, MOST);

        @Operation
        public boolean tryAcquire(@Param(name = "permits") int permits) {
            return signal.tryAcquire(permits);
        }

        @Operation
        public int available() {
            return signal.available();
        }
    }

    /** A signal that serves a future and says so only later. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class CancelledWithItsPermits {
        private final io.heptad.mutant.sync.endsaplaceafterthelock.Signal signal =
                io.heptad.mutant.sync.endsaplaceafterthelock.Signal.of(0, MOST);
        private final @Nullable CompletableFuture<?>[] asked = new CompletableFuture<?>[THREADS];

        @Operation
        public String release(@Param(gen = IntGen.class, conf = "1:1") int permits) {
            try {
                signal.release(permits);
                return "released";
            } catch (IllegalStateException e) {
                return "too many";
            }
        }

        @Operation
        public void ask(@Param(name = "thread") int thread, @Param(gen = IntGen.class, conf = "1:1") int permits) {
            if (asked[thread] == null) {
                asked[thread] = signal.acquireAsync(permits);
            }
        }

        @Operation
        public String cancel(@Param(name = "thread") int thread) {
            CompletableFuture<?> wanted = asked[thread];
            if (wanted == null) {
                return "nothing";
            }
            asked[thread] = null;
            return wanted.cancel(true) ? "cancelled" : "too late";
        }
    }

    @Test
    void ofPermitsAndALine() {
        schedulesOfSpinning(PlainOne.class).check(Shipped.class);
    }

    @Test
    void findsAPermitThatIsTakenTwice() {
        assertFound("Invalid execution results", schedulesOfSpinning(PlainOne.class), TakenTwice.class);
    }

    @Test
    void findsAFutureThatIsCancelledWithItsPermits() {
        assertFound("Invalid execution results", schedulesOfSpinning(PlainNone.class), CancelledWithItsPermits.class);
    }
}
