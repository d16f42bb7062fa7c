package io.heptad.stress.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The races. */
final class JcstressPart {
    /*
     * Two launches. Tests with three or four actors do not run on two processors (jcstress drops them and exits 0), so
     * they get a faked topology: four processors, and an operating system whose real one jcstress does not look up. The
     * others see the machine as it is, or two of them would run at once on two cores.
     */
    private static final int CROWD = 3;

    private final Selection selection;
    private final Path report;

    JcstressPart(Selection selection, Path report) {
        this.selection = selection;
        this.report = report;
    }

    List<Row> run() throws IOException, InterruptedException {
        List<String> pairs = selection.jcstress(1, CROWD - 1);
        List<String> crowds = selection.jcstress(CROWD, 4);
        List<Observation> observations = new ArrayList<>();
        List<Failure> failures = new ArrayList<>();
        long start = System.nanoTime();
        launch("pairs", pairs, List.of(), List.of("-c", "2"), observations, failures);
        launch(
                "crowds",
                crowds,
                List.of("-XX:ActiveProcessorCount=4", "-Dos.name=Other"),
                List.of("-spinStyle", "THREAD_YIELD"),
                observations,
                failures);
        double seconds = (System.nanoTime() - start) / 1e9;

        List<String> all = new ArrayList<>(pairs);
        all.addAll(crowds);
        failures.addAll(Verdict.judge(all, observations));
        List<Row> rows = new ArrayList<>();
        for (String shape : selection.raced()) {
            List<String> tests = all.stream()
                    .filter(test -> Observation.shapeOf(test).equals(shape))
                    .toList();
            List<String> controls =
                    tests.stream().filter(Observation::isControl).toList();
            int caught = (int) controls.stream()
                    .filter(control -> Verdict.caught(observations.stream()
                            .filter(one -> one.test().equals(control))
                            .toList()))
                    .count();
            long samples = observations.stream()
                    .filter(one -> Observation.shapeOf(one.test()).equals(shape))
                    .mapToLong(Observation::samples)
                    .sum();
            List<Failure> mine = new ArrayList<>(failures.stream()
                    .filter(failure -> failure.shape().equals(shape))
                    .toList());
            if (tests.isEmpty()) {
                mine.add(new Failure(shape, "jcstress", "no test selected"));
            }
            rows.add(new Row(
                    shape,
                    "jcstress",
                    tests.size() - controls.size(),
                    samples,
                    controls.size(),
                    caught,
                    mine,
                    seconds * tests.size() / Math.max(1, all.size()),
                    "jcstress-" + (pairs.isEmpty() ? "crowds" : "pairs") + "/index.html"));
        }
        return rows;
    }

    private void launch(
            String name,
            List<String> tests,
            List<String> jvmArgs,
            List<String> options,
            List<Observation> observations,
            List<Failure> failures)
            throws IOException, InterruptedException {
        if (tests.isEmpty()) {
            return;
        }
        Path directory = report.resolve("jcstress-" + name);
        Files.createDirectories(directory);
        List<String> command = Fork.java("--enable-native-access=ALL-UNNAMED");
        command.addAll(1, jvmArgs);
        command.add("org.openjdk.jcstress.Main");
        command.addAll(List.of("-r", directory.toString(), "-sc", "false", "-af", "NONE"));
        command.addAll(options);
        if (selection.quick()) {
            // one JVM configuration; the default tiers pass through interpreter, C1 and C2
            command.addAll(List.of("-jvmArgs", "-XX:+TieredCompilation", "-f", "1", "-iters", "3", "-time", "250"));
            // before it measures, a fork tries as many states as this allows, which took most of its time
            command.addAll(List.of("-strideSize", "64", "-strideCount", "4"));
        } else {
            command.addAll(List.of("-m", "default"));
        }
        command.addAll(List.of("-t", tests.stream().map(Pattern::quote).collect(Collectors.joining("|", "^(", ")$"))));
        long budgetSeconds = selection.quick() ? 480 : 24 * 3600;
        int exit = Fork.run(command, directory, budgetSeconds);
        if (exit < 0) { // its recording breaks off in the middle
            failures.add(new Failure(selection.raced().first(), "jcstress " + name, "ran out of time"));
            return;
        }
        observations.addAll(Recording.readAll(directory));
        // a FORBIDDEN result also exits 1, and is judged from the recording; what must not pass is a run without a
        // verdict
        if (exit != 0 && observations.isEmpty()) {
            failures.add(new Failure(selection.raced().first(), "jcstress " + name, "exit " + exit));
        }
    }
}
