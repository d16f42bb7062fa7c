package io.heptad.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.WorkloadParams;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/*
 * JMH runs all forks of one benchmark before the next. On a machine that others use too, a slow minute would then hit
 * one peer alone. So each fork is a JMH run of its own: round by round through the peers, back and forth, and the forks
 * of a peer are put together again afterwards, as JMH itself would.
 */

/** Runs the forks of a contest, peers taking turns. */
final class Rounds {
    private static final int ITERATIONS = 5;
    private static final double WARM_UP_SHARE = 0.35;

    /** A blocked benchmark is interrupted after so long, which its checks turn into a failure. */
    private static final TimeValue HANGS_AFTER = TimeValue.seconds(60);

    private static final TimeValue SHOT_HANGS_AFTER = TimeValue.minutes(4);

    private final RunMode mode;
    private final int runsInShape;
    private final Progress progress;
    private final PrintStream log;
    private final List<RunResult> raw = new ArrayList<>();

    Rounds(RunMode mode, int runsInShape, Progress progress, PrintStream log) {
        this.mode = mode;
        this.runsInShape = runsInShape;
        this.progress = progress;
        this.log = log;
    }

    /** What JMH measured so far, one result for each peer and cell. */
    List<RunResult> raw() {
        return raw;
    }

    ContestResult run(Contest contest) {
        Map<String, List<RunResult>> forks = new LinkedHashMap<>();
        List<String> failures = new ArrayList<>();
        for (int round = 0; round < mode.forks(contest); round++) {
            List<String> order =
                    round % 2 == 0 ? contest.peers() : contest.peers().reversed();
            for (String peer : order) {
                progress.starts(contest, peer, round);
                RunResult result = fork(contest, peer, failures);
                if (result != null) {
                    forks.computeIfAbsent(peer, first -> new ArrayList<>()).add(result);
                }
                progress.ended(contest, result == null ? null : Reading.of(peer, result, contest.latency()));
            }
        }
        Map<String, Reading> readings = new LinkedHashMap<>();
        for (String peer : contest.peers()) {
            List<RunResult> of = forks.getOrDefault(peer, List.of());
            if (!of.isEmpty()) {
                RunResult merged = merge(of);
                raw.add(merged);
                readings.put(peer, Reading.of(peer, merged, contest.latency()));
            }
        }
        return new ContestResult(contest, readings, failures);
    }

    private @Nullable RunResult fork(Contest contest, String peer, List<String> failures) {
        OutputFormat output = OutputFormatFactory.createFormatInstance(log, VerboseMode.NORMAL);
        try {
            Collection<RunResult> results = new Runner(options(contest, peer), output).run();
            if (results.size() == 1) {
                return results.iterator().next();
            }
            failures.add(contest.label() + " " + peer + " gave " + results.size() + " results instead of one");
        } catch (RunnerException failed) {
            failures.add(contest.label() + " " + peer + " failed: " + reason(failed));
        } finally {
            log.flush();
        }
        return null;
    }

    private Options options(Contest contest, String peer) {
        var options = new OptionsBuilder()
                .include("^" + Pattern.quote(contest.benchmark()) + "$")
                .param("peer", peer)
                .forks(mode == RunMode.SMOKE ? 0 : 1)
                .shouldFailOnError(true)
                // With it JMH waits for the first operation to end, however long that takes, before its timeout begins.
                .syncIterations(false)
                .timeout(contest.singleShot() ? SHOT_HANGS_AFTER : HANGS_AFTER)
                .addProfiler(HeldBytes.class)
                .jvmArgs(jvmArgs(contest));
        contest.cell().settings().forEach(options::param);
        if (mode == RunMode.SMOKE) {
            return options.mode(Mode.SingleShotTime)
                    .warmupIterations(0)
                    .measurementIterations(1)
                    .build();
        }
        options.addProfiler(GCProfiler.class);
        if (!contest.singleShot()) {
            double seconds = mode.forkSeconds(contest, runsInShape);
            options.warmupIterations(ITERATIONS)
                    .warmupTime(millis(seconds * WARM_UP_SHARE / ITERATIONS))
                    .measurementIterations(ITERATIONS)
                    .measurementTime(millis(seconds * (1 - WARM_UP_SHARE) / ITERATIONS));
        }
        return options.build();
    }

    /**
     * One collector and one heap for all, given by name so that a run elsewhere is comparable. What is young is small, and its
     * pages are large: memory that nobody has touched costs a virtual machine up to six microseconds a kilobyte, and with
     * gigabytes of it a whole fork measures little else.
     */
    private static String[] jvmArgs(Contest contest) {
        List<String> args = new ArrayList<>(List.of(
                "-Xms1g",
                "-Xmx3g",
                "-Xmn128m",
                "-XX:+UseTransparentHugePages",
                "-XX:+UseParallelGC",
                // JMH and some peers use sun.misc.Unsafe, of which a JDK from 24 on warns; one before 23 has no such
                // flag.
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--sun-misc-unsafe-memory-access=allow"));
        if (contest.latency() && "virtual".equals(contest.cell().settings().get("threads"))) {
            args.add("-Djmh.executor=VIRTUAL");
        }
        return args.toArray(String[]::new);
    }

    private static TimeValue millis(double seconds) {
        return TimeValue.milliseconds(Math.max(20, Math.round(seconds * 1000)));
    }

    /** The innermost cause says what happened, the others say where JMH noticed. */
    static String reason(Throwable failed) {
        Throwable inner = failed;
        while (inner.getCause() != null || inner.getSuppressed().length > 0) {
            inner = inner.getCause() != null ? inner.getCause() : inner.getSuppressed()[0];
        }
        return inner + "; the log has the whole story";
    }

    private static RunResult merge(List<RunResult> forks) {
        List<BenchmarkResult> all = forks.stream()
                .flatMap(fork -> fork.getBenchmarkResults().stream())
                .toList();
        return new RunResult(withForks(forks.getFirst().getParams(), forks.size()), all);
    }

    private static BenchmarkParams withForks(BenchmarkParams one, int forks) {
        WorkloadParams settings = new WorkloadParams();
        for (String key : one.getParamsKeys()) {
            settings.put(key, one.getParam(key), 0);
        }
        return new BenchmarkParams(
                one.getBenchmark(),
                one.generatedBenchmark(),
                one.shouldSynchIterations(),
                one.getThreads(),
                one.getThreadGroups(),
                one.getThreadGroupLabels(),
                forks,
                one.getWarmupForks(),
                one.getWarmup(),
                one.getMeasurement(),
                one.getMode(),
                settings,
                one.getTimeUnit(),
                one.getOpsPerInvocation(),
                one.getJvm(),
                one.getJvmArgs(),
                one.getJdkVersion(),
                one.getVmName(),
                one.getVmVersion(),
                one.getJmhVersion(),
                one.getTimeout());
    }
}
