package io.heptad.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Core needs nothing at run time but the JDK: a JVM that has nothing else uses all of it but {@link HeptadMetrics}. */
@Watched
class WithoutMicrometerTest {
    private static final Path CLASSES = Path.of("target", "classes").toAbsolutePath();
    private static final Path TESTS = Path.of("target", "test-classes").toAbsolutePath();
    private static final String MAIN = "io.heptad.core.WithoutMicrometer";

    @Test
    void worksOnTheClassPath() throws Exception {
        assertThat(java("-cp", CLASSES + File.pathSeparator + TESTS, MAIN)).contains("classes, named module: false");
    }

    @Test
    void worksOnTheModulePath() throws Exception {
        String patch = "io.heptad.core=" + TESTS;
        assertThat(java("-p", CLASSES.toString(), "--patch-module", patch, "-m", "io.heptad.core/" + MAIN))
                .contains("classes, named module: true");
    }

    private static String java(String... arguments) throws Exception {
        List<String> command = Stream.of(
                        Stream.of(Path.of(System.getProperty("java.home"), "bin", "java")
                                .toString()),
                        Stream.of(arguments),
                        Stream.of(CLASSES.toString()))
                .flatMap(part -> part)
                .toList();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
