package io.heptad.bench.pool;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.heptad.bench.Compare;
import io.heptad.bench.Compare.Goal;
import io.heptad.core.FullPolicy;
import io.heptad.pool.WorkerPool;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The caller's own thread takes a free slot, runs a body that only counts, and gives the slot back: the least that a
 * bulkhead can cost. Executors are not among the peers, as they move the work to another thread. Checks that every body
 * ran, in order. Not measured: callers that compete.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class PoolRun {
    private static final int SLOTS = 8;

    @Param({"heptad", "Semaphore", "resilience4j", "Failsafe"})
    public String peer;

    private interface Guarded {
        Long run(Callable<Long> body) throws Exception;
    }

    private Guarded guarded;
    private long calls;
    private long ran;

    @Setup
    public void open() {
        guarded = switch (peer) {
            case "heptad" -> {
                WorkerPool pool = WorkerPool.of("bench", SLOTS, SLOTS, FullPolicy.BLOCK);
                yield body -> pool.run(body::call);
            }
            case "Semaphore" -> {
                Semaphore semaphore = new Semaphore(SLOTS);
                yield body -> {
                    semaphore.acquire();
                    try {
                        return body.call();
                    } finally {
                        semaphore.release();
                    }
                };
            }
            case "resilience4j" -> {
                Bulkhead bulkhead = Crew.bulkhead(SLOTS);
                yield bulkhead::executeCallable;
            }
            case "Failsafe" -> {
                FailsafeExecutor<Object> failsafe = Failsafe.with(Crew.failsafe(SLOTS));
                yield body -> failsafe.get(body::call);
            }
            default -> throw new IllegalArgumentException("peer is " + peer);
        };
    }

    @Benchmark
    @Compare(
            work = "run a body in the caller's thread, in a slot that is free",
            operation = "call",
            quick = "",
            goals =
                    @Goal(
                            atLeast = 1,
                            of = {"Semaphore", "resilience4j", "Failsafe"}))
    public Long run() throws Exception {
        Long result = guarded.run(() -> ++ran);
        if (result != ++calls) {
            throw new AssertionError("call " + calls + " gave the result of " + result);
        }
        return result;
    }
}
