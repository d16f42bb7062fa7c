package io.heptad.bench.gate;

import com.zaxxer.hikari.HikariDataSource;
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
 * One thread turns one door after the other, in a database, through a pool of connections. The peer is JDBC by hand that
 * writes the same rows with the same statements in the same transactions (counted by a test), but recovers nothing. The
 * action does next to nothing: what is left is the price of a transition. A database is made for each fork; both sit on this
 * machine, so the network is left out, which would make the two more alike. Checks that no turn and no push was lost.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class GateDatabase {
    private static final int DOORS = 100;

    @Param({"heptad", "hand-written"})
    public String peer;

    @Param({"PostgreSQL", "H2-in-memory", "H2-in-a-file"})
    public String database;

    @Param({"no", "yes"})
    public String action;

    private final LongAdder pushes = new LongAdder();
    private final String[] ids = new String[DOORS];
    private Server server;
    private HikariDataSource pool;
    private Doors all;
    private Turn turn;
    private int next;
    private long made;

    @Setup
    public void open() throws Exception {
        server = Server.start(database);
        pool = server.pool();
        all = Doors.of(peer, pool, pushes);
        turn = action.equals("yes") ? Turn.PUSHED : Turn.PLAIN;
        for (int i = 0; i < DOORS; i++) {
            ids[i] = "door " + i;
            all.create(ids[i]);
        }
    }

    @TearDown
    public void check() throws Exception {
        try {
            Turns.check(all, ids, made, turn, pushes);
            all.close();
        } finally {
            pool.close();
            server.close();
        }
    }

    @Benchmark
    @Compare(
            work = "events for entities in a database, without an action and with one",
            operation = "transition",
            quick = {"database=PostgreSQL|H2-in-memory action=no", "database=PostgreSQL|H2-in-memory action=yes"},
            forkSeconds = 12, // the driver, the database and the gate are a lot of code to compile
            goals = @Goal(atLeast = 0.9, of = "hand-written"))
    public long database() throws Exception {
        all.turn(ids[next], turn);
        next = next + 1 == DOORS ? 0 : next + 1;
        return ++made;
    }
}
