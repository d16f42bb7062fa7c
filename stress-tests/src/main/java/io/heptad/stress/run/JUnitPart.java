package io.heptad.stress.run;

import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;

/** Runs the JUnit tests of one tool, a JVM for each shape that has some. */
final class JUnitPart {
    private final Selection selection;
    private final Path report;
    private final String tool;
    private final String ending;
    private final List<String> java;
    private final long seconds;

    JUnitPart(Selection selection, Path report, String tool, String ending, List<String> java, long seconds) {
        this.selection = selection;
        this.report = report;
        this.tool = tool;
        this.ending = ending;
        this.java = java;
        this.seconds = seconds;
    }

    List<Row> run() throws IOException, InterruptedException {
        return SideBySide.run(jobs(), 1);
    }

    List<Callable<Row>> jobs() {
        List<Callable<Row>> jobs = new ArrayList<>();
        for (String shape : selection.shapes()) {
            if (hasTests(shape, ending)) {
                jobs.add(() -> run(shape));
            }
        }
        return jobs;
    }

    private Row run(String shape) throws IOException, InterruptedException {
        System.out.println();
        System.out.println(tool + ", " + shape);
        Path directory = report.resolve(tool);
        Files.createDirectories(directory);
        Path result = directory.resolve(shape + ".properties");
        List<String> command = new ArrayList<>(java);
        command.add(JUnitFork.class.getName());
        command.addAll(List.of("io.heptad.stress." + shape, ending, result.toString()));
        long start = System.nanoTime();
        int exit = Fork.run(command, directory, seconds);
        return row(shape, exit, result, (System.nanoTime() - start) / 1e9);
    }

    private Row row(String shape, int exit, Path result, double took) throws IOException {
        Properties properties = new Properties();
        if (Files.exists(result)) {
            try (Reader in = Files.newBufferedReader(result)) {
                properties.load(in);
            }
        }
        int tests = Integer.parseInt(properties.getProperty("tests", "0"));
        List<Failure> failures = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(properties.getProperty("failures", "0")); i++) {
            failures.add(new Failure(shape, tool, properties.getProperty("failure." + i)));
        }
        if (failures.isEmpty() && (exit != 0 || tests == 0)) {
            failures.add(new Failure(
                    shape,
                    tool,
                    exit < 0 ? "ran out of time" : tests == 0 ? "nothing ran, exit " + exit : "exit " + exit));
        }
        return new Row(shape, tool, tests, -1, 0, 0, failures, took, "");
    }

    /** By the class files, so that a tool which cannot even load is a failure and not a gap. */
    static boolean hasTests(String shape, String ending) {
        String directory = "/io/heptad/stress/" + shape;
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path tests = Path.of(entry + directory);
            if (entry.endsWith("test-classes") && Files.isDirectory(tests)) {
                String[] names = tests.toFile().list((dir, name) -> name.endsWith(ending + ".class"));
                return names != null && names.length > 0;
            }
        }
        return false;
    }
}
