package io.heptad.bench.gate;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
import io.heptad.bench.gate.Door.Turn;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One thread turns one door after the other, in memory. The peers are a state machine for each door behind a lock for each
 * door, and their action is called in place; ours keeps a log besides, and an action is written down, called in a thread of
 * its own, and committed. So turns without an action are compared, and those with one only shown. Checks that no turn and no
 * push was lost.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class GateMemory {
    @Param({"heptad", "stateless4j", "Spring Statemachine"})
    public String peer;

    @Param({"no", "yes"})
    public String action;

    @Param({"100", "1"})
    public int doors;

    private final LongAdder pushes = new LongAdder();
    private Doors all;
    private String[] ids;
    private Turn turn;
    private int next;
    private long made;

    @Setup
    public void open() throws Exception {
        all = Doors.of(peer, pushes);
        turn = action.equals("yes") ? Turn.PUSHED : Turn.PLAIN;
        ids = new String[doors];
        for (int i = 0; i < doors; i++) {
            ids[i] = "door " + i;
            all.create(ids[i]);
        }
    }

    @TearDown
    public void check() throws Exception {
        Turns.check(all, ids, made, turn, pushes);
        all.close();
    }

    @Benchmark
    @Compare(
            work = "events for entities in memory, without an action and with one",
            operation = "transition",
            quick = {"action=no doors=100", "action=yes doors=100"},
            forkSeconds = 4,
            goals = @Goal(atLeast = 5, of = "Spring Statemachine", where = "action=no"))
    public long memory() throws Exception {
        all.turn(ids[next], turn);
        next = next + 1 == ids.length ? 0 : next + 1;
        return ++made;
    }
}
