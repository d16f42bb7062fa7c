package io.heptad.stress.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A child JVM that writes to our terminal and does not outlive us. */
final class Fork {
    private static final int TIMED_OUT = -1;

    private Fork() {}

    static List<String> java(String... jvmArgs) {
        return java(Path.of(System.getProperty("java.home")), jvmArgs);
    }

    static List<String> java(Path jdk, String... jvmArgs) {
        List<String> command = new ArrayList<>();
        command.add(jdk.resolve("bin/java").toString());
        command.addAll(List.of(jvmArgs));
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        return command;
    }

    /** Its exit code; -1 if it had to be ended after so many seconds. */
    static int run(List<String> command, Path directory, long seconds) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .inheritIO()
                .directory(directory.toFile())
                .start();
        Thread onExit = new Thread(() -> endTree(process));
        Runtime.getRuntime().addShutdownHook(onExit);
        try {
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                endTree(process);
                return TIMED_OUT;
            }
            return process.exitValue();
        } finally {
            endTree(process);
            Runtime.getRuntime().removeShutdownHook(onExit);
        }
    }

    private static void endTree(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
