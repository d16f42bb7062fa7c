package io.heptad.stress.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Linearizability. */
final class LincheckPart {
    private final JUnitPart tests;

    LincheckPart(Selection selection, Path report) {
        tests = new JUnitPart(
                selection, report, "lincheck", "LincheckTest", Fork.java("-XX:+EnableDynamicAgentLoading"), 300);
    }

    List<Row> run() throws IOException, InterruptedException {
        return tests.run();
    }
}
