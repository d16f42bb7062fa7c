package io.heptad.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A JVM of the same version with nothing on its paths but what a test names. */
final class ChildJvm {
    static final Path CLASSES = Path.of("target", "classes").toAbsolutePath();
    static final Path TESTS = Path.of("target", "test-classes").toAbsolutePath();
    static final String CLASS_PATH = CLASSES + File.pathSeparator + TESTS;

    private ChildJvm() {}

    /** Runs it to its end, which must be a good one, and returns what it printed. */
    static String run(String... arguments) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command =
                Stream.concat(Stream.of(java), Stream.of(arguments)).toList();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(output).isZero();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
