package io.heptad.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A consumer that imports the root pom as BOM and names one module, resolved, compiled and run by Maven itself.
 *
 * <p>It sees two repositories: what this build would deploy (jars and flattened poms, laid out as a repository; or the
 * one that {@code -Dheptad.repository} names), and, for plugins, the files that the main build has already fetched,
 * read as a remote repository. Its own local repository starts empty, so nothing of Heptad reaches the developer's, a
 * stale install there cannot hide a broken pom, and what ends up in it is exactly what the poms asked for.
 */
class ConsumerIT {
    private static final Path HOME = Path.of("target/consumer").toAbsolutePath();
    private static final Path LOCAL = HOME.resolve("local");
    // in full, or Maven would look through every plugin of its default life cycle for the short name
    private static final String EXEC = "org.codehaus.mojo:exec-maven-plugin:3.6.4:exec";
    private static final String UNCHECKED = "<enabled>true</enabled><checksumPolicy>ignore</checksumPolicy>";
    private static final String VERSION = property("project.version");

    @BeforeAll
    static void startFromNothing() throws IOException {
        deleteAll(HOME);
        Files.createDirectories(HOME);
        String given = System.getProperty("heptad.repository", "");
        String heptad = given.isEmpty() ? stage() : given;
        String fetched = Path.of(property("settings.localRepository")).toUri().toString();
        Files.writeString(HOME.resolve("settings.xml"), """
                <settings>
                  <profiles>
                    <profile>
                      <id>consumer</id>
                      <repositories>
                        <repository><id>heptad</id><url>%1$s</url>%3$s</repository>
                        <repository><id>fetched</id><url>%2$s</url>%3$s</repository>
                      </repositories>
                      <pluginRepositories>
                        <pluginRepository><id>fetched</id><url>%2$s</url>%3$s</pluginRepository>
                      </pluginRepositories>
                    </profile>
                  </profiles>
                  <activeProfiles><activeProfile>consumer</activeProfile></activeProfiles>
                </settings>
                """.formatted(
                        heptad, fetched, "<releases>%1$s</releases><snapshots>%1$s</snapshots>".formatted(UNCHECKED)));
    }

    @Test
    @Timeout(value = 5, unit = MINUTES)
    void usesTheQueueFromTheClassPath() throws Exception {
        Path project = copy("class-path");
        Files.delete(project.resolve("src/main/java/module-info.java"));

        assertThat(run(project, "class-path"))
                .contains("packed: tea", "packed: coffee", "packed: cocoa", "taken: 3")
                .contains("runs in: the class path, queue in: the class path")
                .contains("jspecify: not there", "micrometer: not there");
        assertThat(resolvedOfHeptad()).containsExactly("heptad", "heptad-core", "heptad-queue");
        assertThat(LOCAL.resolve("org/jspecify")).doesNotExist();
        assertThat(LOCAL.resolve("io/micrometer")).doesNotExist();
    }

    @Test
    @Timeout(value = 5, unit = MINUTES)
    void usesTheQueueFromTheModulePath() throws Exception {
        assertThat(run(copy("module-path"), "module-path"))
                .contains("packed: tea", "packed: coffee", "packed: cocoa", "taken: 3")
                .contains("runs in: consumer, queue in: io.heptad.queue")
                .contains("jspecify: not there", "micrometer: not there");
    }

    /** What {@code mvn deploy} would send: seven jars, eight poms. */
    private static String stage() throws IOException {
        Path repository = HOME.resolve("repository");
        Path root = Path.of("..").toRealPath();
        send(root.resolve(".flattened-pom.xml"), repository, "heptad", "pom");
        for (String folder : List.of("core", "sync", "queue", "pool", "actor", "workflow/pipeline", "workflow/gate")) {
            String artifact = "heptad-" + folder.substring(folder.lastIndexOf('/') + 1);
            Path module = root.resolve(folder);
            send(module.resolve(".flattened-pom.xml"), repository, artifact, "pom");
            send(module.resolve("target/" + artifact + "-" + VERSION + ".jar"), repository, artifact, "jar");
        }
        return repository.toUri().toString();
    }

    private static void send(Path file, Path repository, String artifact, String type) throws IOException {
        Path folder = repository.resolve("io/heptad").resolve(artifact).resolve(VERSION);
        Files.createDirectories(folder);
        Files.copy(file, folder.resolve(artifact + "-" + VERSION + "." + type));
    }

    private static Path copy(String name) throws IOException {
        Path from = Path.of("src/it/consumer");
        Path to = HOME.resolve(name);
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : all.toList()) {
                Path target = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(path, target);
                }
            }
        }
        // a project of its own, not a part of the one around it
        Files.createDirectories(to.resolve(".mvn"));
        return to;
    }

    private static List<String> run(Path project, String how) throws IOException, InterruptedException {
        boolean windows = property("os.name").startsWith("Windows");
        Path maven = Path.of(property("maven.home"), "bin", windows ? "mvn.cmd" : "mvn");
        Path log = HOME.resolve(how + ".log");
        List<String> command = new ArrayList<>(List.of(
                maven.toString(),
                "-B",
                "-ntp",
                "-s",
                HOME.resolve("settings.xml").toString()));
        command.add("-Dmaven.repo.local=" + LOCAL);
        command.addAll(List.of("compile", EXEC + "@" + how));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(project.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("JAVA_HOME", property("java.home"));
        builder.environment().keySet().removeIf(name -> name.startsWith("MAVEN_"));
        Process process = builder.start();
        try {
            assertThat(process.waitFor(240, SECONDS))
                    .as("the consumer's build ends; see %s", log)
                    .isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        String said = Files.readString(log, UTF_8);
        assertThat(process.exitValue()).as(said).isZero();
        return said.lines().toList();
    }

    private static List<String> resolvedOfHeptad() throws IOException {
        try (Stream<Path> all = Files.list(LOCAL.resolve("io/heptad"))) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    private static void deleteAll(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path path : all.sorted((a, b) -> b.compareTo(a)).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    private static String property(String name) {
        String value = System.getProperty(name);
        assertThat(value).as("system property %s, which the build sets", name).isNotBlank();
        return value;
    }
}
