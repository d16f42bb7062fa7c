package io.heptad.stress.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Processes that are halted at every numbered point, at pairs of points, and killed at random moments; one or several. */
final class CrashPart {
    private static final long QUICK_SECONDS = 1_800;
    private static final long FULL_SECONDS = 24 * 3600;

    private final JUnitPart tests;

    CrashPart(Selection selection, Path report, String seed) {
        List<String> java = new ArrayList<>(Fork.java("-Dheptad.stress.full=" + !selection.quick()));
        if (!seed.isEmpty()) {
            java.add(1, "-Dheptad.stress.seed=" + seed);
        }
        tests = new JUnitPart(
                selection, report, "crash", "CrashTest", java, selection.quick() ? QUICK_SECONDS : FULL_SECONDS);
    }

    List<Row> run() throws IOException, InterruptedException {
        return tests.run();
    }
}
