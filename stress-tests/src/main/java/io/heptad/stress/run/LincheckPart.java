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
                Fork.java(
                        "-XX:+EnableDynamicAgentLoading",
                        "--add-opens=java.base/java.util=ALL-UNNAMED",
                        // most of the code runs a few times only: C2 would take a second core for nothing
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dheptad.stress.full=" + !selection.quick()),
                1_200);
    }

    List<Callable<Row>> jobs() {
        return tests.jobs();
    }
}
