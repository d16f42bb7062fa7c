package io.heptad.bench.futures;

import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Members are combined into one future and its value is read; pending members are completed in between, by the same
 * thread. One invocation handles 100,000 members in groups of the given size and takes a millisecond or more, so making
 * fresh members before each is safely outside the time; it is inside the allocation, the same for all peers on
 * {@code CompletableFuture}. Checked: the number of values, the first and the last. Not measured: members that other
 * threads complete.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class FuturesCombine {
    private static final String NO_FIRST = "it has no combinator for the first value";

    /** All succeed. */
    @State(Scope.Thread)
    public static class Succeeding {
        @Param({"heptad", "CompletableFuture", "Guava"})
        public String peer;

        @Param({"10", "1000", "100000"})
        public int members;

        @Param({"done", "pending"})
        public String state;

        private Groups<?> groups;

        @Setup(Level.Trial)
        public void open() {
            groups = Groups.of(peer, members, state, false);
        }

        @Setup(Level.Invocation)
        public void prepare() {
            groups.prepare();
        }
    }

    /** One in ten fails. */
    @State(Scope.Thread)
    public static class Mixed {
        @Param({"heptad", "CompletableFuture", "Guava"})
        public String peer;

        @Param({"10", "1000", "100000"})
        public int members;

        @Param({"done", "pending"})
        public String state;

        private Groups<?> groups;

        @Setup(Level.Trial)
        public void open() {
            groups = Groups.of(peer, members, state, true);
        }

        @Setup(Level.Invocation)
        public void prepare() {
            groups.prepare();
        }
    }

    @Benchmark
    @OperationsPerInvocation(Groups.MEMBERS)
    @Compare(
            work = "one future of the values of so many members",
            operation = "member",
            quick = "members=1000",
            goals =
                    @Goal(
                            atLeast = 2,
                            of = {"CompletableFuture", "Guava"}))
    public long all(Succeeding members) throws InterruptedException, ExecutionException {
        return members.groups.all();
    }

    @Benchmark
    @OperationsPerInvocation(Groups.MEMBERS)
    @Compare(
            work = "one future of the outcomes of so many members, of which one in ten fails",
            operation = "member",
            quick = "members=1000",
            goals =
                    @Goal(
                            atLeast = 2,
                            of = {"CompletableFuture", "Guava"}))
    public long allSettled(Mixed members) throws InterruptedException, ExecutionException {
        return members.groups.allSettled();
    }

    @Benchmark
    @OperationsPerInvocation(Groups.MEMBERS)
    @Compare(
            work = "one future of the first value of so many members; of pending ones the last alone completes",
            operation = "member",
            quick = "members=1000",
            goals = @Goal(atLeast = 2, of = "CompletableFuture"),
            without = @Compare.Without(peer = "Guava", because = NO_FIRST))
    public long any(Succeeding members) throws InterruptedException, ExecutionException {
        return members.groups.any();
    }
}
