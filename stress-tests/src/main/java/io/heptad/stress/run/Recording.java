package io.heptad.stress.run;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;

/** Reads the result file that jcstress leaves behind. */
final class Recording {
    private Recording() {}

    static List<Observation> read(Path file) throws IOException {
        List<Observation> observations = new ArrayList<>();
        DiskReadCollector reader =
                new DiskReadCollector(file.toString(), result -> observations.add(observation(result)));
        try {
            reader.dump();
        } catch (ClassNotFoundException e) {
            throw new IOException(file + " was written by another jcstress", e);
        } finally {
            reader.close();
        }
        return observations;
    }

    static List<Observation> readAll(Path directory) throws IOException {
        List<Observation> observations = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "jcstress-results-*.bin.gz")) {
            for (Path file : files) {
                observations.addAll(read(file));
            }
        }
        return observations;
    }

    private static Observation observation(TestResult result) {
        List<Observation.Seen> outcomes = result.grading().gradingResults.values().stream()
                .map(graded -> new Observation.Seen(graded.id, graded.expect, graded.count))
                .toList();
        List<String> messages = new ArrayList<>(result.getMessages());
        messages.addAll(result.getVmErr());
        return new Observation(result.getName(), result.status(), outcomes, messages);
    }
}
