package io.heptad.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.heptad.contract.Watched;
import io.heptad.core.Backoff;
import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The compiler lists what a new phase has been forgotten in. */
@Watched
class NewPhaseTest {
    private static final Path SOURCE = Path.of("src/contract/java/io/heptad/contract/gate/Orders.java");

    @TempDir
    private Path directory;

    @Test
    void aNewPhaseWithoutACaseDoesNotCompile() throws Exception {
        String source = Files.readString(SOURCE);
        String phase = "public record Cancelled(String reason, boolean refunded) implements Order {}";
        assertThat(source).contains(phase);

        assertThat(compiled(source)).as("as it is").isEmpty();
        assertThat(compiled(source.replace(phase, phase + " public record Returned(String why) implements Order {}")))
                .contains("Orders.java")
                .contains("the switch expression does not cover all possible input values")
                .contains("1 error");
    }

    private String compiled(String source) throws Exception {
        Path file = Files.writeString(directory.resolve("Orders.java"), source);
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        ToolProvider.findFirst("javac")
                .orElseThrow()
                .run(
                        out,
                        out,
                        "-proc:none",
                        "-d",
                        directory.toString(),
                        "-classpath",
                        place(Gate.class) + File.pathSeparator + place(Backoff.class),
                        file.toString());
        return said.toString();
    }

    private static Path place(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }
}
