package io.heptad.stress.run;

import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs the JUnit tests of one shape and one tool in this JVM, says so line by line, and writes down how they ended. */
public final class JUnitFork {
    private JUnitFork() {}

    /**
     * Runs the tests.
     *
     * @param args the package, the ending of the class names, the file for the result
     * @throws IOException if the result cannot be written
     */
    public static void main(String[] args) throws IOException {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectPackage(args[0]))
                .filters(includeClassNamePatterns(".*" + args[1]))
                .build();
        Listener listener = new Listener(args[0].substring(args[0].lastIndexOf('.') + 1));
        LauncherFactory.create().execute(request, listener);
        Properties result = new Properties();
        result.setProperty("tests", Integer.toString(listener.tests));
        result.setProperty("failures", Integer.toString(listener.failures.size()));
        for (int i = 0; i < listener.failures.size(); i++) {
            result.setProperty("failure." + i, listener.failures.get(i));
        }
        try (Writer out = Files.newBufferedWriter(Path.of(args[2]))) {
            result.store(out, null);
        }
        System.out.flush();
        // a hung test may have left threads behind
        Runtime.getRuntime().halt(listener.failures.isEmpty() ? 0 : 1);
    }

    private static final class Listener implements TestExecutionListener {
        private final String shape;
        private final List<String> failures = new ArrayList<>();
        private int tests;

        Listener(String shape) {
            this.shape = shape;
        }

        @Override
        public void executionSkipped(TestIdentifier id, String reason) {
            failures.add(id.getDisplayName() + ": skipped: " + reason);
        }

        @Override
        public void executionFinished(TestIdentifier id, TestExecutionResult result) {
            boolean ok = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
            if (id.isTest()) {
                tests++;
                System.out.println((ok ? "  ok     " : "  FAILED ") + shape + ": " + id.getLegacyReportingName());
            }
            if (!ok) {
                Throwable cause = result.getThrowable().orElseGet(() -> new AssertionError("aborted"));
                cause.printStackTrace(System.out);
                String first =
                        String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
                failures.add(
                        id.getLegacyReportingName() + ": " + cause.getClass().getSimpleName() + " " + first);
            }
        }
    }
}
