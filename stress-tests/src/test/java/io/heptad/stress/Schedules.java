package io.heptad.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import kotlin.Unit;
import org.jspecify.annotations.Nullable;
import org.pastalab.fray.core.TestRunner;
import org.pastalab.fray.core.command.Configuration;
import org.pastalab.fray.core.command.ExecutionInfo;
import org.pastalab.fray.core.command.LambdaExecutor;
import org.pastalab.fray.core.command.NetworkDelegateType;
import org.pastalab.fray.core.command.SystemTimeDelegateType;
import org.pastalab.fray.core.randomness.ControlledRandomProvider;
import org.pastalab.fray.core.scheduler.POSScheduler;

/** Runs a few threads again and again, each time in another order of their steps, which Fray chooses. */
public final class Schedules {
    /** What a schedule fails with whose threads all wait; the class itself is in Fray's JDK only. */
    public static final String DEADLOCK = "org.pastalab.fray.runtime.DeadlockException";

    private static final int MOST = Boolean.getBoolean("heptad.stress.full") ? 1_000 : 300;
    private static final int MOST_UNTIL_FOUND = 20_000;
    private static final int SECONDS = 60;
    private static final AtomicInteger RUNS = new AtomicInteger();

    private Schedules() {}

    /** Starts threads, joins them, and throws if something is wrong. */
    @FunctionalInterface
    public interface Block {
        void run() throws Exception;
    }

    /** A thread of a block. What its body throws fails the schedule. */
    public static Thread start(Block body) {
        Thread thread = new Thread(() -> run(body));
        thread.start();
        return thread;
    }

    public static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    /** None of some hundred schedules fails. */
    public static void assertNoneFails(Block block) {
        assertNoneFails(MOST, block);
    }

    /** The same with as many schedules as there is time for, where one takes long. */
    public static void assertNoneFails(int most, Block block) {
        Configuration tried = configuration(block, most);
        assertThat(failure(tried))
                .as("the schedule is recorded in %s", tried.getReport())
                .isNull();
        assertThat(tried.getCurrentIteration()).as("schedules tried").isEqualTo(most);
    }

    /** What the first schedule that fails fails with. There should be one, so it may take more of them. */
    public static @Nullable Throwable failure(Block block) {
        return failure(configuration(block, MOST_UNTIL_FOUND));
    }

    private static @Nullable Throwable failure(Configuration configuration) {
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream())); // it would clear the terminal for its progress
        TestRunner runner;
        try {
            runner = new TestRunner(configuration);
        } finally {
            System.setOut(out);
        }
        return runner.run();
    }

    private static Configuration configuration(Block block, int most) {
        LambdaExecutor executor = new LambdaExecutor(() -> {
            run(block);
            return Unit.INSTANCE;
        });
        boolean ignoresUncaught = false;
        boolean interleavesPlainMemory = false;
        int mostSteps = -1;
        boolean fullSchedule = false;
        boolean exploresOn = false;
        boolean exits = false;
        boolean replays = false;
        boolean withoutFray = false;
        boolean dummy = false;
        boolean ignoresTimedWaits = true;
        boolean sleepsAreYields = true;
        boolean resetsClassLoader = false;
        boolean redirectsOut = false;
        boolean abortsThreads = false;
        boolean hashesStacks = false;
        return new Configuration(
                new ExecutionInfo(executor, ignoresUncaught, interleavesPlainMemory, mostSteps),
                Path.of(System.getProperty("fray.workDir")).resolve("run-" + RUNS.incrementAndGet()),
                most,
                SECONDS,
                new POSScheduler(),
                new ControlledRandomProvider(),
                fullSchedule,
                exploresOn,
                !exits,
                replays,
                withoutFray,
                dummy,
                NetworkDelegateType.NONE,
                SystemTimeDelegateType.NONE,
                0,
                ignoresTimedWaits,
                sleepsAreYields,
                resetsClassLoader,
                redirectsOut,
                abortsThreads,
                hashesStacks,
                null);
    }

    private static void run(Block body) {
        try {
            body.run();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
