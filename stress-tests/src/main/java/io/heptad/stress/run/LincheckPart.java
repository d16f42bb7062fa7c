package io.heptad.stress.run;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/** Linearizability. */
final class LincheckPart {
    private final JUnitPart tests;

    LincheckPart(Selection selection, Path report) {
        tests = new JUnitPart(
                selection,
                report,
                "lincheck",
                "LincheckTest",
                // the checker walks through all that a shape refers to, a comparator of java.util for one
                Fork.java("-XX:+EnableDynamicAgentLoading", "--add-opens=java.base/java.util=ALL-UNNAMED"),
                300);
    }

    List<Callable<Row>> jobs() {
        return tests.jobs();
    }
}
