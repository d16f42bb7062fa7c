package io.heptad.stress.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/**
 * The program behind {@code mvn -Pstress}: jcstress and the one-carrier soak, one after the other, Lincheck and Fray side by
 * side, then the crash harness, each in JVMs of its own; then one table and one exit code.
 */
public final class StressRun {
    private StressRun() {}

    /**
     * Runs the selection.
     *
     * @param args {@code --shapes=}, {@code --mode=}, {@code --seed=} (or nothing), {@code --home=} (the module), {@code --report=} (a directory)
     * @throws Exception if the run itself breaks
     */
    public static void main(String[] args) throws Exception {
        Map<String, String> options = new LinkedHashMap<>();
        for (String arg : args) {
            options.put(arg.substring(2, arg.indexOf('=')), arg.substring(arg.indexOf('=') + 1));
        }
        Selection selection;
        try {
            selection = Selection.parse(options.get("shapes"), options.get("mode"));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        String seed = options.getOrDefault("seed", "");
        System.exit(run(selection, seed, Path.of(options.get("home")), Path.of(options.get("report"))) ? 0 : 1);
    }

    private static boolean run(Selection selection, String seed, Path home, Path report)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        deleteAll(report);
        Files.createDirectories(report);
        List<Row> rows = new ArrayList<>();
        rows.addAll(new JcstressPart(selection, report).run());
        rows.addAll(new SoakPart(selection, report).run());
        List<Callable<Row>> schedules = new ArrayList<>(new LincheckPart(selection, report).jobs());
        schedules.addAll(new FrayPart(selection, report, home).jobs());
        rows.addAll(SideBySide.run(schedules, Runtime.getRuntime().availableProcessors()));
        rows.addAll(new CrashPart(selection, report, seed).run());
        rows.sort(Comparator.comparing(Row::shape));

        double seconds = (System.nanoTime() - start) / 1e9;
        String verdict = Report.verdict(rows, seconds);
        String conditions = "mode " + (selection.quick() ? "quick" : "full") + ", shapes " + selection.shapes()
                + ", JDK " + Runtime.version() + ", " + Runtime.getRuntime().availableProcessors() + " processors";
        Path index = report.resolve("index.html");
        Report.write(index, rows, verdict, conditions);
        System.out.println();
        System.out.print(Report.table(rows));
        System.out.println();
        rows.stream()
                .flatMap(row -> row.failures().stream())
                .forEach(failure -> System.out.println("  FAILED " + failure));
        System.out.println(verdict);
        System.out.println("report: " + index);
        return rows.stream().allMatch(row -> row.failures().isEmpty());
    }

    private static void deleteAll(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> walk = Files.walk(directory)) {
                for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }
}
