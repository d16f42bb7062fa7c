package io.heptad.stress.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Liveness: every blocking call, on virtual threads that share one carrier. */
final class SoakPart {
    /** One carrier, and never a second one to make up for a pinned thread. */
    static final List<String> ONE_CARRIER =
            List.of("-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.maxPoolSize=1");

    private final JUnitPart tests;

    SoakPart(Selection selection, Path report) {
        List<String> flags = new ArrayList<>(ONE_CARRIER);
        tests = new JUnitPart(selection, report, "soak", "SoakTest", Fork.java(flags.toArray(String[]::new)), 120);
    }

    List<Row> run() throws IOException, InterruptedException {
        return tests.run();
    }
}
