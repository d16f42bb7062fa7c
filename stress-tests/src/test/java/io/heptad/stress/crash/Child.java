package io.heptad.stress.crash;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A JVM that is there to die: quick to start, small. */
public final class Child {
    private Child() {}

    /**
     * Its command, on our class path. What it says as an error is part of its output.
     *
     * @param main its program
     * @param arguments what the program gets
     * @return the process, not started
     */
    public static ProcessBuilder java(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(Arrays.asList(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true);
    }
}
