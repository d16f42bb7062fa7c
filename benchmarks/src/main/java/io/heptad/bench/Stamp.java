package io.heptad.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** Where figures come from; without it a figure is worth nothing. */
record Stamp(String commit, String jdk, int cpus, String cpu, String date) {
    static Stamp now() {
        return new Stamp(
                currentCommit(),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
                Runtime.getRuntime().availableProcessors(),
                model(),
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    }

    @Override
    public String toString() {
        return "commit " + commit + " | " + jdk + " | " + cpus + " CPUs (" + cpu + ") | " + date;
    }

    private static String currentCommit() {
        String described = run("git", "describe", "--always", "--dirty=+changes", "--abbrev=10", "--exclude=*");
        return described.isEmpty() ? "unknown" : described;
    }

    private static String model() {
        Path info = Path.of("/proc/cpuinfo");
        if (Files.isReadable(info)) {
            try (var lines = Files.lines(info)) {
                return lines.filter(line -> line.startsWith("model name"))
                        .map(line -> line.substring(line.indexOf(':') + 1).strip())
                        .findFirst()
                        .orElse(System.getProperty("os.arch"));
            } catch (IOException unreadable) {
                return System.getProperty("os.arch");
            }
        }
        return System.getProperty("os.arch");
    }

    /** What the command prints, or nothing where it is not installed or fails. */
    private static String run(String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0 ? output : "";
        } catch (IOException absent) {
            return "";
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
