package io.heptad.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;

/**
 * The files of one shape: {@code queue-full.json} (as JMH writes it), {@code .csv}, {@code .txt} (the table), and the
 * charts. They are written anew after each cell, so a run that is stopped leaves what it measured; a run of some cells
 * only has {@code -some} in the name and overwrites no whole one.
 */
final class Report {
    private final Path directory;
    private final String shape;
    private final RunMode mode;
    private final Stamp stamp;
    private final String suffix;

    Report(Path directory, String shape, RunMode mode, boolean someCells, Stamp stamp) {
        this.directory = directory;
        this.shape = shape;
        this.mode = mode;
        this.stamp = stamp;
        this.suffix = "-" + mode.lowerCase() + (someCells ? "-some" : "");
    }

    /** Everything but the charts. */
    String write(List<ContestResult> results, Collection<RunResult> raw) {
        String table = Table.of(shape, mode, stamp, results);
        try {
            Files.createDirectories(directory);
            Files.writeString(file(".txt"), table);
            Files.writeString(file(".csv"), Csv.of(mode, stamp, results));
            try (PrintStream json = new PrintStream(file(".json").toFile(), StandardCharsets.UTF_8)) {
                ResultFormatFactory.getInstance(ResultFormatType.JSON, json).writeOut(raw);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("the report cannot be written to " + directory, failed);
        }
        return table;
    }

    List<Path> charts(List<ContestResult> results) {
        try {
            return Charts.write(directory, suffix, stamp, results);
        } catch (IOException failed) {
            throw new UncheckedIOException("the charts cannot be written to " + directory, failed);
        }
    }

    Path log() {
        return file(".log");
    }

    private Path file(String extension) {
        return directory.resolve(shape + suffix + extension);
    }
}
