package io.heptad.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Entry point of {@code mvn -Pbench}: picks the benchmarks, runs them beside their peers, prints the tables and writes
 * the report. Ends with 0 when every benchmark ran and every count check held, with 1 when not, with 2 when what was
 * asked for does not exist. A goal that is missed is a result, not a failure.
 */
public final class Bench {
    private final Path directory;
    private final RunMode mode;
    private final boolean someCells;
    private final Map<String, List<Contest>> shapes;
    private final PrintStream out;
    private final Stamp stamp = Stamp.now();

    private Bench(Map<String, String> options, PrintStream out) {
        this.out = out;
        mode = RunMode.named(options.getOrDefault("mode", "quick"));
        String include = options.getOrDefault("include", ".*");
        someCells = !include.equals(".*");
        directory = Path.of(options.getOrDefault("report", "target/report"));
        shapes = Catalog.ofClassPath().select(options.getOrDefault("shapes", "all"), mode, include);
    }

    /** Runs with {@code --shapes=queue,pool --mode=quick --include=REGEX --report=DIRECTORY}, each of them optional. */
    public static void main(String[] args) {
        try {
            boolean good = new Bench(options(args), System.out).run();
            System.out.flush();
            System.exit(good ? 0 : 1);
        } catch (UsageException wrong) {
            System.out.println(wrong.getMessage());
            System.exit(2);
        }
    }

    private boolean run() {
        // JMH's lock file would fail two runs at once; the load line below says it, and lets the reader decide.
        System.setProperty("jmh.ignoreLock", "true");
        System.setProperty(Scale.SMOKE, Boolean.toString(mode == RunMode.SMOKE));
        Progress progress = new Progress(out, mode, shapes.values());
        introduce(progress);
        boolean good = true;
        for (var shape : shapes.entrySet()) {
            good &= shape(shape.getKey(), shape.getValue(), progress);
        }
        out.println(good ? "Every benchmark ran, and every count check held." : "FAILED: see above.");
        out.println("Report: " + directory.toAbsolutePath());
        return good;
    }

    private void introduce(Progress progress) {
        out.println();
        out.println("Heptad beside its peers, " + mode.lowerCase() + " mode: " + mode.meaning + ".");
        shapes.forEach((shape, contests) -> out.printf(
                Locale.ROOT,
                "  %-10s %3d cells, %4d forks, about %s minutes%n",
                shape,
                contests.size(),
                Progress.runs(mode, contests),
                Progress.clock(Progress.seconds(mode, contests))));
        out.println("All together about " + Progress.clock(progress.plannedSeconds())
                + " minutes. Ctrl-C stops; what was" + " measured is in the report.");
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        if (mode != RunMode.SMOKE && load > 0.5) {
            out.printf(
                    Locale.ROOT,
                    "NOTE: this machine is busy (load %.1f on %d CPUs): expect noise.%n",
                    load,
                    stamp.cpus());
        }
        out.println();
    }

    private boolean shape(String shape, List<Contest> contests, Progress progress) {
        Report report = new Report(directory, shape, mode, someCells, stamp);
        int runs = Progress.runs(mode, contests);
        progress.shape(runs);
        List<ContestResult> results = new ArrayList<>();
        String table = "";
        try (PrintStream log = log(report)) {
            Rounds rounds = new Rounds(mode, runs, progress, log);
            for (Contest contest : contests) {
                results.add(rounds.run(contest));
                table = report.write(results, rounds.raw());
            }
        }
        out.println();
        boolean good = results.stream()
                .allMatch(result -> result.failures().isEmpty()
                        && result.readings()
                                .keySet()
                                .containsAll(result.contest().peers()));
        if (mode == RunMode.SMOKE) {
            results.forEach(result -> result.failures().forEach(out::println));
        } else {
            out.println(table);
        }
        report.charts(results);
        if (!good) {
            out.println("What JMH said: " + report.log());
        }
        return good;
    }

    private static PrintStream log(Report report) {
        try {
            Path file = report.log().toAbsolutePath();
            Files.createDirectories(file.getParent());
            return new PrintStream(Files.newOutputStream(file), false, StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException("the log cannot be written: " + report.log(), failed);
        }
    }

    private static Map<String, String> options(String[] args) {
        Map<String, String> options = new TreeMap<>();
        for (String arg : args) {
            String[] sides = arg.split("=", 2);
            if (sides.length != 2
                    || !List.of("--shapes", "--mode", "--include", "--report").contains(sides[0])) {
                throw new UsageException("unknown argument '" + arg + "' in " + Arrays.toString(args)
                        + "; known are --shapes=, --mode=, --include=, --report=");
            }
            options.put(sides[0].substring(2), sides[1]);
        }
        return options;
    }
}
