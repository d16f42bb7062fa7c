package io.heptad.stress.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/** Schedules chosen one by one, on an instrumented JDK that is linked here once and kept. */
final class FrayPart {
    /*
     * Linked from the running JDK's own image (Temurin ships no jmods), all modules but jdk.jlink and jdk.jpackage, which
     * cannot be linked that way.
     */
    private static final String MODULES = "java.se,java.smartcardio,jdk.accessibility,jdk.attach,jdk.charsets,"
            + "jdk.compiler,jdk.crypto.cryptoki,jdk.crypto.ec,jdk.httpserver,jdk.jartool,jdk.jcmd,jdk.jdi,"
            + "jdk.jdwp.agent,jdk.jfr,jdk.localedata,jdk.management,jdk.management.agent,jdk.management.jfr,"
            + "jdk.naming.dns,jdk.net,jdk.nio.mapmode,jdk.security.auth,jdk.unsupported,jdk.xml.dom,jdk.zipfs";

    private static final String ENDING = "FrayTest";

    private final Selection selection;
    private final Path report;
    private final Path home;

    FrayPart(Selection selection, Path report, Path home) {
        this.selection = selection;
        this.report = report;
        this.home = home;
    }

    /** Links the JDK first, if need be. */
    List<Callable<Row>> jobs() throws IOException, InterruptedException {
        if (selection.shapes().stream().noneMatch(shape -> JUnitPart.hasTests(shape, ENDING))) {
            return List.of();
        }
        if (!supported()) {
            return cannotRun("its agent exists for Linux on x86-64 only");
        }
        Path jdk = home.resolve(".fray-jdk").resolve(Runtime.version().toString());
        if (!Files.exists(jdk.resolve("bin/java")) && link(jdk) != 0) {
            return cannotRun("its JDK could not be linked");
        }
        Path agent = home.resolve("target/fray-agent");
        return new JUnitPart(
                        selection,
                        report,
                        "fray",
                        ENDING,
                        Fork.java(
                                jdk,
                                "-javaagent:" + agent.resolve("fray-instrumentation-agent.jar"),
                                "-agentpath:" + agent.resolve("libjvmti.so"),
                                "-XX:TieredStopAtLevel=1", // as for Lincheck
                                "-XX:+UseSerialGC",
                                "-Dheptad.stress.full=" + !selection.quick(),
                                "-Dfray.workDir=" + report.resolve("fray")),
                        600)
                .jobs();
    }

    /** A proof that was not tried is none. */
    private List<Callable<Row>> cannotRun(String why) {
        String shape = selection.shapes().first();
        return List.of(() -> new Row(shape, "fray", 0, -1, 0, 0, List.of(new Failure(shape, "fray", why)), 0, ""));
    }

    private static boolean supported() {
        return System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux")
                && System.getProperty("os.arch").equals("amd64");
    }

    private int link(Path jdk) throws IOException, InterruptedException {
        System.out.println();
        System.out.println("fray: linking an instrumented JDK, once");
        Files.createDirectories(jdk.getParent());
        Path lib = home.resolve("target/fray-lib");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "jlink").toString());
        command.add("-J-javaagent:" + lib.resolve("fray-instrumentation-jdk.jar"));
        command.add("-J--module-path=" + lib);
        command.add("-J--add-modules=org.pastalab.fray.instrumentation.jdk");
        command.add("-J--class-path=" + lib.resolve("*"));
        command.add("--output=" + jdk);
        command.add("--add-modules=" + MODULES);
        command.addAll(List.of("--release-info", "add:IMPLEMENTOR=Fray", "--fray-instrumentation"));
        return Fork.run(command, home, 120);
    }
}
